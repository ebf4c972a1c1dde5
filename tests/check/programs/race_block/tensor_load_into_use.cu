// The next box of a tensor (TMA) is loaded where threads may still read the last one. Guide,
// 10.29.2: a barrier in front of the copy.
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void sum(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(128) int tile[8][32];
    __shared__ uint64_t full;
    int all = 0;
    if (threadIdx.x == 0)
        object_begin(&full, 1);
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (threadIdx.x == 0) {
            const int at[] = {32 * k, 0};
            LOAD_BOX(tile, &map, at, &full); // bug: race.tensor
            expect(&full, sizeof tile);
        }
        wait_for(&full, k);
        all += tile[threadIdx.x / 32][threadIdx.x % 32]; // with
#ifndef BUG
        __syncthreads();
#endif
    }
    out[threadIdx.x] = all;
}

int main() {
    static int h[8 * 64];
    int *in, *out;
    for (int k = 0; k < 8 * 64; k++)
        h[k] = k;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, 256 * sizeof(int)));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    sum<<<1, 256>>>(map_of(in, 64, 8, 32, 8), out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, 256 * sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[255] == 2 * (7 * 64 + 31) + 32);
}
