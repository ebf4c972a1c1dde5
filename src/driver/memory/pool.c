// Stream-ordered allocation and its pools (guide, chapter 15). The device's pools do the work; here
// are arguments, handles, access rights, and the freeing in a stream of memory that is no pool's.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "device/memory/rights.h"
#include "driver/context/device_rights.h"
#include "driver/graph/capture.h"
#include "driver/graph/graph_memory.h"
#include "driver/leaks.h"
#include "driver/memory/numa.h"
#include "driver/memory/virtual_memory.h"

enum { HANDLES = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC };

struct drv_pool {
    struct drv_object object;
    struct drv_device *device; // of host memory too: whose address space it is
    struct kd_pool *p;
    CUmemLocation location;
    CUmemAllocationHandleType handle_types;
    bool imported, is_default, managed;
    uint64_t readable; // by devices other than the pool's own, one bit each
};

// Allocations whose freeing is in a stream: a second one is an error.
struct pending {
    uint64_t ptr, id;
    struct pending *next;
};
static struct pending *pending; // under the lock

static void pool_release(struct drv_object *o) {
    struct drv_pool *p = (struct drv_pool *)o;
    kd_pool_free(p->p);
    free(p);
}

// The device's current pool.
static struct drv_pool *pool_current(struct drv_device *d) {
    struct drv_pool *p = drv_object_find(d->pool, DRV_POOL);
    return p ? p : d->default_pool;
}

void drv_pool_enforce(struct drv_pool *p) {
    if (p->managed || p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return;
    kd_pool_set_rights(p->p, drv_device_indices(p->readable | 1ull << p->device->ordinal),
                       drv_device_indices(~0ull));
}

static CUresult pool_add(struct drv_pool *p, struct drv_pool **out) {
    if (!drv_object_add(&p->object, DRV_POOL, NULL, pool_release)) {
        pool_release(&p->object);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a memory pool");
    }
    kd_pool_set_owner(p->p, p->object.handle);
    *out = p;
    return CUDA_SUCCESS;
}

static CUresult pool_make(struct drv_device *device, const struct kd_pool_options *options,
                          struct drv_pool **out) {
    struct drv_pool *p = calloc(1, sizeof *p);
    REQUIRE(p, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a memory pool");
    CUresult result = drv_status(kd_pool_new(device->d, options, &p->p), NULL);
    if (result != CUDA_SUCCESS) {
        free(p);
        return result;
    }
    p->device = device;
    p->location = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, device->ordinal};
    p->managed = options->managed;
    return pool_add(p, out);
}

struct drv_pool *drv_pool_new(struct drv_device *device) {
    struct drv_pool *p = NULL;
    pool_make(device, &(struct kd_pool_options){0}, &p);
    if (p) {
        drv_object_keep(&p->object);
        p->is_default = true;
    }
    device->pool = p ? p->object.handle : NULL;
    return p;
}

static CUresult pool_find(CUmemoryPool handle, struct drv_pool **out) {
    *out = drv_object_find(handle, DRV_POOL);
    REQUIRE(*out, CUDA_ERROR_INVALID_VALUE, "%p is no memory pool, or one that was destroyed",
            (void *)handle);
    return CUDA_SUCCESS;
}

CUmemoryPool drv_pool_of(const struct kd_memory *m) {
    return m->flags & DRV_MEMORY_POOL ? kd_pool_owner(m->base) : NULL;
}

bool drv_pool_access(const struct kd_memory *m, bool write) {
    CUmemoryPool handle = drv_device_count() > 1 ? kd_pool_owner(m->base) : NULL;
    struct drv_pool *p = handle ? drv_object_find(handle, DRV_POOL) : NULL;
    if (!p || p->managed || p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return true;
    return (p->readable | 1ull << p->device->ordinal) & drv_working_devices(write);
}

uint64_t drv_pool_handle_types(const struct kd_memory *m) {
    CUmemoryPool handle = drv_pool_of(m);
    struct drv_pool *p = handle ? drv_object_find(handle, DRV_POOL) : NULL;
    return p ? (uint64_t)p->handle_types : CU_MEM_HANDLE_TYPE_NONE;
}

// ---- Allocation ---------------------------------------------------------------------------

// The address is that of each run of the graph.
static CUresult capture_allocation(struct kd_queue *q, struct drv_pool *pool, size_t size,
                                   CUdeviceptr *dptr) {
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
    params.alloc.poolProps.allocType =
        pool->managed ? CU_MEM_ALLOCATION_TYPE_MANAGED : CU_MEM_ALLOCATION_TYPE_PINNED;
    params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.alloc.poolProps.location.id = pool->device->ordinal;
    params.alloc.bytesize = size;
    TRY(drv_capture_add(q, &params, NULL));
    *dptr = params.alloc.dptr;
    return CUDA_SUCCESS;
}

static CUresult capture_free(struct kd_queue *q, CUdeviceptr dptr) {
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = {dptr}};
    return drv_capture_add(q, &params, NULL);
}

// Nothing is what 0 bytes get; where they are captured, no node is made.
static CUresult allocate(CUdeviceptr *dptr, size_t size, struct drv_pool *pool, CUstream stream) {
    REQUIRE_POINTER(dptr);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(stream, &q, &ctx));
    if (!pool)
        pool = pool_current(ctx->device);
    bool captured;
    TRY(drv_capture_enter(q, ctx, &captured));
    if (captured && size)
        return capture_allocation(q, pool, size, dptr);
    uint64_t ptr = 0;
    if (size)
        TRY(drv_status(kd_pool_alloc(pool->p, q, size, DRV_MEMORY_POOL, &ptr), ctx));
    drv_leaks_memory(ptr);
    *dptr = ptr;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
    ENTER();
    return allocate(dptr, bytesize, NULL, hStream);
}

