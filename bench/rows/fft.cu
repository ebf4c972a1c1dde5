// Many complex FFTs of 1024 points: a block each, radix 4, five steps that exchange values through
// shared memory, the roots of unity in a table.
#include "bench.h"

extern "C" void native_fft(const float *in, float *out, const float *roots, int count);

enum { N = 1024, THREADS = N / 4 };

__device__ float2 multiply(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ void butterfly(float2 *v) {
    float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y);
    float2 b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y);
    float2 d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x); // times -i
    v[0] = make_float2(a.x + c.x, a.y + c.y);
    v[1] = make_float2(b.x + d.x, b.y + d.y);
    v[2] = make_float2(a.x - c.x, a.y - c.y);
    v[3] = make_float2(b.x - d.x, b.y - d.y);
}

__global__ void fft(const float2 *in, float2 *out, const float2 *roots) {
    __shared__ float re[N], im[N];
    int t = threadIdx.x;
    float2 v[4];
    in += blockIdx.x * N;
    out += blockIdx.x * N;
#pragma unroll
    for (int r = 0; r < 4; r++)
        v[r] = in[t + r * THREADS];
#pragma unroll
    for (int s = 1; s < N; s *= 4) {
        int k = t % s;
        if (s > 1)
#pragma unroll
            for (int r = 1; r < 4; r++)
                v[r] = multiply(v[r], roots[r * k * (N / 4 / s)]);
        butterfly(v);
        int to = (t - k) * 4 + k;
        if (s == N / 4) {
#pragma unroll
            for (int r = 0; r < 4; r++)
                out[to + r * s] = v[r];
            return;
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 4; r++) {
            re[to + r * s] = v[r].x;
            im[to + r * s] = v[r].y;
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 4; r++)
            v[r] = make_float2(re[t + r * THREADS], im[t + r * THREADS]);
    }
}

BENCH(fft) {
    int count = 1024;
    size_t n = (size_t)count * N;
    Buffer<float> in(2 * n), out(2 * n), roots(2 * N);
    in.random(-1, 1);
    for (int i = 0; i < N; i++) {
        roots.host[2 * i] = cos(-2 * M_PI * i / N);
        roots.host[2 * i + 1] = sin(-2 * M_PI * i / N);
    }
    roots.upload();
    Row r = compute_row("FFT 1024", 5.0 * n * 10);
    r.outputs = {&out};
    r.tolerance = 1e-5;
    r.native = [&] { native_fft(in.host, out.host, roots.host, count); };
    r.kudzu = [&] {
        fft<<<count, THREADS>>>((float2 *)in.dev, (float2 *)out.dev, (float2 *)roots.dev);
    };
    r.pocl = [&] { pocl("fft", count, THREADS, in, out, roots); };
    measure(r);
}
