// Direct convolutions, 3x3, of images whose 64 channels are innermost in memory.
#include "gpu.h"

enum { C = 64, K = 64, R = 3 };

__constant__ float const_weights[R * R * C];
__constant__ float const_four[4 * R * R * C];

// One thread a result; neighbouring threads have neighbouring output channels.
__global__ void direct(const float *in, const float *weights, float *out, int h, int w) {
    int k = threadIdx.x;
    int x = blockIdx.x * blockDim.y + threadIdx.y;
    int y = blockIdx.y;
    if (x >= w)
        return;
    float sum = 0.0f;
    for (int ky = 0; ky < R; ky++) {
        int iy = y + ky - 1;
        if (iy < 0 || iy >= h)
            continue;
        for (int kx = 0; kx < R; kx++) {
            int ix = x + kx - 1;
            if (ix < 0 || ix >= w)
                continue;
            for (int c = 0; c < C; c++)
                sum += in[(iy * w + ix) * C + c] * weights[((ky * R + kx) * C + c) * K + k];
        }
    }
    out[(y * w + x) * K + k] = sum;
}

// The same with restrict and with channels known when it runs.
__global__ void direct_runtime(const float *__restrict__ in, const float *__restrict__ weights,
                               float *__restrict__ out, int h, int w, int channels, int filters) {
    int k = threadIdx.x;
    int x = blockIdx.x * blockDim.y + threadIdx.y;
    int y = blockIdx.y;
    if (x >= w)
        return;
    float sum = 0.0f;
    for (int ky = -1; ky <= 1; ky++)
        for (int kx = -1; kx <= 1; kx++) {
            int iy = y + ky, ix = x + kx;
            if (iy >= 0 && iy < h && ix >= 0 && ix < w) {
                const float *pixel = in + ((size_t)iy * w + ix) * channels;
                const float *filter = weights + ((ky + 1) * 3 + kx + 1) * channels * filters + k;
                for (int c = 0; c < channels; c++)
                    sum += pixel[c] * filter[c * filters];
            }
        }
    out[((size_t)y * w + x) * filters + k] = sum;
}

// One thread a pixel, a single output channel, weights in constant memory.
__global__ void constant_weights(const float *__restrict__ in, float *__restrict__ out, int h,
                                 int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    for (int ky = 0; ky < R; ky++)
        for (int kx = 0; kx < R; kx++) {
            int iy = min(max(y + ky - 1, 0), h - 1);
            int ix = min(max(x + kx - 1, 0), w - 1);
            for (int c = 0; c < C; c++)
                sum += in[(iy * w + ix) * C + c] * const_weights[(ky * R + kx) * C + c];
        }
    out[y * w + x] = sum;
}

// The same with all loops unrolled as far as the user says.
__global__ void constant_unrolled(const float *__restrict__ in, float *__restrict__ out, int h,
                                  int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int ky = 0; ky < R; ky++)
#pragma unroll
        for (int kx = 0; kx < R; kx++) {
            int iy = y + ky - 1, ix = x + kx - 1;
            if (iy < 0 || iy >= h || ix < 0 || ix >= w)
                continue;
#pragma unroll 8
            for (int c = 0; c < C; c++)
                sum += in[(iy * w + ix) * C + c] * const_weights[(ky * R + kx) * C + c];
        }
    out[y * w + x] = sum;
}

// One thread a pixel and four output channels.
__global__ void constant_four(const float *__restrict__ in, float4 *__restrict__ out, int h,
                              int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float acc[4] = {0, 0, 0, 0};
    for (int ky = 0; ky < R; ky++)
        for (int kx = 0; kx < R; kx++) {
            int iy = y + ky - 1, ix = x + kx - 1;
            if (iy < 0 || iy >= h || ix < 0 || ix >= w)
                continue;
            const float *p = &in[(iy * w + ix) * C];
            for (int c = 0; c < C; c++) {
                float v = p[c];
                for (int k = 0; k < 4; k++)
                    acc[k] += v * const_four[((ky * R + kx) * C + c) * 4 + k];
            }
        }
    out[y * w + x] = make_float4(acc[0], acc[1], acc[2], acc[3]);
}

