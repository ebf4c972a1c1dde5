// What other files ask about mapped memory.
#ifndef KUDZU_DRIVER_VIRTUAL_MEMORY_H
#define KUDZU_DRIVER_VIRTUAL_MEMORY_H

#include <pthread.h>

#include "driver/driver.h"

struct drv_multicast;

// Behind a CUmemGenericAllocationHandle. It lives while the program holds it or something is
// mapped or bound.
struct drv_allocation {
    struct drv_object object;
    struct kd_physical *p;           // NULL: a multicast object
    struct drv_multicast *multicast; // NULL: memory
    uint64_t size;
    CUmemAllocationProp prop;
    unsigned held, mapped;
};
extern pthread_mutex_t drv_virtual_lock; // of all of this; what follows is called with it
struct drv_allocation *drv_allocation_find(CUmemGenericAllocationHandle handle); // NULL: none
void drv_allocation_end_if_unused(struct drv_allocation *a);
// The memory mapped at [ptr, ptr + size), all of one allocation, and where in it; NULL: none.
struct drv_allocation *drv_allocation_at(uint64_t ptr, uint64_t size, uint64_t *offset);
// multicast.c: nothing of it is mapped or held any more.
void drv_multicast_free(struct drv_multicast *m);
struct kd_multicast *drv_multicast_device(struct drv_multicast *m);
// A handle for an object, which it owns, or frees when it fails. Called without the lock.
CUresult drv_multicast_add(struct kd_multicast *of, CUmemGenericAllocationHandle *handle);
// A handle, held once, for memory or a multicast object, which it owns, or frees when it fails.
// Called without the lock.
CUresult drv_allocation_add(struct kd_physical *p, struct drv_multicast *m, uint64_t size,
                            const CUmemAllocationProp *prop, CUmemGenericAllocationHandle *handle);

// Memory is mapped at all of [ptr, ptr + size), and the device that works there may read or write
// it, or, where `host` says so, the host. That device is the current context's; without a context
// any will do.
bool drv_mapped_access(uint64_t ptr, uint64_t size, bool write, bool host);
// Until it is called with NULL, the contexts whose devices write (`to`) and read (`from`) what this
// thread's calls copy and set.
void drv_work_for(const struct drv_context *to, const struct drv_context *from);
// The device that does so, as a bit: the current context's, unless drv_work_for named another one.
// Without a context all.
uint64_t drv_working_devices(bool write);
// Where memory of another process lies and whose it is here, the first device's if it is the
// host's (d is NULL). CUDA_ERROR_INVALID_DEVICE: the program does not see the device.
CUresult drv_imported_location(const struct kd_device *d, CUmemLocation *location,
                               struct drv_device **device);
// The reserved range that contains ptr; false: none.
bool drv_reserved_range(uint64_t ptr, uint64_t *base, uint64_t *size);
CUmemAllocationHandleType drv_mapped_handle_types(uint64_t ptr);

#endif
