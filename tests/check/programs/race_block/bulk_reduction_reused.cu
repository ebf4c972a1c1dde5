// Shared memory is written again while a bulk reduction (TMA) may still read it. Guide, 10.29.1:
// wait_group.read first.
#include "../suite.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void add(int *out) {
    __shared__ alignas(16) int tile[64];
    const auto to = ptx::space_global;
    const auto from = ptx::space_shared;
    tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(to, from, ptx::op_add, out, tile, sizeof tile); // bug: race.bulk
        ptx::cp_async_bulk_commit_group();
#ifndef BUG
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#endif
    }
    __syncthreads();
    tile[threadIdx.x] = -1; // with
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    add<<<4, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[63] == 4 * 63);
}
