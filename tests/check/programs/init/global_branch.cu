// The host sets one element too few; a branch depends on the last. Guide, 6.2.2: cudaMalloc sets
// nothing.
#include "../suite.h"

__global__ void count(const int *a, int *n) {
    if (a[threadIdx.x] > 0) // bug: init.global
        atomicAdd(n, 1);
}

int main() {
    int h[32], *a, *n;
    for (int i = 0; i < 32; ++i)
        h[i] = 1;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&n, sizeof(int)));
    OK(cudaMemset(n, 0, sizeof(int)));
#ifdef BUG
    OK(cudaMemcpy(a, h, 31 * sizeof(int), cudaMemcpyHostToDevice));
#else
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
#endif
    count<<<1, 32>>>(a, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, n, sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(n));
    return verdict(h[0] == 32);
}
