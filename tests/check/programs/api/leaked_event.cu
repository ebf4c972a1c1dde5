// An event is never destroyed. Guide, 6.2.8.8.1.
// check: --leak-check full
#include "../suite.h"

int main() {
    cudaEvent_t e;
    OK(cudaEventCreate(&e)); // bug: api.leak
    OK(cudaEventRecord(e, 0));
    OK(cudaDeviceSynchronize());
#ifndef BUG
    OK(cudaEventDestroy(e));
#endif
    return verdict(true);
}
