// Radix 2 by Stockham between two buffers in shared memory; radix 4 with sincospif instead of a
// table, a template over the steps; Cooley and Tukey in place after bits are reversed.
#include "bench.h"

enum { N = 1024, COUNT = 1024 };
typedef float2 complex;

__device__ complex operator+(complex a, complex b) {
    return make_float2(a.x + b.x, a.y + b.y);
}
__device__ complex operator-(complex a, complex b) {
    return make_float2(a.x - b.x, a.y - b.y);
}
__device__ complex operator*(complex a, complex b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__global__ void stockham(const complex *in, complex *out, const complex *roots) {
    __shared__ complex buffer[2][N];
    int t = threadIdx.x, now = 0;
    in += blockIdx.x * N;
    out += blockIdx.x * N;
    for (int i = t; i < N; i += N / 2)
        buffer[0][i] = in[i];
    for (int s = 1; s < N; s *= 2, now ^= 1) {
        __syncthreads();
        int q = t & (s - 1), p = t - q;
        complex a = buffer[now][t], b = buffer[now][t + N / 2] * roots[q * (N / 2 / s)];
        buffer[now ^ 1][2 * p + q] = a + b;
        buffer[now ^ 1][2 * p + q + s] = a - b;
    }
    __syncthreads();
    for (int i = t; i < N; i += N / 2)
        out[i] = buffer[now][i];
}

__device__ complex root(int k, int n) {
    float s, c;
    sincospif(-2.0f * k / n, &s, &c);
    return make_float2(c, s);
}

__device__ void fft4(complex &a, complex &b, complex &c, complex &d) {
    complex s = a + c, t = a - c, u = b + d, v = b - d;
    v = make_float2(v.y, -v.x);
    a = s + u;
    b = t + v;
    c = s - u;
    d = t - v;
}

template <int S> __device__ void steps(complex *x, int t) {
    complex a = x[t], b = x[t + N / 4], c = x[t + N / 2], d = x[t + 3 * N / 4];
    int k = t % S, to = 4 * (t - k) + k;
    if (S > 1) {
        b = b * root(k, 4 * S);
        c = c * root(2 * k, 4 * S);
        d = d * root(3 * k, 4 * S);
    }
    fft4(a, b, c, d);
    __syncthreads();
    x[to] = a;
    x[to + S] = b;
    x[to + 2 * S] = c;
    x[to + 3 * S] = d;
    __syncthreads();
    if constexpr (4 * S < N)
        steps<4 * S>(x, t);
}

__global__ void by_template(const complex *in, complex *out) {
    __shared__ complex x[N];
    int t = threadIdx.x;
    for (int r = 0; r < 4; r++)
        x[t + r * N / 4] = in[blockIdx.x * N + t + r * N / 4];
    __syncthreads();
    steps<1>(x, t);
    for (int r = 0; r < 4; r++)
        out[blockIdx.x * N + t + r * N / 4] = x[t + r * N / 4];
}

// Two transforms a block, one for each y.
__global__ void in_place(const complex *in, complex *out, const complex *roots) {
    __shared__ float re[2][N], im[2][N];
    float *r = re[threadIdx.y], *i = im[threadIdx.y];
    int first = (blockIdx.x * 2 + threadIdx.y) * N;
    for (int k = threadIdx.x; k < N; k += blockDim.x) {
        complex v = in[first + k];
        int to = __brev(k) >> 22;
        r[to] = v.x;
        i[to] = v.y;
    }
    __syncthreads();
    for (int half = 1, step = N / 2; half < N; half *= 2, step /= 2) {
        for (int b = threadIdx.x; b < N / 2; b += blockDim.x) {
            int k = b % half, top = b / half * 2 * half + k, low = top + half;
            complex w = roots[k * step];
            float x = r[low] * w.x - i[low] * w.y, y = r[low] * w.y + i[low] * w.x;
            r[low] = r[top] - x;
            i[low] = i[top] - y;
            r[top] += x;
            i[top] += y;
        }
        __syncthreads();
    }
    for (int k = threadIdx.x; k < N; k += blockDim.x)
        out[first + k] = make_float2(r[k], i[k]);
}

VARIANTS(fft, "FFT 1024") {
    const complex *in = (const complex *)row_buffer<float>(0).dev;
    const complex *roots = (const complex *)row_buffer<float>(2).dev;
    complex *out = (complex *)row_buffer<float>(1).dev;
    return {
        [=] { stockham<<<COUNT, N / 2>>>(in, out, roots); },
        [=] { by_template<<<COUNT, N / 4>>>(in, out); },
        [=] { in_place<<<COUNT / 2, dim3(128, 2)>>>(in, out, roots); },
    };
}
