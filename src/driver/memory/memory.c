// Device memory: allocation, freeing, what is known of a range.
#include "driver/graph/capture.h"
#include "driver/graph/graph_memory.h"
#include "driver/leaks.h"

enum { PITCH_ALIGNMENT = 512 };

CUresult drv_memory_allocate(struct drv_context *ctx, enum kd_memory_kind kind, size_t size,
                             uint32_t flags, uint64_t *out) {
    REQUIRE(size > 0, CUDA_ERROR_INVALID_VALUE, "a size of 0 cannot be allocated");
    if (!(flags & (DRV_MEMORY_POOL | DRV_MEMORY_GRAPH)))
        TRY(drv_capture_unsafe());
    enum kd_status status = kd_memory_alloc(ctx->c, kind, size, flags, out);
    if (status == KD_OUT_OF_MEMORY && drv_graph_memory_give_back())
        status = kd_memory_alloc(ctx->c, kind, size, flags, out);
    TRY(drv_status(status, ctx));
    if (!(flags & (DRV_MEMORY_ARRAY | DRV_MEMORY_GRAPHICS | DRV_MEMORY_GRAPH)))
        drv_leaks_memory(*out);
    return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
    ENTER_CONTEXT(ctx);
    uint64_t free_bytes, total_bytes;
    kd_device_memory(ctx->device->d, &free_bytes, &total_bytes);
    if (free)
        *free = free_bytes;
    if (total)
        *total = total_bytes;
    return CUDA_SUCCESS;
}

// At least 256-byte aligned.
CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(dptr);
    uint64_t ptr;
    TRY(drv_memory_allocate(ctx, KD_MEMORY_DEVICE, bytesize, 0, &ptr));
    *dptr = ptr;
    return CUDA_SUCCESS;
}

// Rows begin at multiples of 512 bytes. ElementSizeBytes is 4, 8 or 16.
CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(dptr);
    REQUIRE_POINTER(pPitch);
    REQUIRE(WidthInBytes && Height, CUDA_ERROR_INVALID_VALUE,
            "a width or height of 0 cannot be allocated");
    REQUIRE(ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16,
            CUDA_ERROR_INVALID_VALUE, "ElementSizeBytes must be 4, 8 or 16, not %u",
            ElementSizeBytes);
    size_t pitch, size;
    REQUIRE(!__builtin_add_overflow(WidthInBytes, (size_t)PITCH_ALIGNMENT - 1, &pitch) &&
                (pitch &= ~(size_t)(PITCH_ALIGNMENT - 1),
                 !__builtin_mul_overflow(pitch, Height, &size)),
            CUDA_ERROR_OUT_OF_MEMORY, "%zu rows of %zu bytes are more than there is", Height,
            WidthInBytes);
    uint64_t ptr;
    TRY(drv_memory_allocate(ctx, KD_MEMORY_DEVICE, size, 0, &ptr));
    *dptr = ptr;
    *pPitch = pitch;
    return CUDA_SUCCESS;
}

// First nobody finds the memory any more, then what was submitted for it ends.
static bool retire(const struct kd_memory *m, struct kd_context *c, enum kd_status *status) {
    if (!kd_memory_retire(m->base, m->id, m->flags & DRV_MEMORY_IPC))
        return false;
    drv_uses_wait();
    *status = c ? kd_context_wait(c) : KD_OK;
    if (!c || kd_memory_foreign(m->base))
        drv_contexts_wait();
    return true;
}

CUresult drv_memory_retire(const struct kd_memory *m) {
    struct drv_context *ctx = drv_context_of(m->context);
    enum kd_status status;
    bool owned = ctx || m->flags & DRV_MEMORY_IPC_POOL;
    REQUIRE(owned && retire(m, ctx ? ctx->c : NULL, &status), CUDA_ERROR_INVALID_VALUE,
            "%#llx is a variable, or was freed by another thread", (unsigned long long)m->base);
    return drv_status(status, ctx);
}

CUresult drv_memory_end(const struct kd_memory *m) {
    CUresult result = drv_memory_retire(m);
    if (result != CUDA_ERROR_INVALID_VALUE)
        kd_memory_release(m->base);
    return result;
}

void drv_memory_end_in(struct kd_context *c, uint64_t base) {
    struct kd_memory m;
    enum kd_status status;
    if (kd_memory_find(base, &m) && retire(&m, c, &status))
        kd_memory_release(base);
}

// Waits for the context that the memory belongs to, where it is none's (imported from a pool) for
// all. Freeing 0 does nothing.
CUresult cuMemFree_v2(CUdeviceptr dptr) {
    ENTER();
    struct kd_memory m;
    bool known = dptr && kd_memory_find(dptr, &m);
    struct drv_context *current;
    // Memory knows its context: an H200's driver 580 frees it without a current one.
    if (!known || drv_top())
        TRY(drv_context_usable(&current));
    if (!dptr)
        return CUDA_SUCCESS;
    REQUIRE(known && m.base == dptr &&
                (m.kind == KD_MEMORY_DEVICE || m.kind == KD_MEMORY_MANAGED ||
                 m.flags & DRV_MEMORY_POOL) &&
                !(m.flags &
                  (DRV_MEMORY_MAPPED | DRV_MEMORY_IPC | DRV_MEMORY_ARRAY | DRV_MEMORY_GRAPHICS)),
            CUDA_ERROR_INVALID_VALUE, "%#llx is not what an allocation of device memory returned",
            dptr);
    TRY(drv_capture_unsafe());
    if (m.flags & DRV_MEMORY_GRAPH) {
        struct drv_context *ctx = drv_context_of(m.context);
        bool found;
        if (ctx)
            TRY(drv_status(kd_context_wait(ctx->c), ctx));
        TRY(drv_graph_memory_release(dptr, NULL, &found));
        REQUIRE(found, CUDA_ERROR_INVALID_VALUE, "%#llx was freed by another thread", dptr);
        return CUDA_SUCCESS;
    }
    CUresult result = drv_memory_end(&m);
    if (result != CUDA_ERROR_INVALID_VALUE)
        drv_managed_forget(m.base, m.size);
    return result;
}

// Both results are optional. CUDA_ERROR_NOT_FOUND when no allocation contains dptr.
CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
    ENTER_CONTEXT(ctx);
    struct kd_memory m;
    REQUIRE(kd_memory_find(dptr, &m), CUDA_ERROR_NOT_FOUND, "no allocation contains %#llx", dptr);
    if (pbase)
        *pbase = m.base;
    if (psize)
        *psize = m.size;
    return CUDA_SUCCESS;
}
