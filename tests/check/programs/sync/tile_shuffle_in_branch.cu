// Some threads of a tile alone call its shuffle. Guide, 11.6.4: all threads of the group have to.
#include "../suite.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void work(int *out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = threadIdx.x;
#ifdef BUG
    if (tile.thread_rank() < 4)
        v += tile.shfl_down(v, 4); // bug: sync.mask
#else
    int other = tile.shfl_down(v, 4);
    if (tile.thread_rank() < 4)
        v += other;
#endif
    else
        out[32 + threadIdx.x] = v;
    out[threadIdx.x] = v;
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, 2 * sizeof h));
    work<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[4] == 4);
}
