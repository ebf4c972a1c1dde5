// mbarrier objects and asynchronous copies, without the device around them: plain functions on
// memory, so that tests can run them alone.
#ifndef KUDZU_DEVICE_ASYNC_H
#define KUDZU_DEVICE_ASYNC_H

#include <stdbool.h>

#include "device/abi.h"

// Does what kd_rt_async is asked for. *fault is set, and *why in plain English, when it cannot be
// done: the caller ends the launch.
uint64_t async_execute(struct kd_block *b, uint32_t code, const uint64_t *args,
                       enum kd_fault *fault, const char **why);

// async_reduce.c: n elements of the type at `from` into those at `to`. Elements are handled one by
// one with relaxed atomic operations. False: the type does not have the operation.
bool async_reduce(enum kd_async_atom atom, enum kd_async_type type, uint64_t to, const void *from,
                  uint64_t n);
uint32_t async_type_bytes(enum kd_async_type type);

// tensor_copy.c: boxes of tensors. The number of bytes that moved in shared memory, or 0 with *why.
uint64_t tensor_load(uint32_t code, uint8_t *to, const void *map, const int32_t *coords,
                     const uint32_t *offsets, const char **why);
uint64_t tensor_store(uint32_t code, const void *map, const int32_t *coords, const uint8_t *from,
                      const char **why);
bool tensor_map_replace(void *map, uint32_t field, uint32_t index, uint64_t value);

#endif
