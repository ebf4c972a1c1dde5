// Cooperative groups (guide 11.5.2, 11.7.3, 11.7.4): values of all kinds and of 1 to 32 bytes in
// exchanges, reductions, scans and broadcasts of tiles and coalesced groups; operators of all
// kinds.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

namespace cg = cooperative_groups;
enum { THREADS = 96 };

// ---- Structures -------------------------------------------------------------------------------

template <int N> struct bytes {
    unsigned char b[N];
};
template <int N> __host__ __device__ bytes<N> bytes_of(int thread) {
    bytes<N> r;
    for (int i = 0; i < N; i++)
        r.b[i] = (unsigned char)(thread * 31 + i * 7 + 1);
    return r;
}
struct add_each {
    template <int N> __host__ __device__ bytes<N> operator()(bytes<N> x, const bytes<N> &y) const {
        for (int i = 0; i < N; i++)
            x.b[i] = (unsigned char)(x.b[i] + y.b[i]);
        return x;
    }
};

template <int N> struct results {
    bytes<N> middle[THREADS], up[THREADS], down[THREADS], sum[THREADS], inclusive[THREADS];
    bytes<N> exclusive[THREADS], from_one[THREADS];
};

template <int N, typename Group> __device__ void exchange(const Group &g, results<N> *r) {
    int t = (int)threadIdx.x;
    bytes<N> v = bytes_of<N>(t);
    r->middle[t] = g.shfl(v, g.num_threads() / 2);
    r->up[t] = g.shfl_up(v, 1);
    r->down[t] = g.shfl_down(v, 2);
    r->sum[t] = cg::reduce(g, v, add_each());
    r->inclusive[t] = cg::inclusive_scan(g, v, add_each());
    r->exclusive[t] = cg::exclusive_scan(g, v, add_each());
    r->from_one[t] = cg::invoke_one_broadcast(g, [=] { return bytes_of<N>(t / 32 + 77); });
}
template <int N, int SIZE> __global__ void exchange_in_tiles(results<N> *r) {
    exchange(cg::tiled_partition<SIZE>(cg::this_thread_block()), r);
}
template <int N> __global__ void exchange_among_active(results<N> *r) {
    if (threadIdx.x % 5 != 2)
        exchange(cg::coalesced_threads(), r);
}

template <int N> static bool same(const bytes<N> &x, const bytes<N> &y) {
    return !memcmp(&x, &y, N);
}

// One group, of the threads in the list.
template <int N> static void expect(const results<N> *r, const int *list, int n) {
    bytes<N> total = {}, below = {};
    for (int i = 0; i < n; i++)
        total = add_each()(total, bytes_of<N>(list[i]));
    for (int i = 0; i < n; i++) {
        int t = list[i];
        CHECK(same(r->exclusive[t], below));
        below = add_each()(below, bytes_of<N>(t));
        CHECK(same(r->inclusive[t], below) && same(r->sum[t], total));
        CHECK(same(r->middle[t], bytes_of<N>(list[n / 2])));
        CHECK(same(r->up[t], bytes_of<N>(list[i ? i - 1 : 0])));
        CHECK(same(r->down[t], bytes_of<N>(list[i + 2 < n ? i + 2 : i])));
        CHECK(same(r->from_one[t], bytes_of<N>(t / 32 + 77)));
    }
}

template <int N, typename Member> static void expect_all(results<N> *r, int size, Member member) {
    CUDA(cudaDeviceSynchronize());
    for (int first = 0; first < THREADS; first += size) {
        int list[32], n = 0;
        for (int t = first; t < first + size; t++)
            if (member(t))
                list[n++] = t;
        expect(r, list, n);
    }
}

template <int N> static void check_bytes() {
    results<N> *r = shared_array<results<N>>(1);
    auto all = [](int) { return true; };
    exchange_in_tiles<N, 32><<<1, THREADS>>>(r);
    expect_all(r, 32, all);
    exchange_in_tiles<N, 8><<<1, THREADS>>>(r);
    expect_all(r, 8, all);
    exchange_in_tiles<N, 1><<<1, THREADS>>>(r);
    expect_all(r, 1, all);
    exchange_among_active<N><<<1, THREADS>>>(r);
    expect_all(r, 32, [](int t) { return t % 5 != 2; });
    CUDA(cudaFree(r));
}

