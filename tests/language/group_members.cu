// Cooperative groups (guide 11.5): the types of members, positions in three dimensions with and
// without clusters, shared memory of other blocks, and what cooperative launches may be (11.8).
#include <cooperative_groups.h>
#include <type_traits>
#include <utility>

#include "check.h"

namespace cg = cooperative_groups;

// The expressions' types.
template <typename T, typename... X> struct all_are;
template <typename T> struct all_are<T> : std::true_type {};
template <typename T, typename First, typename... Rest>
struct all_are<T, First, Rest...>
    : std::integral_constant<bool, std::is_same<T, First>::value && all_are<T, Rest...>::value> {};
template <typename T, typename... X> __device__ all_are<T, X...> types_of(const X &...);
#define IS(type, ...) static_assert(decltype(types_of<type>(__VA_ARGS__))::value, "")
typedef unsigned long long word;

// ---- Types ------------------------------------------------------------------------------------

__global__ void implicit_groups(int *out) {
    cg::thread_block b = cg::this_thread_block();
    IS(unsigned, b.thread_rank(), b.num_threads(), b.size());
    IS(dim3, b.group_index(), b.thread_index(), b.dim_threads(), b.group_dim());
    cg::thread_block::arrival_token of_block = b.barrier_arrive();
    b.barrier_wait(std::move(of_block));
    cg::cluster_group c = cg::this_cluster();
    IS(unsigned, c.thread_rank(), c.block_rank(), c.num_threads(), c.num_blocks(), c.size(),
       c.query_shared_rank(out));
    IS(dim3, c.dim_threads(), c.dim_blocks(), c.block_index());
    IS(int *, c.map_shared_rank(out, 0));
    cg::cluster_group::arrival_token of_cluster = c.barrier_arrive();
    c.barrier_wait(std::move(of_cluster));
    cg::grid_group g = cg::this_grid();
    IS(bool, g.is_valid());
    IS(cg::grid_group::arrival_token, g.barrier_arrive());
    IS(word, g.thread_rank(), g.block_rank(), g.cluster_rank(), g.num_threads(), g.num_blocks(),
       g.num_clusters(), g.size());
    IS(dim3, g.dim_blocks(), g.dim_clusters(), g.block_index(), g.cluster_index(), g.group_dim());
    static_assert(!std::is_default_constructible<cg::thread_block>::value, "");
    static_assert(!std::is_default_constructible<cg::cluster_group>::value, "");
    static_assert(!std::is_default_constructible<cg::grid_group>::value, "");
    static_assert(!std::is_default_constructible<cg::coalesced_group>::value, "");
    // Without a handle, as far as they are static.
    out[threadIdx.x] =
        (int)(cg::thread_block::thread_rank() + cg::cluster_group::num_blocks() * 100 +
              cg::grid_group::num_threads() * 1000);
    cg::thread_block::sync();
    cg::cluster_group::sync();
}

__global__ void explicit_groups(int *out) {
    cg::thread_block b = cg::this_thread_block();
    auto t = cg::tiled_partition<8>(b);
    auto tt = cg::tiled_partition<4>(t);
    using of_block = cg::thread_block_tile<8, cg::thread_block>;
    IS(of_block, cg::tiled_partition<8>(b));
    using of_tile = cg::thread_block_tile<4, of_block>;
    IS(of_tile, cg::tiled_partition<4>(t));
    cg::thread_block_tile<4> plain = tt;
    IS(float, plain.shfl(1.0f, 0));
    IS(short, plain.shfl_up((short)1, 0));
    IS(int, plain.any(1), plain.all(1));
    IS(unsigned, plain.ballot(1));
    int same;
    IS(unsigned, plain.match_any(1), plain.match_all(1, same));
    static_assert(decltype(tt)::num_threads() == 4 && decltype(t)::size() == 8, "");
    IS(cg::thread_block_tile<1>, cg::this_thread());
    cg::coalesced_group active = cg::coalesced_threads();
    IS(cg::coalesced_group, cg::tiled_partition(active, 4), cg::labeled_partition(plain, 1),
       cg::binary_partition(active, true));
    IS(cg::thread_group, cg::tiled_partition(b, 4));
    cg::thread_group any[] = {b, t, active, cg::this_grid(), cg::this_cluster(), cg::this_thread()};
    IS(word, any[0].size(), any[0].num_threads(), any[0].thread_rank());
    int sum = 0;
    for (int i = 0, scale = 1; i < 6; i++, scale *= 3)
        sum += (int)any[i].size() * scale + (int)any[i].thread_rank();
    out[b.thread_rank()] = sum;
    cg::sync(b), cg::sync(t), cg::sync(any[1]), any[2].sync();
}

