// Lanes that lie a distance apart which only the launch knows: rows of a matrix that each thread
// walks along, columns that it stores to.
#ifndef KUDZU_PASSES_LANE_STEP_H
#define KUDZU_PASSES_LANE_STEP_H

#include "passes/flow/flow.h"

// Lane l's value is the first lane's plus l * times * by, where `by` has 64 bits and is uniform.
struct lane_step {
    int64_t times;
    struct kir_value *by;
};

// Of v, 64 bits wide, as block `at` sees it: exactly, in active lanes and all others. False: nothing
// is known.
bool lane_step(const struct flow *fl, struct kir_value *v, const struct kir_block *at,
               struct lane_step *s);

#endif
