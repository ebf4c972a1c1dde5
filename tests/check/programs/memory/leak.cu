// Device memory is never freed. Guide, 6.2.2.
// check: --leak-check full
#include "../suite.h"

int main() {
    int *a;
    OK(cudaMalloc(&a, 1000)); // bug: memory.leak
    OK(cudaMemset(a, 0, 1000));
    OK(cudaDeviceSynchronize());
#ifndef BUG
    OK(cudaFree(a));
#endif
    return verdict(true);
}
