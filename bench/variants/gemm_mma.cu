// By the wmma functions: a warp a 16 x 16 tile from global memory; blocks of 64 x 64 with tiles in
// shared memory. By mma: 64 x 64 a block, plain loads, fragments gathered word by word.
#include "bench.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;

enum { N = 1024 };

// a by rows; b by rows, for int8 by columns.
template <typename T> struct Layout {
    typedef wmma::row_major b;
    typedef float sum;
    enum { b_by_rows = 1 };
};
template <> struct Layout<int8_t> {
    typedef wmma::col_major b;
    typedef int sum;
    enum { b_by_rows = 0 };
};

template <typename T>
__global__ void wmma_simple(const T *a, const T *b, typename Layout<T>::sum *c, int n) {
    typedef typename Layout<T>::sum Sum;
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16;
    int column = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, typename Layout<T>::b> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> acc;
    wmma::fill_fragment(acc, (Sum)0);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + (Layout<T>::b_by_rows ? k * n + column : column * n + k), n);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(c + row * n + column, acc, n, wmma::mem_row_major);
}

// Four warps of 32 x 32; 32 of k at a time.
template <typename T>
__global__ void wmma_shared(const T *a, const T *b, typename Layout<T>::sum *c, int n) {
    typedef typename Layout<T>::sum Sum;
    const bool rows = Layout<T>::b_by_rows;
    const int pitch_b = rows ? 64 + 16 : 32 + 16;
    __shared__ __align__(32) T sa[64][32 + 16], sb[rows ? 32 : 64][pitch_b];
    int warp = threadIdx.x / 32, wy = warp / 2 * 32, wx = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> acc[2][2];
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(acc[i / 2][i % 2], (Sum)0);
    for (int k = 0; k < n; k += 32) {
        for (int i = threadIdx.x; i < 64 * 32; i += 128) {
            sa[i / 32][i % 32] = a[(blockIdx.y * 64 + i / 32) * n + k + i % 32];
            if (rows)
                sb[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
            else
                sb[i / 32][i % 32] = b[(blockIdx.x * 64 + i / 32) * n + k + i % 32];
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < 32; step += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, T, typename Layout<T>::b> fb[2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(fa[i], &sa[wy + 16 * i][step], 32 + 16);
                wmma::load_matrix_sync(
                    fb[i], rows ? &sb[step][wx + 16 * i] : &sb[wx + 16 * i][step], pitch_b);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(c + (blockIdx.y * 64 + wy + 16 * i) * n + blockIdx.x * 64 + wx +
                                        16 * j,
                                    acc[i][j], n, wmma::mem_row_major);
}

__device__ void mma(float *c, const uint32_t *a, const uint32_t *b, __half) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void mma(float *c, const uint32_t *a, const uint32_t *b, __nv_bfloat16) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void mma(int *c, const uint32_t *a, const uint32_t *b, int8_t) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Eight warps of 16 x 32. b is turned into columns on the way to shared memory, so that words hold
// neighbours in k; a step multiplies 32 bytes of k.
template <typename T>
__global__ void mma_words(const T *a, const T *b, typename Layout<T>::sum *c, int n) {
    const int step = 32 / sizeof(T), depth = 2 * step, per_word = 4 / sizeof(T);
    __shared__ uint32_t sa[64][16 + 4], sb[64][16 + 4];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, in_group = lane % 4;
    int wy = warp / 2 * 16, wx = warp % 2 * 32, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    typename Layout<T>::sum acc[4][4] = {};
    for (int k = 0; k < n; k += depth) {
        for (int i = threadIdx.x; i < 64 * 16; i += 256) {
            int r = i / 16, w = i % 16;
            sa[r][w] = ((const uint32_t *)(a + (row0 + r) * n + k))[w];
            if (!Layout<T>::b_by_rows)
                sb[r][w] = ((const uint32_t *)(b + (column0 + r) * n + k))[w];
        }
        if (Layout<T>::b_by_rows)
            for (int i = threadIdx.x; i < 64 * depth; i += 256)
                ((T *)sb[i % 64])[i / 64] = b[(k + i / 64) * n + column0 + i % 64];
        __syncthreads();
        for (int s = 0; s < 16; s += step / per_word) {
            uint32_t fa[4] = {sa[wy + group][s + in_group], sa[wy + group + 8][s + in_group],
                              sa[wy + group][s + in_group + 4],
                              sa[wy + group + 8][s + in_group + 4]};
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const uint32_t *column = sb[wx + 8 * j + group] + s + in_group;
                uint32_t fb[2] = {column[0], column[4]};
                mma(acc[j], fa, fb, T());
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
            c[(row0 + wy + group + i / 2 * 8) * n + column0 + wx + 8 * j + in_group * 2 + i % 2] =
                acc[j][i];
}

template <typename T> static std::vector<std::function<void()>> products() {
    const T *a = row_buffer<T>(0).dev, *b = row_buffer<T>(1).dev;
    auto *c = row_buffer<typename Layout<T>::sum>(2).dev;
    return {
        [=] { wmma_simple<T><<<dim3(N / 64, N / 64), dim3(128, 4)>>>(a, b, c, N); },
        [=] { wmma_shared<T><<<dim3(N / 64, N / 64), 128>>>(a, b, c, N); },
        [=] { mma_words<T><<<dim3(N / 64, N / 64), 256>>>(a, b, c, N); },
    };
}

VARIANTS(f16, "gemm_f16_mma") {
    return products<__half>();
}
VARIANTS(bf16, "gemm_bf16_mma") {
    return products<__nv_bfloat16>();
}
VARIANTS(int8, "gemm_int8_mma") {
    return products<int8_t>();
}