static void check_types() {
    int *out = shared_array<int>(64);
    implicit_groups<<<2, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK(out[i] == i + 100 + 64000);
    explicit_groups<<<1, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK(out[i] == 32 + 8 * 3 + 32 * (9 + 27 + 81) + 243 + 4 * i + i % 8);
    CUDA(cudaFree(out));
}

// ---- Positions --------------------------------------------------------------------------------

struct position {
    word thread, block, cluster, threads, blocks, clusters;
    dim3 block_index, cluster_index, dim_blocks, dim_clusters;
    unsigned in_cluster, block_in_cluster, of_cluster, blocks_of_cluster;
    dim3 index_in_cluster, blocks_in_cluster, threads_in_cluster;
    unsigned in_block, of_block;
    dim3 group_index, thread_index, dim_threads;
};

__device__ void look_around(position *p) {
    auto g = cg::this_grid();
    auto c = cg::this_cluster();
    auto b = cg::this_thread_block();
    p[g.thread_rank()] = {g.thread_rank(),  g.block_rank(),   g.cluster_rank(), g.num_threads(),
                          g.num_blocks(),   g.num_clusters(), g.block_index(),  g.cluster_index(),
                          g.dim_blocks(),   g.dim_clusters(), c.thread_rank(),  c.block_rank(),
                          c.num_threads(),  c.num_blocks(),   c.block_index(),  c.dim_blocks(),
                          c.dim_threads(),  b.thread_rank(),  b.num_threads(),  b.group_index(),
                          b.thread_index(), b.dim_threads()};
    c.sync();
}
__global__ void without_clusters(position *p) {
    look_around(p);
}
__global__ void __cluster_dims__(2, 1, 2) with_clusters(position *p) {
    look_around(p);
}

static bool is(dim3 a, unsigned x, unsigned y, unsigned z) {
    return a.x == x && a.y == y && a.z == z;
}
static unsigned volume(dim3 d) {
    return d.x * d.y * d.z;
}
static unsigned rank_in(dim3 i, dim3 of) {
    return (i.z * of.y + i.y) * of.x + i.x;
}
static dim3 place_in(unsigned rank, dim3 of) {
    return dim3(rank % of.x, rank / of.x % of.y, rank / of.x / of.y);
}

