// Functions of the guide that no other program of the tests names: hints (10.18), address spaces
// (10.15, 10.16), primitives of barriers and pipelines (10.26, 10.28), loops that are unrolled
// (10.40), members of groups (11), single functions of chapter 17. Against values that the host
// computes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>

#include <cmath>
#include <cstdint>

#include "check.h"

namespace cg = cooperative_groups;

// ---- Hints (10.17, 10.18) ---------------------------------------------------------------------

__device__ int assumed(const int *p, int i) {
    __assume(i <= 2);
    return p[i];
}

__global__ void hints(const int *in, int *out, int n) {
    const int *p = (const int *)__builtin_assume_aligned(in, 16);
    const int *q = (const int *)__builtin_assume_aligned(in + 1, 16, 4);
    __builtin_assume(n > 0);
    out[0] = assumed(p, n);
    out[1] = q[0];
    if (__builtin_expect(n == 2, 1))
        out[2] = 5;
    switch (n) {
    case 2:
        out[3] = 7;
        break;
    default:
        __builtin_unreachable();
    }
    if (n == 2) [[likely]]
        out[4] = 9;
    else [[unlikely]]
        out[4] = 10;
    int *some = (int *)alloca(n * sizeof(int));
    some[n - 1] = 11;
    out[5] = some[n - 1];
    __prof_trigger(3);
}

static void check_hints() {
    int *in = shared_array<int>(4), *out = shared_array<int>(8);
    in[1] = 4;
    in[2] = 3;
    hints<<<1, 1>>>(in, out, 2);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 3 && out[1] == 4 && out[2] == 5 && out[3] == 7 && out[4] == 9 && out[5] == 11);
}

// ---- Address spaces (10.15, 10.16) ------------------------------------------------------------

__device__ int in_global;
__constant__ int in_constant = 13;

__global__ void spaces(const __grid_constant__ int parameter, int *out) {
    __shared__ int in_shared;
    int in_local = 4;
    const void *p[] = {&in_global, &in_shared, &in_constant, &in_local};
    out[4] = parameter;
    for (int i = 0; i < 4; i++)
        out[i] = (__isGlobal(p[i]) != 0) | (__isShared(p[i]) != 0) << 1 |
                 (__isConstant(p[i]) != 0) << 2 | (__isLocal(p[i]) != 0) << 3;
    out[5] = __isGridConstant(p[1]) != 0;
    out[6] = __isGridConstant(&in_global) != 0;
    out[7] = __cvta_global_to_generic(__cvta_generic_to_global(p[0])) == p[0];
    out[8] = __cvta_shared_to_generic(__cvta_generic_to_shared(p[1])) == p[1];
    out[9] = __cvta_constant_to_generic(__cvta_generic_to_constant(p[2])) == p[2];
    out[10] = __cvta_local_to_generic(__cvta_generic_to_local(p[3])) == p[3];
    out[11] = *(const int *)__cvta_constant_to_generic(__cvta_generic_to_constant(p[2]));
}

static void check_spaces() {
    int *out = shared_array<int>(16);
    spaces<<<1, 1>>>(5, out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 1 && out[1] == 2 && out[2] == 4 && out[3] == 8 && out[4] == 5);
    CHECK(out[5] == 0 && out[6] == 0);
    CHECK(out[7] && out[8] && out[9] && out[10] && out[11] == 13);
}

struct large {
    int value[40];
};

// The address of a __grid_constant__ structure is that of the parameter (10.2.4, 10.15.4), whatever
// function gets it; other parameters have copies, which a thread may change.
__device__ __noinline__ int element(const large *l, int i) {
    return __isGridConstant(l) ? l->value[i] : -1;
}

__global__ void parameter_addresses(int first, const __grid_constant__ large constant,
                                    const large other, const __grid_constant__ large read_only,
                                    int *out) {
    const unsigned int t = threadIdx.x;
    out[t] = element(&constant, t) + first + read_only.value[t];
    if (t == 0) {
        out[32] = element(&other, 1);
        out[33] = __isLocal(&other);
        // The window of a kernel's parameters is a part of the global one.
        out[34] = __isLocal(&constant) | __isShared(&constant) | 2 * !__isGlobal(&constant);
        const int *inside = &constant.value[7];
        out[35] = __isGridConstant(inside) && *inside == 14 && inside - constant.value == 7;
    }
}

static void check_parameter_addresses() {
    int *out = shared_array<int>(64);
    large l;
    for (int i = 0; i < 40; i++)
        l.value[i] = 2 * i;
    parameter_addresses<<<1, 32>>>(1000, l, l, l, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK(out[i] == 1000 + 4 * i);
    CHECK(out[32] == -1 && out[33] == 1 && out[34] == 0 && out[35] == 1);
}

// ---- Primitives (10.26.8, 10.28) --------------------------------------------------------------

__global__ void barriers(int *out) {
    __shared__ __mbarrier_t bar;
    __shared__ int value[64];
    int t = (int)threadIdx.x;
    if (t == 0) {
        __mbarrier_init(&bar, 64);
        out[2] = __mbarrier_maximum_count() >= 64;
    }
    __syncthreads();
    value[t] = t * t;
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    if (t == 0)
        out[3] = __mbarrier_token_pending_count(token) <= 64;
    while (!__mbarrier_test_wait(&bar, token))
        ;
    atomicAdd(out, value[63 - t]);
    if (t >= 32) { // half of the threads take no further part
        __mbarrier_arrive_and_drop(&bar);
        return;
    }
    token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token))
        ;
    token = __mbarrier_arrive(&bar); // 32 threads are enough now
    while (!__mbarrier_test_wait(&bar, token))
        ;
    atomicAdd(out + 1, 1);
    __syncwarp();
    if (t == 0)
        __mbarrier_inval(&bar);
}

