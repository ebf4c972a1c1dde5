// Green contexts. A multiprocessor is a worker thread of the device, so that any number of them can
// be a group. A green context keeps the primary context active; the CUcontext that stands for it is
// the primary context for every call, but for the streams that are made while it is current and for
// its default stream: their work runs on as many workers at one time as it has multiprocessors.
#include "driver/context/green_context.h"

#include <stdlib.h>
#include <string.h>

#include "driver/graph/capture.h"

// What a resource holds besides the count that the caller sees, in its padding: where it comes
// from.
struct origin {
    uint32_t magic;
    int32_t device;
    uint32_t first, count; // multiprocessors
};
enum { MAGIC = 0x6b7a7372 };

struct CUdevResourceDesc_st {
    CUdevResource resource;
    struct drv_object object;
};

// ---- Resources ----------------------------------------------------------------------------

static void fill(CUdevResource *r, const struct drv_device *d, uint32_t first, uint32_t count) {
    struct origin o = {MAGIC, d->ordinal, first, count};
    memset(r, 0, sizeof *r);
    r->type = CU_DEV_RESOURCE_TYPE_SM;
    r->sm.smCount = count;
    r->sm.minSmPartitionSize = 1;
    r->sm.smCoscheduledAlignment = 1;
    memcpy(r->_internal_padding, &o, sizeof o);
}

// A resource that this library gave out.
static CUresult check(const CUdevResource *r, struct origin *o, struct drv_device **d) {
    memcpy(o, r->_internal_padding, sizeof *o);
    REQUIRE(r->type == CU_DEV_RESOURCE_TYPE_SM, CUDA_ERROR_INVALID_RESOURCE_TYPE,
            "%d is no type of resource that a device has", (int)r->type);
    REQUIRE(o->magic == MAGIC && o->count == r->sm.smCount && o->count,
            CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
            "the resource is not as the driver gave it out, or empty");
    TRY(drv_device_find(o->device, d));
    uint32_t all = (uint32_t)(*d)->properties->workers;
    REQUIRE(o->first <= all && o->count <= all - o->first,
            CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
            "the resource is not as the driver gave it out");
    return CUDA_SUCCESS;
}

static CUresult require_type(CUdevResourceType type) {
    REQUIRE(type == CU_DEV_RESOURCE_TYPE_SM, CUDA_ERROR_INVALID_RESOURCE_TYPE,
            "%d is no type of resource that a device has", (int)type);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type) {
    ENTER();
    REQUIRE_POINTER(resource);
    struct drv_device *d;
    TRY(drv_device_find(device, &d));
    TRY(require_type(type));
    fill(resource, d, 0, (uint32_t)d->properties->workers);
    return CUDA_SUCCESS;
}

static struct drv_green *of_object(struct drv_object *o) {
    return (struct drv_green *)((char *)o - offsetof(struct drv_green, object));
}

// *primary: what the green context is a part of, alive.
static CUresult find(CUgreenCtx handle, struct drv_green **out, struct drv_context **primary) {
    struct drv_object *o = drv_object_find(handle, DRV_GREEN);
    REQUIRE(o, CUDA_ERROR_INVALID_CONTEXT, "%p is no green context, or one that was destroyed",
            (void *)handle);
    *out = of_object(o);
    *primary = drv_context_active((*out)->alias.device->primary);
    return drv_green_check(*out, *primary);
}

// Of a context that is not green: all of the device.
CUresult cuCtxGetDevResource(CUcontext hCtx, CUdevResource *resource, CUdevResourceType type) {
    ENTER();
    REQUIRE_POINTER(resource);
    struct drv_context *ctx;
    TRY(drv_context_find(hCtx, &ctx));
    TRY(require_type(type));
    struct drv_green *g = drv_context_green(hCtx);
    if (g)
        *resource = g->resource;
    else
        fill(resource, ctx->device, 0, (uint32_t)ctx->device->properties->workers);
    return CUDA_SUCCESS;
}

// Of the green context that the stream was made in, or of the device.
CUresult cuStreamGetDevResource(CUstream hStream, CUdevResource *resource, CUdevResourceType type) {
    ENTER();
    REQUIRE_POINTER(resource);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    TRY(require_type(type));
    CUgreenCtx handle = drv_stream_green(hStream, q);
    if (!handle) {
        fill(resource, ctx->device, 0, (uint32_t)ctx->device->properties->workers);
        return CUDA_SUCCESS;
    }
    struct drv_green *g;
    struct drv_context *primary;
    TRY(find(handle, &g, &primary));
    *resource = g->resource;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource *resource,
                                  CUdevResourceType type) {
    ENTER();
    REQUIRE_POINTER(resource);
    struct drv_green *g;
    struct drv_context *primary;
    TRY(find(hCtx, &g, &primary));
    TRY(require_type(type));
    *resource = g->resource;
    return CUDA_SUCCESS;
}

