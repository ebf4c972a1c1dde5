// Green contexts: the primary context of a device with a part of its multiprocessors.
#ifndef KUDZU_DRIVER_GREEN_CONTEXT_H
#define KUDZU_DRIVER_GREEN_CONTEXT_H

#include "driver/driver.h"

struct drv_green {
    struct drv_object object;
    struct drv_context alias; // what its CUcontext stands for: only handle, device and `green`
    struct kd_share *share;
    uint64_t id;         // no other context has it
    uint64_t primary_id; // of the primary context when it was made
    CUdevResource resource;
};

// The one whose CUcontext is current to the calling thread; NULL: none.
struct drv_green *drv_green_current(void);
// CUDA_ERROR_CONTEXT_IS_DESTROYED: the primary context was reset meanwhile.
CUresult drv_green_alive(const struct drv_green *g);

#endif
