// Contexts: creation and end, what a context is set to, waiting for it.
#include <pthread.h>
#include <stdlib.h>

#include "driver/capture.h"
#include "driver/green_context.h"

// Starting and stopping take long (address space, waiting for work): a lock of their own.
static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t last_id;

uint64_t drv_context_new_id(void) {
    return ++last_id;
}
static struct drv_context *contexts; // all, under the lock

static void context_release(struct drv_object *o) {
    struct drv_context *ctx = (struct drv_context *)o;
    drv_lock();
    struct drv_context **at = &contexts;
    while (*at != ctx)
        at = &(*at)->next;
    *at = ctx->next;
    drv_unlock();
    free(ctx);
}

struct drv_context *drv_context_of(const struct kd_context *c) {
    if (!c)
        return NULL;
    drv_lock();
    struct drv_context *ctx = contexts;
    while (ctx && ctx->c != c)
        ctx = ctx->next;
    drv_unlock();
    return ctx;
}

struct drv_context *drv_context_with_id(uint64_t id) {
    drv_lock();
    struct drv_context *ctx = contexts;
    while (ctx && !(ctx->c && ctx->id == id))
        ctx = ctx->next;
    drv_unlock();
    return ctx;
}

void drv_contexts_flush(void) {
    drv_lock();
    for (struct drv_context *ctx = contexts; ctx; ctx = ctx->next)
        if (ctx->c)
            kd_context_flush_printf(ctx->c);
    drv_unlock();
}

static void set_defaults(struct drv_context *ctx) {
    ctx->shared_config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    ctx->peers = 0;
}

static struct drv_context *context_new(struct drv_device *device) {
    struct drv_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->device = device;
    if (!drv_object_add(&ctx->object, DRV_CONTEXT, NULL, context_release)) {
        free(ctx);
        return NULL;
    }
    drv_lock();
    ctx->next = contexts;
    contexts = ctx;
    drv_unlock();
    return ctx;
}

struct drv_context *drv_context_new_primary(struct drv_device *device) {
    struct drv_context *ctx = context_new(device);
    if (ctx)
        ctx->primary = true;
    return ctx;
}

// Makes the context active when it is not, and counts one more reference.
CUresult drv_context_start(struct drv_context *ctx) {
    pthread_mutex_lock(&life);
    CUresult result = CUDA_SUCCESS;
    struct kd_context *c = ctx->c;
    bool fresh = false;
    if (!c)
        result = drv_status(kd_context_new(ctx->device->d, &c), NULL);
    if (result == CUDA_SUCCESS) {
        drv_lock();
        if (!ctx->c) {
            set_defaults(ctx);
            fresh = true;
            ctx->id = drv_context_new_id();
            ctx->c = c;
        }
        ctx->references++;
        drv_unlock();
    }
    if (fresh)
        drv_core_dump_init(&ctx->core_dump, ctx->flags);
    pthread_mutex_unlock(&life);
    return result;
}

// The handles of what belongs to the context become invalid first, then the device waits for its
// work and frees the rest.
void drv_context_stop(struct drv_context *ctx) {
    pthread_mutex_lock(&life);
    drv_lock();
    struct kd_context *c = ctx->c;
    ctx->c = NULL;
    drv_unlock();
    if (c) {
        drv_unloads++;
        drv_objects_destroy(&ctx->children);
        drv_capture_forget_context(ctx);
        drv_thread_queues_forget(ctx);
        kd_context_destroy(c);
    }
    pthread_mutex_unlock(&life);
}

// What stands for a green context is the primary context of its device.
static CUresult of_primary(struct drv_context **ctx) {
    if (__builtin_expect(!(*ctx)->green, 1))
        return CUDA_SUCCESS;
    TRY(drv_green_alive((*ctx)->green));
    *ctx = (*ctx)->device->primary;
    return CUDA_SUCCESS;
}

struct drv_green *drv_context_green(CUcontext handle) {
    struct drv_context *ctx = drv_object_find(handle, DRV_CONTEXT);
    return ctx ? ctx->green : NULL;
}

CUresult drv_context_find(CUcontext handle, struct drv_context **out) {
    struct drv_context *ctx = drv_object_find(handle, DRV_CONTEXT);
    REQUIRE(ctx, CUDA_ERROR_INVALID_CONTEXT, "%p is no context, or one that was destroyed",
            (void *)handle);
    TRY(of_primary(&ctx));
    REQUIRE(ctx->c, CUDA_ERROR_CONTEXT_IS_DESTROYED,
            "the primary context of device %d is not active", ctx->device->ordinal);
    *out = ctx;
    return CUDA_SUCCESS;
}

