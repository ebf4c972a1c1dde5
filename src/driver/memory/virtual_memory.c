// Virtual memory management (guide, chapter 14): physical allocations, address ranges, mappings,
// access rights.
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/memory/rights.h"
#include "driver/context/device_rights.h"
#include "driver/driver.h"
#include "driver/memory/numa.h"
#include "driver/memory/virtual_memory.h"

struct mapping {
    uint64_t base, size;
    struct drv_allocation *of;
    uint64_t readable, writable; // by devices, one bit each
    bool host_readable, host_writable;
    struct mapping *next; // by address
};

struct reservation {
    uint64_t base, size;
    struct mapping *mappings;
    struct reservation *next;
};

pthread_mutex_t drv_virtual_lock = PTHREAD_MUTEX_INITIALIZER;
static struct reservation *reservations;

// ---- Allocations ----------------------------------------------------------------------------

static void allocation_release(struct drv_object *o) {
    struct drv_allocation *a = (struct drv_allocation *)o;
    if (a->multicast)
        drv_multicast_free(a->multicast);
    else
        kd_physical_free(a->p);
    free(a);
}

struct drv_allocation *drv_allocation_find(CUmemGenericAllocationHandle handle) {
    struct drv_allocation *a = drv_object_peek((void *)(uintptr_t)handle, DRV_ALLOCATION);
    return a && a->held ? a : NULL;
}

void drv_allocation_end_if_unused(struct drv_allocation *a) {
    if (!a->held && !a->mapped)
        drv_object_destroy(&a->object);
}

static CUresult no_allocation(CUmemGenericAllocationHandle handle) {
    return drv_fail(CUDA_ERROR_INVALID_VALUE,
                    "%#llx is no memory allocation, or one that was released", handle);
}

CUresult drv_allocation_add(struct kd_physical *p, struct drv_multicast *m, uint64_t size,
                            const CUmemAllocationProp *prop, CUmemGenericAllocationHandle *handle) {
    struct drv_allocation *a = calloc(1, sizeof *a);
    if (a) {
        a->p = p;
        a->multicast = m;
        a->size = size;
        a->prop = *prop;
        a->held = 1;
    }
    pthread_mutex_lock(&drv_virtual_lock);
    bool added = a && drv_object_add(&a->object, DRV_ALLOCATION, NULL, allocation_release);
    if (added)
        *handle = (uintptr_t)a->object.handle;
    pthread_mutex_unlock(&drv_virtual_lock);
    if (!added) {
        if (m)
            drv_multicast_free(m);
        else
            kd_physical_free(p);
        free(a);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for an allocation");
    }
    return CUDA_SUCCESS;
}

