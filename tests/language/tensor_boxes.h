// What the programs about boxes of tensors share: maps of tensors that lie in memory without gaps.
#ifndef TENSOR_BOXES_H
#define TENSOR_BOXES_H

#include <cuda.h>
#include <cudaTypedefs.h>

#include "check.h"

struct tensor {
    int rank, element; // bytes of an element
    CUtensorMapDataType type;
    cuuint64_t sizes[5];
    cuuint32_t box[5];
};

static void *entry_point(const char *name) {
    void *f = nullptr;
    cudaDriverEntryPointQueryResult status;
    CUDA(cudaGetDriverEntryPointByVersion(name, &f, 12000, cudaEnableDefault, &status));
    CHECK(status == cudaDriverEntryPointSuccess);
    return f;
}

static CUtensorMap tiled_map(const tensor &t, void *address,
                             CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
                             CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
    const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
    cuuint64_t strides[5], stride = (cuuint64_t)t.element;
    for (int d = 0; d < t.rank; d++)
        strides[d] = stride *= t.sizes[d];
    CUtensorMap map{};
    auto encode = (PFN_cuTensorMapEncodeTiled_v12000)entry_point("cuTensorMapEncodeTiled");
    CHECK(encode(&map, t.type, (cuuint32_t)t.rank, address, t.sizes, strides, t.box, steps,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                 fill) == CUDA_SUCCESS);
    return map;
}

// Images of `width` pixels, whose bounding box leaves out `corner` pixels on either side.
static inline CUtensorMap pixels_map(const tensor &t, void *address, int corner,
                                     cuuint32_t channels, cuuint32_t pixels) {
    const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
    const int lower[1] = {corner}, upper[1] = {-corner};
    cuuint64_t strides[5], stride = (cuuint64_t)t.element;
    for (int d = 0; d < t.rank; d++)
        strides[d] = stride *= t.sizes[d];
    CUtensorMap map{};
    auto encode = (PFN_cuTensorMapEncodeIm2col_v12000)entry_point("cuTensorMapEncodeIm2col");
    CHECK(encode(&map, t.type, (cuuint32_t)t.rank, address, t.sizes, strides, lower, upper,
                 channels, pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                 CU_TENSOR_MAP_L2_PROMOTION_NONE,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

// An mbarrier object for one copy into shared memory, by one thread.
__device__ inline unsigned begin_copy(unsigned long long *bar, unsigned bytes) {
    unsigned at = (unsigned)__cvta_generic_to_shared(bar);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
                 : "memory");
    return at;
}
__device__ inline void end_copy(unsigned at) {
    int done;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                     " selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    while (!done);
}
__device__ inline void store_done() {
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif
