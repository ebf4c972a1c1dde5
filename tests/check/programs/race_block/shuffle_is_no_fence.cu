// A shuffle between write and read is taken for a barrier. Guide, 10.22: shuffles imply no memory
// barrier.
#include "../suite.h"

__global__ void swap(int *out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x; // bug: race.warp
    int zero = __shfl_sync(0xffffffff, threadIdx.x, 0);
#ifndef BUG
    __syncwarp();
#endif
    out[threadIdx.x] = tile[31 - threadIdx.x] + zero; // with
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    swap<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 31);
}
