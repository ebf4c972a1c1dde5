// Threads arrive at a cuda::barrier, and read before they wait for its phase. Guide, 10.26.2.
#include "../suite.h"
#include <cuda/barrier>

__global__ void swap(int *out) {
    __shared__ int tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> written;
    if (threadIdx.x == 0)
        init(&written, blockDim.x);
    __syncthreads();
    tile[threadIdx.x] = threadIdx.x; // bug: race.barrier-object
    auto token = written.arrive();
#ifndef BUG
    written.wait(std::move(token));
#endif
    out[threadIdx.x] = tile[63 - threadIdx.x]; // with
#ifdef BUG
    written.wait(std::move(token));
#endif
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    swap<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 63);
}
