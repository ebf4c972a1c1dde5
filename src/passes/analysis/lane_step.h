// Lanes that lie a distance apart which only the launch knows: rows of a matrix that each thread
// walks along, columns that it stores to.
#ifndef KUDZU_PASSES_LANE_STEP_H
#define KUDZU_PASSES_LANE_STEP_H

#include "passes/flow/flow.h"

// Lane l's value is the first lane's plus l * times * by, where `by` is uniform: 64 bits, or 32
// that are extended by their sign.
//
// narrow: unless a sum of 32 bits wraps between the lanes: that of `narrow`, whose lanes lie
// narrow_times * by apart and which is extended to 64 bits, by its sign or not. NULL: exact.
struct lane_step {
    int64_t times, narrow_times;
    struct kir_value *by, *narrow;
    bool narrow_signed;
};

// Of v, 64 bits wide, as block `at` sees it: in active lanes and all others. False: nothing is
// known, or a constant.
bool lane_step(const struct flow *fl, struct kir_value *v, const struct kir_block *at,
               struct lane_step *s);

#endif
