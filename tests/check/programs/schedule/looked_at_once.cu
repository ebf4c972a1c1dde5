// A block looks once whether another one has handed on its sum, and goes on without it. Guide,
// 5.2.1: blocks may come in any order.
// check: --schedules 2
#include "../suite.h"

__global__ void chain(int *done, int *sum, int *out) {
    if (threadIdx.x)
        return;
    int block = blockIdx.x, before = 0;
    if (block) {
#ifdef BUG
        if (atomicAdd(&done[block - 1], 0))
#else
        while (!atomicAdd(&done[block - 1], 0))
            ;
        __threadfence();
#endif
            before = atomicAdd(&sum[block - 1], 0);
    }
    atomicExch(&sum[block], before + block);
    __threadfence();
    atomicExch(&done[block], 1);
    atomicAdd(out, before); // bug: schedule.order
}

int main() {
    int *p, h;
    OK(cudaMalloc(&p, 9 * sizeof(int)));
    OK(cudaMemset(p, 0, 9 * sizeof(int)));
    chain<<<4, 32>>>(p, p + 4, p + 8);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, p + 8, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(p));
    return verdict(h == 0 + 0 + 1 + 3);
}
