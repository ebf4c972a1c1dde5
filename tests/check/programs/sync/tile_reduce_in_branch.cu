// A sum over a tile is called by those of its threads that have an element. Guide, 11.6.5: all
// threads of the group have to.
#include "../suite.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void count(const int *in, int limit, int *out, int *others) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int v = in[threadIdx.x], sum = 0;
#ifdef BUG
    if (v < limit)
        sum = cg::reduce(tile, v, cg::plus<int>()); // bug: sync.mask
    else
        atomicAdd(others, 1);
#else
    sum = cg::reduce(tile, v < limit ? v : 0, cg::plus<int>());
    if (v >= limit)
        atomicAdd(others, 1);
#endif
    if (tile.thread_rank() == 0)
        atomicAdd(out, sum);
    tile.sync(); // or
    atomicMax(out + 2, tile.meta_group_rank());
}

int main() {
    int *in, *out, h[64], r[3];
    for (int i = 0; i < 64; ++i)
        h[i] = i % 16;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof r));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, sizeof r));
    count<<<1, 64>>>(in, 10, out, out + 1);
    OK(cudaGetLastError());
    OK(cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(r[0] == 4 * 45 && r[1] == 24 && r[2] == 3);
}
