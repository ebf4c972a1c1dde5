// A kernel submits a set, and writes to the same memory itself. Guide, 13.2.2.1 and 13.3.2.1: what a
// grid submits runs beside it.
// options: -rdc=true -lcudadevrt
#include "../suite.h"

__global__ void parent(int *a) {
#ifndef BUG
    if (threadIdx.x == 1)
        a[1] = 7;
    __syncthreads();
#endif
    if (threadIdx.x == 0)
        cudaMemsetAsync(a, 0, 32 * sizeof(int), cudaStreamTailLaunch); // with
    a += 32;
#ifdef BUG
    if (threadIdx.x == 0)
        cudaMemsetAsync(a, 0, 32 * sizeof(int)); // with
#endif
    a[threadIdx.x] = threadIdx.x; // bug: race.child
}

int main() {
    int *a, h[64];
    OK(cudaMalloc(&a, sizeof h));
    parent<<<1, 32>>>(a);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    return verdict(h[1] == 0 && h[33] == 1);
}
