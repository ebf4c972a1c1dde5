// A pointer into an allocation is freed instead of the one that cudaMalloc gave. Guide, 6.2.2.
#include "../suite.h"

int main() {
    char *a;
    OK(cudaMalloc(&a, 1024));
    OK(cudaMemset(a, 0, 1024));
#ifdef BUG
    a += 256;
    cudaError_t error = cudaFree(a); // bug: memory.free
    if (error != cudaSuccess)
        OK(cudaFree(a - 256));
    return verdict(error == cudaSuccess);
#else
    OK(cudaFree(a));
    return verdict(true);
#endif
}