static void check_barriers() {
    int *out = shared_array<int>(4), sum = 0;
    barriers<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        sum += i * i;
    CHECK(out[0] == sum && out[1] == 32 && out[2] == 1 && out[3] == 1);
}

__global__ void pipelines(const int *in, int *out, int n) {
    __shared__ int stage[2][32];
    auto pipe = cuda::make_pipeline();
    int t = (int)threadIdx.x;
    for (int k = 0; k < 2; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&stage[k][t], in + k * 32 + t, sizeof(int), pipe);
        pipe.producer_commit();
    }
    for (int k = 0; k < n; k++) {
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        out[k * 32 + t] = stage[k % 2][t] + 1;
        pipe.consumer_release();
        pipe.producer_acquire();
        if (k + 2 < n)
            cuda::memcpy_async(&stage[k % 2][t], in + (k + 2) * 32 + t, sizeof(int), pipe);
        pipe.producer_commit();
    }
}

static void check_pipelines() {
    int *in = shared_array<int>(8 * 32), *out = shared_array<int>(8 * 32);
    for (int i = 0; i < 8 * 32; i++)
        in[i] = i * 3;
    pipelines<<<1, 32>>>(in, out, 8);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8 * 32; i++)
        CHECK(out[i] == i * 3 + 1);
}

// ---- Groups (11) ------------------------------------------------------------------------------

__global__ void __cluster_dims__(2, 1, 1) groups(int *bad, int *once) {
    cg::thread_block b = cg::this_thread_block();
    cg::grid_group g = cg::this_grid();
    cg::cluster_group c = cg::this_cluster();
    dim3 i = b.group_index(), t = b.thread_index(), d = b.dim_threads(), e = b.group_dim();
    bool ok = i.x == blockIdx.x && i.y == blockIdx.y && t.x == threadIdx.x && t.y == threadIdx.y &&
              d.x == blockDim.x && d.y == blockDim.y && e.x == blockDim.x && e.y == blockDim.y;
    dim3 blocks = g.dim_blocks();
    ok &= blocks.x == gridDim.x && blocks.y == gridDim.y && !g.is_valid(); // no cooperative launch
    __shared__ int here;
    here = 0;
    c.sync();
    ok &= c.query_shared_rank(c.map_shared_rank(&here, 1)) == 1 &&
          c.query_shared_rank(&here) == c.block_rank();
    c.sync();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(b);
    int pred;
    ok &= tile.match_any(tile.thread_rank() / 8) == 0xffu << tile.thread_rank() / 8 * 8;
    ok &= tile.match_all(7, pred) == 0xffffffff && pred;
    ok &= tile.match_all(tile.thread_rank(), pred) == 0 && !pred;
    ok &= cg::reduce(tile, 0xf0u | tile.thread_rank(), cg::bit_and<unsigned>()) == 0xf0;
    ok &= cg::reduce(tile, 1u << tile.thread_rank(), cg::bit_or<unsigned>()) == 0xffffffff;
    ok &= cg::reduce(tile, tile.thread_rank() ^ 5u, cg::bit_xor<unsigned>()) == 0;
    cg::invoke_one(tile, [](int *n, int by) { atomicAdd(n, by); }, once, 2);
    int same = cg::invoke_one_broadcast(tile, [=] { return atomicAdd(once + 1, 1) + 100; });
    ok &= same >= 100 && tile.all(same == tile.shfl(same, 0));
    if (!ok)
        atomicAdd(bad, 1);
}

static void check_groups() {
    int *bad = shared_array<int>(1), *once = shared_array<int>(2);
    groups<<<dim3(4, 3), dim3(16, 8)>>>(bad, once);
    CUDA(cudaDeviceSynchronize());
    CHECK(*bad == 0);
    CHECK(once[0] == 12 * 4 * 2 && once[1] == 12 * 4);
}

// ---- Chapter 17 -------------------------------------------------------------------------------

enum { SINGLE = 14, DOUBLE = 5 };

