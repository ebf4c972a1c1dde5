// The last thread passes the guard and writes the element behind the array. Guide, 6.2.2: an
// allocation ends with its last byte.
#include "../suite.h"

__global__ void fill(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUG
    if (i <= n)
#else
    if (i < n)
#endif
        a[i] = i; // bug: memory.global
}

int main() {
    const int n = 100;
    int *a, h[n];
    OK(cudaMalloc(&a, n * sizeof(int)));
    fill<<<4, 32>>>(a, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    return verdict(h[n - 1] == n - 1);
}
