// The warp of a block that comes last leaves its number. Guide, 7.1: warps are scheduled
// independently of each other.
// check: --schedules 2
#include "../suite.h"

__global__ void work(int *out) {
    __shared__ int last;
    if (threadIdx.x % 32 == 0)
#ifdef BUG
        atomicExch(&last, threadIdx.x / 32);
#else
        atomicExch(&last, blockDim.x / 32 - 1);
#endif
    __syncthreads();
    if (threadIdx.x == 0)
        *out = last; // bug: schedule.order
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
    work<<<1, 128>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 3);
}