static void check_position(const position &p, unsigned rank, dim3 grid, dim3 block, dim3 cluster) {
    unsigned t = rank % volume(block), b = rank / volume(block);
    dim3 ti = place_in(t, block), bi = place_in(b, grid);
    dim3 ci(bi.x / cluster.x, bi.y / cluster.y, bi.z / cluster.z);
    dim3 in(bi.x % cluster.x, bi.y % cluster.y, bi.z % cluster.z);
    dim3 nc(grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z);
    CHECK(p.thread == rank && p.block == b && p.cluster == rank_in(ci, nc));
    CHECK(p.threads == volume(grid) * volume(block) && p.blocks == volume(grid));
    CHECK(p.clusters == volume(nc) && is(p.block_index, bi.x, bi.y, bi.z));
    CHECK(is(p.cluster_index, ci.x, ci.y, ci.z) && is(p.dim_blocks, grid.x, grid.y, grid.z));
    CHECK(is(p.dim_clusters, nc.x, nc.y, nc.z) && p.block_in_cluster == rank_in(in, cluster));
    CHECK(p.in_cluster == rank_in(in, cluster) * volume(block) + t);
    CHECK(p.of_cluster == volume(cluster) * volume(block) &&
          p.blocks_of_cluster == volume(cluster));
    CHECK(is(p.index_in_cluster, in.x, in.y, in.z));
    CHECK(is(p.blocks_in_cluster, cluster.x, cluster.y, cluster.z));
    CHECK(is(p.threads_in_cluster, cluster.x * block.x, cluster.y * block.y, cluster.z * block.z));
    CHECK(p.in_block == t && p.of_block == volume(block) && is(p.group_index, bi.x, bi.y, bi.z));
    CHECK(is(p.thread_index, ti.x, ti.y, ti.z) && is(p.dim_threads, block.x, block.y, block.z));
}

static void check_positions() {
    dim3 grid(4, 2, 4), block(4, 3, 2);
    unsigned n = volume(grid) * volume(block);
    position *p = shared_array<position>(n);
    without_clusters<<<grid, block>>>(p);
    CUDA(cudaDeviceSynchronize());
    for (unsigned i = 0; i < n; i++)
        check_position(p[i], i, grid, block, dim3(1));
    with_clusters<<<grid, block>>>(p);
    CUDA(cudaDeviceSynchronize());
    for (unsigned i = 0; i < n; i++)
        check_position(p[i], i, grid, block, dim3(2, 1, 2));
    with_clusters<<<dim3(3, 2, 4), block>>>(p);
    CHECK(cudaGetLastError() == cudaErrorInvalidClusterSize);
    CUDA(cudaFree(p));
}

// ---- Shared memory of other blocks --------------------------------------------------------------

struct two {
    int a;
    double b;
};

__global__ void __cluster_dims__(4) look_at_others(int *bad) {
    __shared__ int x[8];
    __shared__ two s;
    extern __shared__ float window[];
    auto c = cg::this_cluster();
    int r = (int)c.block_rank(), t = (int)threadIdx.x, wrong = 0;
    x[t % 8] = r * 100 + t % 8, s.a = r, s.b = r * 0.5, window[t] = (float)(r * 1000 + t);
    auto token = c.barrier_arrive();
    c.barrier_wait(std::move(token));
    for (int k = 0; k < 4; k++) {
        int *p = c.map_shared_rank(x, k);
        two *q = c.map_shared_rank(&s, k);
        float *w = c.map_shared_rank(window + t, k);
        const int *constant = c.map_shared_rank((const int *)x + 3, k);
        int(*array)[8] = c.map_shared_rank(&x, k);
        void *nothing = c.map_shared_rank((void *)x, k);
        double *member = c.map_shared_rank(&s.b, k);
        wrong += p[5] != k * 100 + 5 || q->a != k || *member != k * 0.5 || *w != k * 1000 + t;
        wrong += *constant != k * 100 + 3 || (*array)[7] != k * 100 + 7 || nothing != (void *)p;
        wrong += c.query_shared_rank(p) != k || c.query_shared_rank(member) != k;
        wrong += c.query_shared_rank(w) != k || c.query_shared_rank(x) != r;
    }
    c.sync();
    atomicAdd(c.map_shared_rank(x, (r + 1) % 4), 1);
    *c.map_shared_rank(window + t, (r + 1) % 4) = (float)r;
    c.sync();
    wrong += x[0] != r * 100 + (int)blockDim.x || window[t] != (float)((r + 3) % 4);
    if (wrong)
        atomicAdd(bad, wrong);
}

// ---- Cooperative launches -----------------------------------------------------------------------

