// Columns of tensor memory that products and copies of tcgen05 write, until what their thread
// commits is done: who loads or stores there has to have been told so. Lanes are not told apart.
#ifndef KUDZU_DEVICE_CHECK_TENSOR_H
#define KUDZU_DEVICE_CHECK_TENSOR_H

#include "device/check/check_threads.h"

// What kd_rt_async is about to do in tensor memory for a thread, at a place of code. writes: the
// site of what it does there by itself; NULL: nothing, or nobody is seen to wait for it.
void check_tensor_operation(struct kd_block *b, uint32_t thread, uint32_t code,
                            const uint64_t *args, const struct kd_check_site *place,
                            const struct kd_check_site *writes);

#endif
