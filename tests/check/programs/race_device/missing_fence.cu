// The last block sums what all blocks wrote before they took a ticket, without a fence between.
// Guide, 10.5.
#include "../suite.h"

__device__ unsigned tickets;

__global__ void sum(int *part, int *total) {
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1; // bug: race.fence
#ifndef BUG
        __threadfence();
#endif
        unsigned ticket = atomicAdd(&tickets, 1u);
        if (ticket == gridDim.x - 1) {
            __threadfence();
            int s = 0;
            for (unsigned i = 0; i < gridDim.x; ++i)
                s += part[i]; // with
            *total = s;
        }
    }
}

int main() {
    int *part, *total, h;
    OK(cudaMalloc(&part, 8 * sizeof(int)));
    OK(cudaMalloc(&total, sizeof(int)));
    sum<<<8, 32>>>(part, total);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, total, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(part));
    OK(cudaFree(total));
    return verdict(h == 36);
}
