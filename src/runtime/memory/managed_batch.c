// Prefetches and discards of many ranges of managed memory.
#include "runtime/runtime.h"

_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation), "same layout");

cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                      struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                      size_t numPrefetchLocs, unsigned long long flags,
                                      cudaStream_t stream) {
    RT_ENTER();
    return rt_result(RT_CALL(cuMemPrefetchBatchAsync, (CUdeviceptr *)dptrs, sizes, count,
                             (CUmemLocation *)prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                             stream));
}

cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(
        RT_CALL(cuMemDiscardBatchAsync, (CUdeviceptr *)dptrs, sizes, count, flags, stream));
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                struct cudaMemLocation *prefetchLocs,
                                                size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(RT_CALL(cuMemDiscardAndPrefetchBatchAsync, (CUdeviceptr *)dptrs, sizes, count,
                             (CUmemLocation *)prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                             stream));
}
