// What the programs with tensor maps (TMA) share: maps of matrices without gaps.
#pragma once
#include "suite.h"
#include <cuda.h>
#include <cuda/ptx>
#include <cudaTypedefs.h>

static inline CUtensorMap map_of(void *address, cuuint64_t columns, cuuint64_t rows,
                                 cuuint32_t width, cuuint32_t height) {
    void *f = nullptr;
    cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault,
                                        &status));
    const cuuint64_t sizes[] = {columns, rows}, strides[] = {columns * sizeof(int)};
    const cuuint32_t box[] = {width, height}, steps[] = {1, 1};
    CUtensorMap map{};
    CUresult r = ((PFN_cuTensorMapEncodeTiled_v12000)f)(
        &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, address, sizes, strides, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r != CUDA_SUCCESS) {
        printf("cuTensorMapEncodeTiled: %d\n", (int)r);
        exit(1);
    }
    return map;
}

// Copies of boxes and of rows of bytes, as macros so that their lines are the program's.
#define LOAD_BOX(tile, map, at, object)                                                            \
    cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, map,  \
                                    at, object)
#define LOAD_TILE(tile, from, size, object)                                                        \
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, from, size,  \
                             object)
#define STORE_BOX(map, at, tile)                                                                   \
    cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_global, cuda::ptx::space_shared, map, at, tile)

// An mbarrier object on which `count` threads arrive; by one thread, in front of a barrier.
__device__ inline void object_begin(uint64_t *object, unsigned count) {
    cuda::ptx::mbarrier_init(object, count);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
}

__device__ inline void expect(uint64_t *object, unsigned bytes) {
    using namespace cuda::ptx;
    mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, object, bytes);
}

__device__ inline void wait_for(uint64_t *object, unsigned parity) {
    while (!cuda::ptx::mbarrier_try_wait_parity(object, parity))
        ;
}
