// 256 bins of bytes: counted in shared memory and then added, and counted in global memory.
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

__global__ void histogram_global(const unsigned char *in, unsigned *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

BENCH(histogram) {
    int n = 1 << 23, blocks = 64;
    Buffer<unsigned char> in(n);
    Buffer<unsigned> bins(256);
    in.random(0, 255.99);
    bins.upload();
    Row r = memory_row("histogram, shared atomics", n, 0);
    r.goal_limit = 0;
    r.native = [&] { native_histogram(in.host, bins.host, n); };
    r.outputs = {&bins};
    r.reset = [&](bench_side s) { bins.reset(s); };
    r.fresh = true;
    r.kudzu = [&] { histogram<<<blocks, 256>>>(in.dev, bins.dev, n); };
    r.pocl = [&] { pocl("histogram", blocks, 256, in, bins, n); };
    measure(r);

    r.name = "histogram, global atomics";
    r.kudzu = [&] { histogram_global<<<blocks, 256>>>(in.dev, bins.dev, n); };
    r.pocl = [&] { pocl("histogram_global", blocks, 256, in, bins, n); };
    measure(r);
}
