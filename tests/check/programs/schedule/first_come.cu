// The block that comes first takes the place, and its number is the result. Guide, 5.2.1: blocks may
// come in any order.
// check: --schedules 2
#include "../suite.h"

__global__ void work(int *owner, int *out) {
    int block = blockIdx.x;
    if (threadIdx.x)
        return;
#ifdef BUG
    if (atomicCAS(owner, -1, block) == -1)
        atomicAdd(out, block + 1); // bug: schedule.order
#else
    if (atomicCAS(owner, -1, block) == -1)
        atomicAdd(out, 1);
#endif
}

int main() {
    int *p, h;
    OK(cudaMalloc(&p, 2 * sizeof(int)));
    OK(cudaMemset(p, 0xff, sizeof(int)));
    OK(cudaMemset(p + 1, 0, sizeof(int)));
    work<<<8, 32>>>(p, p + 1);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, p + 1, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(p));
    return verdict(h == 1);
}
