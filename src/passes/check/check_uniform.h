// What all threads of a block that come to its next barrier have in common.
#ifndef KUDZU_PASSES_CHECK_UNIFORM_H
#define KUDZU_PASSES_CHECK_UNIFORM_H

#include "ir/ir.h"
#include "ir/order.h"

enum { CHECK_MOST_STARTS = 64 };
struct check_uniform {
    struct kir_order order;
    // By block. meets: a barrier of the whole block follows, or is there. divergent: of the threads
    // that come to their next barrier some may come here, or come here more often, and others not.
    bool *meets, *divergent;
    // By value: threads that come to their next barrier may have different ones at a time.
    bool *varying;
    // By block: behind which barriers, of number 1 and up, a thread that enters it may be without
    // having passed another one; bit 0: none so far.
    uint64_t *starts;
    uint32_t n; // barriers
};
// Is i a barrier of all threads of the block?
bool check_is_barrier(const struct kir_inst *i);
// False: threads may come to different barriers, or there are too many, and nothing is known.
bool check_uniform_find(struct arena *a, const struct kir_func *f, struct check_uniform *u);
// The starts behind an instruction, of those in front of it; *number: of barriers so far in the
// order of blocks and instructions.
uint64_t check_starts_behind(const struct kir_inst *i, uint64_t starts, uint32_t *number);

#endif
