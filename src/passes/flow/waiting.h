// Which loops may wait for something that another thread does, and what that, and barriers in
// divergent flow, demand of the way a kernel is run.
#ifndef KUDZU_PASSES_WAITING_H
#define KUDZU_PASSES_WAITING_H

#include "passes/flow/flow.h"

// Values of fl->loop_waits. Warps that only pass the time let others run meanwhile, as on hardware,
// where a block's warps wait at the same time.
// WAITS_PERHAPS: nothing proves that the loop is finite (finite.h); WAITS_FOR_DATA: the same, and
// it looks at nothing but ordinary data.
enum { WAITS_NOT, WAITS_FOR_OTHERS, WAITS_FOR_TIME, WAITS_PERHAPS, WAITS_FOR_DATA };

// Sets fl->loop_waits: loops whose exit depends on memory that others write and that the loop
// itself does not advance: spinning on a volatile load, on an exchange, on a compare-and-swap
// with the same expected value each time. A compare-and-swap that retries with the value it
// has just seen does not wait: each failure is another thread's success.
void waiting_find(struct flow *fl);
bool waiting_any(const struct flow *fl);

// Does vector code with one mask a warp run this function right? NULL: it does. Else where lanes
// of one warp may have to wait for each other: a barrier, a wait for a phase or a waiting loop
// while other lanes are pending, a wait for phases that differ from lane to lane, or warp
// synchronisation in both arms of a divergent branch.
const struct kir_inst *waiting_dependent(const struct flow *fl);

// May lanes that iterate in l wait for what lanes of their warp do that are elsewhere?
bool waiting_for_lanes(const struct flow *fl, const struct cfg_loop *l);

// Is there a synchronisation of a warp's lanes that some can be missing at which come to one later?
// Vector code makes it with those that are there.
bool waiting_apart(const struct flow *fl);

#endif
