// Memory of a pool is counted in without being set, and holds what its last owner left. Guide,
// 15.3.
#include "../suite.h"

__global__ void count(int *a, int *n) {
    if (a[threadIdx.x] != 1) // bug: init.pool
        atomicAdd(n, 1);
}

int main() {
    int *a, *n, h;
    OK(cudaMallocAsync((void **)&n, sizeof(int), 0));
    OK(cudaMemsetAsync(n, 0, sizeof(int), 0));
    OK(cudaMallocAsync((void **)&a, 32 * sizeof(int), 0));
    OK(cudaMemsetAsync(a, 0, 32 * sizeof(int), 0));
    OK(cudaFreeAsync(a, 0));
    OK(cudaMallocAsync((void **)&a, 32 * sizeof(int), 0));
#ifndef BUG
    OK(cudaMemsetAsync(a, 0, 32 * sizeof(int), 0));
#endif
    count<<<1, 32>>>(a, n);
    OK(cudaGetLastError());
    OK(cudaMemcpyAsync(&h, n, sizeof h, cudaMemcpyDeviceToHost, 0));
    OK(cudaFreeAsync(a, 0));
    OK(cudaFreeAsync(n, 0));
    OK(cudaStreamSynchronize(0));
    return verdict(h == 32);
}
