// Tiles of 32 keys and values without cp.async, a thread a query with its sums in registers; a warp
// a query with weights by shuffles; scores of a tile in shared memory as matrix products, a
// maximum and a sum a row kept beside them.
#include "bench.h"

enum { LENGTH = 1024, HEADS = 4, D = 64 };
#define SCALE 0.125f

// ---- a thread a query -----------------------------------------------------------------------

__global__ void thread_a_query(const float *Q, const float *K, const float *V, float *O, int n) {
    __shared__ float Kj[32][D], Vj[32][D];
    size_t head = (size_t)blockIdx.y * n * D;
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float q[D], o[D], m = -INFINITY, l = 0;
#pragma unroll
    for (int x = 0; x < D; x++) {
        q[x] = Q[head + row * D + x] * SCALE;
        o[x] = 0;
    }
    for (int j = 0; j < n; j += 32) {
        for (int i = threadIdx.x; i < 32 * D; i += blockDim.x) {
            Kj[i / D][i % D] = K[head + j * D + i];
            Vj[i / D][i % D] = V[head + j * D + i];
        }
        __syncthreads();
        for (int y = 0; y < 32; y++) {
            float s = 0;
#pragma unroll
            for (int x = 0; x < D; x++)
                s += q[x] * Kj[y][x];
            float m_new = fmaxf(m, s), keep = __expf(m - m_new), p = __expf(s - m_new);
            l = l * keep + p;
            m = m_new;
#pragma unroll
            for (int x = 0; x < D; x++)
                o[x] = o[x] * keep + p * Vj[y][x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int x = 0; x < D; x++)
        O[head + row * D + x] = o[x] / l;
}

// ---- a warp a query -------------------------------------------------------------------------

__device__ float sum_warp(float v) {
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}
__device__ float max_warp(float v) {
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}

// Each lane has the score of one of 32 keys, and two elements of the result.
__global__ void warp_a_query(const float *q, const float *k, const float *v, float *out, int n) {
    __shared__ float keys[32][D + 1], queries[8][D];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t head = (size_t)blockIdx.y * n * D, mine = head + (blockIdx.x * 8 + warp) * D;
    queries[warp][lane] = q[mine + lane];
    queries[warp][lane + 32] = q[mine + lane + 32];
    float most = -INFINITY, total = 0, low = 0, high = 0;
    for (int tile = 0; tile < n; tile += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * D; i += 256)
            keys[i / D][i % D] = k[head + tile * D + i];
        __syncthreads();
        float score = 0;
        for (int x = 0; x < D; x++)
            score += queries[warp][x] * keys[lane][x];
        score *= SCALE;
        float now = fmaxf(most, max_warp(score)), factor = expf(most - now);
        float weight = expf(score - now);
        total = total * factor + sum_warp(weight);
        low *= factor;
        high *= factor;
        most = now;
        const float *values = v + head + tile * D + lane;
        for (int j = 0; j < 32; j++, values += D) {
            float w = __shfl_sync(0xffffffff, weight, j);
            low += w * values[0];
            high += w * values[32];
        }
    }
    out[mine + lane] = low / total;
    out[mine + lane + 32] = high / total;
}

// ---- products of tiles: 16 x 16 threads, 32 queries, 32 keys --------------------------------

__global__ void tile_products(const float *Q, const float *K, const float *V, float *O, int n) {
    __shared__ float q[32][D + 1], kv[32][D + 1], s[32][33], row_max[32], row_sum[32], keep[32];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    Q += (blockIdx.y * n + blockIdx.x * 32) * D;
    O += (blockIdx.y * n + blockIdx.x * 32) * D;
    for (int i = t; i < 32 * D; i += 256)
        q[i / D][i % D] = Q[i];
    if (t < 32) {
        row_max[t] = -INFINITY;
        row_sum[t] = 0;
    }
    float acc[2][4] = {};
    for (int j = 0; j < n; j += 32) {
        const float *from = K + (blockIdx.y * n + j) * D;
        for (int i = t; i < 32 * D; i += 256)
            kv[i / D][i % D] = from[i];
        __syncthreads();
        float a = 0, b = 0, c = 0, d = 0;
        for (int x = 0; x < D; x++) {
            a += q[ty][x] * kv[tx][x];
            b += q[ty][x] * kv[tx + 16][x];
            c += q[ty + 16][x] * kv[tx][x];
            d += q[ty + 16][x] * kv[tx + 16][x];
        }
        s[ty][tx] = a * SCALE;
        s[ty][tx + 16] = b * SCALE;
        s[ty + 16][tx] = c * SCALE;
        s[ty + 16][tx + 16] = d * SCALE;
        __syncthreads();
        if (t < 32) {
            float m = row_max[t], sum = 0;
            for (int x = 0; x < 32; x++)
                m = fmaxf(m, s[t][x]);
            for (int x = 0; x < 32; x++)
                sum += s[t][x] = __expf(s[t][x] - m);
            keep[t] = __expf(row_max[t] - m);
            row_sum[t] = row_sum[t] * keep[t] + sum;
            row_max[t] = m;
        }
        from = V + (blockIdx.y * n + j) * D;
        for (int i = t; i < 32 * D; i += 256)
            kv[i / D][i % D] = from[i];
        __syncthreads();
        for (int r = 0; r < 2; r++)
            for (int x = 0; x < 4; x++) {
                float sum = acc[r][x] * keep[ty + 16 * r];
                for (int y = 0; y < 32; y++)
                    sum += s[ty + 16 * r][y] * kv[y][tx + 16 * x];
                acc[r][x] = sum;
            }
        __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        for (int x = 0; x < 4; x++)
            O[(ty + 16 * r) * D + tx + 16 * x] = acc[r][x] / row_sum[ty + 16 * r];
}

VARIANTS(attention, "attention, cp.async") {
    const float *q = row_buffer<float>(0).dev, *k = row_buffer<float>(1).dev;
    const float *v = row_buffer<float>(2).dev;
    float *out = row_buffer<float>(3).dev;
    const int n = LENGTH;
    return {
        [=] { thread_a_query<<<dim3(n / 64, HEADS), 64>>>(q, k, v, out, n); },
        [=] { warp_a_query<<<dim3(n / 8, HEADS), 256>>>(q, k, v, out, n); },
        [=] { tile_products<<<dim3(n / 32, HEADS), dim3(16, 16)>>>(q, k, v, out, n); },
    };
}
