// Kernels for bench/jit.sh: compiled to PTX one at a time (-DKERNEL=...), so that each module holds
// what its figure names. The launches stand in comments, as tests/simd/ptx_run.c reads them.
#if defined(saxpy_module)
// run: saxpy grid=4 block=256 args=f32:2,buf:1024:float,buf:1024:float,u32:1000
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
#elif defined(stencil_module)
// run: stencil grid=2,8 block=32,8 args=buf:4096:float,buf:4096:zero,u32:64,u32:64
extern "C" __global__ void stencil(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = 0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] +
                                  in[(y + 1) * w + x]);
}
#elif defined(mandelbrot_module)
// run: mandelbrot grid=1,16 block=64 args=buf:1024:zero,u32:64,u32:16,u32:50
extern "C" __global__ void mandelbrot(int *out, int w, int h, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y, n = 0;
    float cr = px * (3.0f / w) - 2.0f, ci = py * (2.0f / h) - 1.0f, zr = 0, zi = 0;
    while (n < limit && zr * zr + zi * zi <= 4.0f) {
        float r = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = r;
        n++;
    }
    out[py * w + px] = n;
}
#elif defined(block_reduce_module)
// run: block_reduce grid=4 block=256 args=buf:1024:float,buf:4:zero
extern "C" __global__ void block_reduce(const float *x, float *out) {
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
#elif defined(histogram_module)
// run: histogram grid=2 block=256 args=buf:1024:rand,buf:256:zero,u32:4096
extern "C" __global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned s[256];
    int l = threadIdx.x;
    s[l] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + l; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[l], s[l]);
}
#elif defined(transpose_module)
// run: transpose grid=2,2 block=32,8 args=buf:4096:float,buf:4096:zero,u32:64
extern "C" __global__ void transpose(const float *in, float *out, int n) {
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        s[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = s[threadIdx.x][threadIdx.y + k];
}
#elif defined(scan_module)
// run: scan grid=4 block=256 args=buf:1024:small,buf:1024:zero
extern "C" __global__ void scan(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[8];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned v = in[blockIdx.x * 256 + t];
    for (int d = 1; d < 32; d *= 2) {
        unsigned u = __shfl_up_sync(~0u, v, d);
        v += lane >= d ? u : 0;
    }
    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    for (int k = 0; k < warp; k++)
        v += sums[k];
    out[blockIdx.x * 256 + t] = v;
}
#elif defined(black_scholes_module)
// run: black_scholes grid=1 block=256 args=buf:256,buf:256,buf:256,buf:256,buf:256
static __device__ float cnd(float d) {
    return 0.5f * erfcf(-d * 0.70710678f);
}
extern "C" __global__ void black_scholes(const float *s, const float *k, const float *t,
                                         float *call, float *put) {
    const float r = 0.02f, v = 0.3f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sq = sqrtf(t[i]);
    float d1 = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / (v * sq), d2 = d1 - v * sq;
    float e = k[i] * expf(-r * t[i]);
    call[i] = s[i] * cnd(d1) - e * cnd(d2);
    put[i] = e * cnd(-d2) - s[i] * cnd(-d1);
}
#elif defined(reduce_module)
// run: reduce grid=2 block=256 args=buf:4096:float,buf:4:zero,u32:4096
extern "C" __global__ void reduce(const float *x, float *out, int n) {
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
#elif defined(nbody_module)
// run: nbody grid=2 block=256 args=buf:2048:float,buf:2048:zero,u32:512
extern "C" __global__ void nbody(const float4 *pos, float4 *acc, int n) {
    __shared__ float4 s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    float4 me = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        s[l] = pos[t + l];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float inv = 1.0f / sqrtf(d2), k = s[j].w * inv * inv * inv;
            ax += dx * k;
            ay += dy * k;
            az += dz * k;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0);
}
#elif defined(matmul_module)
// run: matmul grid=4,4 block=16,16 args=buf:4096:float,buf:4096:float,buf:4096:zero,u32:64
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[16][16], sb[16][16];
    int lx = threadIdx.x, ly = threadIdx.y, x = blockIdx.x * 16 + lx, y = blockIdx.y * 16 + ly;
    float acc = 0;
    for (int k = 0; k < n; k += 16) {
        sa[ly][lx] = a[y * n + k + lx];
        sb[ly][lx] = b[(k + ly) * n + x];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            acc += sa[ly][j] * sb[j][lx];
        __syncthreads();
    }
    c[y * n + x] = acc;
}
#elif defined(wmma_module)
#include <mma.h>
// run: wmma grid=4 block=128 args=buf:65536:zero,buf:65536:zero,buf:65536:zero
extern "C" __global__ void wmma(const half *a, const half *b, float *c) {
    using namespace nvcuda::wmma;
    int row = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
    fragment<accumulator, 16, 16, 16, float> sum[4];
    for (int t = 0; t < 4; t++)
        fill_fragment(sum[t], 0.0f);
    for (int k = 0; k < 64; k += 16) {
        fragment<matrix_a, 16, 16, 16, half, row_major> fa;
        load_matrix_sync(fa, a + row * 64 + k, 64);
        for (int t = 0; t < 4; t++) {
            fragment<matrix_b, 16, 16, 16, half, row_major> fb;
            load_matrix_sync(fb, b + k * 64 + t * 16, 64);
            mma_sync(sum[t], fa, fb, sum[t]);
        }
    }
    for (int t = 0; t < 4; t++)
        store_matrix_sync(c + row * 64 + t * 16, sum[t], 64, mem_row_major);
}
#elif defined(many_module)
// 5,000 lines in kernels of many sorts, one of which is launched.
// run: many_0 grid=4 block=256 args=buf:1024:float,buf:1024:zero,u32:1000
template <int K> static __device__ float step(const float *x, int i, int n) {
    float v = x[i], w = K * 0.5f;
    for (int k = 0; k < n % (K + 7); k++)
        w = w * v + x[(i + k * K) % n];
    if (v > K)
        w += sinf(v) * K;
    else if (v < -K)
        w -= expf(v + K);
    return w;
}
#define MANY(k)                                                                                    \
    extern "C" __global__ void many_##k(const float *x, float *y, int n) {                         \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        if (i < n)                                                                                 \
            y[i] = step<k>(x, i, n) + step<k + 1>(x, i, n);                                        \
    }
