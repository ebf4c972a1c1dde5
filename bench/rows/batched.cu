// Products of many small matrices: 4x4, one thread each, and 16x16, one block each.
#include "bench.h"

extern "C" void native_batched4(const float *a, const float *b, float *c, int count);
extern "C" void native_batched16(const float *a, const float *b, float *c, int count);

__global__ void batched4(const float4 *a, const float4 *b, float4 *c, int count) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count)
        return;
    float4 b0 = b[4 * m], b1 = b[4 * m + 1], b2 = b[4 * m + 2], b3 = b[4 * m + 3];
    for (int y = 0; y < 4; y++) {
        float4 v = a[4 * m + y], r;
        r.x = v.x * b0.x + v.y * b1.x + v.z * b2.x + v.w * b3.x;
        r.y = v.x * b0.y + v.y * b1.y + v.z * b2.y + v.w * b3.y;
        r.z = v.x * b0.z + v.y * b1.z + v.z * b2.z + v.w * b3.z;
        r.w = v.x * b0.w + v.y * b1.w + v.z * b2.w + v.w * b3.w;
        c[4 * m + y] = r;
    }
}

__global__ void batched16(const float *a, const float *b, float *c) {
    __shared__ float sa[16][16], sb[16][16];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 256 + y * 16 + x;
    sa[y][x] = a[i];
    sb[y][x] = b[i];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += sa[y][k] * sb[k][x];
    c[i] = sum;
}

BENCH(batched) {
    int n = 1 << 20;
    Buffer<float> a(n), b(n), c(n);
    a.random(-1, 1);
    b.random(-1, 1);
    int count4 = n / 16, count16 = n / 256;
    Row r = memory_row("batched 4x4 products", 8.0 * n, 4.0 * n);
    r.goal_limit = 0;
    r.outputs = {&c};
    r.tolerance = 1e-6;
    r.kudzu = [&] {
        batched4<<<count4 / 256, 256>>>((float4 *)a.dev, (float4 *)b.dev, (float4 *)c.dev, count4);
    };
    r.native = [&] { native_batched4(a.host, b.host, c.host, count4); };
    r.pocl = [&] { pocl("batched4", count4 / 256, 256, a, b, c, count4); };
    measure(r);

    r.name = "batched 16x16 products";
    r.kudzu = [&] { batched16<<<count16, dim3(16, 16)>>>(a.dev, b.dev, c.dev); };
    r.native = [&] { native_batched16(a.host, b.host, c.host, count16); };
    r.pocl = [&] { pocl("batched16", count16, dim3(16, 16), a, b, c); };
    measure(r);
}
