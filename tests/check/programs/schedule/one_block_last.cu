// The block that ends last writes the result, and does so wrongly if it is one in the middle: only
// an order in which that comes last shows it. Guide, 5.2.1: blocks may come in any order.
// check: --schedules 8
#include "../suite.h"

__global__ void work(int *count, int *out) {
    if (threadIdx.x || atomicAdd(count, 1) != (int)gridDim.x - 1)
        return;
    int blocks = gridDim.x;
#ifdef BUG
    blocks -= blockIdx.x == 3;
#endif
    *out = blocks; // bug: schedule.order
}

int main() {
    int *p, h;
    OK(cudaMalloc(&p, 2 * sizeof(int)));
    OK(cudaMemset(p, 0, 2 * sizeof(int)));
    work<<<7, 32>>>(p, p + 1);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, p + 1, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(p));
    return verdict(h == 7);
}
