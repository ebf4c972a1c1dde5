// Neighbouring lanes at neighbouring addresses, where no constant offsets from one base say so:
// rows of threads shorter than a vector, a distance of rows that only the launch knows.
#ifndef KUDZU_PASSES_LANE_RUN_H
#define KUDZU_PASSES_LANE_RUN_H

#include "passes/affine/affine.h"
#include "passes/flow/flow.h"

// In how many neighbours, a power of two, each value is one number; that they are is a guess.
struct lane_runs {
    const struct affine *affine;
    const struct flow *fl;
    uint8_t *alike, *guess; // by value id
};

// In one pass over the layout.
struct lane_runs *lane_runs_find(struct arena *a, const struct affine *f, const struct flow *fl);
// With what is known of the function alone.
struct lane_runs *lane_runs_of_flow(const struct flow *fl);

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
struct lane_run lane_run(const struct lane_runs *r, const struct kir_value *v,
                         const struct kir_block *at, int64_t stride);

#endif
