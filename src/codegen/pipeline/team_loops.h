// Loops as teams of groups see them.
#ifndef KUDZU_PIPELINE_TEAM_LOOPS_H
#define KUDZU_PIPELINE_TEAM_LOOPS_H

#include "codegen/pipeline/traits.h"

// Do lanes leave the loop by what they have computed, not by counting? Then groups iterate
// different numbers of times, and a team would iterate as often as the slowest.
bool leaves_by_data(const struct flow *fl, const struct cfg_loop *l);
// Do they leave any of a function's loops so?
bool any_leaves_by_data(const struct flow *fl);

// A short loop that compares what lies side by side and leaves at a difference. It iterates few
// times, each iteration waits for a load, a comparison and a branch, and nobody can tell which
// iteration is the last: several groups wait at the same time.
bool is_search(const struct flow *fl, const struct cfg_loop *l);

// Do lanes leave the loop by counting up to a number that each group has of its own, a row's
// length? Then a team would iterate as often as the longest row wants.
bool counts_to_own(const struct flow *fl, const struct cfg_loop *l);

// An instruction at which a block meets?
bool has_barrier_in(const struct flow *fl, const struct cfg_loop *l);

// Vector registers of what one group keeps all through a loop, of the loop that keeps most; one or
// more. With `whole`, where groups of a team are the block: loops with barriers do not count,
// whatever waits at a barrier is in memory anyway.
unsigned loop_registers(const struct cg *c, const struct flow *fl, bool whole);

// Does that of so many groups, and some temporary values, fit the registers?
bool fit_registers(const struct cg *c, const struct flow *fl, unsigned groups, bool whole);

// Where each warp has rows of its own, to which it comes back after it has reduced them, they
// should all stay in the first cache. They mostly lie a power of two apart, in few of its sets, and
// no more of them than half of the places that a set has: what all rows use is there, too. (A layer
// norm of rows of 4 KB: two warps at a time take 0.93 of what four take.)
unsigned most_rows(const struct cg *c, const struct flow *fl, const struct cfg_loop *l,
                   unsigned most);

#endif
