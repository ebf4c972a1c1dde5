// A box (TMA) is stored of a tile in shared memory of which a row was never set; another kernel
// branches on it. Guide, 10.29.2 and 5.3.2.
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void store(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[8][32];
#ifdef BUG
    if (threadIdx.x / 32 != 5)
#endif
        tile[threadIdx.x / 32][threadIdx.x % 32] = 0;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        STORE_BOX(&map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

__global__ void count(const int *in, int *out) {
    if (in[threadIdx.x] == 0) // bug: init.tensor
        atomicAdd(out, 1);
}

int main() {
    int *a, *out, h;
    OK(cudaMalloc(&a, 256 * sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
    store<<<1, 256>>>(map_of(a, 32, 8, 32, 8));
    count<<<1, 256>>>(a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h == 256);
}
