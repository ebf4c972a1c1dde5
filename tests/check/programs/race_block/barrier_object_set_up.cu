// Threads arrive at a barrier object before they are sure that it is set up. Guide, 10.26 and
// 10.6: the block has to synchronise behind init().
#include "../suite.h"
#include <cuda/barrier>

__global__ void turn(int *out) {
    __shared__ int tile[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    if (threadIdx.x == 0)
        init(&ready, blockDim.x); // bug: race.block
#ifndef BUG
    __syncthreads();
#endif
    tile[threadIdx.x] = threadIdx.x;
    ready.arrive_and_wait(); // with
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    turn<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 63);
}