// *device: whose address space and memory it is.
static CUresult check_properties(const CUmemAllocationProp *prop, struct drv_device **device) {
    REQUIRE_POINTER(prop);
    REQUIRE(prop->type == CU_MEM_ALLOCATION_TYPE_PINNED, CUDA_ERROR_INVALID_VALUE,
            "the type must be CU_MEM_ALLOCATION_TYPE_PINNED");
    REQUIRE(!((int)prop->requestedHandleTypes & ~15), CUDA_ERROR_INVALID_VALUE,
            "%d is no type of handle", (int)prop->requestedHandleTypes);
    REQUIRE(!((int)prop->requestedHandleTypes &
              ~(int)(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC)),
            CUDA_ERROR_NOT_SUPPORTED,
            "memory can be exported as POSIX file descriptors and fabric handles alone");
    REQUIRE(!(prop->allocFlags.usage & CU_MEM_CREATE_USAGE_HW_DECOMPRESS), CUDA_ERROR_NOT_SUPPORTED,
            "the device has no decompression engine");
    if (prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        return drv_device_find(prop->location.id, device);
    REQUIRE(drv_location_is_host(&prop->location), CUDA_ERROR_INVALID_VALUE,
            "%d is no location of memory", (int)prop->location.type);
    TRY(drv_check_numa(&prop->location));
    return drv_device_find(0, device);
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option) {
    ENTER();
    REQUIRE_POINTER(granularity);
    struct drv_device *d;
    TRY(check_properties(prop, &d));
    REQUIRE(option == CU_MEM_ALLOC_GRANULARITY_MINIMUM ||
                option == CU_MEM_ALLOC_GRANULARITY_RECOMMENDED,
            CUDA_ERROR_INVALID_VALUE, "%d is no granularity", (int)option);
    *granularity = KD_GRANULARITY;
    return CUDA_SUCCESS;
}

// size: a multiple of the granularity. Compression that is asked for is not given.
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                     const CUmemAllocationProp *prop, unsigned long long flags) {
    ENTER();
    REQUIRE_POINTER(handle);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    struct drv_device *d;
    TRY(check_properties(prop, &d));
    REQUIRE(size && size % KD_GRANULARITY == 0, CUDA_ERROR_INVALID_VALUE,
            "a size of %zu is no multiple of the granularity, %d", size, KD_GRANULARITY);
    bool host = prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE;
    struct kd_physical *p;
    TRY(drv_status(kd_physical_new(d->d, size, host, &p), NULL));
    CUmemAllocationProp given = *prop;
    given.allocFlags.compressionType = 0;
    given.allocFlags.gpuDirectRDMACapable = 0;
    return drv_allocation_add(p, NULL, size, &given, handle);
}

// The memory goes back when nothing is mapped any more either.
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    ENTER();
    pthread_mutex_lock(&drv_virtual_lock);
    struct drv_allocation *a = drv_allocation_find(handle);
    if (a) {
        a->held--;
        drv_allocation_end_if_unused(a);
    }
    pthread_mutex_unlock(&drv_virtual_lock);
    return a ? CUDA_SUCCESS : no_allocation(handle);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                CUmemGenericAllocationHandle handle) {
    ENTER();
    REQUIRE_POINTER(prop);
    pthread_mutex_lock(&drv_virtual_lock);
    struct drv_allocation *a = drv_allocation_find(handle);
    if (a)
        *prop = a->prop;
    pthread_mutex_unlock(&drv_virtual_lock);
    return a ? CUDA_SUCCESS : no_allocation(handle);
}

// shareableHandle: where an int goes, the descriptor, which the caller closes, or a
// CUmemFabricHandle.
CUresult cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType,
                                      unsigned long long flags) {
    ENTER();
    REQUIRE_POINTER(shareableHandle);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    struct kd_physical_handle fabric;
    pthread_mutex_lock(&drv_virtual_lock);
    struct drv_allocation *a = drv_allocation_find(handle);
    bool descriptor = handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    bool right = a && (descriptor || handleType == CU_MEM_HANDLE_TYPE_FABRIC) &&
                 (a->prop.requestedHandleTypes & handleType);
    struct kd_multicast *m = right && a->multicast ? drv_multicast_device(a->multicast) : NULL;
    int fd = -1;
    if (right && descriptor)
        fd = m ? kd_multicast_export(m) : kd_physical_export(a->p);
    else if (m)
        kd_multicast_describe(m, &fabric);
    else if (right)
        kd_physical_describe(a->p, &fabric);
    pthread_mutex_unlock(&drv_virtual_lock);
    if (!a)
        return no_allocation(handle);
    REQUIRE(right, CUDA_ERROR_INVALID_VALUE, "the memory was not created for handles of type %d",
            (int)handleType);
    REQUIRE(fd >= 0 || !descriptor, CUDA_ERROR_OPERATING_SYSTEM, "%s", kd_reason());
    if (descriptor) {
        *(int *)shareableHandle = fd;
        return CUDA_SUCCESS;
    }
    _Static_assert(sizeof fabric <= sizeof(CUmemFabricHandle), "");
    memset(shareableHandle, 0, sizeof(CUmemFabricHandle));
    memcpy(shareableHandle, &fabric, sizeof fabric);
    return CUDA_SUCCESS;
}