CUresult drv_context_current(struct drv_context **out) {
    CUcontext top = drv_top();
    REQUIRE(top, CUDA_ERROR_INVALID_CONTEXT, "no context is current to the calling thread");
    struct drv_context *ctx = drv_object_find(top, DRV_CONTEXT);
    if (ctx)
        TRY(of_primary(&ctx));
    REQUIRE(ctx && ctx->c, CUDA_ERROR_CONTEXT_IS_DESTROYED,
            "the context that is current to the calling thread was destroyed");
    *out = ctx;
    return CUDA_SUCCESS;
}

CUresult drv_context_usable(struct drv_context **out) {
    TRY(drv_context_current(out));
    if (__builtin_expect(kd_context_fault((*out)->c, NULL), 0))
        return drv_context_fault(*out);
    return CUDA_SUCCESS;
}

static CUresult create(CUcontext *pctx, unsigned flags, CUdevice dev) {
    REQUIRE_POINTER(pctx);
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    REQUIRE(!(flags & ~(unsigned)CU_CTX_FLAGS_MASK) && !(schedule & (schedule - 1)),
            CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of a context", flags);
    struct drv_device *device;
    TRY(drv_device_find(dev, &device));
    struct drv_context *ctx = context_new(device);
    REQUIRE(ctx, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a context");
    ctx->flags = flags;
    CUresult result = drv_context_start(ctx);
    if (result == CUDA_SUCCESS)
        result = drv_push(ctx->object.handle);
    if (result != CUDA_SUCCESS) {
        drv_context_stop(ctx);
        drv_object_destroy(&ctx->object);
        return result;
    }
    *pctx = ctx->object.handle;
    return CUDA_SUCCESS;
}

// The new context is pushed on the calling thread's stack.
CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev) {
    ENTER();
    return create(pctx, flags, dev);
}

CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                        unsigned int flags, CUdevice dev) {
    ENTER();
    REQUIRE(!paramsArray && !numParams, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
            "a context cannot be tied to part of a device");
    return create(pctx, flags, dev);
}

CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
                        CUdevice dev) {
    ENTER();
    if (ctxCreateParams) {
        REQUIRE(!ctxCreateParams->numExecAffinityParams, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
                "a context cannot be tied to part of a device");
        REQUIRE(!ctxCreateParams->cigParams, CUDA_ERROR_NOT_SUPPORTED,
                "there is no graphics API to share a device with");
    }
    return create(pctx, flags, dev);
}

static void destroy(struct drv_context *ctx) {
    if (drv_top() == ctx->object.handle) {
        CUcontext popped;
        cuCtxPopCurrent_v2(&popped);
    }
    drv_context_stop(ctx);
    drv_object_destroy(&ctx->object);
}

// Waits for the context's work. When it is current to the calling thread it is popped; other
// threads to which it is current get CUDA_ERROR_CONTEXT_IS_DESTROYED from then on.
CUresult cuCtxDestroy_v2(CUcontext handle) {
    ENTER();
    struct drv_context *ctx;
    TRY(drv_context_find(handle, &ctx));
    REQUIRE(!ctx->primary, CUDA_ERROR_INVALID_CONTEXT,
            "a primary context is released, not destroyed");
    destroy(ctx);
    return CUDA_SUCCESS;
}

CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pctx);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    drv_lock();
    ctx->references++;
    drv_unlock();
    *pctx = ctx->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext handle) {
    ENTER();
    struct drv_context *ctx;
    TRY(drv_context_find(handle, &ctx));
    REQUIRE(drv_context_is_current(ctx), CUDA_ERROR_INVALID_CONTEXT,
            "the context must be current to the calling thread");
    REQUIRE(!ctx->primary, CUDA_ERROR_INVALID_CONTEXT,
            "a primary context is released, not detached");
    drv_lock();
    bool last = --ctx->references == 0;
    drv_unlock();
    if (last)
        destroy(ctx);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
    ENTER();
    REQUIRE_POINTER(device);
    struct drv_context *ctx;
    TRY(drv_context_current(&ctx));
    *device = ctx->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags) {
    ENTER();
    REQUIRE_POINTER(flags);
    struct drv_context *ctx;
    TRY(drv_context_current(&ctx));
    *flags = ctx->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags) {
    ENTER_CONTEXT(ctx);
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    REQUIRE(!(flags & ~(unsigned)CU_CTX_FLAGS_MASK) && !(schedule & (schedule - 1)),
            CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of a context", flags);
    ctx->flags = flags;
    return CUDA_SUCCESS;
}

// `handle` NULL: the current context.
static CUresult given_or_current(CUcontext handle, struct drv_context **ctx) {
    return handle ? drv_context_find(handle, ctx) : drv_context_current(ctx);
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long *ctxId) {
    ENTER();
    REQUIRE_POINTER(ctxId);
    struct drv_context *ctx;
    TRY(given_or_current(handle, &ctx));
    const struct drv_green *g = handle ? drv_context_green(handle) : drv_green_current();
    *ctxId = g ? g->id : ctx->id;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned int *version) {
    ENTER();
    REQUIRE_POINTER(version);
    struct drv_context *ctx;
    TRY(given_or_current(handle, &ctx));
    *version = 3020; // of the interface that cuCtxCreate_v2 belongs to
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
    ENTER_CONTEXT(ctx);
    TRY(drv_capture_refuse_context(ctx));
    struct drv_green *g = drv_green_current();
    enum kd_status status = g ? kd_share_wait(g->share) : kd_context_wait(ctx->c);
    kd_pools_settle();
    return drv_status(status, ctx);
}

static bool device_limit(CUlimit limit, enum kd_limit *out) {
    switch (limit) {
    case CU_LIMIT_STACK_SIZE:
        *out = KD_LIMIT_STACK;
        return true;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
        *out = KD_LIMIT_PRINTF_FIFO;
        return true;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
        *out = KD_LIMIT_PENDING_LAUNCHES;
        return true;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
        *out = KD_LIMIT_MALLOC_HEAP;
        return true;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        *out = KD_LIMIT_L2_FETCH;
        return true;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
        *out = KD_LIMIT_PERSISTING_L2;
        return true;
    default:
        return false;
    }
}

static size_t largest_persisting(struct drv_context *ctx) {
    int bytes = 0;
    drv_device_attribute(ctx->device, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, &bytes);
    return (size_t)bytes;
}

// The part of the cache that is set aside is kept as a number: the machine lets nobody set it
// aside.
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    ENTER_CONTEXT(ctx);
    enum kd_limit device;
    REQUIRE(limit != CU_LIMIT_MAX_L2_FETCH_GRANULARITY || value <= 128, CUDA_ERROR_INVALID_VALUE,
            "at most 128 bytes");
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE && value > largest_persisting(ctx))
        value = largest_persisting(ctx);
    if (device_limit(limit, &device))
        return drv_status(kd_context_set_limit(ctx->c, device, value), ctx);
    switch (limit) {
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
    case CU_LIMIT_SHMEM_SIZE:
    case CU_LIMIT_CIG_ENABLED:
    case CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED:
        FAIL(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit %d cannot be set on compute capability 9.0",
             (int)limit);
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no limit", (int)limit);
    }
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pvalue);
    enum kd_limit device;
    if (device_limit(limit, &device)) {
        *pvalue = kd_context_get_limit(ctx->c, device);
        return CUDA_SUCCESS;
    }
    REQUIRE(limit >= 0 && limit < CU_LIMIT_MAX, CUDA_ERROR_INVALID_VALUE, "%d is no limit",
            (int)limit);
    REQUIRE(limit != CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, CUDA_ERROR_UNSUPPORTED_LIMIT,
            "device-side synchronisation does not exist on compute capability 9.0");
    *pvalue = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pconfig);
    *pconfig = (CUfunc_cache)kd_context_get_limit(ctx->c, KD_LIMIT_CACHE_CONFIG);
    return CUDA_SUCCESS;
}

// A preference: the machine's caches are not configured.
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    ENTER_CONTEXT(ctx);
    REQUIRE((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL, CUDA_ERROR_INVALID_VALUE,
            "%d is no cache configuration", (int)config);
    return drv_status(kd_context_set_limit(ctx->c, KD_LIMIT_CACHE_CONFIG, config), ctx);
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pConfig);
    *pConfig = ctx->shared_config;
    return CUDA_SUCCESS;
}

// Banks have four bytes on compute capability 9.0; setting them has no effect.
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    ENTER_CONTEXT(ctx);
    REQUIRE((unsigned)config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE, CUDA_ERROR_INVALID_VALUE,
            "%d is no bank size", (int)config);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    ENTER_CONTEXT(ctx);
    if (leastPriority)
        *leastPriority = ctx->device->properties->priority_least;
    if (greatestPriority)
        *greatestPriority = ctx->device->properties->priority_greatest;
    return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void) {
    ENTER_CONTEXT(ctx);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pExecAffinity);
    FAIL(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "a context cannot be tied to part of a device");
}