// clang-format off
MANY(0) MANY(1) MANY(2) MANY(3) MANY(4) MANY(5) MANY(6)
MANY(7) MANY(8) MANY(9) MANY(10) MANY(11) MANY(12)
// clang-format on
#elif defined(hash_module)
// 5,000 lines in one kernel: rounds of SHA-256, unrolled.
// run: hash grid=4 block=256 args=buf:1024:rand,buf:8192:zero
static __device__ unsigned rotate(unsigned x, int n) {
    return x >> n | x << (32 - n);
}
extern "C" __global__ void hash(const unsigned *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w[16], s[8];
#pragma unroll
    for (int k = 0; k < 16; k++)
        w[k] = in[(i + k) % 1024];
#pragma unroll
    for (int k = 0; k < 8; k++)
        s[k] = w[k] * 0x9e3779b9u + k;
#pragma unroll
    for (int r = 0; r < 132; r++) {
        if (r >= 16) {
            unsigned a = w[(r + 1) % 16], b = w[(r + 14) % 16];
            w[r % 16] += (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[(r + 9) % 16] +
                         (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
        }
        unsigned a = s[0], e = s[4];
        unsigned t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                      ((e & s[5]) ^ (~e & s[6])) + w[r % 16] + 0x428a2f98u * (r + 1);
        unsigned t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
#pragma unroll
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[i * 8 + k] = s[k];
}
#endif
