// Copies: plain, four floats a thread, from and to an odd address, every second float, and with a
// grid-stride loop.
#include "bench.h"

extern "C" void native_copy(const float *in, float *out, size_t n);
extern "C" void native_copy_strided(const float *in, float *out, size_t n, size_t stride);

__global__ void copy(const float *in, float *out) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void copy4(const float4 *in, float4 *out) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void copy_offset(const float *in, float *out, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    out[i] = in[i];
}

__global__ void copy_strided(const float *in, float *out, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    out[i] = in[i];
}

__global__ void copy_loop(const float *in, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

BENCH(copy) {
    int n = 1 << 24, m = n - 256, offset = 3, stride = 2;
    Buffer<float> in(n), out(n);
    in.random(-1, 1);
    out.upload();
    auto row = [&](const char *name, size_t elements) {
        Row r = memory_row(name, 4.0 * elements, 4.0 * elements);
        r.native = [&] { native_copy(in.host, out.host, n); };
        r.outputs = {&out};
        r.reset = [&](bench_side s) { out.reset(s); };
        return r;
    };

    Row r = row("copy", n);
    r.kudzu = [&] { copy<<<n / 256, 256>>>(in.dev, out.dev); };
    r.pocl = [&] { pocl("copy", n / 256, 256, in, out); };
    measure(r);

    r.name = "copy, float4";
    r.kudzu = [&] { copy4<<<n / 1024, 256>>>((float4 *)in.dev, (float4 *)out.dev); };
    r.pocl = [&] { pocl("copy4", n / 1024, 256, in, out); };
    measure(r);

    r.name = "copy, grid stride";
    r.kudzu = [&] { copy_loop<<<64, 256>>>(in.dev, out.dev, n); };
    r.pocl = [&] { pocl("copy_loop", 64, 256, in, out, n); };
    measure(r);

    r = row("copy, misaligned", m);
    r.kudzu = [&] { copy_offset<<<m / 256, 256>>>(in.dev, out.dev, offset); };
    r.native = [&] { native_copy(in.host + offset, out.host + offset, m); };
    r.pocl = [&] { pocl("copy_offset", m / 256, 256, in, out, offset); };
    measure(r);

    r = row("copy, stride 2", n); // whole lines travel
    r.work = 4.0 * n;
    r.kudzu = [&] { copy_strided<<<n / 512, 256>>>(in.dev, out.dev, stride); };
    r.native = [&] { native_copy_strided(in.host, out.host, n / 2, stride); };
    r.pocl = [&] { pocl("copy_strided", n / 512, 256, in, out, stride); };
    r.goal_limit = 0; // lines that are written in part
    measure(r);
}
