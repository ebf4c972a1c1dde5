// One byte behind a static shared array, where the block's other array may lie. Guide, 10.2.3.
#include "../suite.h"

__global__ void work(int n, int *out) {
    __shared__ char first[33], second[33];
    second[threadIdx.x] = 2;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < n; ++i)
            first[i] = 1; // bug: memory.shared
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    work<<<1, 32>>>(34, out);
#else
    work<<<1, 32>>>(33, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[31] == 3);
}
