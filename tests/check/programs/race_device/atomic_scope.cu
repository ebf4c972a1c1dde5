// Blocks add with a function whose atomicity holds within a block alone. Guide, 10.14: the _block
// variants.
#include "../suite.h"

__global__ void count(int *n) {
#ifdef BUG
    atomicAdd_block(n, 1); // bug: race.scope
#else
    atomicAdd(n, 1);
#endif
}

int main() {
    int *n, h;
    OK(cudaMalloc(&n, sizeof(int)));
    OK(cudaMemset(n, 0, sizeof(int)));
    count<<<16, 64>>>(n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, n, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(n));
    return verdict(h == 16 * 64);
}