// *greenCtxId: what cuCtxGetId gives for its CUcontext, too; no other context of the process ever
// has it.
CUresult cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long *greenCtxId) {
    ENTER();
    REQUIRE_POINTER(greenCtxId);
    struct drv_green *g;
    struct drv_context *primary;
    TRY(find(greenCtx, &g, &primary));
    *greenCtxId = g->id;
    return CUDA_SUCCESS;
}

// Groups of minCount multiprocessors each (0: one), as many as there are and *nbGroups allows; all
// others go to *remaining. With result NULL *nbGroups becomes how many there could be.
CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *nbGroups,
                                     const CUdevResource *input, CUdevResource *remaining,
                                     unsigned int useFlags, unsigned int minCount) {
    ENTER();
    REQUIRE_POINTER(nbGroups);
    REQUIRE_POINTER(input);
    const unsigned known = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING |
                           CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
    REQUIRE(!(useFlags & ~known), CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of a split",
            useFlags);
    CUdevResource from = *input; // result or remaining may be the same
    struct origin o;
    struct drv_device *d;
    TRY(check(&from, &o, &d));
    uint32_t each = minCount ? minCount : 1, n = o.count / each;
    REQUIRE(n, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
            "the resource has %u multiprocessors, %u were asked for", o.count, each);
    if (!result) {
        *nbGroups = n;
        return CUDA_SUCCESS;
    }
    REQUIRE(*nbGroups, CUDA_ERROR_INVALID_VALUE, "no group was asked for");
    if (*nbGroups < n)
        n = *nbGroups;
    for (uint32_t i = 0; i < n; i++)
        fill(&result[i], d, o.first + i * each, each);
    if (remaining)
        fill(remaining, d, o.first + n * each, o.count - n * each);
    if (remaining && !remaining->sm.smCount)
        remaining->type = CU_DEV_RESOURCE_TYPE_INVALID;
    *nbGroups = n;
    return CUDA_SUCCESS;
}

