// Multicast objects (guide 14.8): memory of several devices of one machine, bound to one object and
// reached by multimem instructions at the addresses where it is mapped. Not between processes.
#include <stdlib.h>

#include "driver/driver.h"
#include "driver/memory/virtual_memory.h"

// Memory that is bound.
struct bound {
    struct drv_allocation *memory;
    uint64_t window; // where the device's instructions reach it
    struct bound *next;
};

struct drv_multicast {
    struct kd_multicast *m;
    CUmulticastObjectProp prop;
    uint64_t devices; // that were added, one bit each
    struct bound *bound;
};

static pthread_cond_t device_added = PTHREAD_COND_INITIALIZER;

struct kd_multicast *drv_multicast_device(struct drv_multicast *m) {
    return m->m;
}

// ---- Objects ------------------------------------------------------------------------------------

static CUresult check_properties(const CUmulticastObjectProp *prop) {
    int devices;
    REQUIRE_POINTER(prop);
    TRY(cuDeviceGetCount(&devices));
    REQUIRE(prop->numDevices && prop->numDevices <= (unsigned)devices, CUDA_ERROR_INVALID_VALUE,
            "%u devices, where there are %d", prop->numDevices, devices);
    REQUIRE(prop->flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    REQUIRE(prop->handleTypes == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_NOT_SUPPORTED,
            "multicast objects cannot be exported to other processes");
    return CUDA_SUCCESS;
}

CUresult cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop,
                                   CUmulticastGranularity_flags option) {
    ENTER();
    REQUIRE_POINTER(granularity);
    TRY(check_properties(prop));
    REQUIRE(option == CU_MULTICAST_GRANULARITY_MINIMUM ||
                option == CU_MULTICAST_GRANULARITY_RECOMMENDED,
            CUDA_ERROR_INVALID_VALUE, "%d is no granularity", (int)option);
    *granularity = KD_GRANULARITY;
    return CUDA_SUCCESS;
}

// prop->size: a multiple of the granularity. cuMemRelease ends it.
CUresult cuMulticastCreate(CUmemGenericAllocationHandle *mcHandle,
                           const CUmulticastObjectProp *prop) {
    ENTER();
    REQUIRE_POINTER(mcHandle);
    TRY(check_properties(prop));
    REQUIRE(prop->size && prop->size % KD_GRANULARITY == 0, CUDA_ERROR_INVALID_VALUE,
            "a size of %zu is no multiple of the granularity, %d", prop->size, KD_GRANULARITY);
    struct drv_multicast *m = calloc(1, sizeof *m);
    if (m)
        m->m = kd_multicast_new();
    if (!m || !m->m) {
        free(m);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a multicast object");
    }
    m->prop = *prop;
    return drv_allocation_add(NULL, m, prop->size, &(CUmemAllocationProp){0}, mcHandle);
}

static void drop(struct drv_multicast *m, uint64_t window, uint64_t size) {
    struct bound **at = &m->bound;
    while ((*at)->window != window)
        at = &(*at)->next;
    struct bound *b = *at;
    *at = b->next;
    kd_window_close(window, size);
    b->memory->mapped--;
    drv_allocation_end_if_unused(b->memory);
    free(b);
}

// Under the lock: ends the bindings of a device within the range; false: there was none.
static bool unbind(struct drv_multicast *m, unsigned device, uint64_t offset, uint64_t size) {
    uint64_t window, bytes;
    bool any = false;
    while (kd_multicast_unbind(m->m, device, offset, size, &window, &bytes)) {
        drop(m, window, bytes);
        any = true;
    }
    return any;
}

// Called under the lock by the object's release, which the last handle or mapping brought about.
void drv_multicast_free(struct drv_multicast *m) {
    for (unsigned device = 0; device < 64; device++)
        if (m->devices >> device & 1)
            unbind(m, device, 0, m->prop.size);
    kd_multicast_free(m->m);
    free(m);
}

