// Cooperative groups (guide 11): scans and reductions into atomic objects, tiles of several warps,
// barriers in two halves, positions of clusters; against sums over ranks in plain loops.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

#include <utility>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int THREADS = 256;

__host__ __device__ int value_of(int thread) {
    return (thread * 7 + 3) % 23 - 5;
}

// Keeps the order of its operands visible: an affine map.
struct map {
    unsigned int a, b;
};
struct compose {
    __host__ __device__ map operator()(map f, map g) const {
        return {g.a * f.a, g.a * f.b + g.b};
    }
};
__host__ __device__ map map_of(int thread) {
    return {(unsigned int)thread * 2 + 3, (unsigned int)thread * 5 + 1};
}

struct results {
    int inclusive[THREADS], exclusive[THREADS], greatest[THREADS], least[THREADS];
    map composed[THREADS];
};

template <typename Group> __device__ void scan_all(const Group &g, int t, results *r) {
    int v = value_of(t);
    r->inclusive[t] = cg::inclusive_scan(g, v);
    r->exclusive[t] = cg::exclusive_scan(g, v, cg::plus<int>());
    r->greatest[t] = cg::inclusive_scan(g, v, cg::greater<int>());
    r->least[t] = cg::exclusive_scan(g, v, cg::less<int>());
    r->composed[t] = cg::inclusive_scan(g, map_of(t), compose());
}

template <int SIZE> __global__ void scan_tiles(results *r) {
    __shared__ cg::block_tile_memory<THREADS> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<SIZE>(block);
    scan_all(tile, (int)block.thread_rank(), r);
}

__global__ void scan_odd_lanes(results *r) {
    int t = (int)threadIdx.x;
    if (t % 3 != 1) // 21 or 22 lanes of each warp
        scan_all(cg::coalesced_threads(), t, r);
}

// `member` says who takes part, `size` how many threads make a group.
template <typename Member> static void expect_scans(const results *r, int size, Member member) {
    for (int first = 0; first < THREADS; first += size) {
        int sum = 0, greatest = -1000, least = 2147483647;
        map composed = {1, 0};
        for (int t = first; t < first + size; t++) {
            if (!member(t))
                continue;
            CHECK(r->exclusive[t] == sum && r->least[t] == least);
            sum += value_of(t);
            greatest = value_of(t) > greatest ? value_of(t) : greatest;
            least = value_of(t) < least ? value_of(t) : least;
            composed = compose()(composed, map_of(t));
            CHECK(r->inclusive[t] == sum && r->greatest[t] == greatest);
            CHECK(r->composed[t].a == composed.a && r->composed[t].b == composed.b);
        }
    }
}

template <int SIZE> static void test_scans(results *r) {
    scan_tiles<SIZE><<<1, THREADS>>>(r);
    CUDA(cudaDeviceSynchronize());
    expect_scans(r, SIZE, [](int) { return true; });
}

// Of a library with a memory_order of its own.
struct other_atomic {
    enum class order { relaxed, strict };
    int value;
    __device__ int load(order o) volatile {
        return o == order::relaxed ? atomicAdd((int *)&value, 0) : -1;
    }
    __device__ bool compare_exchange_weak(int &old, int v, order o, order failure) volatile {
        int expected = old;
        old = o == failure ? atomicCAS((int *)&value, expected, v) : expected;
        return old == expected;
    }
    __device__ int fetch_add(int v, order o = order::strict) {
        return o == order::relaxed ? atomicAdd(&value, v) : -1;
    }
    __device__ int fetch_add(int v, order o = order::strict) volatile;
};

struct totals {
    other_atomic other_sum, other_xor;
    cuda::atomic<int, cuda::thread_scope_device> sum, most, stored, allocated, start;
    cuda::atomic<unsigned int, cuda::thread_scope_device> bits;
    int plain[THREADS / 32], reference;
    unsigned char taken[3 * THREADS];
    int order[THREADS];
};

