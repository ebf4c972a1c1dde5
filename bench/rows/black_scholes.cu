#include "bench.h"

extern "C" void native_black_scholes(const float *s, const float *k, const float *t, float *call,
                                     float *put, int n);

__device__ float cnd(float d) {
    return 0.5f * erfcf(-d * 0.70710678f);
}

__global__ void black_scholes(const float *s, const float *k, const float *t, float *call,
                              float *put) {
    const float r = 0.02f, v = 0.3f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sq = sqrtf(t[i]);
    float d1 = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / (v * sq), d2 = d1 - v * sq;
    float e = k[i] * expf(-r * t[i]);
    call[i] = s[i] * cnd(d1) - e * cnd(d2);
    put[i] = e * cnd(-d2) - s[i] * cnd(-d1);
}

BENCH(black_scholes) {
    int n = 1 << 20;
    Buffer<float> s(n), k(n), t(n), call(n), put(n);
    s.random(5, 30);
    k.random(1, 100);
    t.random(0.25, 10);
    Row r("Black-Scholes", (double)n, "Goption/s");
    r.kudzu = [&] { black_scholes<<<n / 256, 256>>>(s.dev, k.dev, t.dev, call.dev, put.dev); };
    r.native = [&] { native_black_scholes(s.host, k.host, t.host, call.host, put.host, n); };
    r.pocl = [&] { pocl("black_scholes", n / 256, 256, s, k, t, call, put); };
    r.outputs = {&call, &put};
    r.tolerance = 1e-5;
    measure(r);
}
