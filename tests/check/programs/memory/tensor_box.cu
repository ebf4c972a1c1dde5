// The tile in shared memory is smaller than the box that a tensor map (TMA) describes. Guide,
// 10.29.2.
#include "../tensor.h"

namespace ptx = cuda::ptx;

#ifdef BUG
enum { ROWS = 7 };
#else
enum { ROWS = 8 };
#endif

__global__ void copy(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(128) int tile[ROWS][32];
    __shared__ alignas(128) int other[32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        object_begin(&full, 1);
    if (threadIdx.x < 32)
        other[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        LOAD_BOX(tile, &map, at, &full); // bug: memory.tensor
        expect(&full, 8 * 32 * sizeof(int));
    }
    wait_for(&full, 0);
    out[threadIdx.x] = tile[threadIdx.x / 32][threadIdx.x % 32] + other[threadIdx.x % 32];
}

int main() {
    static int h[256];
    int *in, *out;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(in, 0, sizeof h));
    copy<<<1, 32 * ROWS>>>(map_of(in, 32, 8, 32, 8), out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, 128, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[31] == 1);
}
