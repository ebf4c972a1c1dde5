// The number of the block that comes last goes into the result. Guide, 5.1: blocks run in any
// order.
// check: --schedules 2
#include "../suite.h"

__device__ unsigned tickets;

__global__ void work(int *out) {
    if (threadIdx.x != 0)
        return;
    unsigned ticket = atomicAdd(&tickets, 1u); // bug: schedule.order
    if (ticket == gridDim.x - 1) {
#ifdef BUG
        *out = blockIdx.x; // or
#else
        *out = gridDim.x - 1;
#endif
    }
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
    work<<<16, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 15);
}
