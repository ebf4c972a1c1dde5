// A stream is never destroyed. Guide, 6.2.8.5.1.
// check: --leak-check full
#include "../suite.h"

int main() {
    cudaStream_t s;
    OK(cudaStreamCreate(&s)); // bug: api.leak
    OK(cudaDeviceSynchronize());
#ifndef BUG
    OK(cudaStreamDestroy(s));
#endif
    return verdict(true);
}
