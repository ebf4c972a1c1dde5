// A tensor map (TMA) of memory that has been freed. Guide, 10.29.2: the map only names the memory.
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void copy(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(128) int tile[8][32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        object_begin(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        LOAD_BOX(tile, &map, at, &full); // bug: memory.tensor
        expect(&full, sizeof tile);
    }
    wait_for(&full, 0);
    out[threadIdx.x] = tile[threadIdx.x / 32][threadIdx.x % 32];
}

int main() {
    static int h[256];
    int *in, *out;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(in, 0, sizeof h));
    CUtensorMap map = map_of(in, 32, 8, 32, 8);
#ifdef BUG
    OK(cudaFree(in));
#endif
    copy<<<1, 256>>>(map, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
#ifndef BUG
    OK(cudaFree(in));
#endif
    OK(cudaFree(out));
    return verdict(h[255] == 0);
}