__global__ void count_threads(int *out) {
    auto g = cg::this_grid();
    out[g.thread_rank()] = 1;
    g.sync();
    if (g.thread_rank() == 0) {
        int sum = 0;
        for (word i = 0; i < g.num_threads(); i++)
            sum += out[i];
        out[0] = sum + 1000000 * g.is_valid();
    }
}
__global__ void is_cooperative(int *out) {
    *out = 10 + cg::this_grid().is_valid();
}
__global__ void large_window(int *out) {
    extern __shared__ int large[];
    large[threadIdx.x] = 1;
    cg::this_grid().sync();
    if (cg::this_grid().thread_rank() == 0)
        *out = large[0] + (int)cg::this_grid().num_blocks();
}

static int most_blocks(const void *kernel, int threads, size_t shared) {
    int n, processors;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, shared));
    CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    return n * processors;
}

static void check_limits() {
    int can = 0, most = most_blocks((void *)count_threads, 128, 0);
    CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    CHECK(can == 1);
    int *out = shared_array<int>((size_t)most * 128);
    void *args[] = {&out}, *kernel = (void *)count_threads;
    CUDA(cudaLaunchCooperativeKernel(kernel, dim3(most), dim3(128), args));
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 1000000 + most * 128);
    CHECK(cudaLaunchCooperativeKernel(count_threads, dim3(most + 1), dim3(128), args, 0,
                                      cudaStreamPerThread) == cudaErrorCooperativeLaunchTooLarge);
    CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    CHECK(cudaLaunchCooperativeKernel(kernel, dim3(1), dim3(1025), args) ==
          cudaErrorInvalidConfiguration);
    CHECK(cudaLaunchCooperativeKernel(kernel, dim3(1), dim3(0), args) ==
          cudaErrorInvalidConfiguration);
    CHECK(cudaLaunchCooperativeKernel(kernel, dim3(1), dim3(1), args, 1 << 20) ==
          cudaErrorCooperativeLaunchTooLarge);
    CHECK(cudaLaunchCooperativeKernel((void *)nullptr, dim3(1), dim3(1), args) ==
          cudaErrorInvalidDeviceFunction);
    enum { BYTES = 200 << 10 };
    CUDA(cudaFuncSetAttribute(large_window, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    most = most_blocks((void *)large_window, 32, BYTES);
    kernel = (void *)large_window;
    CUDA(cudaLaunchCooperativeKernel(kernel, dim3(most), dim3(32), args, BYTES));
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == 1 + most);
    CHECK(cudaLaunchCooperativeKernel(kernel, dim3(most + 1), dim3(32), args, BYTES) ==
          cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
    CUDA(cudaFree(out));
}

static void check_attributes() {
    int *out = shared_array<int>(1024);
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 64;
    config.attrs = attributes;
    config.numAttrs = 1;
    attributes[0].id = cudaLaunchAttributeCooperative;
    for (int cooperative = 0; cooperative < 2; cooperative++) {
        attributes[0].val.cooperative = cooperative;
        CUDA(cudaLaunchKernelEx(&config, is_cooperative, out));
        CUDA(cudaDeviceSynchronize());
        // NVIDIA's driver (580) gives every launch what a grid synchronises by.
        CHECK(*out == 10 + cooperative || (*out == 11 && !on_kudzu()));
    }
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = 2;
    attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
    config.gridDim = 4;
    config.numAttrs = 2;
    CUDA(cudaLaunchKernelEx(&config, count_threads, out));
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == 1000000 + 256);
    config.gridDim = 1000000;
    CHECK(cudaLaunchKernelEx(&config, count_threads, out) == cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
    CUDA(cudaFree(out));
}

int main() {
    check_types();
    check_positions();
    int *bad = shared_array<int>(1);
    look_at_others<<<8, 64, 256>>>(bad);
    CUDA(cudaDeviceSynchronize());
    CHECK(*bad == 0);
    check_limits();
    check_attributes();
    return failures != 0;
}
