// Semaphores of other APIs in graphs.
#ifndef KUDZU_DRIVER_EXTERNAL_SEMAPHORE_H
#define KUDZU_DRIVER_EXTERNAL_SEMAPHORE_H

#include "driver/driver.h"

struct drv_semaphore;

// What a semaphore node does, and whose context it is; `out` has room for DRV_MAX_VALUE_OPS.
CUresult drv_semaphore_signals(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *p, struct kd_value_op *out,
                               struct drv_context **ctx);
CUresult drv_semaphore_waits(const CUDA_EXT_SEM_WAIT_NODE_PARAMS *p, struct kd_value_op *out,
                             struct drv_context **ctx);
// What the handle stands for stays open until it is dropped, although the handle is destroyed.
CUresult drv_semaphore_hold(CUexternalSemaphore handle, struct drv_semaphore **out);
void drv_semaphore_drop(struct drv_semaphore *s);

#endif