// Either becomes not NULL.
static CUresult import(void *handle, CUmemAllocationHandleType type, struct kd_physical **p,
                       struct kd_multicast **m) {
    enum kd_status status;
    *p = NULL;
    *m = NULL;
    if (type == CU_MEM_HANDLE_TYPE_FABRIC) {
        struct kd_physical_handle fabric;
        REQUIRE_POINTER(handle);
        memcpy(&fabric, handle, sizeof fabric);
        status = kd_physical_open(&fabric, p);
        if (status == KD_NOT_FOUND)
            status = kd_multicast_open(&fabric, m);
        REQUIRE(status != KD_NOT_FOUND, CUDA_ERROR_INVALID_VALUE, "%s", kd_reason());
        return drv_status(status, NULL);
    }
    REQUIRE((uintptr_t)handle <= INT_MAX, CUDA_ERROR_INVALID_VALUE, "%p is no descriptor", handle);
    status = kd_physical_import((int)(uintptr_t)handle, p);
    if (status == KD_INVALID_VALUE && kd_multicast_import((int)(uintptr_t)handle, m) == KD_OK)
        return CUDA_SUCCESS;
    return drv_status(status, NULL);
}

CUresult drv_imported_location(const struct kd_device *d, CUmemLocation *location,
                               struct drv_device **device) {
    int ordinal = d ? drv_device_ordinal(d) : 0;
    REQUIRE(ordinal != CU_DEVICE_INVALID, CUDA_ERROR_INVALID_DEVICE,
            "the memory is of device %d, which CUDA_VISIBLE_DEVICES hides", kd_device_index(d));
    *location = d ? (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, ordinal}
                  : (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
    return drv_device_find(ordinal, device);
}

// osHandle: the descriptor as a pointer, which stays the caller's, or where a CUmemFabricHandle is:
// CUDA_ERROR_INVALID_VALUE if its memory is gone, too. Memory and multicast objects.
// CUDA_ERROR_INVALID_DEVICE: the memory is of a device that this process does not see.
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                        CUmemAllocationHandleType shHandleType) {
    ENTER();
    REQUIRE_POINTER(handle);
    REQUIRE(shHandleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
                shHandleType == CU_MEM_HANDLE_TYPE_FABRIC,
            CUDA_ERROR_NOT_SUPPORTED,
            "memory is imported from POSIX file descriptors and fabric handles");
    struct drv_device *d;
    struct kd_physical *p;
    struct kd_multicast *m;
    TRY(import(osHandle, shHandleType, &p, &m));
    if (m)
        return drv_multicast_add(m, handle);
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = shHandleType};
    CUresult result = drv_imported_location(kd_physical_device(p), &prop.location, &d);
    if (result != CUDA_SUCCESS) {
        kd_physical_free(p);
        return result;
    }
    return drv_allocation_add(p, NULL, kd_physical_size(p), &prop, handle);
}

// ---- Address ranges ---------------------------------------------------------------------------

// alignment 0: that of the granularity. Another address than `addr` when that is not free.
CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags) {
    ENTER();
    REQUIRE_POINTER(ptr);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    REQUIRE(size && size % KD_GRANULARITY == 0, CUDA_ERROR_INVALID_VALUE,
            "a size of %zu is no multiple of the granularity, %d", size, KD_GRANULARITY);
    REQUIRE(!(alignment & (alignment - 1)), CUDA_ERROR_INVALID_VALUE,
            "an alignment of %zu is no power of two", alignment);
    if (alignment < KD_GRANULARITY)
        alignment = KD_GRANULARITY;
    struct reservation *r = calloc(1, sizeof *r);
    REQUIRE(r, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the note of a range");
    CUresult result = drv_status(kd_range_reserve(size, alignment, addr, &r->base), NULL);
    if (result != CUDA_SUCCESS) {
        free(r);
        return result;
    }
    r->size = size;
    *ptr = r->base;
    pthread_mutex_lock(&drv_virtual_lock);
    r->next = reservations;
    reservations = r; // who knows its address may free it
    pthread_mutex_unlock(&drv_virtual_lock);
    return CUDA_SUCCESS;
}

// A whole range as it was reserved, in which nothing is mapped.
CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
    ENTER();
    pthread_mutex_lock(&drv_virtual_lock);
    struct reservation **at = &reservations, *r;
    while ((r = *at) && !(r->base == ptr && r->size == size))
        at = &r->next;
    bool mapped = r && r->mappings;
    if (r && !mapped)
        *at = r->next;
    pthread_mutex_unlock(&drv_virtual_lock);
    REQUIRE(r, CUDA_ERROR_INVALID_VALUE, "%#llx of %zu bytes is no range that was reserved", ptr,
            size);
    REQUIRE(!mapped, CUDA_ERROR_INVALID_VALUE, "memory is mapped in the range");
    kd_range_release(ptr, size);
    free(r);
    return CUDA_SUCCESS;
}

