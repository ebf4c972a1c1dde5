// Contexts: creation and end, what a context is set to, waiting for it.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "driver/context/green_context.h"
#include "driver/graph/capture.h"
#include "driver/graph/graph_exec.h"
#include "driver/leaks.h"
#include "support/compute_modes.h"

// Making one active takes long (address space): a lock of its own.
static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t last_id;
static struct drv_context *contexts; // all that have a context of the device, under the lock

uint64_t drv_context_new_id(void) {
    return ++last_id;
}

// ---- Creation and end ---------------------------------------------------------------------

// Nobody holds the context, nor anything that belongs to it.
static void context_release(struct drv_object *o) {
    struct drv_context *ctx = (struct drv_context *)o;
    kd_context_finish(ctx->c);
    drv_lock();
    ctx->drained = true;
    drv_unlock();
    drv_capture_forget_context(ctx);
    drv_thread_queues_forget(ctx);
    // Who found memory of the context by its address does not hold the context.
    kd_memory_retire_context(ctx->c);
    drv_uses_wait();
    if (kd_memory_retire_context(ctx->c) || drv_graphs_abroad)
        drv_contexts_wait();
    drv_lock();
    struct drv_context **at = &contexts;
    while (*at && *at != ctx)
        at = &(*at)->next;
    if (*at)
        *at = ctx->next;
    drv_unlock();
    kd_context_destroy(ctx->c);
    compute_mode_leave((unsigned)kd_device_index(ctx->device->d));
    free(ctx);
}

static struct drv_context *first_with(const struct kd_context *c, uint64_t id) {
    struct drv_context *ctx = contexts;
    while (ctx && !(c ? ctx->c == c : ctx->id == id))
        ctx = ctx->next;
    return ctx;
}

static struct drv_context *find_with(const struct kd_context *c, uint64_t id) {
    drv_lock();
    struct drv_context *ctx = first_with(c, id);
    void *handle = ctx ? ctx->object.handle : NULL;
    drv_unlock();
    ctx = drv_object_find(handle, DRV_CONTEXT);
    return ctx ? ctx : drv_object_find(handle, DRV_ACTIVE);
}

struct drv_context *drv_context_of(const struct kd_context *c) {
    return c ? find_with(c, 0) : NULL;
}

struct drv_context *drv_context_with_id(uint64_t id) {
    return find_with(NULL, id);
}

// The context with the lowest id above `last` that is not being released without work; held, or
// NULL when another thread releases it. *id: UINT64_MAX: there is none.
static struct drv_context *next_with_work(uint64_t last, uint64_t *id) {
    struct drv_context *next = NULL;
    drv_lock();
    for (struct drv_context *ctx = contexts; ctx; ctx = ctx->next)
        if (ctx->id > last && !ctx->drained && (!next || ctx->id < next->id))
            next = ctx;
    *id = next ? next->id : UINT64_MAX;
    bool held = next && drv_object_hold(&next->object);
    drv_unlock();
    return held ? next : NULL;
}

// Those that are there now, also those that have ended.
void drv_contexts_wait(void) {
    uint64_t last = 0;
    for (;;) {
        CALL();
        uint64_t id;
        struct drv_context *ctx = next_with_work(last, &id);
        if (id == UINT64_MAX)
            return;
        if (ctx) {
            kd_context_wait(ctx->c);
            last = id;
        } else {
            sched_yield(); // until its work is done
        }
    }
}

bool drv_contexts_idle(void) {
    bool idle = true;
    drv_lock();
    for (struct drv_context *ctx = contexts; ctx && idle; ctx = ctx->next)
        idle = kd_context_idle(ctx->c);
    drv_unlock();
    return idle;
}

void drv_contexts_flush(void) {
    drv_lock();
    for (struct drv_context *ctx = contexts; ctx; ctx = ctx->next)
        kd_context_flush_printf(ctx->c);
    drv_unlock();
}

