// Stream-ordered allocation (guide, chapter 15) from one pool a device. Memory is taken when
// cuMemAllocAsync is called and given back when the stream reaches cuMemFreeAsync.
#include <stdlib.h>

#include "driver/driver.h"

struct drv_pool {
    struct drv_object object;
    struct drv_device *device;
    int reuse[3]; // CU_MEMPOOL_ATTR_REUSE_*, from the first on
    cuuint64_t release_threshold;
    cuuint64_t used, used_high;
};

// Allocations whose freeing is in a stream: a second one is an error.
struct pending {
    uint64_t ptr;
    struct pending *next;
};
static struct pending *pending; // under the lock

static void pool_release(struct drv_object *o) {
    free(o);
}

struct drv_pool *drv_pool_new(struct drv_device *device) {
    struct drv_pool *p = calloc(1, sizeof *p);
    if (p && !drv_object_add(&p->object, DRV_POOL, NULL, pool_release)) {
        free(p);
        return NULL;
    }
    if (p) {
        p->device = device;
        p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    }
    return p;
}

static CUresult pool_find(CUmemoryPool handle, struct drv_pool **out) {
    *out = drv_object_find(handle, DRV_POOL);
    REQUIRE(*out, CUDA_ERROR_INVALID_VALUE, "%p is no memory pool", (void *)handle);
    return CUDA_SUCCESS;
}

static struct drv_pool *pool_with(const struct kd_memory *m) {
    struct drv_context *ctx = m->flags & DRV_MEMORY_POOL ? drv_context_of(m->context) : NULL;
    return ctx ? ctx->device->default_pool : NULL;
}

CUmemoryPool drv_pool_of(const struct kd_memory *m) {
    struct drv_pool *p = pool_with(m);
    return p ? p->object.handle : NULL;
}

void drv_pool_released(const struct kd_memory *m) {
    struct drv_pool *p = pool_with(m);
    drv_lock();
    if (p)
        p->used -= m->size;
    drv_unlock();
}

// ---- Allocation ---------------------------------------------------------------------------

static CUresult allocate(CUdeviceptr *dptr, size_t size, struct drv_pool *pool, CUstream stream) {
    REQUIRE_POINTER(dptr);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(stream, &q, &ctx));
    if (!pool)
        pool = ctx->device->pool;
    uint64_t ptr;
    TRY(drv_memory_allocate(ctx, KD_MEMORY_DEVICE, size, DRV_MEMORY_POOL, &ptr));
    drv_lock();
    pool->used += size;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    drv_unlock();
    *dptr = ptr;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
    ENTER();
    return allocate(dptr, bytesize, NULL, hStream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                 CUstream hStream) {
    ENTER();
    struct drv_pool *p;
    TRY(pool_find(pool, &p));
    return allocate(dptr, bytesize, p, hStream);
}

// Under the lock.
static struct pending **pending_with(uint64_t ptr) {
    struct pending **at = &pending;
    while (*at && (*at)->ptr != ptr)
        at = &(*at)->next;
    return at;
}

static void free_now(void *arg, enum kd_status status) {
    struct pending *p = arg;
    struct kd_memory m;
    if (kd_memory_find(p->ptr, &m) && m.base == p->ptr) {
        drv_managed_forget(m.base, m.size);
        if (m.flags & DRV_MEMORY_POOL)
            drv_pool_released(&m);
    }
    drv_lock();
    struct pending **at = pending_with(p->ptr);
    *at = p->next;
    drv_unlock();
    kd_memory_free(p->ptr);
    free(p);
}

// Memory of cuMemAlloc can be freed in a stream too.
CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    struct kd_memory m;
    REQUIRE(dptr && kd_memory_find(dptr, &m) && m.base == dptr &&
                (m.kind == KD_MEMORY_DEVICE || m.kind == KD_MEMORY_MANAGED),
            CUDA_ERROR_INVALID_VALUE, "%#llx is not what an allocation of device memory returned",
            dptr);
    struct pending *p = malloc(sizeof *p);
    REQUIRE(p, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a note");
    drv_lock();
    bool twice = *pending_with(dptr) != NULL;
    if (!twice) {
        *p = (struct pending){dptr, pending};
        pending = p;
    }
    drv_unlock();
    if (twice) {
        free(p);
        FAIL(CUDA_ERROR_INVALID_VALUE, "%#llx is being freed already", dptr);
    }
    CUresult result = drv_status(kd_submit_host(q, free_now, p, true), ctx);
    if (result != CUDA_SUCCESS) {
        drv_lock();
        *pending_with(dptr) = p->next;
        drv_unlock();
        free(p);
    }
    return result;
}

// ---- Pools --------------------------------------------------------------------------------

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(pool_out);
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    *pool_out = d->default_pool->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(pool);
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    *pool = d->pool->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
    ENTER();
    struct drv_device *d;
    struct drv_pool *p;
    TRY(drv_device_find(dev, &d));
    TRY(pool_find(pool, &p));
    REQUIRE(p->device == d, CUDA_ERROR_INVALID_VALUE, "the pool belongs to another device");
    d->pool = p;
    return CUDA_SUCCESS;
}

// Memory that is free goes back to the system at once: nothing is kept to trim.
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
    ENTER();
    struct drv_pool *p;
    return pool_find(pool, &p);
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    ENTER();
    REQUIRE_POINTER(value);
    struct drv_pool *p;
    TRY(pool_find(pool, &p));
    switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *)value = p->reuse[attr - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(cuuint64_t *)value = p->release_threshold;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *)value = p->used;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *)value = p->used_high;
        return CUDA_SUCCESS;
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of a memory pool", (int)attr);
}

// High-water marks can only be reset to 0. What is kept for reuse is not influenced: free memory
// goes back to the system at once.
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    ENTER();
    REQUIRE_POINTER(value);
    struct drv_pool *p;
    TRY(pool_find(pool, &p));
    switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        p->reuse[attr - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = *(int *)value != 0;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        p->release_threshold = *(cuuint64_t *)value;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        REQUIRE(*(cuuint64_t *)value == 0, CUDA_ERROR_INVALID_VALUE,
                "a high-water mark can only be set to 0");
        drv_lock();
        p->used_high = p->used;
        drv_unlock();
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        break;
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "attribute %d of a memory pool cannot be set", (int)attr);
}
