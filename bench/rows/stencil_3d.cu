// A seven-point stencil: every thread one point, and blocks that march along z with a plane in
// shared memory and the neighbours along z in registers.
#include "bench.h"

extern "C" void native_stencil_3d(const float *in, float *out, int w, int h, int d);

__device__ float combine(float middle, float sum) {
    return 0.4f * middle + 0.1f * sum;
}

__global__ void stencil_3d(const float *in, float *out, int w, int h, int d) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= w - 1 || y >= h - 1 || z >= d - 1)
        return;
    int i = (z * h + y) * w + x;
    out[i] = combine(in[i],
                     in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - w * h] + in[i + w * h]);
}

__global__ void stencil_3d_march(const float *in, float *out, int w, int h, int d) {
    __shared__ float s[8 + 2][32 + 2];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1, plane = w * h, i = y * w + x;
    bool inside = x >= 1 && y >= 1 && x < w - 1 && y < h - 1;
    float below = 0, here = in[i], above = in[i + plane];
    for (int z = 1; z < d - 1; z++) {
        i += plane;
        below = here;
        here = above;
        above = in[i + plane];
        __syncthreads();
        s[ly][lx] = here;
        if (threadIdx.x == 0 && x > 0)
            s[ly][0] = in[i - 1];
        if (threadIdx.x == 31 && x < w - 1)
            s[ly][33] = in[i + 1];
        if (threadIdx.y == 0 && y > 0)
            s[0][lx] = in[i - w];
        if (threadIdx.y == 7 && y < h - 1)
            s[9][lx] = in[i + w];
        __syncthreads();
        if (inside)
            out[i] = combine(here, s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx] +
                                       below + above);
    }
}

BENCH(stencil_3d) {
    int w = 256, h = 256, d = 128;
    size_t n = (size_t)w * h * d;
    Buffer<float> in(n), out(n);
    in.random(0, 1);
    out.upload();
    Row r = memory_row("stencil, 3-D", 4.0 * n, 4.0 * n);
    r.outputs = {&out};
    r.reset = [&](bench_side s) { out.reset(s); };
    r.tolerance = 1e-6;
    r.native = [&] { native_stencil_3d(in.host, out.host, w, h, d); };
    dim3 grid(w / 32, h / 4, d / 2), block(32, 4, 2);
    r.kudzu = [&] { stencil_3d<<<grid, block>>>(in.dev, out.dev, w, h, d); };
    r.pocl = [&] { pocl("stencil_3d", grid, block, in, out, w, h, d); };
    measure(r);

    dim3 grid2(w / 32, h / 8), block2(32, 8);
    r.name = "stencil, 3-D, march along z";
    r.kudzu = [&] { stencil_3d_march<<<grid2, block2>>>(in.dev, out.dev, w, h, d); };
    r.pocl = [&] { pocl("stencil_3d_march", grid2, block2, in, out, w, h, d); };
    measure(r);
}
