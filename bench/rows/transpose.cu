// Transposition of a matrix: every thread one element, and through a padded tile in shared memory.
#include "bench.h"

extern "C" void native_transpose(const float *in, float *out, int n);

__global__ void transpose_naive(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

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
    Row r = memory_row("transpose, naive", 4.0 * n * n, 4.0 * n * n);
    r.goal_limit = 0;
    r.native = [&] { native_transpose(in.host, out.host, n); };
    r.outputs = {&out};
    r.kudzu = [&] { transpose_naive<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(in.dev, out.dev, n); };
    r.pocl = [&] { pocl("transpose_naive", dim3(n / 16, n / 16), dim3(16, 16), in, out, n); };
    measure(r);

    dim3 grid(n / 32, n / 32), block(32, 8);
    r.name = "transpose, tiled";
    r.goal_limit = 0.92;
    r.kudzu = [&] { transpose<<<grid, block>>>(in.dev, out.dev, n); };
    r.pocl = [&] { pocl("transpose", grid, block, in, out, n); };
    measure(r);
}
