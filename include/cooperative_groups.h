// Cooperative groups (guide, chapter 11): handles for sets of threads that compute together.
//
// A handle below the size of a block is a mask of lanes of one warp; its collectives are the warp
// functions on that mask. Larger tiles have named barriers and memory of their own.
#include "kudzu/assertions.h"

#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#if defined(__cplusplus) && defined(__CUDA__)

#include <cuda_runtime.h>
#if __cplusplus >= 201103L
#ifndef __CUDACC_RTC__ // programs lean on it
#include <type_traits>
#endif
#define KUDZU_CONSTANT constexpr
#else
#define KUDZU_CONSTANT
#endif

#include "kudzu/group_shuffle.h"

// `kudzu cc` defines __KUDZU_GROUP_ATOMICS for programs that take names of <cuda/atomic> from this
// header, which others need not read (src/cc/compat/group_atomics.h). It may be libcu++'s own.
#if defined(__KUDZU_GROUP_ATOMICS) && __cplusplus >= 201103L
#include <cuda/atomic>
#define KUDZU_SCOPE(scope)                                                                         \
    static constexpr cuda::thread_scope thread_scope = cuda::thread_scope_##scope;
#else
#define KUDZU_SCOPE(scope)
#endif

// Libraries declare classes of __v1 without this header.
namespace cooperative_groups {
namespace __v1 {

#define KUDZU_CG __attribute__((device, always_inline)) inline

namespace details {

KUDZU_CG unsigned int lane() {
    return __nvvm_read_ptx_sreg_laneid();
}

KUDZU_CG unsigned int lanes_below() {
    return __nvvm_read_ptx_sreg_lanemask_lt();
}

// The calling thread's position in its block, x running fastest.
KUDZU_CG unsigned int thread_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

KUDZU_CG unsigned int threads_of_block() {
    return blockDim.x * blockDim.y * blockDim.z;
}

// A refusal in device code: the launch fails with cudaErrorAssert and this text.
KUDZU_CG void refuse(const char *reason, const char *function) {
    __assertfail(reason, "cooperative_groups.h", 0, function, sizeof(char));
}

// The bits of `bits` at the positions of `mask`, packed.
KUDZU_CG unsigned int pack(unsigned int bits, unsigned int mask) {
    unsigned int packed = 0;
    for (unsigned int rank = 0; mask; rank++, mask &= mask - 1)
        packed |= (bits >> (__ffs((int)mask) - 1) & 1) << rank;
    return packed;
}

// A word of the launch's workspace, whose address the driver leaves in two registers; its top bit
// changes when all blocks have arrived.
KUDZU_CG volatile unsigned int *grid_barrier() {
    unsigned int high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    unsigned long long workspace = (unsigned long long)high << 32 | low;
    return workspace ? (volatile unsigned int *)(workspace + 4) : NULL;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
// What the block wrote before it arrives is seen by those that wait. (__threadfence() would order
// far more, and costs GPUs several times as much.)
KUDZU_CG unsigned int add_to_grid(volatile unsigned int *barrier, unsigned int n) {
    unsigned int before;
    asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(barrier), "r"(n)
                 : "memory");
    return before;
}

KUDZU_CG unsigned int look_at_grid(volatile unsigned int *barrier) {
    unsigned int now;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier) : "memory");
    return now;
}
#else
KUDZU_CG unsigned int add_to_grid(volatile unsigned int *barrier, unsigned int n) {
    __threadfence();
    return atomicAdd((unsigned int *)barrier, n);
}

KUDZU_CG unsigned int look_at_grid(volatile unsigned int *barrier) {
    unsigned int now = *barrier;
    __threadfence();
    return now;
}
#endif

// One thread arrives for its block. It gets what the barrier's word was before, and it alone waits.
KUDZU_CG unsigned int arrive_at_grid(volatile unsigned int *barrier) {
    unsigned int before = 0;
    __syncthreads();
    if (thread_in_block() == 0) {
        unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
        bool first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0;
        before = add_to_grid(barrier, first ? 0x80000000u - (blocks - 1) : 1u);
    }
    return before;
}

KUDZU_CG void wait_for_grid(volatile unsigned int *barrier, unsigned int before) {
    if (thread_in_block() == 0) {
        while (((look_at_grid(barrier) ^ before) & 0x80000000u) == 0)
            ;
    }
    __syncthreads();
}

// Behind that word lies what a launch on several devices has (src/abi/generated_code.h). NVIDIA's driver
// has no such thing: there the grid is alone.
struct grids_of_launch {
    unsigned long long word;
    unsigned int rank, count;
};

KUDZU_CG grids_of_launch other_grids() {
    unsigned int cpu;
    asm("{\n\t.reg .b32 %%kudzu_cpu;\n\tmov.b32 %%kudzu_cpu, 0;\n\tmov.b32 %0, %%kudzu_cpu;\n\t}"
        : "=r"(cpu));
    volatile unsigned int *barrier = cpu ? grid_barrier() : NULL;
    grids_of_launch g = {};
    if (barrier) {
        g.word = *(const volatile unsigned long long *)(barrier + 1);
        g.rank = barrier[3];
        g.count = barrier[4];
    }
    return g;
}

// One thread waits for those of the other grids, which have all come when the top bit changes.
KUDZU_CG void meet_other_grids(const grids_of_launch &g) {
    unsigned int *word = (unsigned int *)g.word;
    if ((blockIdx.x | blockIdx.y | blockIdx.z) != 0 || thread_in_block() != 0)
        return;
    __threadfence_system();
    unsigned int mine = g.rank == 0 ? 0x80000000u - (g.count - 1) : 1u;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
    unsigned int before = atomicAdd_system(word, mine);
#else
    unsigned int before = atomicAdd(word, mine); // such launches are for later devices
#endif
    while (((*(volatile unsigned int *)word ^ before) & 0x80000000u) == 0)
        ;
    __threadfence_system();
}

enum group_kind { grid_kind, block_kind, tile_kind, coalesced_kind, cluster_kind, grids_kind };

} // namespace details