// Each channel by itself: a thread a pixel and channel.
__global__ void depthwise(const float *__restrict__ in, const float *__restrict__ weights,
                          float *__restrict__ out, int h, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = i % C, x = i / C % w, y = i / C / w;
    if (y >= h)
        return;
    float sum = 0.0f;
    for (int ky = 0; ky < R; ky++)
        for (int kx = 0; kx < R; kx++) {
            int iy = y + ky - 1, ix = x + kx - 1;
            if (iy >= 0 && iy < h && ix >= 0 && ix < w)
                sum += in[(iy * w + ix) * C + c] * weights[(ky * R + kx) * C + c];
        }
    out[i] = sum;
}

// Four channels at once.
__global__ void depthwise_vectors(const float4 *in, const float4 *weights, float4 *out, int h,
                                  int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = i % (C / 4), x = i / (C / 4) % w, y = i / (C / 4) / w;
    if (y >= h)
        return;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int ky = -1; ky <= 1; ky++)
        for (int kx = -1; kx <= 1; kx++) {
            int iy = y + ky, ix = x + kx;
            if (iy < 0 || iy >= h || ix < 0 || ix >= w)
                continue;
            float4 v = in[(iy * w + ix) * (C / 4) + c];
            float4 f = weights[((ky + 1) * R + kx + 1) * (C / 4) + c];
            sum.x += v.x * f.x;
            sum.y += v.y * f.y;
            sum.z += v.z * f.z;
            sum.w += v.w * f.w;
        }
    out[i] = sum;
}

// The pixels around eight results of a row in shared memory.
__global__ void shared_tile(const float *__restrict__ in, const float *__restrict__ weights,
                            float *__restrict__ out, int h, int w) {
    __shared__ float tile[R][8 + 2][C];
    int k = threadIdx.x, y = blockIdx.y, x0 = blockIdx.x * 8;
    for (int i = threadIdx.x; i < R * 10 * C; i += blockDim.x) {
        int c = i % C, tx = i / C % 10, ty = i / C / 10;
        int ix = x0 + tx - 1, iy = y + ty - 1;
        tile[ty][tx][c] = ix >= 0 && ix < w && iy >= 0 && iy < h ? in[(iy * w + ix) * C + c] : 0.0f;
    }
    __syncthreads();
    float acc[8] = {};
    for (int ky = 0; ky < R; ky++)
        for (int kx = 0; kx < R; kx++)
            for (int c = 0; c < C; c++) {
                float f = weights[((ky * R + kx) * C + c) * K + k];
#pragma unroll
                for (int i = 0; i < 8; i++)
                    acc[i] += f * tile[ky][kx + i][c];
            }
    for (int i = 0; i < 8; i++)
        if (x0 + i < w)
            out[(y * w + x0 + i) * K + k] = acc[i];
}

// Weights with the input channel innermost, too: a thread reads both in order.
__global__ void both_innermost(const float *__restrict__ in, const float *__restrict__ weights,
                               float *__restrict__ out, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, k = blockIdx.z;
    if (x >= w)
        return;
    float sum = 0.0f;
    for (int ky = 0; ky < R; ky++)
        for (int kx = 0; kx < R; kx++) {
            int iy = y + ky - 1, ix = x + kx - 1;
            if (iy < 0 || iy >= h || ix < 0 || ix >= w)
                continue;
            const float *a = in + (iy * w + ix) * C;
            const float *b = weights + ((k * R + ky) * R + kx) * C;
            for (int c = 0; c < C; c++)
                sum += a[c] * b[c];
        }
    out[(y * w + x) * 8 + k] = sum;
}

// Four pixels of a row a thread, float4 loads of channels.
__global__ void four_channels(const float *__restrict__ in, const float *__restrict__ weights,
                              float *__restrict__ out, int h, int w) {
    int k = threadIdx.x;
    int x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y;
    if (x >= w)
        return;
    float sum = 0.0f;
    for (int ky = 0; ky < R; ky++)
        for (int kx = 0; kx < R; kx++) {
            int iy = y + ky - 1, ix = x + kx - 1;
            if (iy < 0 || iy >= h || ix < 0 || ix >= w)
                continue;
            const float4 *p = reinterpret_cast<const float4 *>(in + (iy * w + ix) * C);
            const float *f = weights + (ky * R + kx) * C * K + k;
            for (int c = 0; c < C / 4; c++) {
                float4 v = p[c];
                sum += v.x * f[(c * 4 + 0) * K];
                sum += v.y * f[(c * 4 + 1) * K];
                sum += v.z * f[(c * 4 + 2) * K];
                sum += v.w * f[(c * 4 + 3) * K];
            }
        }
    out[(y * w + x) * K + k] = fmaxf(sum, 0.0f);
}

