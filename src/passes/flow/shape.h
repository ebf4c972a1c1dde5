// Transfer functions of shapes: see flow.h.
#ifndef KUDZU_PASSES_SHAPE_H
#define KUDZU_PASSES_SHAPE_H

#include "passes/flow/flow.h"

// Sets the shapes of constants and the forms of threadIdx.
void shape_init(struct flow *fl);
// One pass over all instructions; true when a shape changed.
bool shape_pass(struct flow *fl);
// When nothing changes any more: what follows from undefined values alone, around loops, is
// uniform. True when there was such a value, and another round is due.
bool shape_settle(struct flow *fl);

// The smallest power of two that is larger than all offsets of x, none of which is negative.
int64_t shape_low_bits(const struct flow *fl, const struct shape *x);

// Of v, 32 bits wide and of shape x, as a number of 64: exact when range or alignment prove that no
// lane wraps, else guarded by a condition at run time.
struct shape shape_extended(const struct flow *fl, const struct kir_value *v, struct shape x,
                            bool is_signed);

#endif