// Not from an imported pool.
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                 CUstream hStream) {
    ENTER();
    struct drv_pool *p;
    TRY(pool_find(pool, &p));
    return allocate(dptr, bytesize, p, hStream);
}

// Under the lock.
static void take_out(const struct pending *p) {
    struct pending **at = &pending;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
}

// Under the lock.
static bool is_pending(uint64_t ptr, uint64_t id) {
    const struct pending *p = pending;
    while (p && !(p->ptr == ptr && p->id == id))
        p = p->next;
    return p != NULL;
}

static void free_now(void *arg, enum kd_status status) {
    struct pending *p = arg;
    struct kd_memory m;
    bool there = kd_memory_find(p->ptr, &m) && kd_memory_retire(p->ptr, p->id, false);
    drv_lock();
    take_out(p);
    drv_unlock();
    if (there) { // another thread may have freed it at once meanwhile
        drv_managed_forget(m.base, m.size);
        kd_memory_release(p->ptr);
    }
    free(p);
}

// Memory that is no pool's: of cuMemAlloc, or imported from a pool of another process.
static CUresult free_later(CUdeviceptr dptr, struct kd_queue *q, struct drv_context *ctx) {
    struct kd_memory m;
    REQUIRE(dptr && kd_memory_find(dptr, &m) && m.base == dptr &&
                (m.kind == KD_MEMORY_DEVICE || m.kind == KD_MEMORY_MANAGED) &&
                !(m.flags & (DRV_MEMORY_MAPPED | DRV_MEMORY_IPC | DRV_MEMORY_ARRAY |
                             DRV_MEMORY_GRAPHICS | DRV_MEMORY_GRAPH)),
            CUDA_ERROR_INVALID_VALUE, "%#llx is not what an allocation of device memory returned",
            dptr);
    struct pending *p = malloc(sizeof *p);
    REQUIRE(p, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a note");
    drv_lock();
    bool twice = is_pending(dptr, m.id);
    if (!twice) {
        *p = (struct pending){dptr, m.id, pending};
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
        take_out(p);
        drv_unlock();
        free(p);
    }
    return result;
}

// Memory of cuMemAlloc can be freed in a stream too.
CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    bool captured;
    TRY(drv_capture_enter(q, ctx, &captured));
    if (captured)
        return capture_free(q, dptr);
    bool found;
    TRY(drv_graph_memory_release(dptr, q, &found));
    if (found)
        return CUDA_SUCCESS;
    struct kd_memory m;
    bool managed = kd_memory_find(dptr, &m) && m.base == dptr && m.kind == KD_MEMORY_MANAGED;
    enum kd_status status = kd_pool_give(dptr, q);
    if (managed && status == KD_OK)
        drv_managed_forget(m.base, m.size);
    return status == KD_NOT_FOUND ? free_later(dptr, q, ctx) : drv_status(status, ctx);
}

// ---- Creation and end ---------------------------------------------------------------------

