// What the programs with products in tensor memory (tcgen05) share.
#pragma once
#include "tensor.h"
#include <cuda_fp16.h>

// Rows of 16 halves without a swizzle: pieces of 16 bytes, 8 rows of one next to each other.
__host__ __device__ inline int piece_of(int row, int k) {
    return row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8;
}

// Of such a matrix: the next 8 elements of k are 128 bytes behind a piece, the next 8 rows 256.
__device__ inline uint64_t descriptor_of(const void *tile) {
    uint64_t at = ((uint64_t)__cvta_generic_to_shared(tile) & 0x3ffff) >> 4;
    return at | (uint64_t)8 << 16 | (uint64_t)16 << 32 | (uint64_t)1 << 46;
}

// Sums of floats of 128 rows and so many columns, of halves.
__device__ constexpr uint32_t product_of(uint32_t columns) {
    return 1 << 4 | columns / 8 << 17 | 128 / 16 << 24;
}

#define MULTIPLY(d, a, b, columns, add)                                                            \
    cuda::ptx::tcgen05_mma(cuda::ptx::kind_f16, cuda::ptx::cta_group_1, d, descriptor_of(a),       \
                           descriptor_of(b), product_of(columns), add)

// All threads of the block: columns are allocated, the barrier is behind that; and given back.
__device__ inline void tensor_memory_begin(uint32_t *place, uint32_t columns) {
    if (threadIdx.x < 32)
        cuda::ptx::tcgen05_alloc(cuda::ptx::cta_group_1, place, columns);
    cuda::ptx::tcgen05_fence_before_thread_sync();
    __syncthreads();
    cuda::ptx::tcgen05_fence_after_thread_sync();
}

__device__ inline void tensor_memory_end(uint32_t place, uint32_t columns) {
    cuda::ptx::tcgen05_fence_before_thread_sync();
    __syncthreads();
    cuda::ptx::tcgen05_fence_after_thread_sync();
    if (threadIdx.x < 32)
        cuda::ptx::tcgen05_dealloc(cuda::ptx::cta_group_1, place, columns);
}

// 128 threads load a row of 32 sums each.
#define LOAD_SUMS(sum, place)                                                                      \
    do {                                                                                           \
        cuda::ptx::tcgen05_fence_after_thread_sync();                                              \
        cuda::ptx::tcgen05_ld_32x32b(sum, place + (threadIdx.x / 32 << 21));                       \
        cuda::ptx::tcgen05_wait_ld();                                                              \
    } while (0)

// And store them.
__device__ inline void store_sums(float *out, uint32_t place) {
    float sum[32];
    LOAD_SUMS(sum, place);
    for (int n = 0; n < 32; n++)
        out[threadIdx.x * 32 + n] = sum[n];
}
