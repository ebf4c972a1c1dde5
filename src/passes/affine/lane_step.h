// Lanes that lie a distance apart which only the launch knows: rows of a matrix that each thread
// walks along, columns that it stores to.
#ifndef KUDZU_PASSES_LANE_STEP_H
#define KUDZU_PASSES_LANE_STEP_H

#include "passes/affine/affine.h"
#include "passes/flow/flow.h"

// Lane l's value is the first lane's plus l * by, a sum whose factors are uniform.
//
// narrow: unless a sum of 32 bits wraps between the lanes: that of `narrow`, whose lanes lie
// narrow_by apart and which is extended to 64 bits, by its sign or not. NULL: exact. narrow_by has
// factors of 32 bits, one a term, so few and with times so small that 32 of it and a number of 32
// bits are a sum of 64.
struct lane_step {
    struct affine_form by, narrow_by;
    const struct kir_value *narrow;
    bool narrow_signed;
};

// Of all values of a function, which live in `a`. In passes over the layout, whose number is
// bounded. NULL: there are no lanes.
struct lane_steps;
struct lane_steps *lane_steps_find(struct arena *a, const struct affine *f, const struct flow *fl);

// Of v, 64 bits wide, as block `at` sees it: in active lanes and all others. False: nothing is
// known, or a constant. steps: may be NULL.
bool lane_step(const struct lane_steps *steps, const struct kir_value *v,
               const struct kir_block *at, struct lane_step *s);

#endif
