// Copies in batches.
#include "runtime/runtime.h"

_Static_assert(sizeof(struct cudaMemcpyAttributes) == sizeof(CUmemcpyAttributes), "same layout");
_Static_assert(sizeof(struct cudaMemcpy3DBatchOp) == sizeof(CUDA_MEMCPY3D_BATCH_OP), "same layout");

cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                 size_t numAttrs, size_t *failIdx, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(RT_CALL(cuMemcpyBatchAsync, (CUdeviceptr *)dsts, (CUdeviceptr *)srcs, sizes,
                             count, (CUmemcpyAttributes *)attrs, attrsIdxs, numAttrs, failIdx,
                             stream));
}

cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                   size_t *failIdx, unsigned long long flags, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(RT_CALL(cuMemcpy3DBatchAsync, numOps, (CUDA_MEMCPY3D_BATCH_OP *)opList,
                             failIdx, flags, stream));
}

cudaError_t cudaMemcpyBatchAsync_v2(void *const *dsts, const void *const *srcs, const size_t *sizes,
                                    size_t count, struct cudaMemcpyAttributes *attrs,
                                    size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(RT_CALL(cuMemcpyBatchAsync_v2, (CUdeviceptr *)dsts, (CUdeviceptr *)srcs,
                             (size_t *)sizes, count, (CUmemcpyAttributes *)attrs, attrsIdxs,
                             numAttrs, stream));
}

cudaError_t cudaMemcpy3DBatchAsync_v2(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                      unsigned long long flags, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(
        RT_CALL(cuMemcpy3DBatchAsync_v2, numOps, (CUDA_MEMCPY3D_BATCH_OP *)opList, flags, stream));
}

cudaError_t cudaMemcpyWithAttributesAsync(void *dst, const void *src, size_t size,
                                          struct cudaMemcpyAttributes *attr, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(RT_CALL(cuMemcpyWithAttributesAsync, (CUdeviceptr)dst, (CUdeviceptr)src, size,
                             (CUmemcpyAttributes *)attr, stream));
}

cudaError_t cudaMemcpy3DWithAttributesAsync(struct cudaMemcpy3DBatchOp *op,
                                            unsigned long long flags, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(
        RT_CALL(cuMemcpy3DWithAttributesAsync, (CUDA_MEMCPY3D_BATCH_OP *)op, flags, stream));
}