// Any group. Derived groups convert to it and keep their members (lanes for groups within a warp).
class thread_group {
  protected:
    details::group_kind kind_;
    unsigned int mask_;      // lanes, for tiles and coalesced groups
    unsigned int meta_rank_; // among the groups that the parent was partitioned into
    unsigned int meta_size_; // how many these are

    KUDZU_CG thread_group(details::group_kind kind, unsigned int mask = 0, unsigned int rank = 0,
                          unsigned int size = 1)
        : kind_(kind), mask_(mask), meta_rank_(rank), meta_size_(size) {
    }

    friend KUDZU_CG thread_group tiled_partition(const thread_group &parent, unsigned int size);

  public:
    KUDZU_SCOPE(device)
    KUDZU_CG unsigned long long num_threads() const;
    KUDZU_CG unsigned long long thread_rank() const;
    KUDZU_CG void sync() const;
    KUDZU_CG unsigned long long size() const {
        return num_threads();
    }
    KUDZU_CG bool is_valid() const {
        return kind_ != details::grid_kind && kind_ != details::grids_kind;
    }
};

// ---- The grid (11.5.1.3) ------------------------------------------------------------------

class grid_group : public thread_group {
    KUDZU_CG grid_group() : thread_group(details::grid_kind) {
    }
    friend KUDZU_CG grid_group this_grid();

  public:
    KUDZU_SCOPE(device)
    // A grid can synchronise when its launch was cooperative.
    KUDZU_CG bool is_valid() const {
        return details::grid_barrier() != NULL;
    }
    KUDZU_CG void sync() const {
        barrier_wait(barrier_arrive());
    }
    class arrival_token {
        unsigned int before_;
        friend class grid_group;
    };
    KUDZU_CG arrival_token barrier_arrive() const {
        volatile unsigned int *barrier = details::grid_barrier();
        if (!barrier)
            details::refuse("a grid can only synchronise in a cooperative launch",
                            "grid_group::sync");
        arrival_token token;
        token.before_ = details::arrive_at_grid(barrier);
        return token;
    }
    KUDZU_CG void barrier_wait(arrival_token &&token) const {
        details::wait_for_grid(details::grid_barrier(), token.before_);
    }
    KUDZU_CG static dim3 block_index() {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    KUDZU_CG static dim3 dim_blocks() {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    KUDZU_CG static dim3 group_dim() {
        return dim_blocks();
    }
    KUDZU_CG static unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    KUDZU_CG static unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    KUDZU_CG static dim3 cluster_index() {
        return dim3(__nvvm_read_ptx_sreg_clusterid_x(), __nvvm_read_ptx_sreg_clusterid_y(),
                    __nvvm_read_ptx_sreg_clusterid_z());
    }
    KUDZU_CG static dim3 dim_clusters() {
        return dim3(__nvvm_read_ptx_sreg_nclusterid_x(), __nvvm_read_ptx_sreg_nclusterid_y(),
                    __nvvm_read_ptx_sreg_nclusterid_z());
    }
    KUDZU_CG static unsigned long long num_clusters() {
        dim3 n = dim_clusters();
        return (unsigned long long)n.x * n.y * n.z;
    }
    KUDZU_CG static unsigned long long cluster_rank() {
        dim3 i = cluster_index(), n = dim_clusters();
        return ((unsigned long long)i.z * n.y + i.y) * n.x + i.x;
    }
#endif
    KUDZU_CG static unsigned long long num_threads() {
        return num_blocks() * details::threads_of_block();
    }
    KUDZU_CG static unsigned long long thread_rank() {
        return block_rank() * details::threads_of_block() + details::thread_in_block();
    }
    KUDZU_CG static unsigned long long size() {
        return num_threads();
    }
};

KUDZU_CG grid_group this_grid() {
    return grid_group();
}

// ---- The grids of all devices (11.5.1.4) ----------------------------------------------------

class multi_grid_group : public thread_group {
    details::grids_of_launch grids_;
    KUDZU_CG multi_grid_group()
        : thread_group(details::grids_kind), grids_(details::other_grids()) {
    }
    friend KUDZU_CG multi_grid_group this_multi_grid();

  public:
    KUDZU_SCOPE(system)
    // The launch was cudaLaunchCooperativeKernelMultiDevice.
    KUDZU_CG bool is_valid() const {
        return grids_.count != 0;
    }
    KUDZU_CG unsigned int grid_rank() const {
        return grids_.rank;
    }
    KUDZU_CG unsigned int num_grids() const {
        return grids_.count;
    }
    KUDZU_CG unsigned long long num_threads() const {
        return grids_.count * grid_group::num_threads();
    }
    KUDZU_CG unsigned long long size() const {
        return num_threads();
    }
    KUDZU_CG unsigned long long thread_rank() const {
        return grids_.rank * grid_group::num_threads() + grid_group::thread_rank();
    }
    KUDZU_CG void sync() const {
        if (!is_valid())
            details::refuse("grids can only synchronise in a launch on several devices",
                            "multi_grid_group::sync");
        this_grid().sync();
        details::meet_other_grids(grids_);
        this_grid().sync();
    }
};

KUDZU_CG multi_grid_group this_multi_grid() {
    return multi_grid_group();
}

// ---- The cluster (11.5.1.2) ---------------------------------------------------------------

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define KUDZU_CLUSTER_REGISTER(name, text)                                                         \
    KUDZU_CG static unsigned int name() {                                                          \
        unsigned int value;                                                                        \
        asm("mov.u32 %0, %%" text ";" : "=r"(value));                                              \
        return value;                                                                              \
    }

class cluster_group : public thread_group {
    KUDZU_CG cluster_group() : thread_group(details::cluster_kind) {
    }
    friend KUDZU_CG cluster_group this_cluster();
    KUDZU_CLUSTER_REGISTER(index_x, "cluster_ctaid.x")
    KUDZU_CLUSTER_REGISTER(index_y, "cluster_ctaid.y")
    KUDZU_CLUSTER_REGISTER(index_z, "cluster_ctaid.z")
    KUDZU_CLUSTER_REGISTER(dim_x, "cluster_nctaid.x")
    KUDZU_CLUSTER_REGISTER(dim_y, "cluster_nctaid.y")
    KUDZU_CLUSTER_REGISTER(dim_z, "cluster_nctaid.z")

  public:
    KUDZU_SCOPE(device)
    struct arrival_token {};

    KUDZU_CLUSTER_REGISTER(block_rank, "cluster_ctarank")
    KUDZU_CLUSTER_REGISTER(num_blocks, "cluster_nctarank")
    KUDZU_CG bool is_valid() const {
        return true;
    }
    KUDZU_CG static arrival_token barrier_arrive() {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
        return arrival_token();
    }
    KUDZU_CG static void barrier_wait() {
        asm volatile("barrier.cluster.wait;" ::: "memory");
    }
    KUDZU_CG static void barrier_wait(arrival_token &&) {
        barrier_wait();
    }
    KUDZU_CG static void sync() {
        barrier_arrive();
        barrier_wait();
    }
    KUDZU_CG static unsigned int num_threads() {
        return num_blocks() * details::threads_of_block();
    }
    KUDZU_CG static unsigned int size() {
        return num_threads();
    }
    KUDZU_CG static unsigned int thread_rank() {
        return block_rank() * details::threads_of_block() + details::thread_in_block();
    }
    KUDZU_CG static dim3 block_index() {
        return dim3(index_x(), index_y(), index_z());
    }
    KUDZU_CG static dim3 dim_blocks() {
        return dim3(dim_x(), dim_y(), dim_z());
    }
    KUDZU_CG static dim3 thread_index() {
        return dim3(index_x() * blockDim.x + threadIdx.x, index_y() * blockDim.y + threadIdx.y,
                    index_z() * blockDim.z + threadIdx.z);
    }
    KUDZU_CG static dim3 dim_threads() {
        return dim3(dim_x() * blockDim.x, dim_y() * blockDim.y, dim_z() * blockDim.z);
    }
    // The same variable in the shared memory of block `rank` of the cluster.
    template <typename T> KUDZU_CG static T *map_shared_rank(T *address, int rank) {
        T *mapped;
        asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
        return mapped;
    }
    // Of the block to whose shared memory the address belongs.
    KUDZU_CG static unsigned int query_shared_rank(const void *address) {
        unsigned int rank;
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
        return rank;
    }
};
#undef KUDZU_CLUSTER_REGISTER

KUDZU_CG cluster_group this_cluster() {
    return cluster_group();
}
#endif

// ---- The block (11.5.1.1) -----------------------------------------------------------------

class thread_block : public thread_group {
  protected:
    KUDZU_CG thread_block() : thread_group(details::block_kind) {
    }
    friend KUDZU_CG thread_block this_thread_block();

  public:
    KUDZU_SCOPE(block)
    // All threads meet where they wait: who has arrived and does not wait yet holds the others up.
    struct arrival_token {};
    KUDZU_CG static arrival_token barrier_arrive() {
        return arrival_token();
    }
    KUDZU_CG static void barrier_wait(arrival_token &&) {
        __syncthreads();
    }
    KUDZU_CG static void sync() {
        __syncthreads();
    }
    KUDZU_CG static unsigned int thread_rank() {
        return details::thread_in_block();
    }
    KUDZU_CG static unsigned int num_threads() {
        return details::threads_of_block();
    }
    KUDZU_CG static unsigned int size() {
        return num_threads();
    }
    KUDZU_CG static dim3 group_index() {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    KUDZU_CG static dim3 thread_index() {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    KUDZU_CG static dim3 dim_threads() {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    KUDZU_CG static dim3 group_dim() {
        return dim_threads();
    }
    KUDZU_CG bool is_valid() const {
        return true;
    }
};

KUDZU_CG thread_block this_thread_block() {
    return thread_block();
}

// Compute capabilities before 8.0 need memory for tiles of more than a warp; here they have memory
// of their own.
template <unsigned int MaxThreads = 1024> struct block_tile_memory {
    unsigned char unused;
};

template <unsigned int MaxThreads>
KUDZU_CG thread_block this_thread_block(block_tile_memory<MaxThreads> &) {
    __syncthreads();
    return this_thread_block();
}

// ---- Coalesced groups (11.5.2.2) ----------------------------------------------------------

class coalesced_group : public thread_group {
    // The lane of the thread with the given rank.
    KUDZU_CG unsigned int lane_of(unsigned int rank) const {
        return mask_ == 0xffffffffu ? rank : __fns(mask_, 0, (int)rank + 1);
    }

  public:
    KUDZU_SCOPE(block)
    // For the implementation: the group of the given lanes.
    KUDZU_CG explicit coalesced_group(unsigned int mask, unsigned int rank = 0,
                                      unsigned int size = 1)
        : thread_group(details::coalesced_kind, mask, rank, size) {
    }
    KUDZU_CG unsigned int lanes() const {
        return mask_;
    }

    KUDZU_CG void sync() const {
        __syncwarp(mask_);
    }
    KUDZU_CG unsigned int num_threads() const {
        return (unsigned int)__popc(mask_);
    }
    KUDZU_CG unsigned int size() const {
        return num_threads();
    }
    KUDZU_CG unsigned int thread_rank() const {
        return (unsigned int)__popc(mask_ & details::lanes_below());
    }
    KUDZU_CG unsigned int meta_group_size() const {
        return meta_size_;
    }
    KUDZU_CG unsigned int meta_group_rank() const {
        return meta_rank_;
    }

    template <typename T> KUDZU_CG T shfl(T var, unsigned int source) const {
        return details::shuffle(mask_, var, lane_of(source % num_threads()));
    }
    template <typename T> KUDZU_CG T shfl_up(T var, unsigned int delta) const {
        unsigned int rank = thread_rank();
        return details::shuffle(mask_, var, lane_of(rank < delta ? rank : rank - delta));
    }
    template <typename T> KUDZU_CG T shfl_down(T var, unsigned int delta) const {
        unsigned int rank = thread_rank();
        bool inside = delta < num_threads() - rank;
        return details::shuffle(mask_, var, lane_of(inside ? rank + delta : rank));
    }
    KUDZU_CG int any(int predicate) const {
        return __ballot_sync(mask_, predicate) != 0;
    }
    KUDZU_CG int all(int predicate) const {
        return __ballot_sync(mask_, predicate) == mask_;
    }
    KUDZU_CG unsigned int ballot(int predicate) const {
        unsigned int bits = __ballot_sync(mask_, predicate);
        return mask_ == 0xffffffffu ? bits : details::pack(bits, mask_);
    }
    template <typename T> KUDZU_CG unsigned int match_any(T val) const {
        return details::pack(__match_any_sync(mask_, val), mask_);
    }
    template <typename T> KUDZU_CG unsigned int match_all(T val, int &pred) const {
        return details::pack(__match_all_sync(mask_, val, &pred), mask_);
    }
};

KUDZU_CG coalesced_group coalesced_threads() {
    return coalesced_group(__activemask());
}

// ---- Tiles (11.5.2.1) ---------------------------------------------------------------------

namespace details {

// A tile within a warp.
template <unsigned int Size> class narrow_tile : public thread_group {
    _Static_assert(Size != 0 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");

    // Where the tile begins in its warp.
    KUDZU_CG static unsigned int first_lane() {
        return details::lane() & ~(Size - 1);
    }
    static const unsigned int low_bits = 0xffffffffu >> (32 - Size);

  public:
    KUDZU_SCOPE(block)
    // For the implementation: the calling thread's tile, one of `size`.
    KUDZU_CG narrow_tile(unsigned int rank, unsigned int size)
        : thread_group(details::tile_kind, lanes(), rank, size) {
    }
    KUDZU_CG static unsigned int lanes() {
        return Size == 32 ? 0xffffffffu : low_bits << first_lane();
    }

    KUDZU_CG void sync() const {
        __syncwarp(lanes());
    }
    KUDZU_CG static KUDZU_CONSTANT unsigned int num_threads() {
        return Size;
    }
    KUDZU_CG static KUDZU_CONSTANT unsigned int size() {
        return Size;
    }
    KUDZU_CG static unsigned int thread_rank() {
        return details::lane() & (Size - 1);
    }
    KUDZU_CG unsigned int meta_group_size() const {
        return meta_size_;
    }
    KUDZU_CG unsigned int meta_group_rank() const {
        return meta_rank_;
    }

    template <typename T> KUDZU_CG T shfl(T var, unsigned int source) const {
        return details::shuffle(lanes(), var, source, Size);
    }
    template <typename T> KUDZU_CG T shfl_up(T var, unsigned int delta) const {
        return details::shuffle_up(lanes(), var, delta, Size);
    }
    template <typename T> KUDZU_CG T shfl_down(T var, unsigned int delta) const {
        return details::shuffle_down(lanes(), var, delta, Size);
    }
    template <typename T> KUDZU_CG T shfl_xor(T var, unsigned int lane_mask) const {
        return details::shuffle_xor(lanes(), var, lane_mask, Size);
    }
    KUDZU_CG int any(int predicate) const {
        return __any_sync(lanes(), predicate);
    }
    KUDZU_CG int all(int predicate) const {
        return __all_sync(lanes(), predicate);
    }
    KUDZU_CG unsigned int ballot(int predicate) const {
        return __ballot_sync(lanes(), predicate) >> first_lane() & low_bits;
    }
    template <typename T> KUDZU_CG unsigned int match_any(T val) const {
        return __match_any_sync(lanes(), val) >> first_lane() & low_bits;
    }
    template <typename T> KUDZU_CG unsigned int match_all(T val, int &pred) const {
        return __match_all_sync(lanes(), val, &pred) >> first_lane() & low_bits;
    }
};

// Of the whole block: where warps leave values for others, and counts of arrivals.
struct block_memory {
    __attribute__((aligned(8))) unsigned char piece[32][8]; // a warp's own
    unsigned int arrivals[16];                              // at tiles of two warps
};

KUDZU_CG block_memory &memory_of_block() {
    __shared__ block_memory memory;
    return memory;
}

// A tile of several warps (11.5.2.1.1). Those of a block, of all sizes at once, are a tree: 1 of
// 1024 threads, 2 of 512, up to 8 of 128, which the fifteen named barriers serve beside the block's
// own, and 16 of 64, which count their warps in memory. Values are exchanged through the block's
// memory; each warp writes to its own piece alone, so that tiles within tiles may take turns.
template <unsigned int Size> class wide_tile {
    _Static_assert((Size & (Size - 1)) == 0 && Size <= 1024, "a tile's size is a power of two");
    unsigned int meta_rank_, meta_size_;

    KUDZU_CG static unsigned int index() { // in the block
        return thread_in_block() / Size;
    }
    // What the tile's warp of the given number has for others.
    template <typename T> KUDZU_CG static T &piece_of(unsigned int warp) {
        _Static_assert(sizeof(T) <= 8, "a value of a tile of several warps has up to 8 bytes");
        _Static_assert(__is_trivially_copyable(T), "a shuffled type is trivially copyable");
        return *(T *)memory_of_block().piece[index() * (Size / 32) + warp];
    }

    // All lanes wait: threads of a warp that wait for one of them take turns.
    KUDZU_CG static void sync_by_count() {
        const unsigned int warps = Size / 32;
        volatile unsigned int *arrivals = &memory_of_block().arrivals[index()];
        unsigned int phase = 0;
        __syncwarp();
        __threadfence_block();
        if (thread_rank() % 32 == 0)
            phase = atomicAdd((unsigned int *)arrivals, 1u);
        phase = __shfl_sync(0xffffffffu, phase, 0) / warps;
        while (*arrivals / warps == phase)
            ;
        __threadfence_block();
        __syncwarp();
    }

  public:
    KUDZU_SCOPE(block)
    // All threads of the parent make their tiles at the same time.
    KUDZU_CG wide_tile(unsigned int rank, unsigned int size) : meta_rank_(rank), meta_size_(size) {
    }
    template <typename Parent> KUDZU_CG static void begin(const Parent &parent) {
        if (Size != 64)
            return;
        parent.sync();
        if (thread_rank() == 0)
            *(volatile unsigned int *)&memory_of_block().arrivals[index()] = 0;
        parent.sync();
    }
    KUDZU_CG static void sync() {
        if (Size == 64)
            return sync_by_count();
        asm volatile("barrier.sync %0, %1;" ::"r"(1024 / Size + index()), "r"(Size) : "memory");
    }
    KUDZU_CG static KUDZU_CONSTANT unsigned int num_threads() {
        return Size;
    }
    KUDZU_CG static KUDZU_CONSTANT unsigned int size() {
        return Size;
    }
    KUDZU_CG static unsigned int thread_rank() {
        return thread_in_block() & (Size - 1);
    }
    KUDZU_CG unsigned int meta_group_size() const {
        return meta_size_;
    }
    KUDZU_CG unsigned int meta_group_rank() const {
        return meta_rank_;
    }
    // The value of the thread with the given rank, to all.
    template <typename T> KUDZU_CG T shfl(T var, unsigned int source) const {
        if (thread_rank() == source)
            piece_of<T>(source / 32) = var;
        sync();
        T r = piece_of<T>(source / 32);
        sync();
        return r;
    }
    KUDZU_CG int any(int predicate) const {
        return combine(__any_sync(0xffffffffu, predicate), [](int a, int b) { return a | b; });
    }
    KUDZU_CG int all(int predicate) const {
        return combine(__all_sync(0xffffffffu, predicate), [](int a, int b) { return a & b; });
    }
    // What the last lanes of all lower warps bring, combined in their order; false for the first.
    template <typename T, typename Op>
    KUDZU_CG bool combine_lower(T of_lane, Op op, T &before) const {
        unsigned int warp = thread_rank() / 32;
        if (thread_rank() % 32 == 31)
            piece_of<T>(warp) = of_lane;
        sync();
        before = piece_of<T>(0);
        for (unsigned int k = 1; k < warp; k++)
            before = op(before, piece_of<T>(k));
        sync();
        return warp != 0;
    }
    // Combines what each warp brings (the same value in all its lanes), in the warps' order.
    template <typename T, typename Op> KUDZU_CG T combine(T of_warp, Op op) const {
        if (thread_rank() % 32 == 0)
            piece_of<T>(thread_rank() / 32) = of_warp;
        sync();
        T r = piece_of<T>(0);
        for (unsigned int k = 1; k < Size / 32; k++)
            r = op(r, piece_of<T>(k));
        sync();
        return r;
    }
};

template <unsigned int Size, bool wide = (Size > 32)> struct kind_of_tile {
    typedef narrow_tile<Size> type;
};
template <unsigned int Size> struct kind_of_tile<Size, true> {
    typedef wide_tile<Size> type;
};
template <unsigned int Size> using tile_of = typename kind_of_tile<Size>::type;

template <unsigned int Size, typename Parent>
KUDZU_CG void begin_tile(const narrow_tile<Size> *, const Parent &) {
}
template <unsigned int Size, typename Parent>
KUDZU_CG void begin_tile(const wide_tile<Size> *, const Parent &parent) {
    wide_tile<Size>::begin(parent);
}

} // namespace details

template <unsigned int Size, typename Parent = void> class thread_block_tile;

template <unsigned int Size> class thread_block_tile<Size, void> : public details::tile_of<Size> {
  public:
    // For the implementation: the calling thread's tile, one of `size`.
    KUDZU_CG thread_block_tile(unsigned int rank, unsigned int size)
        : details::tile_of<Size>(rank, size) {
    }
};

// With the parent in the type, the handle's place among its siblings is known from that.
template <unsigned int Size, typename Parent>
class thread_block_tile : public thread_block_tile<Size, void> {
  public:
    KUDZU_CG thread_block_tile(unsigned int rank, unsigned int size)
        : thread_block_tile<Size, void>(rank, size) {
    }
};

KUDZU_CG thread_block_tile<1> this_thread() {
    return thread_block_tile<1>(0, 1);
}

// ---- Partitions (11.6) --------------------------------------------------------------------

namespace details {
// What can be cut into tiles of a size that the compiler knows.
template <unsigned int Size, typename Parent> struct is_larger_parent {
    static const bool value = __is_base_of(thread_block, Parent);
};
// clang-format off: C++03 wants the blank
template <unsigned int Size, unsigned int Outer, typename Parent>
struct is_larger_parent<Size, thread_block_tile<Outer, Parent> > {
    static const bool value = Size < Outer;
};
// clang-format on
} // namespace details

template <unsigned int Size, typename Parent>
KUDZU_CG thread_block_tile<Size, Parent> tiled_partition(const Parent &g) {
    _Static_assert(details::is_larger_parent<Size, Parent>::value,
                   "a tile is cut from a thread_block or from a larger thread_block_tile");
    details::begin_tile((details::tile_of<Size> *)NULL, g);
    return thread_block_tile<Size, Parent>((unsigned int)g.thread_rank() / Size,
                                           ((unsigned int)g.num_threads() + Size - 1) / Size);
}

// Tiles of a size known at run time. A coalesced group is cut in the order of its ranks.
KUDZU_CG coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size) {
    unsigned int rank = parent.thread_rank(), count = parent.num_threads();
    unsigned int first = rank / size * size, mask = 0;
    for (unsigned int i = first; i < first + size && i < count; i++)
        mask |= 1u << __fns(parent.lanes(), 0, (int)i + 1);
    return coalesced_group(mask, rank / size, (count + size - 1) / size);
}

KUDZU_CG thread_group tiled_partition(const thread_group &parent, unsigned int size) {
    if (size == 0 || size > 32 || (size & (size - 1)) != 0 || parent.kind_ == details::grid_kind ||
        parent.kind_ == details::grids_kind || parent.kind_ == details::cluster_kind)
        details::refuse("a tile's size is a power of two up to 32, its parent at most a block",
                        "tiled_partition");
    if (parent.kind_ == details::coalesced_kind)
        return tiled_partition(static_cast<const coalesced_group &>(parent), size);
    unsigned int rank = (unsigned int)parent.thread_rank();
    unsigned int count = (unsigned int)parent.num_threads();
    unsigned int first = details::lane() & ~(size - 1);
    return thread_group(details::tile_kind, 0xffffffffu >> (32 - size) << first, rank / size,
                        (count + size - 1) / size);
}

namespace details {
// The group of those lanes of `parent` that gave the same label, given all lanes that did; groups
// are ranked by their first lanes.
KUDZU_CG coalesced_group same_label(unsigned int parent, unsigned int same) {
    unsigned int leaders = __ballot_sync(parent, (same & lanes_below()) == 0);
    unsigned int first = (same & (0u - same)) - 1;
    return coalesced_group(same, (unsigned int)__popc(leaders & first),
                           (unsigned int)__popc(leaders));
}
} // namespace details

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
namespace details {
template <typename Label> KUDZU_CG unsigned int match_label(unsigned int mask, Label label) {
    _Static_assert(__is_integral(Label), "a label is of an integral type");
    if (sizeof(Label) == 8)
        return __match_any_sync(mask, (unsigned long long)label);
    return __match_any_sync(mask, (unsigned int)label);
}
} // namespace details

template <typename Label>
KUDZU_CG coalesced_group labeled_partition(const coalesced_group &g, Label label) {
    return details::same_label(g.lanes(), details::match_label(g.lanes(), label));
}

template <unsigned int Size, typename Parent, typename Label>
KUDZU_CG coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &g, Label label) {
    return details::same_label(g.lanes(), details::match_label(g.lanes(), label));
}
#endif

namespace details {
// Where both groups have threads, that of the threads with `pred` is the second.
KUDZU_CG coalesced_group one_of_two(unsigned int parent, bool pred) {
    unsigned int yes = __ballot_sync(parent, pred);
    bool both = yes != 0 && yes != parent;
    return coalesced_group(pred ? yes : parent & ~yes, both && pred, both ? 2 : 1);
}
} // namespace details

KUDZU_CG coalesced_group binary_partition(const coalesced_group &g, bool pred) {
    return details::one_of_two(g.lanes(), pred);
}

template <unsigned int Size, typename Parent>
KUDZU_CG coalesced_group binary_partition(const thread_block_tile<Size, Parent> &g, bool pred) {
    return details::one_of_two(g.lanes(), pred);
}

// ---- The members of any group -------------------------------------------------------------

KUDZU_CG unsigned long long thread_group::num_threads() const {
    switch (kind_) {
    case details::grid_kind:
        return grid_group::num_threads();
    case details::grids_kind:
        return this_multi_grid().num_threads();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    case details::cluster_kind:
        return cluster_group::num_threads();
#endif
    case details::block_kind:
        return details::threads_of_block();
    default:
        return (unsigned long long)__popc(mask_);
    }
}

KUDZU_CG unsigned long long thread_group::thread_rank() const {
    switch (kind_) {
    case details::grid_kind:
        return grid_group::thread_rank();
    case details::grids_kind:
        return this_multi_grid().thread_rank();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    case details::cluster_kind:
        return cluster_group::thread_rank();
#endif
    case details::block_kind:
        return details::thread_in_block();
    default:
        return (unsigned long long)__popc(mask_ & details::lanes_below());
    }
}

KUDZU_CG void thread_group::sync() const {
    switch (kind_) {
    case details::grid_kind:
        this_grid().sync();
        break;
    case details::grids_kind:
        this_multi_grid().sync();
        break;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    case details::cluster_kind:
        cluster_group::sync();
        break;
#endif
    case details::block_kind:
        __syncthreads();
        break;
    default:
        __syncwarp(mask_);
    }
}

// ---- Free functions (11.7.1.2, 11.7.4) ----------------------------------------------------

template <typename Group> KUDZU_CG void sync(const Group &g) {
    g.sync();
}

template <typename Group> KUDZU_CG bool is_valid(const Group &g) {
    return g.is_valid();
}

#if __cplusplus >= 201103L
template <typename Group> KUDZU_CG auto thread_rank(const Group &g) -> decltype(g.thread_rank()) {
    return g.thread_rank();
}

template <typename Group> KUDZU_CG auto group_size(const Group &g) -> decltype(g.num_threads()) {
    return g.num_threads();
}

// One thread of the group calls the function.
template <typename Group, typename Function, typename... Arguments>
KUDZU_CG void invoke_one(const Group &g, Function &&function, Arguments &&...arguments) {
    if (g.thread_rank() == 0)
        function(static_cast<Arguments &&>(arguments)...);
}

// And all get what it returned.
template <typename Group, typename Function, typename... Arguments>
KUDZU_CG auto invoke_one_broadcast(const Group &g, Function &&function, Arguments &&...arguments)
    -> decltype(function(static_cast<Arguments &&>(arguments)...)) {
    using Result = decltype(function(static_cast<Arguments &&>(arguments)...));
    _Static_assert(!__is_void(Result), "invoke_one serves functions without a result");
    details::holder<Result> result;
    if (g.thread_rank() == 0)
        result.value = function(static_cast<Arguments &&>(arguments)...);
    return g.shfl(result.value, 0);
}
#endif

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#undef KUDZU_CG
#undef KUDZU_CONSTANT
#undef KUDZU_SCOPE

#endif
#endif
