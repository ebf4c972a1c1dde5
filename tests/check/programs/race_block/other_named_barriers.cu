// Two warps wait at two different named barriers, and so not for each other. PTX barrier.sync;
// guide, 10.6.
#include "../suite.h"

__global__ void swap(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x; // bug: race.named-barrier
#ifdef BUG
    asm volatile("barrier.sync %0, 32;" ::"r"(1 + threadIdx.x / 32) : "memory");
#else
    asm volatile("barrier.sync 1, 64;" ::: "memory");
#endif
    out[threadIdx.x] = tile[63 - threadIdx.x]; // with
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    swap<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 63 && h[63] == 0);
}
