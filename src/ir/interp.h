// The oracle: runs kernel IR one thread at a time. Slow, simple, and independent of LLVM: what
// it computes is what compiled code must compute.
#ifndef KUDZU_IR_INTERP_H
#define KUDZU_IR_INTERP_H

#include "device/abi.h"
#include "ir/ir.h"

// Runs the block that b describes, all of its threads, to the end. Every thread has its own
// program counter; lanes of a warp run in step where they can. A fault is reported through
// rt->kd_rt_fault_at, which may jump away: memory is kept for the next block of this host thread.
// Where it comes back, the block ends early. Several host threads may run blocks of one
// module at once.
void kir_interp_block(struct kir_module *m, struct kir_func *kernel, struct kd_block *b,
                      const struct kd_rt *rt);

#endif
