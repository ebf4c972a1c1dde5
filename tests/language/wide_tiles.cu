// Cooperative groups (guide 11.5.2.1): every member and collective of tiles of 64 to 1024 threads,
// with and without memory given for them.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

__host__ __device__ int value_of(int thread) {
    return (thread * 29 + 5) % 101 - 30;
}

struct shorts { // of eight bytes, the most that larger tiles take
    short a[4];
};
__host__ __device__ shorts shorts_of(int t) {
    return {{(short)t, (short)value_of(t), 1, (short)-t}};
}
struct add_shorts {
    __host__ __device__ shorts operator()(shorts x, const shorts &y) const {
        for (int i = 0; i < 4; i++)
            x.a[i] = (short)(x.a[i] + y.a[i]);
        return x;
    }
};
struct five {
    char c[5];
};
struct map { // an affine map: the order of operands shows
    unsigned a, b;
};
__host__ __device__ map map_of(int t) {
    return {(unsigned)t * 2 + 1, (unsigned)value_of(t)};
}
struct compose {
    __host__ __device__ map operator()(map f, map g) const {
        return {g.a * f.a, g.a * f.b + g.b};
    }
};

struct results {
    unsigned rank, n, tile, tiles;
    int shuffled, any, none, all, not_all, one, size;
    double d;
    five bytes;
    int sum, least, most;
    long long sum_l;
    float sum_f;
    double sum_d;
    unsigned parity, set, common;
    shorts shorts_sum;
    map inclusive, exclusive;
    int scan, below;
    unsigned bits_below;
    short count;
};

template <typename Tile> __device__ void look(const Tile &g, int t, results &r) {
    r.rank = g.thread_rank(), r.n = g.num_threads(), r.size = (int)g.size();
    r.tile = g.meta_group_rank(), r.tiles = g.meta_group_size();
    r.shuffled = g.shfl(t, g.num_threads() - 3);
    r.d = g.shfl(t * 0.5, 33);
    five bytes = {{(char)t, (char)(t + 1), 2, 3, (char)-t}};
    r.bytes = g.shfl(bytes, 40);
    r.any = g.any((int)g.thread_rank() == (int)g.num_threads() - 1), r.none = g.any(t < 0);
    r.all = g.all(t >= 0), r.not_all = g.all(g.thread_rank() != 5);
}

template <typename Tile> __device__ void reduce(const Tile &g, int t, results &r) {
    int v = value_of(t);
    r.sum = cg::reduce(g, v, cg::plus<int>());
    r.least = cg::reduce(g, v, cg::less<int>());
    r.most = cg::reduce(g, v, cg::greater<int>());
    r.sum_l = cg::reduce(g, (long long)v << 33, cg::plus<long long>());
    r.sum_f = cg::reduce(g, (float)v, cg::plus<float>());
    r.sum_d = cg::reduce(g, v * 0.5, [](double a, double b) { return a + b; });
    r.parity = cg::reduce(g, (unsigned)v * 77, cg::bit_xor<unsigned>());
    r.set = cg::reduce(g, 1u << t % 29, cg::bit_or<unsigned>());
    r.common = cg::reduce(g, ~(1u << t % 31), cg::bit_and<unsigned>());
    r.shorts_sum = cg::reduce(g, shorts_of(t), add_shorts());
}

template <typename Tile> __device__ void scan(const Tile &g, int t, results &r) {
    r.inclusive = cg::inclusive_scan(g, map_of(t), compose());
    r.exclusive = cg::exclusive_scan(g, map_of(t), compose());
    r.scan = cg::inclusive_scan(g, value_of(t));
    r.below = cg::exclusive_scan(g, value_of(t));
    r.bits_below = cg::exclusive_scan(g, 1u << t % 32, cg::bit_or<unsigned>());
    r.count = cg::inclusive_scan(g, (short)1);
}