// Under the lock: the range that holds all of [base, base + size).
static struct reservation *reservation_at(uint64_t base, uint64_t size) {
    struct reservation *r = reservations;
    while (r && !(base >= r->base && size <= r->size && base - r->base <= r->size - size))
        r = r->next;
    return r;
}

static struct mapping *mapping_at(const struct reservation *r, uint64_t ptr) {
    struct mapping *m = r->mappings;
    while (m && !(ptr - m->base < m->size))
        m = m->next;
    return m;
}

// The first of the mappings that tile [base, base + size) exactly; NULL: they do not.
static struct mapping *tiles(uint64_t base, uint64_t size) {
    struct reservation *r = size ? reservation_at(base, size) : NULL;
    struct mapping *first = r ? mapping_at(r, base) : NULL;
    if (!first || first->base != base)
        return NULL;
    for (struct mapping *m = first; m && m->base == base; m = m->next) {
        if (m->size > size)
            return NULL;
        base += m->size;
        size -= m->size;
        if (!size)
            return first;
    }
    return NULL;
}

// ---- Mappings -----------------------------------------------------------------------------------

static CUresult map(uint64_t ptr, uint64_t size, struct drv_allocation *a) {
    struct reservation *r = reservation_at(ptr, size);
    REQUIRE(r, CUDA_ERROR_INVALID_VALUE, "%#llx of %llu bytes lies in no reserved range",
            (unsigned long long)ptr, (unsigned long long)size);
    REQUIRE(size <= a->size, CUDA_ERROR_INVALID_VALUE,
            "%llu bytes are more than the allocation has", (unsigned long long)size);
    struct mapping **at = &r->mappings;
    while (*at && (*at)->base + (*at)->size <= ptr)
        at = &(*at)->next;
    REQUIRE(!*at || (*at)->base >= ptr + size, CUDA_ERROR_INVALID_VALUE,
            "memory is mapped there already");
    struct mapping *m = calloc(1, sizeof *m);
    REQUIRE(m, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the note of a mapping");
    CUresult result =
        drv_status(a->multicast ? kd_multicast_map(drv_multicast_device(a->multicast), ptr, size)
                                : kd_range_map(a->p, ptr, size, 0, DRV_MEMORY_MAPPED),
                   NULL);
    if (result != CUDA_SUCCESS) {
        free(m);
        return result;
    }
    *m = (struct mapping){.base = ptr, .size = size, .of = a, .next = *at};
    *at = m;
    a->mapped++;
    return CUDA_SUCCESS;
}

// Nobody has access to what was just mapped: cuMemSetAccess. offset must be 0.
CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    ENTER();
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    REQUIRE(offset == 0, CUDA_ERROR_INVALID_VALUE, "offset must be 0");
    REQUIRE(size && size % KD_GRANULARITY == 0 && ptr % KD_GRANULARITY == 0,
            CUDA_ERROR_INVALID_VALUE, "address and size must be multiples of the granularity, %d",
            KD_GRANULARITY);
    pthread_mutex_lock(&drv_virtual_lock);
    struct drv_allocation *a = drv_allocation_find(handle);
    CUresult result = a ? map(ptr, size, a) : no_allocation(handle);
    pthread_mutex_unlock(&drv_virtual_lock);
    return result;
}