// What allocation properties and those of pools have in common; *device is whose memory it is.
static CUresult check_properties(const CUmemPoolProps *props, struct drv_device **device) {
    bool managed = props->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
    REQUIRE(managed || props->allocType == CU_MEM_ALLOCATION_TYPE_PINNED, CUDA_ERROR_INVALID_VALUE,
            "%d is no type of allocations", (int)props->allocType);
    REQUIRE(!managed || props->handleTypes == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_INVALID_VALUE,
            "pools of managed memory cannot be exported");
    REQUIRE(!((int)props->handleTypes & ~15), CUDA_ERROR_INVALID_VALUE, "%d is no type of handle",
            (int)props->handleTypes);
    REQUIRE(!((int)props->handleTypes & ~HANDLES), CUDA_ERROR_NOT_SUPPORTED,
            "pools can be exported as POSIX file descriptors and fabric handles alone");
    REQUIRE(!props->usage, CUDA_ERROR_NOT_SUPPORTED, "the device has no decompression engine");
    if (props->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        return drv_device_find(props->location.id, device);
    if (managed && props->location.type == CU_MEM_LOCATION_TYPE_NONE)
        return drv_device_find(0, device);
    REQUIRE(drv_location_is_host(&props->location), CUDA_ERROR_INVALID_VALUE,
            "a pool lies on a device or a NUMA node of the host");
    TRY(drv_check_numa(&props->location));
    return drv_device_find(0, device);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
    ENTER();
    REQUIRE_POINTER(pool);
    REQUIRE_POINTER(poolProps);
    struct drv_device *d;
    struct drv_pool *p;
    TRY(check_properties(poolProps, &d));
    struct kd_pool_options options = {
        .max_size = poolProps->maxSize,
        .shareable = poolProps->handleTypes != CU_MEM_HANDLE_TYPE_NONE,
        .managed = poolProps->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED,
    };
    options.host = !options.managed && poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE;
    TRY(pool_make(d, &options, &p));
    p->location = poolProps->location;
    p->handle_types = poolProps->handleTypes;
    drv_pool_enforce(p);
    *pool = p->object.handle;
    return CUDA_SUCCESS;
}

// Returns at once; the memory goes back when the last allocation of the pool has been freed. A
// device whose current pool it is gets its default pool again.
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
    ENTER();
    struct drv_pool *p;
    TRY(pool_find(pool, &p));
    REQUIRE(!p->is_default, CUDA_ERROR_INVALID_VALUE, "a default pool cannot be destroyed");
    REQUIRE(drv_object_destroy(&p->object), CUDA_ERROR_INVALID_VALUE,
            "%p was destroyed by another thread", (void *)pool);
    return CUDA_SUCCESS;
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
    *pool = pool_current(d)->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
    ENTER();
    struct drv_device *d;
    struct drv_pool *p;
    TRY(drv_device_find(dev, &d));
    TRY(pool_find(pool, &p));
    REQUIRE(!p->managed, CUDA_ERROR_INVALID_VALUE,
            "a pool of managed memory is made current by cuMemSetMemPool");
    bool of_host = p->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA; // guide 26.2.2.2
    REQUIRE(of_host || (p->location.type == CU_MEM_LOCATION_TYPE_DEVICE && p->device == d),
            CUDA_ERROR_INVALID_VALUE, "the pool is neither of this device nor of a host's node");
    REQUIRE(!p->imported, CUDA_ERROR_INVALID_VALUE,
            "nothing can be allocated from an imported pool");
    d->pool = pool;
    return CUDA_SUCCESS;
}

// Gives back memory that nothing uses until minBytesToKeep are left.
// ---- Pools by location --------------------------------------------------------------------

// What is no device's pinned memory has slots: the host without a node, its nodes, the devices, and
// memory that prefers no place; the last two for managed memory alone. The default pools are made
// when they are first asked for, and stay.
enum { NODES = 64, DEVICES_AT = 1 + NODES, NOWHERE = DEVICES_AT + DRV_MAX_DEVICES, SLOTS };
static struct drv_pool *defaults[2][SLOTS]; // of pinned and of managed memory; under places_lock
static CUmemoryPool currents[2][SLOTS];     // NULL: the default one
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;

struct place {
    CUmemLocation location; // without "the current node"
    bool managed, is_device;
    int slot; // unless is_device
};