// A template of the channels' number, an index computed by a function.
template <int Channels> __device__ int at(int y, int x, int c, int w) {
    return (y * w + x) * Channels + c;
}

template <int Channels, int Filters, int Size>
__global__ void templated(const float *in, const float *filters, const float *bias, float *out,
                          int h, int w) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= h * w * Filters)
        return;
    int k = index % Filters;
    int x = (index / Filters) % w;
    int y = index / (Filters * w);
    float value = bias[k];
    for (int i = 0; i < Size; i++)
        for (int j = 0; j < Size; j++) {
            int yy = y + i - Size / 2, xx = x + j - Size / 2;
            if (yy >= 0 && yy < h && xx >= 0 && xx < w)
                for (int c = 0; c < Channels; c++)
                    value += in[at<Channels>(yy, xx, c, w)] *
                             filters[((i * Size + j) * Channels + c) * Filters + k];
        }
    out[index] = value > 0 ? value : 0;
}

int main() {
    int h = 56, w = 56, big = 224;
    Buffer<float> in(h * w * C), weights(R * R * C * K), out(h * w * K), bias(K);
    Buffer<float> large(big * big * C), large_out(big * big * C), one(big * big);
    Buffer<float4> four(big * big), vectors(big * big * C / 4), vector_weights(R * R * C / 4),
        vector_out(big * big * C / 4);
    CHECK(cudaMemcpyToSymbol(const_weights, weights.host.data(), sizeof const_weights));
    CHECK(cudaMemcpyToSymbol(const_four, weights.host.data(), sizeof const_four));
    dim3 block(K, 4), grid((w + 3) / 4, h), pixels(32, 8), all(big / 32, big / 8);
    measure("convolution, direct", out,
            [&] { direct<<<grid, block>>>(in.dev, weights.dev, out.dev, h, w); });
    measure("convolution, sizes at run time", out,
            [&] { direct_runtime<<<grid, block>>>(in.dev, weights.dev, out.dev, h, w, C, K); });
    measure("convolution, constant weights", one,
            [&] { constant_weights<<<all, pixels>>>(large.dev, one.dev, big, big); });
    measure("convolution, constant, unrolled", one,
            [&] { constant_unrolled<<<all, pixels>>>(large.dev, one.dev, big, big); });
    measure("convolution, constant, four results", four,
            [&] { constant_four<<<all, pixels>>>(large.dev, four.dev, big, big); });
    measure("convolution, depthwise", large_out, [&] {
        depthwise<<<big * big * C / 256, 256>>>(large.dev, weights.dev, large_out.dev, big, big);
    });
    measure("convolution, depthwise, float4", vector_out, [&] {
        depthwise_vectors<<<big * big * C / 4 / 256, 256>>>(vectors.dev, vector_weights.dev,
                                                            vector_out.dev, big, big);
    });
    measure("convolution, shared tile", out,
            [&] { shared_tile<<<dim3(w / 8, h), K>>>(in.dev, weights.dev, out.dev, h, w); });
    Buffer<float> eight(big * big * 8);
    measure("convolution, both innermost", eight, [&] {
        both_innermost<<<dim3((big + 63) / 64, big, 8), 64>>>(large.dev, weights.dev, eight.dev,
                                                              big, big);
    });
    measure("convolution, float4 channels", out,
            [&] { four_channels<<<grid, block>>>(in.dev, weights.dev, out.dev, h, w); });
    measure("convolution, template", out, [&] {
        templated<C, K, R>
            <<<(h * w * K + 255) / 256, 256>>>(in.dev, weights.dev, bias.dev, out.dev, h, w);
    });
}
