// Managed memory: what calls on single ranges and on batches share.
#ifndef KUDZU_DRIVER_MANAGED_H
#define KUDZU_DRIVER_MANAGED_H

#include "driver/driver.h"

// Whether [ptr, ptr + count) is managed memory, or memory of the system, registered or not: device
// memory cannot move. CUDA_ERROR_INVALID_VALUE.
CUresult drv_managed_check(CUdeviceptr ptr, size_t count);
// Whether memory can be there. CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE.
CUresult drv_managed_check_location(CUmemLocation location);
// Keeps a prefetch of a range, which was checked, for cuMemRangeGetAttribute.
// CUDA_ERROR_OUT_OF_MEMORY.
CUresult drv_managed_prefetch(CUdeviceptr ptr, size_t count, CUmemLocation location);

#endif
