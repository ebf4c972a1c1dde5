// A set counts elements where it has to count bytes: the rest of the array is added to as well, and
// nobody looks at the sums. Guide, 6.2.2.
// check: --unwritten-reads yes
#include "../suite.h"

__global__ void add(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += i; // bug: init.global
}

int main() {
    const int n = 64;
    int *a;
    OK(cudaMalloc(&a, n * sizeof *a));
#ifdef BUG
    OK(cudaMemset(a, 0, n));
#else
    OK(cudaMemset(a, 0, n * sizeof *a));
#endif
    add<<<n / 32, 32>>>(a);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaFree(a));
    return verdict(true);
}