__global__ void updates(totals *s) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int t = (int)block.thread_rank(), v = value_of(t);
    cg::reduce_update_async(warp, s->sum, v, cg::plus<int>());
    cg::reduce_update_async(warp, s->most, v, cg::greater<int>());
    cg::reduce_update_async(warp, s->bits, 1u << t % 32, cg::bit_xor<unsigned int>());
    cuda::atomic_ref<int, cuda::thread_scope_device> reference(s->reference);
    cg::reduce_update_async(warp, reference, v, [](int a, int b) { return a + b; });
    cg::reduce_update_async(warp, s->other_sum, v, cg::plus<int>());
    cg::reduce_update_async(warp, s->other_xor, v, [](int a, int b) { return a ^ b; });
    cg::reduce_store_async(warp, &s->plain[t / 32], v, cg::plus<int>());
    if (t < 32)
        cg::reduce_store_async(warp, s->stored, v, cg::plus<int>());
    // Each thread takes one to three places; all of them, and no place twice.
    int need = t % 3 + 1;
    int at = cg::exclusive_scan_update(warp, s->allocated, need);
    for (int i = 0; i < need; i++)
        s->taken[at + i]++;
    s->order[t] = cg::inclusive_scan_update(warp, s->start, 1);
}

__global__ void halves_of_barriers(int *data, int *out) {
    __shared__ int slots[THREADS];
    auto block = cg::this_thread_block();
    auto grid = cg::this_grid();
    int t = (int)block.thread_rank();
    slots[t] = t * 3;
    auto token = block.barrier_arrive();
    int mine = t * 2;
    block.barrier_wait(std::move(token));
    data[grid.thread_rank()] = slots[THREADS - 1 - t] + mine;
    auto all = grid.barrier_arrive();
    mine += 5;
    grid.barrier_wait(std::move(all));
    unsigned long long other = grid.num_threads() - 1 - grid.thread_rank();
    out[grid.thread_rank()] = data[other] + mine;
}

__global__ void __cluster_dims__(2, 1, 1) positions(int *bad) {
    auto grid = cg::this_grid();
    auto cluster = cg::this_cluster();
    dim3 i = grid.cluster_index(), n = grid.dim_clusters();
    bool good = i.x == blockIdx.x / 2 && i.y == blockIdx.y && i.z == 0;
    good &= n.x == gridDim.x / 2 && n.y == gridDim.y && n.z == 1;
    good &= grid.num_clusters() == n.x * n.y && grid.cluster_rank() == i.y * n.x + i.x;
    good &= cluster.block_rank() == blockIdx.x % 2 && cluster.num_blocks() == 2;
    good &= cluster.thread_rank() == blockIdx.x % 2 * blockDim.x + threadIdx.x;
    if (!good)
        atomicAdd(bad, 1);
}

__global__ void copies(const int *in, int *out, int n) {
    extern __shared__ int buffer[];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, buffer, in, sizeof(int) * n);
    cg::memcpy_async(block, buffer + n, 2 * n, in + n, n);
    cg::wait_prior<1>(block);
    for (int i = (int)block.thread_rank(); i < n; i += (int)block.num_threads())
        out[i] = buffer[n - 1 - i];
    cg::wait(block);
    for (int i = (int)block.thread_rank(); i < n; i += (int)block.num_threads())
        out[n + i] = buffer[2 * n - 1 - i];
}

// Sixteen tiles of 64 threads, which meet while the block does.
__global__ void sixteen_tiles(int *out) {
    __shared__ cg::block_tile_memory<1024> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += cg::reduce(tile, (int)block.thread_rank() + i, cg::plus<int>());
        block.sync();
    }
    out[block.thread_rank()] = sum;
}

// Threads that wait for each other are together all the same where nothing parts them.
__global__ void together_after_locks(int *lock, int *counts, int *sums, int n) {
    int t = (int)threadIdx.x;
    if (t >= n)
        return;
    for (bool done = false; !done;)
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            counts[0]++;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    __syncwarp(n - t / 32 * 32 >= 32 ? 0xffffffff : (1u << n % 32) - 1);
    cg::coalesced_group all = cg::coalesced_threads();
    counts[1 + t] = (int)all.size();
    if (t % 2) {
        cg::coalesced_group odd = cg::coalesced_threads();
        counts[1 + t] += 100 * (int)odd.size();
        sums[t] = cg::reduce(odd, t, cg::plus<int>());
    }
}

