// Boxes of two blocks (TMA) have a column of the tensor in common, which each stores. Guide,
// 10.29.2 and 5.7: nothing orders them.
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void store(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[8][32];
    tile[threadIdx.x / 32][threadIdx.x % 32] = blockIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
#ifdef BUG
        const int at[] = {28 * (int)blockIdx.x, 0};
#else
        const int at[] = {32 * (int)blockIdx.x, 0};
#endif
        STORE_BOX(&map, at, tile); // bug: race.tensor
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

int main() {
    int *out, h[8 * 64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    store<<<2, 256>>>(map_of(out, 64, 8, 32, 8));
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 0 && h[63] == 1);
}
