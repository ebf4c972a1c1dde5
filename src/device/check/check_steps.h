// Whether threads of a block can race in shared memory between barriers, by where they access it.
#ifndef KUDZU_DEVICE_CHECK_STEPS_H
#define KUDZU_DEVICE_CHECK_STEPS_H

#include "abi/check_steps.h"
#include "device/exec/block.h"

// Runs a program (abi/check_steps.h) for the block's launch, or knows what it has told before.
// True: no two threads access one word and one of them writes it, but by atomic accesses. False:
// they do, or it would take too long to know.
bool check_steps_apart(const struct kd_block *b, const struct kd_check_step *program);

#endif
