// A box (TMA) is stored of what threads wrote to shared memory without the fence between the two
// proxies. Guide, 10.29.2: fence.proxy.async behind the writes, before the barrier.
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void store(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[8][32];
    tile[threadIdx.x / 32][threadIdx.x % 32] = threadIdx.x; // bug: race.proxy
#ifndef BUG
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        STORE_BOX(&map, at, tile); // with
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

int main() {
    int *out, h[256];
    OK(cudaMalloc(&out, sizeof h));
    store<<<1, 256>>>(map_of(out, 32, 8, 32, 8));
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[255] == 255);
}
