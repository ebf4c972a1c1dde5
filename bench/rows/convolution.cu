// Convolutions with the filter in constant memory: 7x7 through a tile in shared memory, and rows
// with 17 taps, eight results a thread.
#include "bench.h"

extern "C" void native_convolution_7x7(const float *in, float *out, const float *filter, int w,
                                       int h);
extern "C" void native_convolution_rows(const float *in, float *out, const float *filter, int w,
                                        int h);

__constant__ float filter7[49], filter17[17];

__global__ void convolution_7x7(const float *in, float *out, int w, int h) {
    __shared__ float s[16 + 6][32 + 6];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int y = threadIdx.y; y < 16 + 6; y += 16)
        for (int x = threadIdx.x; x < 32 + 6; x += 32) {
            int gx = x0 + x - 3, gy = y0 + y - 3;
            s[y][x] = gx >= 0 && gy >= 0 && gx < w && gy < h ? in[gy * w + gx] : 0;
        }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int y = 0; y < 7; y++)
#pragma unroll
        for (int x = 0; x < 7; x++)
            sum += filter7[y * 7 + x] * s[threadIdx.y + y][threadIdx.x + x];
    out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = sum;
}

enum { RESULTS = 8, WIDTH = 16, ROWS = 4, RADIUS = 8 };

__global__ void convolution_rows(const float *in, float *out, int w) {
    __shared__ float s[ROWS][(RESULTS + 2) * WIDTH];
    int x0 = (blockIdx.x * RESULTS - 1) * WIDTH + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    in += y * w + x0;
    out += y * w + x0;
#pragma unroll
    for (int i = 1; i <= RESULTS; i++)
        s[threadIdx.y][threadIdx.x + i * WIDTH] = in[i * WIDTH];
    s[threadIdx.y][threadIdx.x] = x0 >= 0 ? in[0] : 0;
    int last = (RESULTS + 1) * WIDTH;
    s[threadIdx.y][threadIdx.x + last] = x0 + last < w ? in[last] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 1; i <= RESULTS; i++) {
        float sum = 0;
#pragma unroll
        for (int k = -RADIUS; k <= RADIUS; k++)
            sum += filter17[RADIUS + k] * s[threadIdx.y][threadIdx.x + i * WIDTH + k];
        out[i * WIDTH] = sum;
    }
}

BENCH(convolution) {
    int w = 2048, h = 1024;
    size_t n = (size_t)w * h;
    Buffer<float> in(n), out(n), f7(49), f17(17);
    in.random(-1, 1);
    f7.random(-1, 1);
    f17.random(-1, 1);
    CHECK(cudaMemcpyToSymbol(filter7, f7.host, sizeof filter7));
    CHECK(cudaMemcpyToSymbol(filter17, f17.host, sizeof filter17));
    Row r = compute_row("convolution, 7x7", 98.0 * n);
    r.outputs = {&out};
    r.tolerance = 1e-5;
    dim3 grid(w / 32, h / 16), block(32, 16);
    r.native = [&] { native_convolution_7x7(in.host, out.host, f7.host, w, h); };
    r.kudzu = [&] { convolution_7x7<<<grid, block>>>(in.dev, out.dev, w, h); };
    r.pocl = [&] { pocl("convolution_7x7", grid, block, in, out, w, h, f7); };
    measure(r);

    Row q = compute_row("convolution, rows", 34.0 * n);
    q.outputs = {&out};
    q.tolerance = 1e-5;
    dim3 grid2(w / (RESULTS * WIDTH), h / ROWS), block2(WIDTH, ROWS);
    q.native = [&] { native_convolution_rows(in.host, out.host, f17.host, w, h); };
    q.kudzu = [&] { convolution_rows<<<grid2, block2>>>(in.dev, out.dev, w); };
    q.pocl = [&] { pocl("convolution_rows", grid2, block2, in, out, w, f17); };
    measure(q);
}
