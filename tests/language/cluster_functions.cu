// Functions about a block's cluster, beside cooperative groups' own; and groups declared, as
// libraries do, before the header that defines them.
namespace cooperative_groups {
namespace __v1 {
class thread_block;
template <unsigned int Size, typename Parent> class thread_block_tile;
} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

template <typename T> constexpr bool is_block = false;
template <> constexpr bool is_block<::cooperative_groups::thread_block> = true;
template <typename T> constexpr bool is_warp = false;
template <typename P> constexpr bool is_warp<::cooperative_groups::thread_block_tile<32, P>> = true;

#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

enum { WORDS = 12 };

// Each block passes what it is told to the next one of its cluster, and says where it is.
__global__ void places(unsigned *out, bool relaxed) {
    __shared__ unsigned word;
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    static_assert(is_block<decltype(block)> && is_warp<decltype(tile)>, "");
    unsigned rank = __clusterRelativeBlockRank(), blocks = __clusterSizeInBlocks();
    unsigned *theirs = (unsigned *)__cluster_map_shared_rank(&word, (rank + 1) % blocks);
    if (threadIdx.x == 0)
        *theirs = 100 + rank;
    if (relaxed) {
        __threadfence();
        __cluster_barrier_arrive_relaxed();
    } else {
        __cluster_barrier_arrive();
    }
    __cluster_barrier_wait();
    if (threadIdx.x == 0) {
        unsigned n = blockIdx.y * gridDim.x + blockIdx.x, *o = out + n * WORDS;
        dim3 dim = __clusterDim(), at = __clusterRelativeBlockIdx(), index = __clusterIdx(),
             grid = __clusterGridDimInClusters();
        o[0] = word;
        o[1] = rank;
        o[2] = blocks;
        o[3] = __cluster_query_shared_rank(theirs);
        o[4] = dim.x * 100 + dim.y * 10 + dim.z;
        o[5] = at.x * 100 + at.y * 10 + at.z;
        o[6] = index.x * 100 + index.y * 10 + index.z;
        o[7] = grid.x * 100 + grid.y * 10 + grid.z;
        o[8] = __clusterDimIsSpecified();
    }
    __cluster_barrier_arrive(); // nobody leaves while others may still store to its word
    __cluster_barrier_wait();
}

static void check_places(bool relaxed) {
    unsigned *out = shared_array<unsigned>(8 * WORDS);
    cudaLaunchAttribute size;
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = size.val.clusterDim.y = 2;
    size.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4, 2, 1);
    config.blockDim = 64;
    config.attrs = &size;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, places, out, relaxed));
    CUDA(cudaDeviceSynchronize());
    for (unsigned y = 0; y < 2; y++)
        for (unsigned x = 0; x < 4; x++) {
            const unsigned *o = out + (y * 4 + x) * WORDS, rank = y * 2 + x % 2;
            CHECK(o[0] == 100 + (rank + 3) % 4 && o[1] == rank && o[2] == 4);
            CHECK(o[3] == (rank + 1) % 4 && o[4] == 221 && o[5] == x % 2 * 100 + y * 10);
            CHECK(o[6] == x / 2 * 100 && o[7] == 211 && o[8] == 1);
        }
}

int main() {
    check_places(false);
    check_places(true);
    unsigned *out = shared_array<unsigned>(WORDS);
    places<<<1, 32>>>(out, false);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 100 && out[2] == 1 && out[4] == 111 && out[8] == 0);
    return failures != 0;
}
