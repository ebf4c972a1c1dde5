// 16x16: pointers that step through the matrices in a template; the second tile transposed, bounds
// checked; a 1-D block with two sums a thread. 32x32: dynamic shared memory; four rows a thread;
// loads of the next tile before the current one is used. Registers: 8x8 a thread; eight rows a
// thread; 2x2 a thread as float2.
#include "bench.h"

template <int BLOCK_SIZE>
__global__ void matrix_mul(float *C, const float *A, const float *B, int wA, int wB) {
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int aBegin = wA * BLOCK_SIZE * by, aEnd = aBegin + wA - 1, aStep = BLOCK_SIZE;
    int bBegin = BLOCK_SIZE * bx, bStep = BLOCK_SIZE * wB;
    float Csub = 0;
    for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[ty][tx] = A[a + wA * ty + tx];
        Bs[ty][tx] = B[b + wB * ty + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BLOCK_SIZE; ++k)
            Csub += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[wB * BLOCK_SIZE * by + BLOCK_SIZE * bx + wB * ty + tx] = Csub;
}

__global__ void transposed_tile(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float left[16][17], right[16][17]; // right[x][y]
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < (k + 15) / 16; tile++) {
        int ak = tile * 16 + threadIdx.x, bk = tile * 16 + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && ak < k ? a[row * k + ak] : 0;
        right[threadIdx.x][threadIdx.y] = col < n && bk < k ? b[bk * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += left[threadIdx.y][i] * right[threadIdx.x][i];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

__global__ void flat_block(const float *a, const float *b, float *c, unsigned n) {
    __shared__ float sa[256], sb[256];
    unsigned t = threadIdx.x, y = t / 16, x = t % 16, tiles = n / 16;
    unsigned by = blockIdx.x / tiles, bx = blockIdx.x % tiles;
    const float *pa = a + (by * 16 + y) * n + x, *pb = b + y * n + bx * 16 + x;
    float even = 0, odd = 0;
    for (unsigned tile = 0; tile < tiles; tile++, pa += 16, pb += 16 * n) {
        sa[t] = *pa;
        sb[t] = *pb;
        __syncthreads();
        for (unsigned k = 0; k < 16; k += 2) {
            even = fmaf(sa[y * 16 + k], sb[k * 16 + x], even);
            odd = fmaf(sa[y * 16 + k + 1], sb[k * 16 + 16 + x], odd);
        }
        __syncthreads();
    }
    c[(by * 16 + y) * n + bx * 16 + x] = even + odd;
}

__global__ void dynamic_tiles(const float *a, const float *b, float *c, int width, int tile_width) {
    extern __shared__ float tiles[];
    float *ta = tiles, *tb = tiles + tile_width * tile_width;
    int row = blockIdx.y * tile_width + threadIdx.y, col = blockIdx.x * tile_width + threadIdx.x;
    int mine = threadIdx.y * tile_width + threadIdx.x;
    float value = 0;
    for (int ph = 0; ph < width / tile_width; ++ph) {
        ta[mine] = a[row * width + ph * tile_width + threadIdx.x];
        tb[mine] = b[(ph * tile_width + threadIdx.y) * width + col];
        __syncthreads();
        for (int k = 0; k < tile_width; ++k)
            value += ta[threadIdx.y * tile_width + k] * tb[k * tile_width + threadIdx.x];
        __syncthreads();
    }
    c[row * width + col] = value;
}

__global__ void four_rows(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[32][32], sb[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < n; k += 32) {
        for (int i = 0; i < 32; i += 8) {
            sa[threadIdx.y + i][threadIdx.x] = a[(y + i) * n + k + threadIdx.x];
            sb[threadIdx.y + i][threadIdx.x] = b[(k + threadIdx.y + i) * n + x];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++)
            for (int i = 0; i < 4; i++)
                sum[i] += sa[threadIdx.y + 8 * i][j] * sb[j][threadIdx.x];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        c[(y + 8 * i) * n + x] = sum[i];
}

__global__ void ahead(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[2][32][32], sb[2][32][32];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    sa[0][ty][tx] = a[y * n + tx];
    sb[0][ty][tx] = b[ty * n + x];
    __syncthreads();
    float sum = 0, next_a = 0, next_b = 0;
    for (int k = 32, now = 0; k <= n; k += 32, now ^= 1) {
        if (k < n) {
            next_a = a[y * n + k + tx];
            next_b = b[(k + ty) * n + x];
        }
#pragma unroll 8
        for (int j = 0; j < 32; j++)
            sum += sa[now][ty][j] * sb[now][j][tx];
        sa[now ^ 1][ty][tx] = next_a;
        sb[now ^ 1][ty][tx] = next_b;
        __syncthreads();
    }
    c[y * n + x] = sum;
}

template <int BM, int BN, int BK, int TM, int TN>
__global__ void thread_tiles(const float *A, const float *B, float *C, int N, int K) {
    __shared__ float As[BM * BK], Bs[BK * BN];
    const int threads = BM * BN / (TM * TN), col = threadIdx.x % (BN / TN);
    const int row = threadIdx.x / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float results[TM * TN] = {0.0f}, regM[TM], regN[TN];
    for (int bk = 0; bk < K; bk += BK, A += BK, B += BK * N) {
        for (int i = threadIdx.x; i < BM * BK; i += threads)
            As[i] = A[i / BK * K + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += threads)
            Bs[i] = B[i / BN * N + i % BN];
        __syncthreads();
        for (int dot = 0; dot < BK; ++dot) {
            for (int i = 0; i < TM; ++i)
                regM[i] = As[(row * TM + i) * BK + dot];
            for (int i = 0; i < TN; ++i)
                regN[i] = Bs[dot * BN + col * TN + i];
            for (int m = 0; m < TM; ++m)
                for (int n = 0; n < TN; ++n)
                    results[m * TN + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n)
            C[(row * TM + m) * N + col * TN + n] = results[m * TN + n];
}

// 2x2 elements a thread, 32x32 a block.
__global__ void named_sums(const float2 *a, const float2 *b, float2 *c, int n2) {
    __shared__ float sa[32][33];
    __shared__ float2 sb[32][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty;
    float2 top = {0, 0}, bottom = {0, 0};
    for (int k = 0; k < n2; k += 16) {
        float2 u = a[row * n2 + k + tx], v = a[(row + 16) * n2 + k + tx];
        sa[ty][2 * tx] = u.x, sa[ty][2 * tx + 1] = u.y;
        sa[ty + 16][2 * tx] = v.x, sa[ty + 16][2 * tx + 1] = v.y;
        sb[ty][tx] = b[(2 * k + ty) * n2 + blockIdx.x * 16 + tx];
        sb[ty + 16][tx] = b[(2 * k + ty + 16) * n2 + blockIdx.x * 16 + tx];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 32; j++) {
            float2 w = sb[j][tx];
            float s = sa[ty][j], t = sa[ty + 16][j];
            top.x += s * w.x;
            top.y += s * w.y;
            bottom.x += t * w.x;
            bottom.y += t * w.y;
        }
        __syncthreads();
    }
    c[row * n2 + blockIdx.x * 16 + tx] = top;
    c[(row + 16) * n2 + blockIdx.x * 16 + tx] = bottom;
}

enum { N = 512 };
static const dim3 grid16(N / 16, N / 16), block16(16, 16), grid32(N / 32, N / 32), block32(32, 32);

VARIANTS(matmul16, "matmul, 16x16 tiles") {
    const float *a = row_buffer<float>(0).dev, *b = row_buffer<float>(1).dev;
    float *c = row_buffer<float>(2).dev;
    return {
        [=] { matrix_mul<16><<<grid16, block16>>>(c, a, b, N, N); },
        [=] { transposed_tile<<<grid16, block16>>>(a, b, c, N, N, N); },
        [=] { flat_block<<<N / 16 * (N / 16), 256>>>(a, b, c, N); },
    };
}

VARIANTS(matmul32, "matmul, 32x32 tiles") {
    const float *a = row_buffer<float>(0).dev, *b = row_buffer<float>(1).dev;
    float *c = row_buffer<float>(2).dev;
    return {
        [=] { dynamic_tiles<<<grid32, block32, 2 * 32 * 32 * sizeof(float)>>>(a, b, c, N, 32); },
        [=] { four_rows<<<grid32, dim3(32, 8)>>>(a, b, c, N); },
        [=] { ahead<<<grid32, block32>>>(a, b, c, N); },
    };
}

VARIANTS(matmul_registers, "matmul, 4x4 in registers") {
    const float *a = row_buffer<float>(0).dev, *b = row_buffer<float>(1).dev;
    float *c = row_buffer<float>(2).dev;
    return {
        [=] { thread_tiles<64, 64, 8, 8, 8><<<dim3(N / 64, N / 64), 64>>>(a, b, c, N, N); },
        [=] { thread_tiles<64, 64, 8, 8, 1><<<dim3(N / 64, N / 64), 512>>>(a, b, c, N, N); },
        [=] { named_sums<<<grid32, block16>>>((float2 *)a, (float2 *)b, (float2 *)c, N / 2); },
    };
}