static CUresult find_place(const CUmemLocation *location, CUmemAllocationType type,
                           struct place *out) {
    REQUIRE_POINTER(location);
    REQUIRE(type == CU_MEM_ALLOCATION_TYPE_PINNED || type == CU_MEM_ALLOCATION_TYPE_MANAGED,
            CUDA_ERROR_INVALID_VALUE, "%d is no type of allocations", (int)type);
    *out = (struct place){*location, .managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED};
    CUmemLocation *l = &out->location;
    if (l->type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
        *l = (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST_NUMA, drv_current_node()};
    if (l->type == CU_MEM_LOCATION_TYPE_DEVICE) {
        struct drv_device *d;
        TRY(drv_device_find(l->id, &d));
        out->is_device = !out->managed;
        out->slot = DEVICES_AT + l->id;
        return CUDA_SUCCESS;
    }
    if (out->managed && l->type == CU_MEM_LOCATION_TYPE_NONE) {
        out->slot = NOWHERE;
        return CUDA_SUCCESS;
    }
    REQUIRE(drv_location_is_host(l), CUDA_ERROR_INVALID_VALUE,
            "a pool lies on a device or a NUMA node of the host");
    TRY(drv_check_numa(l));
    out->slot = l->type == CU_MEM_LOCATION_TYPE_HOST ? 0 : l->id + 1;
    REQUIRE(out->slot <= NODES, CUDA_ERROR_NOT_SUPPORTED, "pools of %d nodes are kept", NODES);
    return CUDA_SUCCESS;
}

static CUresult place_default(const struct place *at, struct drv_pool **out) {
    struct drv_device *d;
    CUresult result = CUDA_SUCCESS;
    TRY(drv_device_find(at->slot >= DEVICES_AT && at->slot < NOWHERE ? at->location.id : 0, &d));
    pthread_mutex_lock(&places_lock);
    struct drv_pool *p = defaults[at->managed][at->slot];
    if (!p) {
        struct kd_pool_options options = {.host = !at->managed, .managed = at->managed};
        result = pool_make(d, &options, &p);
        if (result == CUDA_SUCCESS) {
            drv_object_keep(&p->object);
            p->location = at->location;
            p->is_default = true;
            defaults[at->managed][at->slot] = p;
        }
    }
    pthread_mutex_unlock(&places_lock);
    *out = p;
    return result;
}

// The pool that belongs to a location from the beginning.
CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location,
                                CUmemAllocationType type) {
    ENTER();
    REQUIRE_POINTER(pool_out);
    struct place at;
    TRY(find_place(location, type, &at));
    if (at.is_device)
        return cuDeviceGetDefaultMemPool(pool_out, at.location.id);
    struct drv_pool *p;
    TRY(place_default(&at, &p));
    *pool_out = p->object.handle;
    return CUDA_SUCCESS;
}

// A location's current pool: the one that was set last and exists, or the default one.
CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
    ENTER();
    REQUIRE_POINTER(pool);
    struct place at;
    TRY(find_place(location, type, &at));
    if (at.is_device)
        return cuDeviceGetMemPool(pool, at.location.id);
    pthread_mutex_lock(&places_lock);
    CUmemoryPool handle = currents[at.managed][at.slot];
    pthread_mutex_unlock(&places_lock);
    struct drv_pool *p = handle ? drv_object_find(handle, DRV_POOL) : NULL;
    if (!p)
        TRY(place_default(&at, &p));
    *pool = p->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
    ENTER();
    struct place at;
    struct drv_pool *p;
    TRY(find_place(location, type, &at));
    if (at.is_device)
        return cuDeviceSetMemPool(at.location.id, pool);
    TRY(pool_find(pool, &p));
    bool numbered = at.slot && at.slot < NOWHERE;
    REQUIRE(p->managed == at.managed && p->location.type == at.location.type &&
                (!numbered || p->location.id == at.location.id),
            CUDA_ERROR_INVALID_VALUE, "the pool is not of this location and kind of memory");
    REQUIRE(!p->imported, CUDA_ERROR_INVALID_VALUE,
            "nothing can be allocated from an imported pool");
    pthread_mutex_lock(&places_lock);
    currents[at.managed][at.slot] = pool;
    pthread_mutex_unlock(&places_lock);
    return CUDA_SUCCESS;
}

// ---- Attributes ---------------------------------------------------------------------------

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
    ENTER();
    struct drv_pool *p;
    TRY(pool_find(pool, &p));
    kd_pool_trim(p->p, minBytesToKeep);
    return CUDA_SUCCESS;
}

