// Multicast objects (guide 14.9): memory of several devices of one machine, bound to one object and
// reached by multimem instructions at the addresses where it is mapped, by several processes too.
#include <stdlib.h>
#include <time.h>

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
    struct bound *bound; // by this process
};

enum { HANDLES = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC };
enum { LOOK_AGAIN = 2000000 }; // nanoseconds, for devices that other processes add

static pthread_cond_t device_added = PTHREAD_COND_INITIALIZER;

struct kd_multicast *drv_multicast_device(struct drv_multicast *m) {
    return m->m;
}

// ---- Objects ------------------------------------------------------------------------------------

static CUresult check_properties(const CUmulticastObjectProp *prop) {
    int devices;
    REQUIRE_POINTER(prop);
    TRY(cuDeviceGetCount(&devices));
    REQUIRE(!(prop->handleTypes & ~15ull), CUDA_ERROR_INVALID_VALUE, "%#llx is no type of handle",
            prop->handleTypes);
    REQUIRE(!(prop->handleTypes & ~(unsigned long long)HANDLES), CUDA_ERROR_NOT_SUPPORTED,
            "multicast objects are exported as POSIX file descriptors and fabric handles alone");
    // Other processes may see devices that this one does not.
    unsigned most = prop->handleTypes ? DRV_MAX_DEVICES : (unsigned)devices;
    REQUIRE(prop->numDevices && prop->numDevices <= most, CUDA_ERROR_INVALID_VALUE,
            "%u devices, where %u are possible", prop->numDevices, most);
    REQUIRE(prop->flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
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
    struct kd_multicast *m = kd_multicast_new(&(struct kd_multicast_info){
        .size = prop->size, .types = prop->handleTypes, .members = prop->numDevices});
    REQUIRE(m, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a multicast object");
    return drv_multicast_add(m, mcHandle);
}

CUresult drv_multicast_add(struct kd_multicast *of, CUmemGenericAllocationHandle *handle) {
    const struct kd_multicast_info *info = kd_multicast_info_of(of);
    CUmemAllocationProp prop = {.requestedHandleTypes =
                                    (CUmemAllocationHandleType)(info->types & HANDLES)};
    struct drv_multicast *m = calloc(1, sizeof *m);
    if (!m) {
        kd_multicast_free(of);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a multicast object");
    }
    m->m = of;
    return drv_allocation_add(NULL, m, info->size, &prop, handle);
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
    for (unsigned device = 0; device < DRV_MAX_DEVICES; device++)
        unbind(m, device, 0, kd_multicast_info_of(m->m)->size);
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

static CUresult add_device(CUmemGenericAllocationHandle handle, const struct drv_device *d) {
    struct drv_allocation *a;
    TRY(find(handle, &a));
    TRY(drv_status(kd_multicast_add(a->multicast->m, kd_device_index(d->d)), NULL));
    pthread_cond_broadcast(&device_added);
    return CUDA_SUCCESS;
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev) {
    ENTER();
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    pthread_mutex_lock(&drv_virtual_lock);
    CUresult result = add_device(mcHandle, d);
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
    struct drv_device *d;
    uint64_t window;
    REQUIRE(memory->prop.location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_INVALID_DEVICE,
            "the memory is the host's");
    TRY(drv_device_find(memory->prop.location.id, &d));
    unsigned member = kd_device_index(d->d);
    REQUIRE(kd_multicast_members(m->m) >> member & 1, CUDA_ERROR_INVALID_DEVICE,
            "the memory is of no device that was added to the multicast object");
    REQUIRE(inside(p->in_object, p->size, whole) && inside(p->in_memory, p->size, memory->size),
            CUDA_ERROR_INVALID_VALUE, "the range lies outside of the object or of the memory");
    struct bound *b = malloc(sizeof *b);
    REQUIRE(b, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the note of a binding");
    CUresult result = drv_status(kd_window_open(memory->p, p->in_memory, p->size, &window), NULL);
    if (result == CUDA_SUCCESS) {
        result = drv_status(
            kd_multicast_bind(m->m, member, p->in_object, p->size, memory->p, p->in_memory, window),
            NULL);
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
    struct kd_multicast *m = (*out)->multicast->m;
    (*out)->held++;
    while ((unsigned)__builtin_popcountll(kd_multicast_members(m)) <
           kd_multicast_info_of(m)->members) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_AGAIN;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&device_added, &drv_virtual_lock, &until);
    }
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
    bool any =
        result == CUDA_SUCCESS && unbind(a->multicast, kd_device_index(d->d), mcOffset, size);
    pthread_mutex_unlock(&drv_virtual_lock);
    REQUIRE(result != CUDA_SUCCESS || any, CUDA_ERROR_INVALID_VALUE,
            "nothing of device %d is bound within the range", dev);
    return result;
}
