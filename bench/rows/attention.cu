#include "bench.h"

#include <cuda_pipeline.h>

// Attention in one pass over keys and values (as in FlashAttention), heads of 64: a block has 32
// queries, a warp four of them; tiles of 32 keys and values come by cp.async while the ones before
// are used.
extern "C" void native_attention(const float *q, const float *k, const float *v, float *out, int n,
                                 int heads);

enum { HEAD = 64, TILE = 32, PADDED = HEAD + 4 };

struct Tile {
    float k[TILE][PADDED], v[TILE][HEAD];
};

__device__ void load_tile(Tile &t, const float *k, const float *v) {
    for (int c = threadIdx.y * 32 + threadIdx.x; c < TILE * HEAD / 4; c += 256) {
        int row = c / (HEAD / 4), column = c % (HEAD / 4) * 4;
        __pipeline_memcpy_async(&t.k[row][column], k + row * HEAD + column, 16);
        __pipeline_memcpy_async(&t.v[row][column], v + row * HEAD + column, 16);
    }
    __pipeline_commit();
}

__global__ void attention(const float *q, const float *k, const float *v, float *out, int n) {
    __shared__ __align__(16) float sq[TILE][HEAD];
    __shared__ __align__(16) Tile tiles[2];
    __shared__ float p[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    size_t head = (size_t)blockIdx.y * n * HEAD;
    k += head;
    v += head;
    q += head + (size_t)blockIdx.x * TILE * HEAD;
    out += head + (size_t)blockIdx.x * TILE * HEAD;
    load_tile(tiles[0], k, v);
    for (int c = y * 32 + x; c < TILE * HEAD; c += 256)
        sq[c / HEAD][c % HEAD] = q[c] * 0.125f; // 1 / sqrt(HEAD)
    float most[4], sum[4] = {0, 0, 0, 0}, o[4][2] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    for (int i = 0; i < 4; i++)
        most[i] = -INFINITY;
    for (int t = 0; t < n / TILE; t++) {
        if (t + 1 < n / TILE) {
            size_t next = (size_t)(t + 1) * TILE * HEAD;
            load_tile(tiles[(t + 1) % 2], k + next, v + next);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        const Tile &tile = tiles[t % 2];
        float s[4] = {0, 0, 0, 0};
        for (int d = 0; d < HEAD; d += 4) {
            float4 b = *(const float4 *)&tile.k[x][d];
            for (int i = 0; i < 4; i++) {
                float4 a = *(const float4 *)&sq[y * 4 + i][d];
                s[i] += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
            }
        }
        for (int i = 0; i < 4; i++) {
            float largest = s[i], total;
            for (int d = 16; d > 0; d >>= 1)
                largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));
            largest = fmaxf(largest, most[i]);
            float keep = __expf(most[i] - largest), e = __expf(s[i] - largest);
            total = e;
            for (int d = 16; d > 0; d >>= 1)
                total += __shfl_xor_sync(~0u, total, d);
            sum[i] = sum[i] * keep + total;
            most[i] = largest;
            o[i][0] *= keep;
            o[i][1] *= keep;
            p[y * 4 + i][x] = e;
        }
        __syncwarp();
        for (int j = 0; j < TILE; j++)
            for (int i = 0; i < 4; i++) {
                o[i][0] += p[y * 4 + i][j] * tile.v[j][x];
                o[i][1] += p[y * 4 + i][j] * tile.v[j][x + 32];
            }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        out[(y * 4 + i) * HEAD + x] = o[i][0] / sum[i];
        out[(y * 4 + i) * HEAD + x + 32] = o[i][1] / sum[i];
    }
}

BENCH(attention) {
    int n = 1024, heads = 4;
    size_t size = (size_t)n * heads * HEAD;
    Buffer<float> q(size), k(size), v(size), out(size);
    q.random(-1, 1);
    unsigned seed = 31;
    for (Buffer<float> *b : {&k, &v}) {
        for (size_t i = 0; i < size; i++)
            b->host[i] = (bench_random(&seed) >> 8) / 8388608.0f - 1;
        b->upload();
    }
    Row r = compute_row("attention, cp.async", 4.0 * n * n * HEAD * heads);
    dim3 grid(n / TILE, heads), block(32, 8);
    r.kudzu = [&] { attention<<<grid, block>>>(q.dev, k.dev, v.dev, out.dev, n); };
    r.native = [&] { native_attention(q.host, k.host, v.host, out.host, n, heads); };
    r.pocl = [&] { pocl("attention", grid, block, q, k, v, out, n); };
    r.outputs = {&out};
    r.tolerance = 1e-5;
    measure(r);
}
