// The block's barrier stands where only the first lane of each tile comes. Guide, 11.4.1.1: all
// threads of the block have to.
#include "../suite.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void work(int *out) {
    __shared__ int of_tile[2];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    if (tile.thread_rank() == 0) {
        of_tile[tile.meta_group_rank()] = threadIdx.x + 1;
#ifdef BUG
        block.sync(); // bug: sync.barrier
#endif
    } else {
        out[2 + threadIdx.x] = 0;
    }
    block.sync(); // or
    if (threadIdx.x == 0)
        out[0] = of_tile[0] + of_tile[1];
}

int main() {
    int *out, h = 0;
    OK(cudaMalloc(&out, 66 * sizeof(int)));
    work<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 34);
}
