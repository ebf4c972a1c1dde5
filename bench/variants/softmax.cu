// A block a row with trees in shared memory; a warp a row with the row in registers; maximum and
// sum in one pass (online), float4. Layer norm: mean and variance in one pass; Welford's method
// merged by shuffles; a block a row, values kept in shared memory.
#include "bench.h"

#include <cfloat>

enum { ROWS = 8192, COLUMNS = 1024 };

struct Max {
    __device__ float operator()(float a, float b) const {
        return fmaxf(a, b);
    }
};
struct Add {
    __device__ float operator()(float a, float b) const {
        return a + b;
    }
};

// All threads of the block get op over their values.
template <int BLOCK, typename Op> __device__ float block_reduce(float v, float *s, Op op) {
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + d]);
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}

__global__ void softmax_block(const float *inp, float *out, int C) {
    __shared__ float s[256];
    const float *x = inp + blockIdx.x * C;
    float *y = out + blockIdx.x * C, maxval = -FLT_MAX, sum = 0;
    for (int i = threadIdx.x; i < C; i += 256)
        maxval = fmaxf(maxval, x[i]);
    maxval = block_reduce<256>(maxval, s, Max());
    for (int i = threadIdx.x; i < C; i += 256)
        y[i] = expf(x[i] - maxval);
    for (int i = threadIdx.x; i < C; i += 256)
        sum += y[i];
    sum = block_reduce<256>(sum, s, Add());
    for (int i = threadIdx.x; i < C; i += 256)
        y[i] = y[i] / sum;
}

template <typename Op> __device__ float warp_all(float v, Op op) {
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1)
        v = op(v, __shfl_xor_sync(0xffffffff, v, offset));
    return v;
}

template <int SIZE> __global__ void softmax_registers(const float *in, float *out, int rows) {
    const int each = SIZE / 32;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    in += row * SIZE + lane;
    out += row * SIZE + lane;
    float v[each], most = -INFINITY, sum = 0;
#pragma unroll
    for (int i = 0; i < each; i++) {
        v[i] = in[32 * i];
        most = fmaxf(most, v[i]);
    }
    most = warp_all(most, Max());
#pragma unroll
    for (int i = 0; i < each; i++) {
        v[i] = expf(v[i] - most);
        sum += v[i];
    }
    sum = warp_all(sum, Add());
#pragma unroll
    for (int i = 0; i < each; i++)
        out[32 * i] = v[i] / sum;
}

// The sum so far is scaled whenever the maximum grows.
__global__ void softmax_online(const float4 *in, float4 *out, int quads) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    in += row * quads;
    out += row * quads;
    float m = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < quads; i += 32) {
        float4 v = in[i];
        float big = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), old = m;
        m = fmaxf(m, big);
        sum = sum * expf(old - m) + expf(v.x - m) + expf(v.y - m) + expf(v.z - m) + expf(v.w - m);
    }
    float all = warp_all(m, Max());
    sum = 1 / warp_all(sum * expf(m - all), Add());
    for (int i = threadIdx.x; i < quads; i += 32) {
        float4 v = in[i];
        out[i] = make_float4(expf(v.x - all) * sum, expf(v.y - all) * sum, expf(v.z - all) * sum,
                             expf(v.w - all) * sum);
    }
}

__global__ void norm_moments(const float *in, const float *weight, const float *bias, float *out) {
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float4 *x = (const float4 *)(in + row * COLUMNS);
    float4 *y = (float4 *)(out + row * COLUMNS);
    const float4 *w = (const float4 *)weight, *b = (const float4 *)bias;
    float s = 0, s2 = 0;
    for (int i = lane; i < COLUMNS / 4; i += 32) {
        float4 v = x[i];
        s += v.x + v.y + v.z + v.w;
        s2 += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float mean = warp_all(s, Add()) / COLUMNS;
    float rstd = rsqrtf(warp_all(s2, Add()) / COLUMNS - mean * mean + 1e-5f);
    for (int i = lane; i < COLUMNS / 4; i += 32) {
        float4 v = x[i], a = w[i], c = b[i];
        y[i] = make_float4((v.x - mean) * rstd * a.x + c.x, (v.y - mean) * rstd * a.y + c.y,
                           (v.z - mean) * rstd * a.z + c.z, (v.w - mean) * rstd * a.w + c.w);
    }
}

__global__ void norm_welford(const float *in, const float *gamma, const float *beta, float *out,
                             int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    const float *x = in + (size_t)row * columns;
    float *y = out + (size_t)row * columns, mean = 0, m2 = 0, count = 0;
    for (int i = threadIdx.x; i < columns; i += 32) {
        float delta = x[i] - mean;
        count += 1;
        mean += delta / count;
        m2 += delta * (x[i] - mean);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        float mean_b = __shfl_xor_sync(0xffffffff, mean, offset);
        float m2_b = __shfl_xor_sync(0xffffffff, m2, offset), delta = mean_b - mean;
        mean = (mean + mean_b) * 0.5f; // equal counts
        m2 += m2_b + delta * delta * count * 0.5f;
        count *= 2;
    }
    float scale = rsqrtf(m2 / count + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += 32)
        y[i] = gamma[i] * ((x[i] - mean) * scale) + beta[i];
}

__global__ void norm_shared(const float *in, const float *gamma, const float *beta, float *out,
                            int columns) {
    extern __shared__ float kept[];
    __shared__ float s[128];
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < columns; i += 128)
        sum += kept[i] = in[blockIdx.x * columns + i];
    float mean = block_reduce<128>(sum, s, Add()) / columns;
    for (int i = threadIdx.x; i < columns; i += 128) {
        float d = kept[i] -= mean;
        squares += d * d;
    }
    float deviation = sqrtf(block_reduce<128>(squares, s, Add()) / columns + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += 128)
        out[blockIdx.x * columns + i] = kept[i] / deviation * gamma[i] + beta[i];
}

VARIANTS(softmax, "softmax") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { softmax_block<<<ROWS, 256>>>(in, out, COLUMNS); },
        [=] { softmax_registers<COLUMNS><<<ROWS / 4, 128>>>(in, out, ROWS); },
        [=] {
            softmax_online<<<ROWS / 8, dim3(32, 8)>>>((float4 *)in, (float4 *)out, COLUMNS / 4);
        },
    };
}

VARIANTS(layer_norm, "layer norm") {
    const float *in = row_buffer<float>(0).dev, *scale = row_buffer<float>(2).dev;
    const float *shift = row_buffer<float>(3).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { norm_moments<<<ROWS / 4, 128>>>(in, scale, shift, out); },
        [=] { norm_welford<<<ROWS / 4, dim3(32, 4)>>>(in, scale, shift, out, COLUMNS); },
        [=] { norm_shared<<<ROWS, 128, 4 * COLUMNS>>>(in, scale, shift, out, COLUMNS); },
    };
}
