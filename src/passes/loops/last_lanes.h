// Loops in which few lanes of a group are left: each of them goes on by itself, without a vector.
#ifndef KUDZU_PASSES_LAST_LANES_H
#define KUDZU_PASSES_LAST_LANES_H

#include "passes/flow/flow.h"
#include "target/machine.h"

// Lanes leave a loop in iterations of their own, as data say, and an iteration of a vector takes
// many times what one thread's takes: accesses at an address a lane, work that each lane has to
// itself. Behind each iteration it is asked how many lanes go on. Few of them leave for a copy of
// the loop, one after the other; in it all values are one lane's, which are uniform.
//
// Loops of pointwise instructions, accesses to memory and branches alone. Where the loop writes
// memory, and nothing proves that it ends (fl->loop_waits), lanes might wait for each other in it:
// the last one alone leaves.
//
// fl: of f, a kernel, with the width of code that f will become, without teams, waiting.h's part
// too; no longer true of it behind, when there was such a loop. False: f is what it was.
// private_frame: see lane_cost.h. f is valid before and after.
bool last_lanes(struct kir_func *f, const struct flow *fl, const struct machine *m,
                bool private_frame);

// Is there such a loop?
bool last_lanes_any(const struct flow *fl, const struct machine *m, bool private_frame);

#endif