static void unmap(uint64_t ptr, uint64_t size) {
    struct reservation *r = reservation_at(ptr, size);
    struct mapping **at = &r->mappings;
    while ((*at)->base < ptr)
        at = &(*at)->next;
    for (struct mapping *m; (m = *at) && m->base < ptr + size;) {
        *at = m->next;
        if (m->of->multicast)
            kd_multicast_unmap(m->base);
        else
            kd_range_unmap(m->base, m->size);
        m->of->mapped--;
        drv_allocation_end_if_unused(m->of);
        free(m);
    }
}

// Whole mappings, as they were made, without gaps.
CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
    ENTER();
    pthread_mutex_lock(&drv_virtual_lock);
    bool whole = tiles(ptr, size) != NULL;
    if (whole)
        unmap(ptr, size);
    pthread_mutex_unlock(&drv_virtual_lock);
    REQUIRE(whole, CUDA_ERROR_INVALID_VALUE, "%#llx of %zu bytes is not one or more whole mappings",
            ptr, size);
    return CUDA_SUCCESS;
}

// The handle is held once more. It is the one that cuMemCreate or an import gave.
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr) {
    ENTER();
    REQUIRE_POINTER(handle);
    pthread_mutex_lock(&drv_virtual_lock);
    struct reservation *r = reservation_at((uintptr_t)addr, 1);
    struct mapping *m = r ? mapping_at(r, (uintptr_t)addr) : NULL;
    if (m) {
        m->of->held++;
        *handle = (uintptr_t)m->of->object.handle;
    }
    pthread_mutex_unlock(&drv_virtual_lock);
    REQUIRE(m, CUDA_ERROR_INVALID_VALUE, "nothing is mapped at %p", addr);
    return CUDA_SUCCESS;
}

// ---- Access -------------------------------------------------------------------------------------

