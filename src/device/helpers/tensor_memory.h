// Tensor memory of a block (tcgen05), without the device around it: 128 lanes of 512 columns of 32
// bits, which are made when the block first allocates some.
#ifndef KUDZU_DEVICE_TENSOR_MEMORY_H
#define KUDZU_DEVICE_TENSOR_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"
#include "device/helpers/async.h"

// Is it one of KD_ASYNC_TENSOR_ALLOC to KD_ASYNC_TENSOR_MMA?
bool tensor_memory_operation(uint32_t code);
// Does what kd_rt_async is asked for by the thread with that index in the block. watch: as
// async_execute has it.
uint64_t tensor_memory_execute(struct kd_block *b, uint32_t thread, uint32_t code,
                               const uint64_t *args, struct async_outcome *out,
                               struct async_watch *watch);
// Another block begins: nothing is allocated.
void tensor_memory_reset(struct tensor_memory *t);

#endif
