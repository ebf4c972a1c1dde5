#include "bench.h"

extern "C" void native_mandelbrot(int *out, int w, int h, int limit);

__global__ void mandelbrot(int *out, int w, int h, int limit) {
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

BENCH(mandelbrot) {
    int w = 1024, h = 512, limit = 256;
    size_t n = (size_t)w * h;
    Buffer<int> out(n);
    Row r("Mandelbrot", (double)n, "Gpixel/s");
    r.kudzu = [&] { mandelbrot<<<dim3(w / 256, h), 256>>>(out.dev, w, h, limit); };
    r.native = [&] { native_mandelbrot(out.host, w, h, limit); };
    r.pocl = [&] { pocl("mandelbrot", dim3(w / 256, h), 256, out, w, h, limit); };
    measure(r); // chaotic: contraction changes the counts near the border
}
