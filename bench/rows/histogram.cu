#include "bench.h"

extern "C" void native_histogram(const unsigned char *in, unsigned *bins, size_t n);

__global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned s[256];
    int l = threadIdx.x;
    s[l] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + l; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[l], s[l]);
}

BENCH(histogram) {
    int n = 1 << 23, blocks = 64;
    Buffer<unsigned char> in(n);
    Buffer<unsigned> bins(256);
    in.random(0, 255.99);
    bins.upload();
    Row r = memory_row("histogram, shared atomics", n, 0);
    r.goal_limit = 0;
    r.kudzu = [&] {
        CHECK(cudaMemset(bins.dev, 0, 1024));
        histogram<<<blocks, 256>>>(in.dev, bins.dev, n);
    };
    r.native = [&] { native_histogram(in.host, bins.host, n); };
    r.pocl = [&] { pocl("histogram", blocks, 256, in, bins, n); };
    r.outputs = {&bins};
    r.reset = [&](bench_side s) { bins.reset(s); };
    measure(r);
}