static enum kd_reuse reuse_of(CUmemPool_attribute attr) {
    switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
        return KD_REUSE_EVENTS;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
        return KD_REUSE_OPPORTUNISTIC;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        return KD_REUSE_INTERNAL;
    default:
        return KD_REUSES;
    }
}

// Reuse policies are int, the others cuuint64_t.
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    ENTER();
    REQUIRE_POINTER(value);
    struct drv_pool *p;
    TRY(pool_find(pool, &p));
    struct kd_pool_state state = kd_pool_state(p->p);
    if (reuse_of(attr) != KD_REUSES) {
        *(int *)value = state.reuse[reuse_of(attr)];
        return CUDA_SUCCESS;
    }
    cuuint64_t *out = value;
    switch (attr) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *out = state.threshold;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        *out = state.reserved;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        *out = state.reserved_high;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *out = state.used;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *out = state.used_high;
        return CUDA_SUCCESS;
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of a memory pool", (int)attr);
    }
}

// High-water marks can only be set to 0, which makes them the current values.
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    ENTER();
    REQUIRE_POINTER(value);
    struct drv_pool *p;
    TRY(pool_find(pool, &p));
    if (reuse_of(attr) != KD_REUSES) {
        kd_pool_set_reuse(p->p, reuse_of(attr), *(int *)value != 0);
        return CUDA_SUCCESS;
    }
    switch (attr) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        kd_pool_set_threshold(p->p, *(cuuint64_t *)value);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        REQUIRE(*(cuuint64_t *)value == 0, CUDA_ERROR_INVALID_VALUE,
                "a high-water mark can only be set to 0");
        kd_pool_reset_high(p->p, attr == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
                           attr == CU_MEMPOOL_ATTR_USED_MEM_HIGH);
        return CUDA_SUCCESS;
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "attribute %d of a memory pool cannot be set", (int)attr);
    }
}

// ---- Access -------------------------------------------------------------------------------

static CUresult check_access(const struct drv_pool *p, const CUmemAccessDesc *desc) {
    struct drv_device *d;
    REQUIRE(desc->location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED,
            "access to a pool is given to devices");
    TRY(drv_device_find(desc->location.id, &d));
    REQUIRE(desc->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
            CUDA_ERROR_NOT_SUPPORTED, "access to a pool is none, or reading and writing");
    REQUIRE(desc->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                p->location.type != CU_MEM_LOCATION_TYPE_DEVICE || d != p->device,
            CUDA_ERROR_INVALID_DEVICE, "a device always has access to its own pool");
    return CUDA_SUCCESS;
}

// A kernel on a device without access faults where it touches the pool's memory (device/memory/
// rights.h), and copies and sets of such a device are refused. Pools of managed memory are
// everybody's; those of the host's memory keep rights that nothing enforces. An imported pool has
// rights of its own, at first its device's alone.
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
    ENTER();
    REQUIRE(map || !count, CUDA_ERROR_INVALID_VALUE, "map cannot be NULL");
    struct drv_pool *p;
    TRY(pool_find(pool, &p));
    for (size_t i = 0; i < count; i++)
        TRY(check_access(p, &map[i]));
    drv_lock();
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = 1ull << map[i].location.id;
        if (map[i].flags)
            p->readable |= bit;
        else
            p->readable &= ~bit;
    }
    drv_pool_enforce(p);
    drv_unlock();
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
                            CUmemLocation *location) {
    ENTER();
    REQUIRE_POINTER(flags);
    REQUIRE_POINTER(location);
    struct drv_pool *p;
    struct drv_device *d;
    TRY(pool_find(memPool, &p));
    bool of_device = p->location.type == CU_MEM_LOCATION_TYPE_DEVICE, allowed;
    if (drv_location_is_host(location)) {
        allowed = p->managed || !of_device;
    } else {
        // An H200's driver 580 calls a device that is not there an invalid value here.
        REQUIRE(location->type == CU_MEM_LOCATION_TYPE_DEVICE &&
                    drv_device_find(location->id, &d) == CUDA_SUCCESS,
                CUDA_ERROR_INVALID_VALUE, "access to a pool is that of devices and of the host");
        allowed = p->managed || (of_device && d == p->device) || p->readable >> d->ordinal & 1;
    }
    *flags = allowed ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

// ---- Between processes --------------------------------------------------------------------

// handle_out: where an int goes, the descriptor, which the caller closes, or a CUmemFabricHandle.
CUresult cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
                                          CUmemAllocationHandleType handleType,
                                          unsigned long long flags) {
    ENTER();
    REQUIRE_POINTER(handle_out);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    struct drv_pool *p;
    TRY(pool_find(pool, &p));
    bool fabric = handleType == CU_MEM_HANDLE_TYPE_FABRIC;
    REQUIRE((fabric || handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) &&
                p->handle_types & handleType && !p->imported,
            CUDA_ERROR_INVALID_VALUE, "the pool was not created for handles of type %d",
            (int)handleType);
    if (fabric) {
        struct kd_physical_handle h;
        _Static_assert(sizeof h <= sizeof(CUmemFabricHandle), "fits");
        kd_pool_describe(p->p, &h);
        memset(handle_out, 0, sizeof(CUmemFabricHandle));
        memcpy(handle_out, &h, sizeof h);
        return CUDA_SUCCESS;
    }
    int fd = kd_pool_export(p->p);
    REQUIRE(fd >= 0, CUDA_ERROR_OPERATING_SYSTEM, "%s", kd_reason());
    *(int *)handle_out = fd;
    return CUDA_SUCCESS;
}

