#include "bench.h"

extern "C" float native_sum(const float *x, size_t n);

__global__ void reduce(const float *x, float *out, int n) {
    __shared__ float s[256];
    int l = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + l; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    s[l] = v;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        __syncthreads();
    }
    if (l == 0)
        out[blockIdx.x] = s[0];
}

__global__ void block_reduce(const float *x, float *out) {
    __shared__ float s[256];
    int l = threadIdx.x;
    s[l] = x[blockIdx.x * blockDim.x + l];
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        __syncthreads();
    }
    if (l == 0)
        out[blockIdx.x] = s[0];
}

BENCH(reduction) {
    int n = 1 << 24, blocks = 64;
    Buffer<float> x(n), out(blocks);
    x.random(0, 1);
    static volatile float sink;
    Row r = memory_row("reduction, grid stride", 4.0 * n, 0);
    r.kudzu = [&] { reduce<<<blocks, 256>>>(x.dev, out.dev, n); };
    r.native = [&] { sink = native_sum(x.host, n); };
    r.pocl = [&] { pocl("reduce", blocks, 256, x, out, n); };
    measure(r);
}
