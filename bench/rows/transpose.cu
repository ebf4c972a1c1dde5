#include "bench.h"

extern "C" void native_transpose(const float *in, float *out, int n);

__global__ void transpose(const float *in, float *out, int n) {
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

BENCH(transpose) {
    int n = 2048;
    Buffer<float> in((size_t)n * n), out((size_t)n * n);
    in.random(0, 1);
    dim3 grid(n / 32, n / 32), block(32, 8);
    Row r = memory_row("transpose, tiled", 4.0 * n * n, 4.0 * n * n);
    r.kudzu = [&] { transpose<<<grid, block>>>(in.dev, out.dev, n); };
    r.native = [&] { native_transpose(in.host, out.host, n); };
    r.pocl = [&] { pocl("transpose", grid, block, in, out, n); };
    r.outputs = {&out};
    measure(r);
}
