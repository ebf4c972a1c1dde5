// Matrix multiplication through tiles in shared memory: 16x16 and 32x32 tiles with one element a
// thread, and 64x64 tiles with 4x4 elements a thread in registers.
#include "bench.h"

extern "C" void native_matmul(const float *a, const float *b, float *c, int n);

__global__ void matmul16(const float *a, const float *b, float *c, int n) {
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

__global__ void matmul32(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[32][32], sb[32][32];
    int lx = threadIdx.x, ly = threadIdx.y, x = blockIdx.x * 32 + lx, y = blockIdx.y * 32 + ly;
    float acc = 0;
    for (int k = 0; k < n; k += 32) {
        sa[ly][lx] = a[y * n + k + lx];
        sb[ly][lx] = b[(k + ly) * n + x];
        __syncthreads();
        for (int j = 0; j < 32; j++)
            acc += sa[ly][j] * sb[j][lx];
        __syncthreads();
    }
    c[y * n + x] = acc;
}

// A block of 16x16 threads makes 64x64 elements; a is kept transposed in shared memory.
__global__ void matmul_registers(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[16][64 + 4], sb[16][64];
    int t = threadIdx.y * 16 + threadIdx.x;
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    int ay = t / 4, ak = t % 4 * 4, bk = t / 16, bx = t % 16 * 4;
    float acc[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        float4 va = *(const float4 *)&a[(row + ay) * n + k + ak];
        sa[ak][ay] = va.x;
        sa[ak + 1][ay] = va.y;
        sa[ak + 2][ay] = va.z;
        sa[ak + 3][ay] = va.w;
        *(float4 *)&sb[bk][bx] = *(const float4 *)&b[(k + bk) * n + column + bx];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++) {
            float4 u = *(const float4 *)&sa[j][threadIdx.y * 4];
            float4 v = *(const float4 *)&sb[j][threadIdx.x * 4];
            float ru[4] = {u.x, u.y, u.z, u.w}, rv[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int y = 0; y < 4; y++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    acc[y][x] += ru[y] * rv[x];
        }
        __syncthreads();
    }
    for (int y = 0; y < 4; y++)
        *(float4 *)&c[(row + threadIdx.y * 4 + y) * n + column + threadIdx.x * 4] =
            make_float4(acc[y][0], acc[y][1], acc[y][2], acc[y][3]);
}

BENCH(matmul) {
    int n = 512;
    size_t nn = (size_t)n * n;
    Buffer<float> a(nn), b(nn), c(nn);
    a.random(-1, 1);
    b.random(-1, 1);
    Row r = compute_row("matmul, 16x16 tiles", 2.0 * n * nn);
    r.native = [&] { native_matmul(a.host, b.host, c.host, n); };
    r.outputs = {&c};
    r.tolerance = 1e-5;

    dim3 grid16(n / 16, n / 16), block16(16, 16), grid32(n / 32, n / 32), block32(32, 32);
    r.kudzu = [&] { matmul16<<<grid16, block16>>>(a.dev, b.dev, c.dev, n); };
    r.pocl = [&] { pocl("matmul16", grid16, block16, a, b, c, n); };
    measure(r);

    r.name = "matmul, 32x32 tiles";
    r.goal_limit = 0.6;
    r.kudzu = [&] { matmul32<<<grid32, block32>>>(a.dev, b.dev, c.dev, n); };
    r.pocl = [&] { pocl("matmul32", grid32, block32, a, b, c, n); };
    measure(r);

    dim3 grid64(n / 64, n / 64);
    r.name = "matmul, 4x4 in registers";
    r.goal_limit = 0;
    r.kudzu = [&] { matmul_registers<<<grid64, block16>>>(a.dev, b.dev, c.dev, n); };
    r.pocl = [&] { pocl("matmul_registers", grid64, block16, a, b, c, n); };
    measure(r);
}
