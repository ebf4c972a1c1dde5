// Sums of an array: the classic variants, each launched again on the sums of its blocks until one
// is left, and a grid-stride loop with warp shuffles.
#include "bench.h"

extern "C" float native_sum(const float *x, size_t n);

// Interleaved addresses with a divergent branch.
__global__ void reduce_divergent(const float *in, float *out, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        if (t % (2 * d) == 0)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// Interleaved addresses, neighbouring threads at work.
__global__ void reduce_strided(const float *in, float *out, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int k = 2 * d * t;
        if (k < blockDim.x)
            s[k] += s[k + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// Sequential addresses.
__global__ void reduce_sequential(const float *in, float *out, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// The first addition while loading; the last warp unrolled.
__global__ void reduce_unrolled(const float *in, float *out, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    float v = i < n ? in[i] : 0;
    if (i + blockDim.x < n)
        v += in[i + blockDim.x];
    s[t] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 32; d /= 2) {
        if (t < d)
            s[t] = v = v + s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        v += s[t + 32];
        for (int d = 16; d > 0; d /= 2) {
            s[t] = v;
            __syncwarp();
            v += s[t + d];
            __syncwarp();
        }
        if (t == 0)
            out[blockIdx.x] = v;
    }
}

// Many elements a thread, then completely unrolled for the block's size.
template <int size> __global__ void reduce_multiple(const float *in, float *out, int n) {
    __shared__ float s[size];
    int t = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * (size * 2) + t; i < n; i += gridDim.x * size * 2) {
        v += in[i];
        if (i + size < n)
            v += in[i + size];
    }
    s[t] = v;
    __syncthreads();
#pragma unroll
    for (int d = size / 2; d > 32; d /= 2) {
        if (t < d)
            s[t] = v = v + s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        v += s[t + 32];
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            s[t] = v;
            __syncwarp();
            v += s[t + d];
            __syncwarp();
        }
        if (t == 0)
            out[blockIdx.x] = v;
    }
}

__global__ void reduce_shuffle(const float *in, float *out, int n) {
    __shared__ float s[32];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += in[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(~0u, v, d);
        if (threadIdx.x == 0)
            out[blockIdx.x] = v;
    }
}

typedef void Kernel(const float *, float *, int);

// Launches until one sum is left; span: elements a block takes. Returns where it lies.
static const float *reduce_all(Kernel *kernel, const float *in, float *a, float *b, int n,
                               int span) {
    while (n > 1) {
        int blocks = (n + span - 1) / span;
        kernel<<<blocks, 256, 256 * sizeof(float)>>>(in, a, n);
        in = a;
        std::swap(a, b);
        n = blocks;
    }
    return in;
}

BENCH(reduction) {
    int n = 1 << 24;
    Buffer<float> x(n), a(n / 256), b(n / 256), sum(1);
    x.random(0, 1);
    Row r = memory_row("reduction", 4.0 * n, 0);
    r.native = [&] { sum.host[0] = native_sum(x.host, n); };
    r.outputs = {&sum};
    r.tolerance = 1e-4;

    auto classic = [&](const char *name, Kernel *kernel, const char *cl, int span) {
        r.name = name;
        r.kudzu = [=, &x, &a, &b, &sum] {
            const float *last = reduce_all(kernel, x.dev, a.dev, b.dev, n, span);
            CHECK(cudaMemcpyAsync(sum.dev, last, sizeof(float), cudaMemcpyDeviceToDevice));
        };
        r.pocl = nullptr;
        if (cl)
            r.pocl = [=, &x, &a, &b, &sum] {
                const Buffer<float> *from = &x, *to = &a;
                for (int left = n; left > 1;) {
                    int blocks = (left + span - 1) / span;
                    to = blocks == 1 ? &sum : from == &a ? &b : &a;
                    pocl(cl, blocks, 256, *from, *to, left, Local{256 * sizeof(float)});
                    from = to;
                    left = blocks;
                }
            };
        measure(r);
    };
    r.goal_limit = 0;
    classic("reduction, divergent", reduce_divergent, "reduce_divergent", 256);
    classic("reduction, strided", reduce_strided, "reduce_strided", 256);
    classic("reduction, sequential", reduce_sequential, "reduce_sequential", 256);
    classic("reduction, unrolled", reduce_unrolled, nullptr, 512);

    auto two_launches = [&](const char *name, Kernel *kernel, const char *cl) {
        r.name = name;
        r.kudzu = [=, &x, &a, &sum] {
            kernel<<<64, 256>>>(x.dev, a.dev, n);
            kernel<<<1, 256>>>(a.dev, sum.dev, 64);
        };
        r.pocl = nullptr;
        if (cl)
            r.pocl = [=, &x, &a, &sum] {
                pocl(cl, 64, 256, x, a, n);
                pocl(cl, 1, 256, a, sum, 64);
            };
        measure(r);
    };
    r.goal_limit = 0.92;
    two_launches("reduction, many a thread", reduce_multiple<256>, "reduce_multiple");
    two_launches("reduction, shuffles", reduce_shuffle, nullptr);
}
