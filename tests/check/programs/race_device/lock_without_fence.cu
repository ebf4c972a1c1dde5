// A lock of relaxed atomic functions, without fences inside: what it guards is not ordered. Guide,
// 10.5 and 10.14.
#include "../suite.h"

__device__ int lock, sum;

__global__ void add() {
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
#ifndef BUG
    __threadfence();
#endif
    sum = sum + blockIdx.x; // bug: race.lock
#ifndef BUG
    __threadfence();
#endif
    atomicExch(&lock, 0);
}

int main() {
    int h;
    add<<<8, 32>>>();
    OK(cudaGetLastError());
    OK(cudaMemcpyFromSymbol(&h, sum, sizeof h));
    return verdict(h == 28);
}
