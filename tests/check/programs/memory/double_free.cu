// The same pointer is freed twice. Guide, 6.2.2; cudaFree answers cudaErrorInvalidValue.
#include "../suite.h"

int main() {
    void *a;
    OK(cudaMalloc(&a, 100));
    OK(cudaFree(a));
#ifdef BUG
    OK(cudaFree(a)); // bug: memory.free
#endif
    return verdict(true);
}
