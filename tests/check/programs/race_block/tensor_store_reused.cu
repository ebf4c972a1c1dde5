// Shared memory is written again while a box of it (TMA) may still be read. Guide, 10.29.2:
// wait_group.read first.
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void store(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[8][32];
    for (int k = 0; k < 2; k++) {
        tile[threadIdx.x / 32][threadIdx.x % 32] = threadIdx.x + k; // with
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            const int at[] = {0, 8 * k};
            STORE_BOX(&map, at, tile); // bug: race.tensor
            ptx::cp_async_bulk_commit_group();
#ifndef BUG
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#endif
        }
        __syncthreads();
    }
}

int main() {
    int *out, h[512];
    OK(cudaMalloc(&out, sizeof h));
    store<<<1, 256>>>(map_of(out, 32, 16, 32, 8));
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[511] == 256);
}
