// Numbers that each launch can compute from its parameters: `rows * columns`, `n / 4`, a constant.
#ifndef KUDZU_PASSES_LAUNCH_NUMBER_H
#define KUDZU_PASSES_LAUNCH_NUMBER_H

#include "abi/launch_number.h"
#include "ir/ir.h"

struct launch_number {
    uint32_t n; // steps; 0: it is no such number
    struct kj_step steps[KJ_MOST_STEPS];
    struct kir_value *values[KJ_MOST_STEPS]; // which each step computes; the last one: the number
};

// How v, of 32 or 64 bits, follows from the parameters alone.
struct launch_number launch_number_of(struct kir_value *v);

// The same number, made in the kernel's first block if it is made anywhere else; all uses are of
// that one then.
struct kir_value *launch_number_first(struct kir_func *f, const struct launch_number *l);

#endif
