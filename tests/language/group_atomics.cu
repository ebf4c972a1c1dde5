// <cooperative_groups.h> alone: it brings <cuda/atomic>, and groups know the scope of their threads
// (libcu++'s ThreadGroup concept).
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

template <class Group> __host__ __device__ constexpr bool is(cuda::thread_scope scope) {
    return Group::thread_scope == scope;
}
static_assert(is<cg::thread_block>(cuda::thread_scope_block), "");
static_assert(is<cg::coalesced_group>(cuda::thread_scope_block), "");
static_assert(is<cg::thread_block_tile<4>>(cuda::thread_scope_block), "");
static_assert(is<cg::thread_block_tile<64>>(cuda::thread_scope_block), "");
static_assert(is<cg::grid_group>(cuda::thread_scope_device), "");
static_assert(is<cg::cluster_group>(cuda::thread_scope_device), "");
static_assert(is<cg::multi_grid_group>(cuda::thread_scope_system), "");

template <class Group> __device__ void count(const Group &group, int *n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> all(*n);
    if (group.thread_rank() == 0)
        all.fetch_add((int)group.size(), cuda::memory_order_relaxed);
}

__global__ void counts(int *n) {
    count(cg::this_thread_block(), n);
    count(cg::tiled_partition<8>(cg::this_thread_block()), n);
    if (cuda::std::is_same<decltype(cg::this_grid()), cg::grid_group>::value && threadIdx.x % 2)
        count(cg::coalesced_threads(), n);
}

int main() {
    int *n = shared_array<int>(1);
    counts<<<3, 64>>>(n);
    CUDA(cudaDeviceSynchronize());
    CHECK(*n == 3 * (64 + 64 + 32));
    return failures != 0;
}