template <int SIZE, bool GIVEN> __global__ void use(results *out, int *calls) {
    __shared__ cg::block_tile_memory<1024> memory;
    __shared__ int copied[1024];
    cg::thread_block block = GIVEN ? cg::this_thread_block(memory) : cg::this_thread_block();
    auto g = cg::tiled_partition<SIZE>(block);
    int t = (int)block.thread_rank();
    results &r = out[t];
    look(g, t, r);
    reduce(g, t, r);
    scan(g, t, r);
    cg::sync(g);
    r.one = cg::invoke_one_broadcast(g, [=] { return t / SIZE + 5; });
    cg::invoke_one(g, [=] { atomicAdd(calls, 1); });
    cg::memcpy_async(g, copied + t / SIZE * SIZE, calls + 1, sizeof(int) * SIZE);
    cg::wait(g);
    r.one += copied[t ^ 33];
}

static void expect_tile(const results *out, int first, int size, int tiles) {
    results want = {};
    want.least = 1000, want.most = -1000, want.common = ~0u;
    map composed = {1, 0};
    for (int t = first; t < first + size; t++) {
        int v = value_of(t);
        want.sum += v, want.parity ^= (unsigned)v * 77, want.set |= 1u << t % 29;
        want.least = v < want.least ? v : want.least, want.most = v > want.most ? v : want.most;
        want.common &= ~(1u << t % 31);
        want.shorts_sum = add_shorts()(want.shorts_sum, shorts_of(t));
    }
    for (int t = first; t < first + size; t++) {
        const results &r = out[t];
        int from = first + 40;
        CHECK((int)r.rank == t - first && (int)r.n == size && r.size == size);
        CHECK((int)r.tile == first / size && (int)r.tiles == tiles);
        CHECK(r.shuffled == first + size - 3 && r.d == (first + 33) * 0.5);
        CHECK(r.bytes.c[0] == (char)from && r.bytes.c[1] == (char)(from + 1));
        CHECK(r.bytes.c[3] == 3 && r.bytes.c[4] == (char)-from);
        CHECK(r.any && !r.none && r.all && !r.not_all && r.one == first / size + 5 + 7);
        CHECK(r.sum == want.sum && r.least == want.least && r.most == want.most);
        CHECK(r.sum_l == (long long)want.sum << 33 && r.sum_f == (float)want.sum);
        CHECK(r.sum_d == want.sum * 0.5 && r.parity == want.parity && r.set == want.set);
        CHECK(r.common == want.common && !memcmp(&r.shorts_sum, &want.shorts_sum, 8));
        if (t > first)
            CHECK(r.exclusive.a == composed.a && r.exclusive.b == composed.b);
        composed = compose()(composed, map_of(t));
        CHECK(r.inclusive.a == composed.a && r.inclusive.b == composed.b);
        CHECK(r.below == want.scan && r.bits_below == want.bits_below);
        want.scan += value_of(t), want.bits_below |= 1u << t % 32;
        CHECK(r.scan == want.scan && r.count == t - first + 1);
    }
}

template <int SIZE, bool GIVEN> static void check(results *out, int *calls, int threads) {
    memset((void *)out, 0, 1024 * sizeof *out);
    *calls = 0;
    use<SIZE, GIVEN><<<1, threads>>>(out, calls);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    CHECK(*calls == threads / SIZE);
    for (int first = 0; first < threads; first += SIZE)
        expect_tile(out, first, SIZE, threads / SIZE);
}

int main() {
    results *out = shared_array<results>(1024);
    int *calls = shared_array<int>(1025);
    for (int i = 1; i < 1025; i++)
        calls[i] = 7;
    check<64, false>(out, calls, 1024);
    check<64, true>(out, calls, 128);
    check<128, false>(out, calls, 256);
    check<256, true>(out, calls, 1024);
    check<512, false>(out, calls, 512);
    check<1024, true>(out, calls, 1024);
    return failures != 0;
}
