// Shared memory is written again while a bulk copy (TMA) may still read it. Guide, 10.29.1:
// wait_group.read first.
#include "../suite.h"
#include <cuda/ptx>

__global__ void copy(int *out) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, 256); // bug: race.bulk
        ptx::cp_async_bulk_commit_group();
#ifndef BUG
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#endif
    }
    __syncthreads();
    tile[threadIdx.x] = -1; // with
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    __syncthreads();
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    copy<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[63] == 63);
}
