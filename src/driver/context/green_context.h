// Green contexts: the primary context of a device with a part of its multiprocessors.
#ifndef KUDZU_DRIVER_GREEN_CONTEXT_H
#define KUDZU_DRIVER_GREEN_CONTEXT_H

#include "driver/driver.h"

struct drv_green {
    struct drv_object object;
    struct drv_context alias; // what its CUcontext stands for: only handle, device, `green`
    struct kd_share *share;
    uint64_t id;         // no other context has it
    uint64_t primary_id; // of the primary context when it was made
    CUdevResource resource;
};

// The one whose CUcontext is current to the calling thread, held; NULL: none.
struct drv_green *drv_green_current(void);
// `active` is what g's primary context has now, or NULL. CUDA_ERROR_CONTEXT_IS_DESTROYED: that is
// not what it had when g was made.
CUresult drv_green_check(const struct drv_green *g, const struct drv_context *active);

#endif
