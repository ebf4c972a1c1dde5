// Locations in the host's memory.
#ifndef KUDZU_DRIVER_NUMA_H
#define KUDZU_DRIVER_NUMA_H

#include "driver/driver.h"

// HOST, HOST_NUMA or HOST_NUMA_CURRENT.
bool drv_location_is_host(const CUmemLocation *location);
// The node of the processor that the calling thread runs on.
int drv_current_node(void);
// The machine has the node that a HOST_NUMA location names: else CUDA_ERROR_INVALID_VALUE.
CUresult drv_check_numa(const CUmemLocation *location);

#endif
