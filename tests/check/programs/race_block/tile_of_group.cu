// A tile of 16 threads hands elements of shared memory on without the tile's barrier.
// Guide, 11.4.2.
#include "../suite.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void turn(int *out) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int first = threadIdx.x - tile.thread_rank();
    s[threadIdx.x] = threadIdx.x; // bug: race.shared
#ifndef BUG
    tile.sync();
#endif
    out[threadIdx.x] = s[first + 15 - tile.thread_rank()]; // with
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    turn<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 15 && h[63] == 48);
}
