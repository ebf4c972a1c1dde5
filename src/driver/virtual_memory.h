// What other files ask about mapped memory.
#ifndef KUDZU_DRIVER_VIRTUAL_MEMORY_H
#define KUDZU_DRIVER_VIRTUAL_MEMORY_H

#include "driver/driver.h"

// Memory is mapped at all of [ptr, ptr + size), and somebody may read or write it.
bool drv_mapped_access(uint64_t ptr, uint64_t size, bool write);
// The reserved range that contains ptr; false: none.
bool drv_reserved_range(uint64_t ptr, uint64_t *base, uint64_t *size);
CUmemAllocationHandleType drv_mapped_handle_types(uint64_t ptr);

#endif
