// The producing warp arrives at the named barrier before it writes. PTX barrier.arrive; guide,
// 10.6.
#include "../suite.h"

__global__ void produce(int *out) {
    __shared__ int tile[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
#ifdef BUG
        asm volatile("barrier.arrive 1, 64;" ::: "memory");
#endif
        tile[lane] = lane; // bug: race.named-barrier
#ifndef BUG
        asm volatile("barrier.arrive 1, 64;" ::: "memory");
#endif
    } else {
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        out[threadIdx.x] = tile[lane]; // with
    }
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    produce<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[63] == 31);
}