// Under the lock.
static CUresult find(CUmemGenericAllocationHandle handle, struct drv_allocation **out) {
    *out = drv_allocation_find(handle);
    REQUIRE(*out && (*out)->multicast, CUDA_ERROR_INVALID_VALUE, "%#llx is no multicast object",
            handle);
    return CUDA_SUCCESS;
}

static CUresult add_device(CUmemGenericAllocationHandle handle, CUdevice dev) {
    struct drv_allocation *a;
    TRY(find(handle, &a));
    struct drv_multicast *m = a->multicast;
    REQUIRE(!(m->devices >> dev & 1), CUDA_ERROR_INVALID_VALUE,
            "device %d is part of the object already", dev);
    REQUIRE((unsigned)__builtin_popcountll(m->devices) < m->prop.numDevices,
            CUDA_ERROR_INVALID_VALUE, "the object has its %u devices already", m->prop.numDevices);
    m->devices |= 1ull << dev;
    pthread_cond_broadcast(&device_added);
    return CUDA_SUCCESS;
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev) {
    ENTER();
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    pthread_mutex_lock(&drv_virtual_lock);
    CUresult result = add_device(mcHandle, dev);
    pthread_mutex_unlock(&drv_virtual_lock);
    return result;
}

// ---- Binding ------------------------------------------------------------------------------------

struct place {
    uint64_t in_object, in_memory, size;
};

static CUresult check_place(const struct place *p, unsigned long long flags) {
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    REQUIRE(p->size && (p->in_object | p->in_memory | p->size) % KD_GRANULARITY == 0,
            CUDA_ERROR_INVALID_VALUE, "offsets and size must be multiples of the granularity, %d",
            KD_GRANULARITY);
    return CUDA_SUCCESS;
}

static bool inside(uint64_t offset, uint64_t size, uint64_t whole) {
    return size <= whole && offset <= whole - size;
}