// ---- Kinds of values ----------------------------------------------------------------------------

enum short_enum : short { RED, GREEN = 300 };
enum class long_enum : long long { A = 1, B = 1ll << 40 };
struct without_default {
    int a;
    double b;
    __device__ explicit without_default(int x) : a(x), b(x * 2.0) {
    }
    __device__ bool operator==(const without_default &o) const {
        return a == o.a && b == o.b;
    }
};

// Whether the second thread's value, that of thread `from`, arrives; value(t) is thread t's.
template <typename Group, typename Value>
__device__ bool arrives(const Group &g, int from, Value value) {
    return g.shfl(value((int)threadIdx.x), 1) == value(from);
}

template <typename Group> __device__ int exchange_kinds(const Group &g, int from) {
    int bad = 0;
    bad += !arrives(g, from, [](int t) { return (bool)(t & 1); });
    bad += !arrives(g, from, [](int t) { return (char)t; });
    bad += !arrives(g, from, [](int t) { return (signed char)-t; });
    bad += !arrives(g, from, [](int t) { return (unsigned short)(t * 500); });
    bad += !arrives(g, from, [](int t) { return (short)-t; });
    bad += !arrives(g, from, [](int t) { return -(long)t << 33; });
    bad += !arrives(g, from, [](int t) { return (unsigned long)t << 33; });
    bad += !arrives(g, from, [](int t) { return -(long long)t << 40; });
    bad += !arrives(g, from, [](int t) { return t * 0.5f; });
    bad += !arrives(g, from, [](int t) { return t * 0.25; });
    bad += !arrives(g, from, [](int t) { return (__int128)t << 100; });
    bad += !arrives(g, from, [](int t) { return t & 1 ? GREEN : RED; });
    bad += !arrives(g, from, [](int t) { return t & 1 ? long_enum::B : long_enum::A; });
    bad += !arrives(g, from, [](int t) { return (const char *)nullptr + t; });
    bad += !arrives(g, from, [](int t) { return __float2half((float)t); });
    bad += !arrives(g, from, [](int t) { return __float2bfloat16((float)t); });
    bad += !arrives(g, from, [](int t) { return without_default(t); });
    float4 f = g.shfl(make_float4((float)threadIdx.x, 1, 2, 3), 1);
    uchar3 u = g.shfl(make_uchar3((unsigned char)threadIdx.x, 1, 2), 1);
    __half2 h = g.shfl(__floats2half2_rn((float)threadIdx.x, 5), 1);
    bad += f.x != (float)from || f.w != 3 || u.x != from || u.z != 2;
    return bad + (__low2float(h) != (float)from || __high2float(h) != 5);
}

template <typename Group> __device__ int combine_kinds(const Group &g) {
    typedef unsigned long long word;
    int bad = 0, r = (int)g.thread_rank(), n = (int)g.num_threads();
    bad += cg::reduce(g, (short)1, cg::plus<short>()) != n;
    bad += cg::reduce(g, (unsigned char)1, cg::plus<unsigned char>()) != n;
    bad += cg::reduce(g, (word)1 << r, cg::bit_or<word>()) != ((word)1 << n) - 1;
    bad += cg::reduce(g, ~0u >> r, cg::bit_and<unsigned>()) != ~0u >> (n - 1);
    bad += cg::reduce(g, r == 0, cg::bit_or<bool>()) != true;
    bad += cg::reduce(g, (float)r, cg::greater<float>()) != (float)(n - 1);
    bad += cg::reduce(g, -(double)r, cg::less<double>()) != 1.0 - n;
    bad += __half2float(cg::reduce(g, __float2half(1), cg::plus<__half>())) != (float)n;
    bad += __high2float(cg::reduce(g, __floats2half2_rn(1, 2), cg::plus<__half2>())) != 2.0f * n;
    bad += cg::inclusive_scan(g, 1.0f) != (float)(r + 1) || cg::exclusive_scan(g, 0.5) != 0.5 * r;
    bad += cg::exclusive_scan(g, (short)2) != 2 * r;
    bad += cg::exclusive_scan(g, 1u << r, cg::bit_or<unsigned>()) != (1u << r) - 1;
    bad += cg::inclusive_scan(g, r, cg::greater<int>()) != r;
    return bad + (cg::exclusive_scan(g, 1u << r, cg::bit_xor<unsigned>()) != (1u << r) - 1);
}

