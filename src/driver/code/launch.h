// Parts of launches that graphs need too.
#ifndef KUDZU_DRIVER_LAUNCH_H
#define KUDZU_DRIVER_LAUNCH_H

#include "driver/driver.h"

enum { DRV_MAX_PARAM_BYTES = 32764 };

// Grid and block within the documented limits: else CUDA_ERROR_INVALID_VALUE.
CUresult drv_launch_check_shape(const CUlaunchConfig *c);
// Gathers a kernel's parameters, param_bytes of them, from one of the two forms of a launch.
CUresult drv_launch_params(const struct kj_kernel *info, void **pointers, void **extra,
                           uint8_t *storage);
// A part of a cooperative launch on several devices; or whether it is possible.
CUresult drv_launch_one_of(const CUDA_LAUNCH_PARAMS *p, struct kd_multi_grid *m, uint32_t rank,
                           bool only_check);

#endif
