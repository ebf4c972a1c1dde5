// What works for targets before sm_90, for one of them: headers that have more functions for later
// ones compile, and groups shuffle and add up.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <curand_kernel.h>
#include <mma.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void sum(const float *values, float *out, unsigned long long *longs) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    float mine = values[block.thread_rank()];
    for (int distance = 4; distance > 0; distance /= 2)
        mine += tile.shfl_down(mine, distance);
    double pair = tile.shfl(mine * 2.0, 0);
    if (tile.thread_rank() == 0)
        atomicAdd(out, mine);
    if (tile.thread_rank() == 3)
        atomicAdd(longs, (unsigned long long)pair);
}

int main() {
    float *m = shared_array<float>(65);
    unsigned long long *longs = shared_array<unsigned long long>(1);
    m[64] = 0;
    *longs = 0;
    for (int i = 0; i < 64; i++)
        m[i] = i;
    sum<<<1, 64>>>(m, m + 64, longs);
    CUDA(cudaDeviceSynchronize());
    CHECK(m[64] == 2016 && *longs == 4032);
    return failures != 0;
}
