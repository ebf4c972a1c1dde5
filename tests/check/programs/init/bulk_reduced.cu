// A bulk reduction (TMA) adds elements of shared memory that were never set to what goes to the
// host. Guide, 10.29.1 and 5.3.2.
#include "../suite.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void add(int *out, int n) {
    __shared__ alignas(16) int tile[64];
    const auto to = ptx::space_global;
    const auto from = ptx::space_shared;
    if (threadIdx.x < n)
        tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(to, from, ptx::op_add, out, tile, sizeof tile); // bug: init.bulk
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
#ifdef BUG
    add<<<1, 64>>>(out, 60);
#else
    add<<<1, 64>>>(out, 64);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[59] == 59);
}
