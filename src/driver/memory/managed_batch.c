// Prefetches and discards of many ranges of managed memory. All is checked before anything is done.
// Nothing migrates, and what was discarded, which has no defined value, stays as it is.
#include "driver/graph/capture.h"
#include "driver/memory/managed.h"

// Batches do not go to the legacy default stream, nor into graphs.
static CUresult check_stream(CUstream stream, const char *what) {
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(stream, &q, &ctx));
    REQUIRE(q != kd_context_legacy_queue(ctx->c), CUDA_ERROR_INVALID_VALUE,
            "batches cannot be submitted to the legacy default stream");
    return drv_capture_refuse(q, ctx, what);
}

static CUresult check_ranges(const CUdeviceptr *ptrs, const size_t *sizes, size_t count,
                             unsigned long long flags) {
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    REQUIRE(ptrs && sizes && count, CUDA_ERROR_INVALID_VALUE,
            "dptrs and sizes cannot be NULL, nor count 0");
    for (size_t i = 0; i < count; i++)
        TRY(drv_managed_check(ptrs[i], sizes[i]));
    return CUDA_SUCCESS;
}

// locations[k] is for the ranges from first[k] on.
static CUresult check_locations(const CUmemLocation *locations, const size_t *first, size_t n,
                                size_t count) {
    REQUIRE(locations && first && n && n <= count, CUDA_ERROR_INVALID_VALUE,
            "there must be locations, %zu at most, not %zu", count, n);
    REQUIRE(first[0] == 0, CUDA_ERROR_INVALID_VALUE, "the first location must be that of range 0");
    for (size_t k = 0; k < n; k++) {
        REQUIRE(first[k] < count && (k == 0 || first[k] > first[k - 1]), CUDA_ERROR_INVALID_VALUE,
                "prefetchLocIdxs must grow, and stay below %zu", count);
        TRY(drv_managed_check_location(locations[k]));
    }
    return CUDA_SUCCESS;
}

static CUresult prefetch(const CUdeviceptr *ptrs, const size_t *sizes, size_t count,
                         const CUmemLocation *locations, const size_t *first, size_t n) {
    for (size_t i = 0, k = 0; i < count; i++) {
        if (k + 1 < n && first[k + 1] == i)
            k++;
        TRY(drv_managed_prefetch(ptrs[i], sizes[i], locations[k]));
    }
    return CUDA_SUCCESS;
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                 CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                 size_t numPrefetchLocs, unsigned long long flags,
                                 CUstream hStream) {
    ENTER();
    TRY(check_ranges(dptrs, sizes, count, flags));
    TRY(check_locations(prefetchLocs, prefetchLocIdxs, numPrefetchLocs, count));
    TRY(check_stream(hStream, "given prefetches"));
    return prefetch(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs);
}

CUresult cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                unsigned long long flags, CUstream hStream) {
    ENTER();
    TRY(check_ranges(dptrs, sizes, count, flags));
    return check_stream(hStream, "given discards");
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                           CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                           size_t numPrefetchLocs, unsigned long long flags,
                                           CUstream hStream) {
    ENTER();
    TRY(check_ranges(dptrs, sizes, count, flags));
    TRY(check_locations(prefetchLocs, prefetchLocIdxs, numPrefetchLocs, count));
    TRY(check_stream(hStream, "given discards"));
    return prefetch(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs);
}
