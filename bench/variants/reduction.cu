// Sums of an array. By family: other types and sizes of blocks, the blocks' sums by atomics or a
// second launch, additions while loading, warps unrolled by hand, cooperative groups.
#include "bench.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// ---- trees in shared memory -----------------------------------------------------------------

template <typename T, int BLOCK> __global__ void neighbours(const float *in, float *out, int n) {
    __shared__ T data[BLOCK];
    unsigned tid = threadIdx.x, gid = blockIdx.x * BLOCK + tid;
    data[tid] = gid < n ? (T)in[gid] : (T)0;
    for (unsigned stride = 1; stride < BLOCK; stride <<= 1) {
        __syncthreads();
        if ((tid & (2 * stride - 1)) == 0)
            data[tid] += data[tid + stride];
    }
    if (tid == 0)
        out[blockIdx.x] = (float)data[0];
}

__global__ void neighbours_atomic(const float *in, float *total, int n) {
    extern __shared__ float partial[];
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = 0;
    if (gid < n)
        partial[threadIdx.x] = in[gid];
    __syncthreads();
    unsigned stride = 1;
    while (stride < blockDim.x) {
        if (threadIdx.x % (stride + stride) == 0)
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        stride += stride;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(total, partial[0]);
}

__device__ void interleaved_tree(float *data, int tid, int size) {
    for (int stride = 1; stride < size; stride <<= 1) {
        int index = 2 * stride * tid;
        if (index + stride < size)
            data[index] += data[index + stride];
        __syncthreads();
    }
}

template <int LOADS> __global__ void interleaved(const float *in, float *out, int n) {
    __shared__ float data[256];
    int base = blockIdx.x * 256 * LOADS + threadIdx.x;
    float mine = 0;
    for (int k = 0; k < LOADS; k++, base += 256)
        mine += base < n ? in[base] : 0.0f;
    data[threadIdx.x] = mine;
    __syncthreads();
    interleaved_tree(data, threadIdx.x, 256);
    if (threadIdx.x == 0)
        out[blockIdx.x] = data[0];
}

__global__ void interleaved_atomic(const float *in, float *total, int n) {
    extern __shared__ float data[];
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    data[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    interleaved_tree(data, threadIdx.x, blockDim.x);
    if (!threadIdx.x)
        atomicAdd(total, data[0]);
}

template <int BLOCK> __global__ void halves_float2(const float *in, float *out, int n) {
    __shared__ float data[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    float2 two = i < n / 2 ? ((const float2 *)in)[i] : make_float2(0, 0);
    data[t] = two.x + two.y;
    __syncthreads();
#pragma unroll
    for (int half = BLOCK / 2; half >= 1; half >>= 1) {
        if (t < half)
            data[t] += data[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = data[0];
}

__global__ void halves_group(const float *in, float *out, int n) {
    extern __shared__ double sums[];
    cg::thread_block block = cg::this_thread_block();
    unsigned rank = block.thread_rank(), i = blockIdx.x * block.size() + rank;
    sums[rank] = i < n ? in[i] : 0.0;
    for (unsigned half = block.size() / 2; half > 0; half /= 2) {
        block.sync();
        if (rank < half)
            sums[rank] += sums[rank + half];
    }
    if (rank == 0)
        out[blockIdx.x] = sums[0];
}

__global__ void halves_atomic(const float *in, float *total, int n) {
    extern __shared__ float data[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, half = blockDim.x;
    data[t] = i < n ? in[i] : 0;
    while (half /= 2) {
        __syncthreads();
        if (t < half)
            data[t] += data[t + half];
    }
    if (t == 0)
        atomicAdd(total, data[0]);
}

// ---- unrolled -------------------------------------------------------------------------------

#define STEP(d)                                                                                    \
    sum += s[t + d];                                                                               \
    __syncwarp();                                                                                  \
    s[t] = sum;                                                                                    \
    __syncwarp();

__device__ float last_warp(volatile float *s, int t) {
    float sum = s[t];
    STEP(32) STEP(16) STEP(8) STEP(4) STEP(2) STEP(1) return sum;
}

__global__ void unrolled_warp(const float *in, float *out, int n) {
    __shared__ float s[256 + 32];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    s[t] = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    __syncthreads();
    for (int d = 128; d > 32; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        float sum = last_warp(s, t);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

template <int BLOCK> __global__ void unrolled_ifs(const float *in, float *out, int n) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK * 4 + t;
    float a = i < n ? in[i] : 0, b = i + BLOCK < n ? in[i + BLOCK] : 0;
    float c = i + 2 * BLOCK < n ? in[i + 2 * BLOCK] : 0, d = 0;
    if (i + 3 * BLOCK < n)
        d = in[i + 3 * BLOCK];
    s[t] = (a + b) + (c + d);
    __syncthreads();
    if (BLOCK >= 512) {
        if (t < 256)
            s[t] += s[t + 256];
        __syncthreads();
    }
    if (BLOCK >= 256) {
        if (t < 128)
            s[t] += s[t + 128];
        __syncthreads();
    }
    if (t < 64)
        s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        float v = s[t] + s[t + 32];
        v += __shfl_down_sync(0xffffffff, v, 16);
        v += __shfl_down_sync(0xffffffff, v, 8);
        v += __shfl_down_sync(0xffffffff, v, 4);
        v += __shfl_down_sync(0xffffffff, v, 2);
        v += __shfl_down_sync(0xffffffff, v, 1);
        if (t == 0)
            out[blockIdx.x] = v;
    }
}

// The same by shuffles: a thread's value becomes its warp's sum.
template <typename T> __device__ T warp_total(T v, int lanes = 32) {
    while (lanes >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, lanes);
    return v;
}

__global__ void unrolled_two_warps(const float *in, float *out, int n) {
    __shared__ float s[8];
    int first = blockIdx.x * 512 + threadIdx.x, second = first + 256;
    float v = first < n ? in[first] : 0;
    v += second < n ? in[second] : 0;
    v = warp_total(v);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

// ---- many elements a thread -----------------------------------------------------------------

__global__ void many_float4(const float *in, float *out, int n) {
    __shared__ float s[256];
    const float4 *from = (const float4 *)in;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 4; i += gridDim.x * 256) {
        float4 v = from[i];
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    s[threadIdx.x] = sum.x + sum.y + sum.z + sum.w;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

template <typename T, typename Op>
__global__ void many_op(const float *in, float *out, int n, Op op) {
    __shared__ T s[128];
    T v = 0;
    const float *end = in + n;
    for (const float *p = in + blockIdx.x * blockDim.x + threadIdx.x; p < end;
         p += blockDim.x * gridDim.x)
        v = op(v, (T)*p);
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = 64; d; d >>= 1) {
        if (threadIdx.x < d)
            s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + d]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

struct Plus {
    __device__ double operator()(double a, double b) const {
        return a + b;
    }
};

__global__ void many_groups(const float *in, float *out, int n) {
    __shared__ float s[32];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    float v = 0;
    for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size())
        v += in[i];
    v = cg::reduce(warp, v, cg::plus<float>());
    if (warp.thread_rank() == 0)
        s[warp.meta_group_rank()] = v;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        v = warp.thread_rank() < warp.meta_group_size() ? s[warp.thread_rank()] : 0;
        v = cg::reduce(warp, v, cg::plus<float>());
        if (warp.thread_rank() == 0)
            out[blockIdx.x] = v;
    }
}

// ---- shuffles -------------------------------------------------------------------------------

__global__ void warps_atomic(const float *in, float *total, int n) {
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += in[i];
    v = warp_total(v);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(total, v);
}

__device__ __forceinline__ float warp_reduce_sum(float v) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__device__ __forceinline__ float block_reduce_sum(float v) {
    static __shared__ float shared[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    v = warp_reduce_sum(v);
    if (lane == 0)
        shared[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0;
    if (warp == 0)
        v = warp_reduce_sum(v);
    return v;
}

__global__ void blocks_float2(const float *in, float *out, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += blockDim.x * gridDim.x) {
        float2 v = reinterpret_cast<const float2 *>(in)[i];
        sum += v.x + v.y;
    }
    sum = block_reduce_sum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// ---------------------------------------------------------------------------------------------

enum { N = 1 << 24 };
typedef void Kernel(const float *, float *, int);

// Launches until one sum is left, which then lies in the row's last buffer.
static std::function<void()> levels(Kernel *kernel, int block, int span, int bytes = 0) {
    const float *in = row_buffer<float>(0).dev;
    float *a = row_buffer<float>(1).dev, *b = row_buffer<float>(2).dev;
    float *sum = row_buffer<float>(3).dev;
    return [=] {
        const float *from = in;
        float *to = a, *next = b;
        for (int n = N; n > 1; std::swap(to, next)) {
            int blocks = (n + span - 1) / span;
            kernel<<<blocks, block, bytes>>>(from, blocks == 1 ? sum : to, n);
            from = to;
            n = blocks;
        }
    };
}

static std::function<void()> by_atomics(Kernel *kernel, int blocks, int block) {
    const float *in = row_buffer<float>(0).dev;
    float *sum = row_buffer<float>(3).dev;
    return [=] {
        CHECK(cudaMemsetAsync(sum, 0, sizeof *sum));
        kernel<<<blocks, block, block * sizeof(float)>>>(in, sum, N);
    };
}

template <typename... Op>
static std::function<void()> twice(void (*kernel)(const float *, float *, int, Op...), int blocks,
                                   int block, Op... op) {
    const float *in = row_buffer<float>(0).dev;
    float *a = row_buffer<float>(1).dev, *sum = row_buffer<float>(3).dev;
    return [=] {
        kernel<<<blocks, block>>>(in, a, N, op...);
        kernel<<<1, block>>>(a, sum, blocks, op...);
    };
}

VARIANTS(divergent, "reduction, divergent") {
    return {levels(neighbours<float, 512>, 512, 512), levels(neighbours<double, 256>, 256, 256),
            by_atomics(neighbours_atomic, N / 256, 256)};
}
VARIANTS(strided, "reduction, strided") {
    return {levels(interleaved<1>, 256, 256), levels(interleaved<2>, 256, 512),
            by_atomics(interleaved_atomic, N / 128, 128)};
}
VARIANTS(sequential, "reduction, sequential") {
    return {levels(halves_float2<256>, 256, 512), levels(halves_group, 256, 256, 256 * 8),
            by_atomics(halves_atomic, N / 512, 512)};
}
VARIANTS(unrolled, "reduction, unrolled") {
    return {levels(unrolled_warp, 256, 512), levels(unrolled_ifs<256>, 256, 1024),
            levels(unrolled_two_warps, 256, 512)};
}
VARIANTS(many, "reduction, many a thread") {
    return {twice(many_float4, 64, 256), twice(many_op<double, Plus>, 128, 128, Plus()),
            twice(many_groups, 64, 256)};
}
VARIANTS(shuffles, "reduction, shuffles") {
    return {by_atomics(warps_atomic, 128, 128), twice(blocks_float2, 64, 256),
            twice(many_groups, 128, 128)};
}
