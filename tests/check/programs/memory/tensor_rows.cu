// A tensor map (TMA) has one row more than the memory that was allocated for the tensor. Guide,
// 10.29.2: only what is outside of the map's sizes is filled with zeros.
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void store(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[8][32];
    tile[threadIdx.x / 32][threadIdx.x % 32] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        STORE_BOX(&map, at, tile); // bug: memory.tensor
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

int main() {
    int *out, h[7 * 32];
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    store<<<1, 256>>>(map_of(out, 32, 8, 32, 8));
#else
    store<<<1, 256>>>(map_of(out, 32, 7, 32, 8));
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[7 * 32 - 1] == 7 * 32 - 1);
}
