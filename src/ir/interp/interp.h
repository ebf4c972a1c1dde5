// The oracle: runs kernel IR one thread at a time. Slow, simple, and independent of LLVM: what
// it computes is what compiled code must compute.
#ifndef KUDZU_IR_INTERP_H
#define KUDZU_IR_INTERP_H

#include "abi/generated_code.h"
#include "ir/ir.h"

// Runs the block that b describes, all of its threads, to the end. Every thread has its own
// program counter; lanes of a warp run in step where they can. A fault is reported through
// rt->kd_rt_fault_at, which may jump away: memory is kept for the next block of this host thread.
// Where it comes back, the block ends early. Several host threads may run blocks of one
// module at once.
void kir_interp_block(struct kir_module *m, struct kir_func *kernel, struct kd_block *b,
                      const struct kd_rt *rt);

// An access: the thread that made it, and where in the source (NULL and 0 when that is unknown).
struct kir_access {
    uint64_t address; // generic
    uint32_t thread;
    const char *file;
    uint32_t line;
};
// After compiled code has faulted in the block that b describes: runs the block again, without any
// effect, and looks for the first access that covers *address (address NULL: for the first one to
// memory that is not there). Gives up after 0.4 s. False: none was found.
bool kir_find_access(struct kir_module *m, struct kir_func *kernel, const struct kd_block *b,
                     const uint64_t *address, struct kir_access *out);

#endif
