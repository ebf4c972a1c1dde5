// The first warp adds the warps' sums before it is sure that all have written theirs. Guide, 10.6.
#include "../suite.h"

__device__ int sum_of_warp(int v) {
    for (int n = 16; n; n /= 2)
        v += __shfl_down_sync(0xffffffff, v, n);
    return v;
}

__global__ void sum(const int *in, int *out) {
    __shared__ int partial[8];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int v = sum_of_warp(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (lane == 0)
        partial[warp] = v; // bug: race.block
#ifndef BUG
    __syncthreads();
#endif
    if (warp == 0) {
        v = sum_of_warp(lane < 8 ? partial[lane] : 0); // with
        if (lane == 0)
            atomicAdd(out, v);
    }
}

int main() {
    const int n = 1024;
    int *in, *out, h[n], r;
    for (int i = 0; i < n; ++i)
        h[i] = i;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof *out));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, sizeof *out));
    sum<<<n / 256, 256>>>(in, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(r == n * (n - 1) / 2);
}
