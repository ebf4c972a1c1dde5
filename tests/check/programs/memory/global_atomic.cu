// A histogram with a bin too few: an atomic access outside of the allocation. Guide, 10.14 and
// 6.2.2.
#include "../suite.h"

__global__ void histogram(int *bins) {
    atomicAdd(&bins[threadIdx.x % 11], 1); // bug: memory.global
}

int main() {
#ifdef BUG
    const int n = 10;
#else
    const int n = 11;
#endif
    int *bins, h[n];
    OK(cudaMalloc(&bins, n * sizeof(int)));
    OK(cudaMemset(bins, 0, n * sizeof(int)));
    histogram<<<1, 110>>>(bins);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, bins, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(bins));
    return verdict(h[9] == 10);
}