template <int SIZE> __global__ void kinds_in_tiles(int *bad) {
    auto g = cg::tiled_partition<SIZE>(cg::this_thread_block());
    atomicAdd(bad, exchange_kinds(g, (int)threadIdx.x / SIZE * SIZE + 1) + combine_kinds(g));
}
__global__ void kinds_among_active(int *bad) {
    if (threadIdx.x % 3) {
        auto g = cg::coalesced_threads();
        int first = (int)threadIdx.x / 32 * 32, second = first;
        for (int n = 0; n < 2; second++)
            n += second % 3 != 0;
        atomicAdd(bad, exchange_kinds(g, second - 1) + combine_kinds(g));
    }
}

// ---- Operators ----------------------------------------------------------------------------------

struct larger_of {
    template <typename T> __device__ const T &operator()(const T &a, const T &b) const {
        return a < b ? b : a;
    }
};
struct add_with {
    int more;
    __device__ int operator()(int a, int b) const {
        return a + b + more;
    }
};
__device__ int add(int a, int b) {
    return a + b;
}

__global__ void operators(int *bad, int *counts) {
    auto g = cg::tiled_partition<16>(cg::this_thread_block());
    auto active = cg::coalesced_threads();
    const cg::plus<int> constant = {};
    cg::plus<int> variable;
    add_with object{1};
    int (*pointer)(int, int) = add;
    int r = (int)g.thread_rank(), wrong = 0, called = 0;
    const int same = r;
    wrong += cg::reduce(g, r, larger_of()) != 15 || cg::reduce(active, r, larger_of()) != 15;
    wrong += cg::inclusive_scan(g, 15 - r, larger_of()) != 15;
    wrong += cg::reduce(g, same, constant) != 120 || cg::reduce(g, r, variable) != 120;
    wrong += cg::reduce(g, r, object) != 135 || cg::reduce(g, r, pointer) != 120;
    wrong += cg::reduce(g, r, add) != 120 || cg::reduce(g, r, &add) != 120;
    wrong += cg::reduce(g, r, [](auto x, auto y) { return x + y; }) != 120;
    wrong += cg::reduce(g, (short)r, [](int x, int y) { return x + y; }) != 120;
    wrong += cg::reduce(g, r, [=](int x, int y) mutable { return x > y ? x : y; }) != 15;
    wrong += cg::invoke_one_broadcast(g, add, 3, 4) != 7;
    wrong += cg::invoke_one_broadcast(g, [](int &x) { return ++x; }, called) != 1 || called > 1;
    cg::invoke_one(g, [](int x, int *p) { atomicAdd(p, x); }, 5, counts);
    cg::invoke_one(cg::this_thread_block(), [=] { atomicAdd(counts + 1, 1); });
    cg::invoke_one(cg::this_grid(), [=] { return atomicAdd(counts + 2, 1); });
    cg::invoke_one(cg::this_cluster(), [=] { atomicAdd(counts + 3, 1); });
    cg::invoke_one(active, [=] { atomicAdd(counts + 4, 1); });
    atomicAdd(bad, wrong);
}

int main() {
    check_bytes<1>();
    check_bytes<3>();
    check_bytes<4>();
    check_bytes<8>();
    check_bytes<15>();
    check_bytes<24>();
    check_bytes<32>();
    int *bad = shared_array<int>(1), *counts = shared_array<int>(5);
    kinds_in_tiles<32><<<1, 64>>>(bad);
    kinds_in_tiles<2><<<1, 64>>>(bad);
    kinds_among_active<<<1, 64>>>(bad);
    CUDA(cudaDeviceSynchronize());
    CHECK(*bad == 0);
    operators<<<2, 64>>>(bad, counts);
    CUDA(cudaDeviceSynchronize());
    CHECK(*bad == 0 && counts[0] == 5 * 8 && counts[1] == 2 && counts[2] == 1);
    CHECK(counts[3] == 2 && counts[4] == 4);
    return failures != 0;
}
