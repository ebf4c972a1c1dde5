#include "bench.h"

extern "C" void native_stencil(const float *in, float *out, int w, int h);

__global__ void stencil(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = 0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] +
                                  in[(y + 1) * w + x]);
}

BENCH(stencil_2d) {
    int w = 2048, h = 2048;
    size_t n = (size_t)w * h;
    Buffer<float> in(n), out(n);
    in.random(0, 1);
    out.upload();
    dim3 grid(w / 32, h / 8), block(32, 8);
    Row r = memory_row("stencil, 2-D", 4.0 * n, 4.0 * n);
    r.kudzu = [&] { stencil<<<grid, block>>>(in.dev, out.dev, w, h); };
    r.native = [&] { native_stencil(in.host, out.host, w, h); };
    r.pocl = [&] { pocl("stencil", grid, block, in, out, w, h); };
    r.outputs = {&out};
    r.reset = [&](bench_side s) { out.reset(s); };
    r.tolerance = 1e-6;
    measure(r);
}
