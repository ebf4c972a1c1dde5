// A barrier of the block stands between a copy of a box (TMA) and its use, and nobody waits for the
// mbarrier object, which alone tells that the bytes have come. Guide, 10.29.2.
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void copy(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(128) int tile[8][32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        object_begin(&full, 1);
        const int at[] = {0, 8};
        expect(&full, sizeof tile);
        LOAD_BOX(tile, &map, at, &full); // bug: race.tensor
#ifndef BUG
        wait_for(&full, 0);
#endif
    }
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x / 32][threadIdx.x % 32]; // with
}

int main() {
    static int h[16 * 32];
    int *in, *out;
    for (int k = 0; k < 16 * 32; k++)
        h[k] = k;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, 256 * sizeof(int)));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    copy<<<1, 256>>>(map_of(in, 32, 16, 32, 8), out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, 256 * sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[255] == 16 * 32 - 1);
}
