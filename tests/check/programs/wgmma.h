// What the programs with products of a warpgroup (wgmma) share.
#pragma once
#include "suite.h"
#include <cuda/ptx>
#include <cuda_fp16.h>

// Of a matrix in shared memory without a swizzle, of pieces of 8 rows by 16 bytes: how far the next
// 8 elements of k are behind a piece, and the next 8 rows.
__device__ inline uint64_t descriptor_of(const void *tile, uint64_t k, uint64_t rows) {
    uint64_t at = __cvta_generic_to_shared(tile);
    return (at & 0x3ffff) >> 4 | k >> 4 << 16 | rows >> 4 << 32;
}

// To d, of 64 rows and 8 columns, a times b is added, with 16 elements of k; a and b: descriptors.
#define PRODUCT(d, a, b)                                                                           \
    do {                                                                                           \
        START_PRODUCT(d, a, b);                                                                    \
        WAIT_FOR_PRODUCTS(d, 0);                                                                   \
    } while (0)

// The same in two: the product is a group, and all groups are waited for but n.
#define START_PRODUCT(d, a, b)                                                                     \
    asm volatile("wgmma.fence.sync.aligned;\n"                                                     \
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, "    \
                 "1, 1, 1, 0, 0;\n"                                                                \
                 "wgmma.commit_group.sync.aligned;\n"                                              \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
                 : "l"(a), "l"(b)                                                                  \
                 : "memory")
#define WAIT_FOR_PRODUCTS(d, n)                                                                    \
    asm volatile("wgmma.wait_group.sync.aligned " #n ";\n"                                         \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
                 :                                                                                 \
                 : "memory")
