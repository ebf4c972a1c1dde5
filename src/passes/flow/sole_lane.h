// Blocks in which one lane of a group acts, as behind `if (threadIdx.x == 0)`.
#ifndef KUDZU_PASSES_SOLE_LANE_H
#define KUDZU_PASSES_SOLE_LANE_H

#include "passes/flow/flow.h"

// The only lane that can be active in b; -1: several can, or none, or nothing is known.
int sole_lane(const struct flow *fl, const struct kir_block *b);

#endif
