// A bulk copy (TMA) reads what threads wrote to shared memory without the fence between the two
// proxies. Guide, 10.29.1: fence.proxy.async by the writers, before the barrier.
#include "../suite.h"
#include <cuda/ptx>

__global__ void copy(int *out) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[64];
    tile[threadIdx.x] = threadIdx.x; // bug: race.proxy
#ifndef BUG
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile); // with
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
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