static void check_together() {
    enum { THREADS = 70 }; // two whole warps, and six threads
    int *lock = shared_array<int>(1), *counts = shared_array<int>(1 + 96);
    int *sums = shared_array<int>(96);
    together_after_locks<<<1, 96>>>(lock, counts, sums, THREADS);
    CUDA(cudaDeviceSynchronize());
    CHECK(counts[0] == THREADS);
    for (int t = 0; t < THREADS; t++) {
        int first = t / 32 * 32, size = THREADS - first < 32 ? THREADS - first : 32, sum = 0;
        for (int i = first + 1; i < first + size; i += 2)
            sum += i;
        CHECK(counts[1 + t] == size + (t % 2 ? size / 2 * 100 : 0));
        CHECK(sums[t] == (t % 2 ? sum : 0));
    }
}

int main() {
    results *r = shared_array<results>(1);
    test_scans<1>(r);
    test_scans<4>(r);
    test_scans<32>(r);
    test_scans<64>(r);
    test_scans<128>(r);
    test_scans<256>(r);
    scan_odd_lanes<<<1, THREADS>>>(r);
    CUDA(cudaDeviceSynchronize());
    expect_scans(r, 32, [](int t) { return t % 3 != 1; });

    totals *s = shared_array<totals>(1);
    updates<<<1, THREADS>>>(s);
    CUDA(cudaDeviceSynchronize());
    int sum = 0, most = 0, places = 0, parity = 0;
    for (int t = 0; t < THREADS; t++) {
        sum += value_of(t), places += t % 3 + 1, parity ^= value_of(t);
        most = value_of(t) > most ? value_of(t) : most;
        int warp = 0;
        for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++)
            warp += value_of(i);
        CHECK(s->plain[t / 32] == warp);
        if (t == 0)
            CHECK(s->stored == warp);
    }
    CHECK(s->sum == sum && s->reference == sum && s->most == most && s->bits == 0);
    CHECK(s->allocated == places && s->start == THREADS);
    CHECK(s->other_sum.value == sum && s->other_xor.value == parity);
    for (int i = 0; i < 3 * THREADS; i++)
        CHECK(s->taken[i] == (i < places));
    for (int t = 1; t < THREADS; t++)
        CHECK(t % 32 == 0 || s->order[t] == s->order[t - 1] + 1);

    const int blocks = 4;
    int *data = shared_array<int>(blocks * THREADS), *out = shared_array<int>(blocks * THREADS);
    void *arguments[] = {&data, &out};
    CUDA(cudaLaunchCooperativeKernel((void *)halves_of_barriers, blocks, THREADS, arguments, 0, 0));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < blocks * THREADS; i++) {
        int t = i % THREADS, other = THREADS - 1 - t;
        CHECK(out[i] == (THREADS - 1 - other) * 3 + other * 2 + t * 2 + 5);
    }
    sixteen_tiles<<<1, 1024>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 1024; t++) {
        int expected = 0;
        for (int i = 0; i < 20; i++)
            for (int other = t / 64 * 64; other < t / 64 * 64 + 64; other++)
                expected += other + i;
        CHECK(out[t] == expected);
    }
    int *bad = shared_array<int>(1);
    positions<<<dim3(6, 3), 64>>>(bad);
    CUDA(cudaDeviceSynchronize());
    CHECK(*bad == 0);

    const int n = 300;
    for (int i = 0; i < 2 * n; i++)
        data[i] = i * i;
    copies<<<1, 64, 3 * n * sizeof(int)>>>(data, out, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK(out[i] == (n - 1 - i) * (n - 1 - i) &&
              out[n + i] == (2 * n - 1 - i) * (2 * n - 1 - i));
    check_together();
    return failures != 0;
}
