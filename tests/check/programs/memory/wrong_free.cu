// Page-locked host memory is given to the function that frees device memory. Guide, 6.2.6.
#include "../suite.h"

int main() {
    int *h;
    OK(cudaMallocHost((void **)&h, 64));
    *h = 1;
#ifdef BUG
    cudaError_t error = cudaFree(h); // bug: memory.free
    if (error != cudaSuccess)
        OK(cudaFreeHost(h));
    return verdict(error == cudaSuccess);
#else
    OK(cudaFreeHost(h));
    return verdict(true);
#endif
}
