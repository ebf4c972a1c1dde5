#include "bench.h"

// Softmax and layer norm over rows of 1024 numbers, a warp a row, reductions by shuffles.
extern "C" void native_softmax(const float *in, float *out, int rows, int columns);
extern "C" void native_layer_norm(const float *in, const float *scale, const float *shift,
                                  float *out, int rows, int columns);

__device__ float warp_max(float v) {
    for (int d = 16; d > 0; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    return v;
}

__device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}

__global__ void softmax(const float *in, float *out, int rows, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, l = threadIdx.x;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * columns;
    float *y = out + (size_t)row * columns;
    float largest = -INFINITY, sum = 0;
    for (int i = l; i < columns; i += 32)
        largest = fmaxf(largest, x[i]);
    largest = warp_max(largest);
    for (int i = l; i < columns; i += 32) {
        float e = expf(x[i] - largest);
        y[i] = e;
        sum += e;
    }
    float factor = 1.0f / warp_sum(sum);
    for (int i = l; i < columns; i += 32)
        y[i] *= factor;
}

__global__ void layer_norm(const float *in, const float *scale, const float *shift, float *out,
                           int rows, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, l = threadIdx.x;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * columns;
    float *y = out + (size_t)row * columns;
    float sum = 0, squares = 0;
    for (int i = l; i < columns; i += 32)
        sum += x[i];
    float mean = warp_sum(sum) / columns;
    for (int i = l; i < columns; i += 32)
        squares += (x[i] - mean) * (x[i] - mean);
    float factor = rsqrtf(warp_sum(squares) / columns + 1e-5f);
    for (int i = l; i < columns; i += 32)
        y[i] = (x[i] - mean) * factor * scale[i] + shift[i];
}

BENCH(softmax) {
    int rows = 8192, columns = 1024;
    size_t n = (size_t)rows * columns;
    Buffer<float> in(n), out(n), scale(columns), shift(columns);
    in.random(-4, 4);
    scale.random(0.5, 1.5);
    shift.random(-1, 1);
    Row r = memory_row("softmax", 4.0 * n, 4.0 * n);
    r.goal_limit = 0; // bound by the exponential
    r.kudzu = [&] { softmax<<<rows / 8, dim3(32, 8)>>>(in.dev, out.dev, rows, columns); };
    r.native = [&] { native_softmax(in.host, out.host, rows, columns); };
    r.pocl = [&] { pocl("softmax", rows / 8, dim3(32, 8), in, out, rows, columns); };
    r.outputs = {&out};
    r.tolerance = 1e-5;
    measure(r);
    r.name = "layer norm";
    r.goal_limit = 0.92;
    r.kudzu = [&] {
        layer_norm<<<rows / 8, dim3(32, 8)>>>(in.dev, scale.dev, shift.dev, out.dev, rows, columns);
    };
    r.native = [&] { native_layer_norm(in.host, scale.host, shift.host, out.host, rows, columns); };
    r.pocl = [&] {
        pocl("layer_norm", rows / 8, dim3(32, 8), in, scale, shift, out, rows, columns);
    };
    measure(r);
}
