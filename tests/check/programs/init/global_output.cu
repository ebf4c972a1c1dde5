// The grid is a block short: the last elements of the result are never written, and copied to the
// host. Guide, 6.2.2.
// check: --unwritten-copies yes
#include "../suite.h"

__global__ void fill(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i;
}

int main() {
    const int n = 100;
    int *a, h[n];
    OK(cudaMalloc(&a, sizeof h));
#ifdef BUG
    fill<<<n / 32, 32>>>(a, n);
#else
    fill<<<(n + 31) / 32, 32>>>(a, n);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost)); // bug: init.global
    OK(cudaFree(a));
    return verdict(h[n - 1] == n - 1);
}
