// A set of elements counts bytes of a type that is twice as large. Guide, 6.2.2.
#include "../suite.h"

int main() {
    short *a;
    OK(cudaMalloc(&a, 101 * sizeof(short)));
#ifdef BUG
    OK(cudaMemset(a, 0, 101 * sizeof(int))); // bug: memory.copy
#else
    OK(cudaMemset(a, 0, 101 * sizeof(short)));
#endif
    OK(cudaDeviceSynchronize());
    OK(cudaFree(a));
    return verdict(true);
}
