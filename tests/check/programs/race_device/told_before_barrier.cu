// The last block adds up what all have left, but a block counts itself before all of its threads
// have written. Guide, 7.5 and 10.5.
#include "../suite.h"

__device__ unsigned count;

__global__ void sum(int *part, int *out) {
    __shared__ bool last;
    int t = (int)threadIdx.x, n = (int)(gridDim.x * blockDim.x);
    part[blockIdx.x * blockDim.x + t] = t + (int)blockIdx.x; // bug: race.fence
    __threadfence();
#ifndef BUG
    __syncthreads();
#endif
    if (t == 0)
        last = atomicAdd(&count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last && t == 0) {
        __threadfence();
        int s = 0;
        for (int i = 0; i < n; i++)
            s += part[i]; // with
        *out = s;
    }
}

int main() {
    int *part, *out, h;
    OK(cudaMalloc(&part, 256 * sizeof(int)));
    OK(cudaMalloc(&out, sizeof h));
    sum<<<4, 64>>>(part, out);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(part));
    OK(cudaFree(out));
    return verdict(h == 4 * 2016 + 64 * 6);
}