// Several resources must lie side by side, as the groups of one split do. A descriptor has no
// function that destroys it: it is a handle of a few bytes that lasts as long as the process.
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *phDesc, CUdevResource *resources,
                                   unsigned int nbResources) {
    ENTER();
    REQUIRE_POINTER(phDesc);
    REQUIRE_POINTER(resources);
    REQUIRE(nbResources, CUDA_ERROR_INVALID_VALUE, "no resource was given");
    struct origin all = {0}, o;
    struct drv_device *d = NULL;
    for (unsigned i = 0; i < nbResources; i++) {
        TRY(check(&resources[i], &o, &d));
        REQUIRE(!i || (o.device == all.device && o.first == all.first + all.count),
                CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                "the resources are not neighbouring groups of one device");
        if (!i)
            all = o;
        else
            all.count += o.count;
    }
    struct CUdevResourceDesc_st *desc = calloc(1, sizeof *desc);
    REQUIRE(desc, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a descriptor");
    fill(&desc->resource, d, all.first, all.count);
    if (!drv_object_add(&desc->object, DRV_RESOURCES, NULL, NULL)) {
        free(desc);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a descriptor");
    }
    *phDesc = desc->object.handle;
    return CUDA_SUCCESS;
}

// ---- Green contexts -----------------------------------------------------------------------

CUresult drv_green_check(const struct drv_green *g, const struct drv_context *active) {
    REQUIRE(active && active->id == g->primary_id, CUDA_ERROR_CONTEXT_IS_DESTROYED,
            "the primary context of device %d, of which the green context was a part, was reset",
            g->alias.device->ordinal);
    return CUDA_SUCCESS;
}

struct drv_green *drv_green_current(void) {
    return drv_context_green(drv_top());
}

static void release_nothing(struct drv_object *o) {
    (void)o;
}

// The share's queue goes with the primary context, where that ends meanwhile.
static void green_release(struct drv_object *o) {
    CALL();
    struct drv_green *g = of_object(o);
    if (drv_context_with_id(g->primary_id)) {
        struct kd_queue *q = kd_share_default_queue(g->share);
        if (q)
            drv_capture_forget_queue(q);
    }
    kd_share_free(g->share);
    free(g);
}

// The primary context is active, as `primary`, and retained for it.
static CUresult create(struct drv_context *primary, const CUdevResource *resource,
                       struct drv_green **out) {
    struct drv_green *g = calloc(1, sizeof *g);
    REQUIRE(g, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a green context");
    g->resource = *resource;
    g->alias.device = primary->device;
    g->alias.green = g;
    g->id = drv_context_new_id();
    g->primary_id = primary->id;
    CUresult result = drv_status(kd_share_new(primary->c, resource->sm.smCount, &g->share), NULL);
    if (result != CUDA_SUCCESS) {
        free(g);
        return result;
    }
    if (!drv_object_add(&g->object, DRV_GREEN, NULL, green_release)) {
        green_release(&g->object);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a green context");
    }
    g->alias.object.parent = &g->object;
    if (!drv_object_add(&g->alias.object, DRV_CONTEXT, NULL, release_nothing)) {
        drv_object_destroy(&g->object);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a green context");
    }
    g->alias.handle = g->alias.object.handle;
    *out = g;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxCreate(CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev,
                          unsigned int flags) {
    ENTER();
    REQUIRE_POINTER(phCtx);
    REQUIRE(flags == CU_GREEN_CTX_DEFAULT_STREAM, CUDA_ERROR_INVALID_VALUE,
            "flags must be CU_GREEN_CTX_DEFAULT_STREAM, not %#x", flags);
    struct drv_object *o = drv_object_find(desc, DRV_RESOURCES);
    REQUIRE(o, CUDA_ERROR_INVALID_HANDLE, "%p is no descriptor of resources", (void *)desc);
    const CUdevResource *resource =
        &((struct CUdevResourceDesc_st *)((char *)o -
                                          offsetof(struct CUdevResourceDesc_st, object)))
             ->resource;
    struct drv_device *device;
    struct origin origin;
    TRY(drv_device_find(dev, &device));
    struct drv_device *of;
    TRY(check(resource, &origin, &of));
    REQUIRE(of == device, CUDA_ERROR_INVALID_DEVICE, "the resources are those of device %d",
            of->ordinal);
    struct drv_context *primary;
    TRY(drv_context_start(device->primary, &primary));
    struct drv_green *g;
    CUresult result = create(primary, resource, &g);
    if (result != CUDA_SUCCESS) {
        drv_context_release(device->primary);
        return result;
    }
    *phCtx = (CUgreenCtx)g->object.handle;
    return CUDA_SUCCESS;
}

// What was submitted still runs, and its streams stay until they are destroyed, or the primary
// context is.
CUresult cuGreenCtxDestroy(CUgreenCtx hCtx) {
    ENTER();
    struct drv_object *o = drv_object_take(hCtx, DRV_GREEN);
    REQUIRE(o, CUDA_ERROR_INVALID_CONTEXT, "%p is no green context, or one that was destroyed",
            (void *)hCtx);
    struct drv_green *g = of_object(o);
    drv_object_destroy(&g->alias.object);
    return drv_context_release(g->alias.device->primary);
}

CUresult cuCtxFromGreenCtx(CUcontext *pContext, CUgreenCtx hCtx) {
    ENTER();
    REQUIRE_POINTER(pContext);
    struct drv_green *g;
    struct drv_context *primary;
    TRY(find(hCtx, &g, &primary));
    *pContext = g->alias.handle;
    return CUDA_SUCCESS;
}

// ---- Streams and events -------------------------------------------------------------------

CUresult cuGreenCtxStreamCreate(CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags,
                                int priority) {
    ENTER();
    REQUIRE_POINTER(phStream);
    struct drv_green *g;
    struct drv_context *primary;
    TRY(find(greenCtx, &g, &primary));
    REQUIRE(flags == CU_STREAM_NON_BLOCKING, CUDA_ERROR_INVALID_VALUE,
            "flags must be CU_STREAM_NON_BLOCKING, not %#x", flags);
    return drv_stream_create(primary, g, phStream, flags, priority);
}

CUresult cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx *phCtx) {
    ENTER();
    REQUIRE_POINTER(phCtx);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    *phCtx = drv_stream_green(hStream, q);
    return CUDA_SUCCESS;
}

// Both are about the work of all streams of the green context.
CUresult cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent) {
    ENTER();
    struct drv_green *g;
    struct drv_context *primary;
    struct drv_event *e;
    TRY(find(hCtx, &g, &primary));
    TRY(drv_event_find(hEvent, &e));
    REQUIRE(e->object.context == primary, CUDA_ERROR_INVALID_HANDLE,
            "the event belongs to another context");
    TRY(drv_capture_refuse_context(primary));
    drv_capture_forget_event(e);
    return drv_status(kd_event_record_share(e->e, g->share), primary);
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent) {
    ENTER();
    struct drv_green *g;
    struct drv_context *primary;
    struct drv_event *e;
    TRY(find(hCtx, &g, &primary));
    TRY(drv_event_find(hEvent, &e));
    TRY(drv_capture_refuse_context(primary));
    TRY(drv_capture_refuse_event(e));
    return drv_status(kd_event_wait_on_share(g->share, e->e), primary);
}
