#include "bench.h"

// A European call by Monte Carlo: Philox 4x32-10, Box-Muller, one sum of payoffs per block.
extern "C" void native_monte_carlo(float *sum, int blocks, int threads, int turns, float drift,
                                   float volatility, float strike);

__device__ uint4 philox(uint4 c, uint2 k) {
    for (int round = 0; round < 10; round++) {
        unsigned h0 = __umulhi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x;
        unsigned h1 = __umulhi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}

__device__ float unit(unsigned x) { // in (0, 1)
    return ((x >> 9) + 0.5f) * (1.0f / (1 << 23));
}

__device__ float payoffs(unsigned a, unsigned b, float drift, float volatility, float strike) {
    float r = sqrtf(-2.0f * logf(unit(a))), s, c;
    sincospif(2.0f * unit(b), &s, &c);
    return fmaxf(expf(drift + volatility * r * s) - strike, 0.0f) +
           fmaxf(expf(drift + volatility * r * c) - strike, 0.0f);
}

__global__ void monte_carlo(float *sum, int turns, float drift, float volatility, float strike) {
    __shared__ float warps[8];
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    for (int k = 0; k < turns; k++) {
        uint4 x = philox(make_uint4(id, k, 0, 0), make_uint2(0x12345678u, 0x9abcdef0u));
        v += payoffs(x.x, x.y, drift, volatility, strike);
        v += payoffs(x.z, x.w, drift, volatility, strike);
    }
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            v += warps[w];
        sum[blockIdx.x] = v;
    }
}

BENCH(monte_carlo) {
    int blocks = 128, turns = 16;
    float drift = -0.025f, volatility = 0.3f, strike = 0.9f;
    Buffer<float> sum(blocks);
    Row r("Monte Carlo, Philox", 4.0 * 256 * blocks * turns, "Gpath/s");
    r.kudzu = [&] { monte_carlo<<<blocks, 256>>>(sum.dev, turns, drift, volatility, strike); };
    r.native = [&] { native_monte_carlo(sum.host, blocks, 256, turns, drift, volatility, strike); };
    r.pocl = [&] { pocl("monte_carlo", blocks, 256, sum, turns, drift, volatility, strike); };
    r.outputs = {&sum};
    r.tolerance = 1e-5;
    measure(r);
}
