// Memory that Mesa's Vulkan for CPUs (lavapipe) exports (guide 6.2.16.1): a file in memory that
// begins with a header. The header tells where the memory begins that the program knows.
#ifndef KUDZU_DRIVER_MESA_MEMORY_H
#define KUDZU_DRIVER_MESA_MEMORY_H

#include <stdint.h>

// How far from the beginning of a file of `size` bytes its memory begins; 0: it is no such file.
uint64_t drv_mesa_memory_begin(int fd, uint64_t size);

#endif
