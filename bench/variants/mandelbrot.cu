// A complex type with operators and a for loop that breaks; blocks of 16 x 16 with squares kept
// between iterations; a grid-stride loop over pixels with a helper that counts.
#include "bench.h"

enum { W = 1024, H = 512, LIMIT = 256 };

struct Complex {
    float r, i;
    __device__ Complex(float a, float b) : r(a), i(b) {
    }
    __device__ float magnitude2() const {
        return r * r + i * i;
    }
    __device__ Complex operator*(const Complex &a) const {
        return Complex(r * a.r - i * a.i, i * a.r + r * a.i);
    }
    __device__ Complex operator+(const Complex &a) const {
        return Complex(r + a.r, i + a.i);
    }
};

__global__ void with_operators(int *out, int w, int h, int limit) {
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y;
    Complex c(x * (3.0f / w) - 2.0f, y * (2.0f / h) - 1.0f), z(0, 0);
    int count = limit;
    for (int i = 0; i < limit; i++) {
        if (z.magnitude2() > 4.0f) {
            count = i;
            break;
        }
        z = z * z + c;
    }
    out[x + y * w] = count;
}

__global__ void with_squares(int *out, int width, int height, int max_iterations) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= width || row >= height)
        return;
    float x0 = col * (3.0f / width) - 2.0f, y0 = row * (2.0f / height) - 1.0f;
    float x = 0, y = 0, x2 = 0, y2 = 0;
    int iteration = 0;
    for (; x2 + y2 <= 4.0f && iteration < max_iterations; iteration++) {
        y = 2.0f * x * y + y0;
        x = x2 - y2 + x0;
        x2 = x * x;
        y2 = y * y;
    }
    out[row * width + col] = iteration;
}

__device__ unsigned short escape(float2 c, int crunch) {
    float2 z = make_float2(0, 0);
    int left = crunch;
    do {
        float real = z.x * z.x - z.y * z.y + c.x;
        z = make_float2(real, (z.x + z.x) * z.y + c.y);
    } while (--left && z.x * z.x + z.y * z.y <= 4.0f);
    return crunch - left;
}

__global__ void over_pixels(int *out, int pixels, float2 scale) {
    int step = blockDim.x * gridDim.x;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += step)
        out[p] = escape(make_float2(p % W * scale.x - 2.0f, p / W * scale.y - 1.0f), LIMIT);
}

VARIANTS(mandelbrot, "Mandelbrot") {
    int *out = row_buffer<int>(0).dev;
    return {
        [=] { with_operators<<<dim3(W / 128, H), 128>>>(out, W, H, LIMIT); },
        [=] { with_squares<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(out, W, H, LIMIT); },
        [=] { over_pixels<<<512, 256>>>(out, W * H, make_float2(3.0f / W, 2.0f / H)); },
    };
}
