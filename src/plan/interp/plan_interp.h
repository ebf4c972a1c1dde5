// Runs kernel IR as its plan says: groups of lanes, and teams of them, go through the blocks in the
// layout's order; what is a scalar has one value for all lanes, wherever they are; an access has
// the address that its kind gives each lane. Each statement of the plan is compared with what the
// lanes have by themselves, and one that does not hold ends the block.
//
// Evaluation, memory, calls and faults are the interpreter's (ir/interp). What a plan says nothing
// of (atomics, operations of a warp, barriers) runs as there. So do kernels whose lanes are parked.
#ifndef KUDZU_PLAN_INTERP_H
#define KUDZU_PLAN_INTERP_H

#include "plan/plan.h"

struct plan_interp;

// plans: by the index of m's functions; NULL: runs as it is written. All plans are of one width and
// team. m may be a copy with other functions in it. Everything lives in `a`, and as long as m and
// the plans. tell: is given a line about a statement that does not hold; NULL: it goes to stderr.
struct plan_interp *plan_interp_new(struct arena *a, const struct kir_module *m,
                                    const struct plan *const *plans, void (*tell)(const char *));

// Runs the block that b describes, as kir_interp_block does. A statement that does not hold is
// told, and is a fault (KD_FAULT_ILLEGAL_INSTRUCTION). Several host threads may run blocks at once.
void plan_interp_block(const struct plan_interp *p, struct kir_func *kernel, struct kd_block *b,
                       const struct kd_rt *rt);

#endif