__global__ void single_functions(const float *x, float *f, double *d) {
    float a[] = {x[0], x[1], x[2], x[3]};
    double b[] = {x[0], x[1], x[2], x[3]};
    f[0] = atan2f(x[0], x[1]);
    f[1] = fdimf(x[0], x[1]);
    f[2] = fmodf(x[2], x[0]);
    f[3] = hypotf(x[0], x[1]);
    f[4] = logbf(x[2]);
    f[5] = roundf(x[2]);
    f[6] = scalbnf(x[0], 3);
    f[7] = scalblnf(x[0], -3);
    f[8] = normf(4, a);
    f[9] = rnormf(4, a);
    f[10] = rnorm4df(x[0], x[1], x[2], x[3]);
    f[11] = (float)lroundf(x[2]);
    f[12] = (float)llroundf(-x[2]);
    f[13] = __tanhf(x[0]);
    d[0] = rnorm(4, b);
    d[1] = __dadd_rn(b[0], b[1]);
    d[2] = __dmul_rn(b[0], b[1]);
    d[3] = norm(4, b);
    d[4] = __fdividef(x[0], x[1]);
}

static void check_single() {
    float *x = shared_array<float>(4), *f = shared_array<float>(SINGLE);
    double *d = shared_array<double>(DOUBLE), n = 0;
    const float values[] = {0.75f, -1.5f, 37.5f, 2.25f};
    memcpy(x, values, sizeof values);
    single_functions<<<1, 1>>>(x, f, d);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        n += (double)x[i] * x[i];
    n = std::sqrt(n);
    const double expected[SINGLE] = {std::atan2(0.75, -1.5),
                                     2.25,
                                     0,
                                     std::hypot(0.75, 1.5),
                                     5,
                                     38,
                                     6,
                                     0.09375,
                                     n,
                                     1 / n,
                                     1 / n,
                                     38,
                                     -38,
                                     std::tanh(0.75)};
    for (int i = 0; i < SINGLE; i++) {
        double bound = i == 13 ? 1.0 / 2048 : 4e-7;
        if (std::fabs(f[i] - expected[i]) > bound * std::fabs(expected[i]))
            printf("%d: %.9g, not %.9g\n", i, f[i], expected[i]);
        CHECK(std::fabs(f[i] - expected[i]) <= bound * std::fabs(expected[i]));
    }
    CHECK(std::fabs(d[0] * n - 1) < 4e-16 && d[1] == -0.75 && d[2] == -1.125);
    CHECK(std::fabs(d[3] / n - 1) < 4e-16 && std::fabs(d[4] + 0.5) < 2e-7);
}

// ---- Smaller and larger of all integers -------------------------------------------------------

__inline_hint__ __device__ int rounded(float x) {
    return (int)(llrintf(x) * 100 + rintf(x));
}

__global__ void extremes(long long *out, long long a, long long b) {
    out[0] = llmin(a, b);
    out[1] = llmax(a, b);
    out[2] = (long long)ullmin((unsigned long long)a, (unsigned long long)b);
    out[3] = (long long)ullmax((unsigned long long)a, (unsigned long long)b);
    out[4] = umin((unsigned)a, (unsigned)b);
    out[5] = umax((unsigned)a, (unsigned)b);
    out[6] = rounded(2.5f);
}

static void check_extremes() {
    long long *out = shared_array<long long>(7), a = -3, b = 5;
    extremes<<<1, 1>>>(out, a, b);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == a && out[1] == b && out[2] == b && out[3] == a && out[4] == 5 &&
          out[5] == 0xfffffffd);
    CHECK(out[6] == 202);
}

// ---- Unrolling (10.40) --------------------------------------------------------------------------

struct four {
    static const int value = 4;
};
// Numbers that are not positive, or too large, are ignored.
template <int N, typename T> __global__ void unrolled(const int *from, int *to, int n) {
    int i = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 12; k++)
        to[i] += from[k] * 2;
#pragma unroll(N + 1)
    for (int k = 0; k < 12; k++)
        to[i] ^= from[k] * 3;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        to[i] += from[k] * 5;
#pragma unroll(T::value)
    for (int k = 0; k < n; k++)
        to[i] ^= from[k] * 7;
#pragma unroll 0
    for (int k = 0; k < n; k++)
        to[i] += from[k] * 11;
#pragma unroll - 1
    for (int k = 0; k < n; k++)
        to[i] ^= from[k] * 13;
#pragma unroll 99999999999
    for (int k = 0; k < n; k++)
        to[i] += from[k] * 17;
}

static void check_unrolling() {
    int *from = shared_array<int>(12), *to = shared_array<int>(32);
    for (int k = 0; k < 12; k++)
        from[k] = k * k + 1;
    const int factors[] = {2, 3, 5, 7, 11, 13, 17};
    for (int n = 0; n <= 12; n += 3) {
        memset(to, 0, 32 * sizeof *to);
        unrolled<7, four><<<1, 32>>>(from, to, n);
        CUDA(cudaDeviceSynchronize());
        int expected = 0;
        for (int f = 0; f < 7; f++)
            for (int k = 0; k < (f < 2 ? 12 : n); k++)
                expected =
                    f % 2 ? expected ^ from[k] * factors[f] : expected + from[k] * factors[f];
        for (int i = 0; i < 32; i++)
            CHECK(to[i] == expected);
    }
    CUDA(cudaFree(from));
    CUDA(cudaFree(to));
}

int main() {
    check_extremes();
    check_unrolling();
    check_hints();
    check_spaces();
    check_parameter_addresses();
    check_barriers();
    check_pipelines();
    check_groups();
    check_single();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
