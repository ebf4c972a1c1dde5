// Locations in the host's memory. The system places pages where they are first touched.
#define _GNU_SOURCE
#include "driver/memory/numa.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

bool drv_location_is_host(const CUmemLocation *location) {
    return location->type == CU_MEM_LOCATION_TYPE_HOST ||
           location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
           location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

int drv_current_node(void) {
    unsigned cpu, node = 0;
    syscall(SYS_getcpu, &cpu, &node, NULL); // glibc has a function for it since 2.29
    return (int)node;
}

// A system that tells nothing about nodes has node 0.
CUresult drv_check_numa(const CUmemLocation *location) {
    if (location->type != CU_MEM_LOCATION_TYPE_HOST_NUMA)
        return CUDA_SUCCESS;
    char path[64];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d", location->id);
    REQUIRE(location->id == 0 || (location->id > 0 && access(path, F_OK) == 0),
            CUDA_ERROR_INVALID_VALUE, "the machine has no NUMA node %d", location->id);
    return CUDA_SUCCESS;
}
