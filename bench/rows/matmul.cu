#include "bench.h"

extern "C" void native_matmul(const float *a, const float *b, float *c, int n);

__global__ void matmul(const float *a, const float *b, float *c, int n) {
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

BENCH(matmul) {
    int n = 512;
    size_t nn = (size_t)n * n;
    Buffer<float> a(nn), b(nn), c(nn);
    a.random(-1, 1);
    b.random(-1, 1);
    dim3 grid(n / 16, n / 16), block(16, 16);
    Row r = compute_row("matmul, 16x16 tiles", 2.0 * n * nn);
    r.kudzu = [&] { matmul<<<grid, block>>>(a.dev, b.dev, c.dev, n); };
    r.native = [&] { native_matmul(a.host, b.host, c.host, n); };
    r.pocl = [&] { pocl("matmul", grid, block, a, b, c, n); };
    r.outputs = {&c};
    r.tolerance = 1e-5;
    measure(r);
}
