// What the tests of tcgen05's products share: how operands lie in shared memory, and products of
// small integers as the host computes them.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>

enum { PIECE = 8 };

// Rows of K, without a swizzle: pieces of 16 bytes, 8 rows of one next to each other.
template <int K> __host__ __device__ int place(int row, int k) {
    return row / 8 * (8 * K) + k / PIECE * (8 * PIECE) + row % 8 * PIECE + k % PIECE;
}

__device__ inline uint64_t descriptor(const void *p) {
    uint64_t at = ((uint64_t)__cvta_generic_to_shared(p) & 0x3ffff) >> 4;
    return at | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32 | (uint64_t)1 << 46;
}

static float a_at(int i) {
    return (float)(i * 7 % 11 - 5);
}
static float b_at(int i) {
    return (float)(i * 5 % 13 - 6);
}

// Runs launch(a, b, d) on a of M x K, b of N x K and d of M x N numbers. Element (m, n) has to be m
// - n and a product in rows where once(m) holds, and half of that and a product elsewhere. Returns
// what main has to.
template <int M, int N, int K, typename Launch, typename Once>
int check_products(Launch launch, Once once) {
    __half *a, *b;
    float *d;
    cudaMallocManaged(&a, M * K * sizeof *a);
    cudaMallocManaged(&b, N * K * sizeof *b);
    cudaMallocManaged(&d, M * N * sizeof *d);
    for (int i = 0; i < M * K; i++)
        a[i] = __float2half(a_at(i));
    for (int i = 0; i < N * K; i++)
        b[i] = __float2half(b_at(i));
    launch(a, b, d);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    int wrong = 0;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float product = 0;
            for (int k = 0; k < K; k++)
                product += a_at(m * K + k) * b_at(n * K + k);
            float want = (float)(m - n) + product;
            wrong += d[m * N + n] != (once(m) ? want : want / 2 + product);
        }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
