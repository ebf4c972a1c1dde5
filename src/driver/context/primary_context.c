// Primary contexts: one a device, counted, shared by all users of the runtime in the process. Its
// handle stays the same for the life of the process; it is active from the first retain on.
#include "driver/driver.h"

static CUresult find_primary(CUdevice dev, struct drv_context **out) {
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    *out = d->primary;
    return CUDA_SUCCESS;
}

// Two threads may retain at once: one creates, the other waits.
CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(pctx);
    struct drv_context *primary, *ctx;
    TRY(find_primary(dev, &primary));
    TRY(drv_context_start(primary, &ctx));
    *pctx = primary->handle;
    return CUDA_SUCCESS;
}

// The last release ends the context. CUDA_ERROR_INVALID_CONTEXT when it is not retained.
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
    ENTER();
    struct drv_context *ctx;
    TRY(find_primary(dev, &ctx));
    return drv_context_release(ctx);
}

enum {
    SETTABLE = CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX |
               CU_CTX_COREDUMP_ENABLE | CU_CTX_USER_COREDUMP_ENABLE | CU_CTX_SYNC_MEMOPS
};

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
    ENTER();
    struct drv_context *ctx;
    TRY(find_primary(dev, &ctx));
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    REQUIRE(!(flags & ~(unsigned)SETTABLE) && !(schedule & (schedule - 1)),
            CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of a context", flags);
    ctx->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
    ENTER();
    REQUIRE_POINTER(flags);
    REQUIRE_POINTER(active);
    struct drv_context *ctx;
    TRY(find_primary(dev, &ctx));
    *flags = ctx->flags;
    *active = drv_context_active(ctx) != NULL;
    return CUDA_SUCCESS;
}

// Ends all that the context holds; who retained it still has to release it. The next retain makes
// it active again, without the error that it may have had.
CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
    ENTER();
    struct drv_context *primary;
    TRY(find_primary(dev, &primary));
    struct drv_context *ctx = drv_context_active(primary);
    if (ctx)
        drv_context_end(ctx);
    return CUDA_SUCCESS;
}