static CUresult import(void *handle, CUmemAllocationHandleType type, struct kd_pool **out) {
    if (type == CU_MEM_HANDLE_TYPE_FABRIC) {
        struct kd_physical_handle h;
        REQUIRE_POINTER(handle);
        memcpy(&h, handle, sizeof h);
        enum kd_status status = kd_pool_open(&h, out);
        REQUIRE(status != KD_NOT_FOUND, CUDA_ERROR_INVALID_VALUE, "%s", kd_reason());
        return drv_status(status, NULL);
    }
    REQUIRE(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, CUDA_ERROR_INVALID_VALUE,
            "pools are imported from POSIX file descriptors and fabric handles");
    REQUIRE((uintptr_t)handle <= INT_MAX, CUDA_ERROR_INVALID_VALUE, "%p is no descriptor", handle);
    return drv_status(kd_pool_import((int)(uintptr_t)handle, out), NULL);
}

// handle: the descriptor as a pointer, which stays the caller's, or where a CUmemFabricHandle is:
// CUDA_ERROR_INVALID_VALUE if its pool is gone, too. CUDA_ERROR_INVALID_DEVICE: the pool is of a
// device that this process does not see.
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
                                            CUmemAllocationHandleType handleType,
                                            unsigned long long flags) {
    ENTER();
    REQUIRE_POINTER(pool_out);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    struct drv_pool *p = calloc(1, sizeof *p);
    REQUIRE(p, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a memory pool");
    CUresult result = import(handle, handleType, &p->p);
    if (result == CUDA_SUCCESS) {
        result = drv_imported_location(kd_pool_device(p->p), &p->location, &p->device);
        if (result != CUDA_SUCCESS)
            kd_pool_free(p->p);
    }
    if (result != CUDA_SUCCESS) {
        free(p);
        return result;
    }
    p->imported = true;
    TRY(pool_add(p, &p));
    drv_pool_enforce(p);
    *pool_out = p->object.handle;
    return CUDA_SUCCESS;
}

_Static_assert(sizeof(struct kd_pool_pointer) <= sizeof(CUmemPoolPtrExportData), "fits");

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr) {
    ENTER();
    REQUIRE_POINTER(shareData_out);
    struct kd_pool_pointer data;
    TRY(drv_status(kd_pool_export_pointer(ptr, &data), NULL));
    memset(shareData_out, 0, sizeof *shareData_out);
    memcpy(shareData_out, &data, sizeof data);
    return CUDA_SUCCESS;
}

// The importing process frees the pointer before the exporting one does. No context has to be
// current, as with NVIDIA's driver: the memory is the pool's.
CUresult cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool,
                                CUmemPoolPtrExportData *shareData) {
    ENTER();
    REQUIRE_POINTER(ptr_out);
    REQUIRE_POINTER(shareData);
    struct drv_pool *p;
    struct kd_pool_pointer data;
    TRY(pool_find(pool, &p));
    memcpy(&data, shareData, sizeof data);
    uint64_t ptr;
    TRY(drv_status(kd_pool_import_pointer(p->p, DRV_MEMORY_IPC_POOL, &data, &ptr), NULL));
    *ptr_out = ptr;
    return CUDA_SUCCESS;
}
