// Neighbouring lanes at neighbouring addresses, where no constant offsets from one base say so:
// rows of threads shorter than a vector, a distance of rows that only the launch knows.
#ifndef KUDZU_PASSES_LANE_RUN_H
#define KUDZU_PASSES_LANE_RUN_H

#include "passes/flow/flow.h"

// lanes: the most, a power of two, such that in each aligned group of so many lane l's value is the
// first one's plus l * stride, in all active lanes and all others; 1: nothing is known. Not exact:
// unless a 32-bit sum wraps between them. A guess: unless, too, a row ends, of a width that only
// the launch knows (i % width, i / width, i & (width - 1)), or an index had to be kept in bounds
// (min, max).
struct lane_run {
    unsigned lanes;
    bool exact, guess;
};
// Of v as block `at` sees it.
struct lane_run lane_run(const struct flow *fl, const struct kir_value *v,
                         const struct kir_block *at, int64_t stride);

#endif
