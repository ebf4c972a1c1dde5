// A box of a tensor (TMA) of which a row was never set decides a branch in shared memory. Guide,
// 10.29.2.
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void count(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(128) int tile[8][32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        object_begin(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        LOAD_BOX(tile, &map, at, &full);
        expect(&full, sizeof tile);
    }
    wait_for(&full, 0);
    if (tile[threadIdx.x / 32][threadIdx.x % 32] == 0) // bug: init.tensor
        atomicAdd(out, 1);
}

int main() {
    int *in, *out, h;
    OK(cudaMalloc(&in, 256 * sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
#ifdef BUG
    OK(cudaMemset(in, 0, 7 * 32 * sizeof(int)));
#else
    OK(cudaMemset(in, 0, 256 * sizeof(int)));
#endif
    count<<<1, 256>>>(map_of(in, 32, 8, 32, 8), out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h == 256);
}
