// Whether a kernel runs faster thread by thread than in vectors.
#ifndef KUDZU_PASSES_LANE_COST_H
#define KUDZU_PASSES_LANE_COST_H

#include "passes/affine/lane_run.h"
#include "target/machine.h"

// fl: of a kernel without barriers, warp operations and calls, at the width of its vectors, without
// teams. True when most of the time goes to accesses at an
// address a lane, in loops that lanes leave at different iterations: one thread after the other
// then does the same work in fewer instructions, and walks along its own memory.
// private_frame: what all lanes index alike in their frames is a vector (private_frame.h).
bool scalars_are_faster(const struct flow *fl, const struct machine *m, bool private_frame);

// What an iteration of l takes in vectors, and of a single thread, in cycles. Loops inside l count
// with their iterations.
struct lane_cost {
    double vector, one;
};
struct lane_cost lane_cost_of_loop(const struct lane_runs *r, const struct cfg_loop *l,
                                   const struct machine *m, bool private_frame);

#endif