static CUresult check_access(const CUmemAccessDesc *desc) {
    struct drv_device *d;
    REQUIRE(desc->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
            CUDA_ERROR_INVALID_VALUE, "%d are no access rights", (int)desc->flags);
    if (desc->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        return drv_device_find(desc->location.id, &d);
    REQUIRE(drv_location_is_host(&desc->location), CUDA_ERROR_INVALID_VALUE,
            "%d is no location that could have access", (int)desc->location.type);
    return drv_check_numa(&desc->location);
}

static void set_rights(struct mapping *m, const CUmemAccessDesc *desc) {
    bool write = desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    bool read = desc->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    if (desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        m->host_readable = read;
        m->host_writable = write;
        return;
    }
    uint64_t bit = 1ull << desc->location.id;
    m->readable = read ? m->readable | bit : m->readable & ~bit;
    m->writable = write ? m->writable | bit : m->writable & ~bit;
}

static CUresult set_access(uint64_t ptr, uint64_t size, const CUmemAccessDesc *desc, size_t count) {
    struct mapping *m = tiles(ptr, size);
    REQUIRE(m, CUDA_ERROR_INVALID_VALUE, "%#llx of %llu bytes is not one or more whole mappings",
            (unsigned long long)ptr, (unsigned long long)size);
    for (; m && m->base < ptr + size; m = m->next) {
        for (size_t i = 0; i < count; i++)
            set_rights(m, &desc[i]);
        if (m->of->multicast) // its pages are never touched
            continue;
        TRY(drv_status(kd_rights_set(m->base, m->size, m->readable || m->host_readable,
                                     m->writable || m->host_writable,
                                     drv_device_indices(m->readable),
                                     drv_device_indices(m->writable), drv_device_indices(~0ull)),
                       NULL));
    }
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count) {
    ENTER();
    REQUIRE_POINTER(desc);
    REQUIRE(count, CUDA_ERROR_INVALID_VALUE, "count cannot be 0");
    for (size_t i = 0; i < count; i++)
        TRY(check_access(&desc[i]));
    pthread_mutex_lock(&drv_virtual_lock);
    CUresult result = set_access(ptr, size, desc, count);
    pthread_mutex_unlock(&drv_virtual_lock);
    return result;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr) {
    ENTER();
    REQUIRE_POINTER(flags);
    REQUIRE_POINTER(location);
    TRY(check_access(&(CUmemAccessDesc){*location, CU_MEM_ACCESS_FLAGS_PROT_NONE}));
    bool read = false, write = false;
    pthread_mutex_lock(&drv_virtual_lock);
    struct reservation *r = reservation_at(ptr, 1);
    struct mapping *m = r ? mapping_at(r, ptr) : NULL;
    if (m && location->type == CU_MEM_LOCATION_TYPE_DEVICE) {
        read = m->readable >> location->id & 1;
        write = m->writable >> location->id & 1;
    } else if (m) {
        read = m->host_readable;
        write = m->host_writable;
    }
    pthread_mutex_unlock(&drv_virtual_lock);
    REQUIRE(m, CUDA_ERROR_INVALID_VALUE, "nothing is mapped at %#llx", ptr);
    *flags = write  ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
             : read ? CU_MEM_ACCESS_FLAGS_PROT_READ
                    : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

// ---- For other files ---------------------------------------------------------------------------

struct drv_allocation *drv_allocation_at(uint64_t ptr, uint64_t size, uint64_t *offset) {
    struct reservation *r = reservation_at(ptr, size);
    struct mapping *m = r ? mapping_at(r, ptr) : NULL;
    if (!m || m->of->multicast || size > m->size - (ptr - m->base))
        return NULL;
    *offset = ptr - m->base;
    return m->of;
}

static _Thread_local const struct drv_context *reader, *writer;

void drv_work_for(const struct drv_context *to, const struct drv_context *from) {
    writer = to;
    reader = from;
}

uint64_t drv_working_devices(bool write) {
    const struct drv_context *ctx = write ? writer : reader;
    if (!ctx)
        ctx = drv_object_find(drv_top(), DRV_CONTEXT);
    return ctx ? 1ull << ctx->device->ordinal : ~0ull;
}

bool drv_mapped_access(uint64_t ptr, uint64_t size, bool write, bool host) {
    bool ok = false;
    uint64_t devices = drv_working_devices(write);
    pthread_mutex_lock(&drv_virtual_lock);
    struct reservation *r = reservation_at(ptr, size);
    struct mapping *m = r ? mapping_at(r, ptr) : NULL;
    for (uint64_t end = ptr + size; m && ptr - m->base < m->size; m = m->next) {
        bool by_host = host && (write ? m->host_writable : m->host_readable);
        bool by_device = (write ? m->writable : m->readable) & devices;
        if (m->of->multicast || !(by_host || by_device))
            break;
        ptr = m->base + m->size;
        if ((ok = ptr >= end))
            break;
    }
    pthread_mutex_unlock(&drv_virtual_lock);
    return ok;
}

bool drv_reserved_range(uint64_t ptr, uint64_t *base, uint64_t *size) {
    pthread_mutex_lock(&drv_virtual_lock);
    struct reservation *r = reservation_at(ptr, 1);
    if (r) {
        *base = r->base;
        *size = r->size;
    }
    pthread_mutex_unlock(&drv_virtual_lock);
    return r != NULL;
}

CUmemAllocationHandleType drv_mapped_handle_types(uint64_t ptr) {
    pthread_mutex_lock(&drv_virtual_lock);
    struct reservation *r = reservation_at(ptr, 1);
    struct mapping *m = r ? mapping_at(r, ptr) : NULL;
    CUmemAllocationHandleType types =
        m ? m->of->prop.requestedHandleTypes : CU_MEM_HANDLE_TYPE_NONE;
    pthread_mutex_unlock(&drv_virtual_lock);
    return types;
}
