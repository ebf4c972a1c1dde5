#include "bench.h"

extern "C" void native_saxpy(float a, const float *x, float *y, size_t n);

__global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

BENCH(saxpy) {
    int n = 1 << 24;
    float a = 2.5f;
    Buffer<float> x(n), y(n);
    x.random(-1, 1);
    y.random(-1, 1);
    Row r = memory_row("saxpy", 8.0 * n, 4.0 * n, true);
    r.kudzu = [&] { saxpy<<<n / 256, 256>>>(a, x.dev, y.dev, n); };
    r.native = [&] { native_saxpy(a, x.host, y.host, n); };
    r.pocl = [&] { pocl("saxpy", n / 256, 256, a, x, y, n); };
    r.outputs = {&y};
    r.reset = [&](bench_side s) { y.reset(s); };
    r.tolerance = 1e-6; // contraction
    measure(r);
}