static CUresult bind(struct drv_multicast *m, uint64_t whole, struct drv_allocation *memory,
                     const struct place *p) {
    int device = memory->prop.location.id;
    uint64_t window;
    REQUIRE(memory->prop.location.type == CU_MEM_LOCATION_TYPE_DEVICE && m->devices >> device & 1,
            CUDA_ERROR_INVALID_DEVICE,
            "the memory is of no device that was added to the multicast object");
    REQUIRE(inside(p->in_object, p->size, whole) && inside(p->in_memory, p->size, memory->size),
            CUDA_ERROR_INVALID_VALUE, "the range lies outside of the object or of the memory");
    struct bound *b = malloc(sizeof *b);
    REQUIRE(b, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the note of a binding");
    CUresult result = drv_status(kd_window_open(memory->p, p->in_memory, p->size, &window), NULL);
    if (result == CUDA_SUCCESS) {
        result = drv_status(
            kd_multicast_bind(m->m, (unsigned)device, p->in_object, p->size, window), NULL);
        if (result != CUDA_SUCCESS)
            kd_window_close(window, p->size);
    }
    if (result != CUDA_SUCCESS) {
        free(b);
        return result;
    }
    *b = (struct bound){memory, window, m->bound};
    m->bound = b;
    memory->mapped++;
    return CUDA_SUCCESS;
}

// Under the lock: waits until all devices have been added, as is documented; the object stays.
static CUresult find_whole(CUmemGenericAllocationHandle handle, struct drv_allocation **out) {
    TRY(find(handle, out));
    struct drv_multicast *m = (*out)->multicast;
    (*out)->held++;
    while ((unsigned)__builtin_popcountll(m->devices) < m->prop.numDevices)
        pthread_cond_wait(&device_added, &drv_virtual_lock);
    return CUDA_SUCCESS;
}

static void let_go(struct drv_allocation *a) {
    a->held--;
    drv_allocation_end_if_unused(a);
}

static CUresult bind_memory(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                            CUmemGenericAllocationHandle memHandle, size_t memOffset, size_t size,
                            unsigned long long flags) {
    struct place p = {mcOffset, memOffset, size};
    struct drv_allocation *a;
    TRY(check_place(&p, flags));
    pthread_mutex_lock(&drv_virtual_lock);
    CUresult result = find_whole(mcHandle, &a);
    if (result == CUDA_SUCCESS) {
        struct drv_allocation *memory = drv_allocation_find(memHandle);
        if (!memory || memory->multicast)
            result = drv_fail(CUDA_ERROR_INVALID_VALUE, "%#llx is no memory allocation", memHandle);
        else
            result = bind(a->multicast, a->size, memory, &p);
        let_go(a);
    }
    pthread_mutex_unlock(&drv_virtual_lock);
    return result;
}

// memptr: where memory of cuMemCreate is mapped.
static CUresult bind_address(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                             CUdeviceptr memptr, size_t size, unsigned long long flags) {
    struct place p = {mcOffset, 0, size};
    struct drv_allocation *a;
    TRY(check_place(&p, flags));
    pthread_mutex_lock(&drv_virtual_lock);
    CUresult result = find_whole(mcHandle, &a);
    if (result == CUDA_SUCCESS) {
        struct drv_allocation *memory = drv_allocation_at(memptr, size, &p.in_memory);
        if (!memory)
            result = drv_fail(CUDA_ERROR_INVALID_VALUE,
                              "%#llx is no memory of cuMemCreate, mapped as a whole", memptr);
        else
            result = check_place(&p, 0);
        if (result == CUDA_SUCCESS)
            result = bind(a->multicast, a->size, memory, &p);
        let_go(a);
    }
    pthread_mutex_unlock(&drv_virtual_lock);
    return result;
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                            CUmemGenericAllocationHandle memHandle, size_t memOffset, size_t size,
                            unsigned long long flags) {
    ENTER();
    return bind_memory(mcHandle, mcOffset, memHandle, memOffset, size, flags);
}

// What is bound counts as its own device's: another one cannot be named.
static CUresult check_device(CUmemGenericAllocationHandle memHandle, CUdevice dev) {
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    pthread_mutex_lock(&drv_virtual_lock);
    struct drv_allocation *memory = drv_allocation_find(memHandle);
    bool own = !memory || memory->multicast || memory->prop.location.id == dev;
    pthread_mutex_unlock(&drv_virtual_lock);
    REQUIRE(own, CUDA_ERROR_NOT_SUPPORTED, "memory can be bound for its own device alone");
    return CUDA_SUCCESS;
}

CUresult cuMulticastBindMem_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset,
                               CUmemGenericAllocationHandle memHandle, size_t memOffset,
                               size_t size, unsigned long long flags) {
    ENTER();
    TRY(check_device(memHandle, dev));
    return bind_memory(mcHandle, mcOffset, memHandle, memOffset, size, flags);
}

CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                             CUdeviceptr memptr, size_t size, unsigned long long flags) {
    ENTER();
    return bind_address(mcHandle, mcOffset, memptr, size, flags);
}

CUresult cuMulticastBindAddr_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                size_t mcOffset, CUdeviceptr memptr, size_t size,
                                unsigned long long flags) {
    ENTER();
    struct kd_memory m;
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    REQUIRE(!kd_memory_find(memptr, &m) || m.device == d->d, CUDA_ERROR_NOT_SUPPORTED,
            "memory can be bound for its own device alone");
    return bind_address(mcHandle, mcOffset, memptr, size, flags);
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset,
                           size_t size) {
    ENTER();
    struct drv_device *d;
    struct drv_allocation *a;
    TRY(drv_device_find(dev, &d));
    pthread_mutex_lock(&drv_virtual_lock);
    CUresult result = find(mcHandle, &a);
    bool any = result == CUDA_SUCCESS && unbind(a->multicast, (unsigned)dev, mcOffset, size);
    pthread_mutex_unlock(&drv_virtual_lock);
    REQUIRE(result != CUDA_SUCCESS || any, CUDA_ERROR_INVALID_VALUE,
            "nothing of device %d is bound within the range", dev);
    return result;
}
