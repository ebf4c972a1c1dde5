// Waits for phases of mbarrier objects at which all threads of the block meet.
#ifndef KUDZU_PASSES_MEETING_WAITS_H
#define KUDZU_PASSES_MEETING_WAITS_H

#include "passes/flow/flow.h"

// May a wait of the kernel be a barrier of the block, and ask behind it? Such a wait
// - blocks (ir/clean/phase_waits.c), and is in the same loop as a barrier of all threads: from it
//   every way leads to the wait, or out of the kernel, before another barrier or wait, so that all
//   threads that pass the barrier come to the wait before any of them comes to a barrier again;
// - leads to no thread that makes an object anew or ends it before the next barrier of all threads;
// - does not keep a thread from others that wait in a loop: each loop that may wait has a barrier
//   of all threads in every iteration.
// Asynchronous operations are complete where they are issued: when all threads of a block are at
// the wait, the phase has ended, or only another block of the cluster can end it.
//
// Puts a barrier before each such wait and marks the wait (mods.aligned). False, with nothing
// changed: some wait of f is none. fl is f's; it is not valid afterwards.
bool meeting_waits(struct kir_func *f, const struct flow *fl);

// Has every loop that may wait a barrier of all threads in each iteration? Then all groups of a
// block come as far as each other, whoever of them gives way.
bool meeting_loops(const struct flow *fl);

#endif