static CUresult make_context(struct drv_device *device, enum drv_kind kind, unsigned flags,
                             struct drv_context **out) {
    struct drv_context *ctx = calloc(1, sizeof *ctx);
    REQUIRE(ctx, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a context");
    ctx->device = device;
    ctx->flags = flags;
    ctx->id = drv_context_new_id();
    ctx->shared_config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    CUresult result = drv_status(kd_context_new(device->d, &ctx->c), NULL);
    if (result != CUDA_SUCCESS) {
        free(ctx);
        return result;
    }
    drv_core_dump_init(&ctx->core_dump, flags);
    if (!drv_object_add(&ctx->object, kind, NULL, context_release)) {
        kd_context_destroy(ctx->c);
        free(ctx);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a context");
    }
    ctx->handle = ctx->object.handle;
    *out = ctx;
    return CUDA_SUCCESS;
}

// CUDA_ERROR_DEVICE_UNAVAILABLE where the device's compute mode allows no context (guide 6.4).
static CUresult context_new(struct drv_device *device, enum drv_kind kind, unsigned flags,
                            struct drv_context **out) {
    unsigned number = (unsigned)kd_device_index(device->d);
    REQUIRE(compute_mode_enter(number), CUDA_ERROR_DEVICE_UNAVAILABLE,
            "device %d is in a compute mode (kudzu smi -c) that allows no context: it is "
            "prohibited, or another process or context has it alone",
            device->ordinal);
    CUresult result = make_context(device, kind, flags, out);
    if (result != CUDA_SUCCESS)
        compute_mode_leave(number);
    return result;
}

// Before anybody knows its handle.
static void list(struct drv_context *ctx) {
    drv_lock();
    ctx->next = contexts;
    contexts = ctx;
    drv_unlock();
}

struct drv_context *drv_context_new_primary(struct drv_device *device) {
    struct drv_context *primary = calloc(1, sizeof *primary);
    if (!primary)
        return NULL;
    primary->device = device;
    if (!drv_object_add(&primary->object, DRV_CONTEXT, NULL, NULL)) {
        free(primary);
        return NULL;
    }
    primary->handle = primary->object.handle;
    drv_object_keep(&primary->object);
    return primary;
}

struct drv_context *drv_context_active(const struct drv_context *primary) {
    return drv_object_find(primary->active, DRV_ACTIVE);
}

// One more reference, if the context is active as `ctx` still.
static bool retain(struct drv_context *primary, const struct drv_context *ctx) {
    drv_lock();
    bool same = primary->active == ctx->object.handle && drv_object_alive(&ctx->object);
    if (same)
        primary->references++;
    drv_unlock();
    return same;
}

// Under `life`.
static CUresult activate(struct drv_context *primary, struct drv_context **out) {
    struct drv_context *ctx;
    TRY(context_new(primary->device, DRV_ACTIVE, primary->flags, &ctx));
    ctx->handle = primary->handle;
    ctx->primary = primary;
    list(ctx);
    drv_lock();
    primary->active = ctx->object.handle;
    drv_unlock();
    *out = ctx;
    return CUDA_SUCCESS;
}

static CUresult start(struct drv_context *primary, struct drv_context **out) {
    for (;;) {
        *out = drv_context_active(primary);
        if (!*out) {
            TRY(activate(primary, out));
            *out = drv_context_active(primary); // nobody ends it before it is retained: see below
        }
        if (*out && retain(primary, *out))
            return CUDA_SUCCESS;
    }
}

CUresult drv_context_start(struct drv_context *primary, struct drv_context **out) {
    pthread_mutex_lock(&life);
    CUresult result = start(primary, out);
    pthread_mutex_unlock(&life);
    return result;
}

// Ends the handles of the context and of all that it has, at once for who holds unloads off: what
// is loaded or made in a context that has ended goes with the call that did it, and is counted by
// nobody. False: another thread did it.
static bool end_handles(struct drv_context *ctx, struct drv_object **all) {
    drv_unloads_begin();
    bool first = drv_object_end(&ctx->object);
    *all = first ? drv_objects_end(ctx) : NULL;
    drv_unloads_end();
    return first;
}

// Who holds something of the context may submit more work, which the context's release waits for.
static void end(struct drv_context *ctx, struct drv_object *all) {
    drv_capture_forget_context(ctx);
    drv_thread_queues_forget(ctx);
    kd_context_finish(ctx->c);
    drv_objects_drop(all);
    drv_object_drop(&ctx->object);
}

bool drv_context_end(struct drv_context *ctx) {
    struct drv_object *all;
    drv_leaks_tell(ctx);
    if (!end_handles(ctx, &all))
        return false;
    end(ctx, all);
    return true;
}

CUresult drv_context_release(struct drv_context *primary) {
    struct drv_object *all = NULL;
    pthread_mutex_lock(&life); // nobody retains between the last release and the end
    struct drv_context *ctx = drv_context_active(primary);
    drv_lock();
    bool retained = primary->references > 0;
    bool last = retained && --primary->references == 0;
    drv_unlock();
    if (last && ctx)
        drv_leaks_tell(ctx);
    last = last && ctx && end_handles(ctx, &all); // held by the call
    pthread_mutex_unlock(&life);
    REQUIRE(retained, CUDA_ERROR_INVALID_CONTEXT,
            "the primary context of device %d is not retained", primary->device->ordinal);
    if (last)
        end(ctx, all);
    return CUDA_SUCCESS;
}

// ---- Finding ------------------------------------------------------------------------------

// What has the context's state; NULL: it has ended. What stands for a green context is the primary
// context of its device.
static struct drv_context *with_state(struct drv_context *ctx) {
    if (__builtin_expect(ctx->c != NULL, 0))
        return ctx;
    return drv_context_active(ctx->green ? ctx->device->primary : ctx);
}

struct drv_green *drv_context_green(CUcontext handle) {
    struct drv_context *ctx = drv_object_find(handle, DRV_CONTEXT);
    return ctx ? ctx->green : NULL;
}

struct drv_context *drv_context_on(CUcontext handle) {
    struct drv_context *ctx = drv_object_find(handle, DRV_CONTEXT);
    return ctx ? with_state(ctx) : NULL;
}

struct drv_context *drv_context_primary(CUcontext handle) {
    struct drv_context *ctx = drv_object_find(handle, DRV_CONTEXT);
    return ctx && !ctx->c && !ctx->green ? ctx : NULL;
}

CUresult drv_context_find(CUcontext handle, struct drv_context **out) {
    struct drv_context *ctx = drv_object_find(handle, DRV_CONTEXT);
    REQUIRE(ctx, CUDA_ERROR_INVALID_CONTEXT, "%p is no context, or one that was destroyed",
            (void *)handle);
    *out = with_state(ctx);
    if (__builtin_expect(ctx->green != NULL, 0))
        return drv_green_check(ctx->green, *out);
    REQUIRE(*out, CUDA_ERROR_CONTEXT_IS_DESTROYED, "the primary context of device %d is not active",
            ctx->device->ordinal);
    return CUDA_SUCCESS;
}

CUresult drv_context_current(struct drv_context **out) {
    CUcontext top = drv_top();
    REQUIRE(top, CUDA_ERROR_INVALID_CONTEXT, "no context is current to the calling thread");
    struct drv_context *ctx = drv_object_find(top, DRV_CONTEXT);
    *out = ctx ? with_state(ctx) : NULL;
    if (__builtin_expect(ctx && ctx->green, 0))
        return drv_green_check(ctx->green, *out);
    REQUIRE(*out, CUDA_ERROR_CONTEXT_IS_DESTROYED,
            "the context that is current to the calling thread was destroyed");
    return CUDA_SUCCESS;
}

CUresult drv_context_without_fault(struct drv_context *ctx) {
    bool fault = __builtin_expect(kd_context_fault(ctx->c, NULL), 0);
    return fault ? drv_context_fault(ctx) : CUDA_SUCCESS;
}

CUresult drv_context_usable(struct drv_context **out) {
    TRY(drv_context_current(out));
    return drv_context_without_fault(*out);
}

static CUresult create(CUcontext *pctx, unsigned flags, CUdevice dev) {
    REQUIRE_POINTER(pctx);
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    REQUIRE(!(flags & ~(unsigned)CU_CTX_FLAGS_MASK) && !(schedule & (schedule - 1)),
            CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of a context", flags);
    struct drv_device *device;
    TRY(drv_device_find(dev, &device));
    struct drv_context *ctx;
    TRY(context_new(device, DRV_CONTEXT, flags, &ctx));
    ctx->references = 1;
    list(ctx);
    CUcontext handle = ctx->handle;
    CUresult result = drv_push(handle);
    if (result != CUDA_SUCCESS) {
        drv_object_destroy(&ctx->object);
        return result;
    }
    *pctx = handle;
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

// False: another thread has destroyed it.
static bool destroy(struct drv_context *ctx) {
    if (drv_context_is_current(ctx)) {
        CUcontext popped;
        cuCtxPopCurrent_v2(&popped);
    }
    return drv_context_end(ctx);
}

// Waits for the context's work. When it is current to the calling thread it is popped; other
// threads to which it is current get CUDA_ERROR_CONTEXT_IS_DESTROYED from then on.
CUresult cuCtxDestroy_v2(CUcontext handle) {
    ENTER();
    struct drv_context *ctx;
    TRY(drv_context_find(handle, &ctx));
    REQUIRE(!ctx->primary, CUDA_ERROR_INVALID_CONTEXT,
            "a primary context is released, not destroyed");
    REQUIRE(destroy(ctx), CUDA_ERROR_INVALID_CONTEXT, "%p was destroyed by another thread",
            (void *)handle);
    return CUDA_SUCCESS;
}

CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pctx);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    drv_lock();
    (ctx->primary ? ctx->primary : ctx)->references++;
    drv_unlock();
    *pctx = ctx->handle;
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

// A primary context has its device and flags also while it is not active.
static CUresult current_or_inactive(struct drv_context **out) {
    *out = drv_context_primary(drv_top());
    return *out ? CUDA_SUCCESS : drv_context_current(out);
}

CUresult cuCtxGetDevice(CUdevice *device) {
    ENTER();
    REQUIRE_POINTER(device);
    struct drv_context *ctx;
    TRY(current_or_inactive(&ctx));
    *device = ctx->device->ordinal;
    return CUDA_SUCCESS;
}

// Without a context: of the current one.
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext handle) {
    ENTER();
    REQUIRE_POINTER(device);
    struct drv_context *ctx;
    TRY(handle ? drv_context_find(handle, &ctx) : drv_context_current(&ctx));
    *device = ctx->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags) {
    ENTER();
    REQUIRE_POINTER(flags);
    struct drv_context *ctx;
    TRY(current_or_inactive(&ctx));
    *flags = (ctx->primary ? ctx->primary : ctx)->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags) {
    ENTER_CONTEXT(ctx);
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    REQUIRE(!(flags & ~(unsigned)CU_CTX_FLAGS_MASK) && !(schedule & (schedule - 1)),
            CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of a context", flags);
    (ctx->primary ? ctx->primary : ctx)->flags = flags;
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
    REQUIRE(!handle || drv_context_on(handle), CUDA_ERROR_INVALID_CONTEXT,
            "%p is no context, or one that is not active", (void *)handle);
    TRY(given_or_current(handle, &ctx));
    *version = 3020; // of the interface that cuCtxCreate_v2 belongs to
    return CUDA_SUCCESS;
}

static CUresult synchronize(struct drv_context *ctx, struct drv_green *g) {
    TRY(drv_capture_refuse_context(ctx));
    enum kd_status status = g ? kd_share_wait(g->share) : kd_context_wait(ctx->c);
    kd_pools_settle();
    return drv_status(status, ctx);
}

CUresult cuCtxSynchronize(void) {
    ENTER_CONTEXT(ctx);
    return synchronize(ctx, drv_green_current());
}

// Without a context: as cuCtxSynchronize. It need not be current.
CUresult cuCtxSynchronize_v2(CUcontext handle) {
    ENTER();
    struct drv_context *ctx;
    if (!handle) {
        TRY(drv_context_usable(&ctx));
        return synchronize(ctx, drv_green_current());
    }
    TRY(drv_context_find(handle, &ctx));
    return synchronize(ctx, drv_context_green(handle));
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
        FAIL(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit %d cannot be set on this device", (int)limit);
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
            "device-side synchronisation does not exist");
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

// Banks have four bytes; setting them has no effect.
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
