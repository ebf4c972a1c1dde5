// Which loops end whatever other threads do meanwhile (guide 7, 20.6.2: a thread that can go on
// does so in the end; it may have to wait for what another one does).
//
// The rule. A loop is finite when one of these holds:
//   1. No branch in it depends on what another thread may write while the launch runs. Then its
//      path, and so its end, are the thread's own.
//   2. Each of its exits is asked in every iteration, by a condition that does not depend on that.
//   3. One exit is asked in every iteration and is taken at the latest when a counter in registers
//      has passed a bound that the loop does not change, and no other exit looks by a strong read
//      (volatile, atomic, acquire): who looks so a number of times means to wait.
//   4. One exit is asked in every iteration, by whether a compare-and-swap found what it expected,
//      and expects next what it found: it fails only when another thread has gone on.
// Any other loop may wait, and lets others run.
//
// What another thread may write is the result of: a load from global or shared memory, or from a
// generic address, unless it is a read-only one (.nc; constant memory, parameters and textures
// cannot be written during a launch); an atomic operation; a question about a phase or any other
// asynchronous operation; a surface load; a barrier's reduction; which lanes are active; a call of
// a function that does any of this or whose body is not known. A value depends on it that is
// computed from it, that is loaded from a place in the frame where such a value was stored or where
// such a branch decides whether something is stored, and that a phi chooses by such a branch. Own
// values from before the loop are registers: nobody writes these.
//
// That this is complete: by the memory model (PTX ISA, Memory Consistency Model) a thread observes
// others through reads of shared state alone, all of which are in the list; and through operations
// that do not return before others have arrived (barriers, warp operations), which are scheduling
// points by themselves.
#ifndef KUDZU_PASSES_FINITE_H
#define KUDZU_PASSES_FINITE_H

#include "passes/flow/cfg.h"

// What is known of a loop. One that is not proven to be finite goes on by ordinary data alone, or
// by strong reads or behind fences, as threads look that wait for each other.
enum finite { LOOP_IS_FINITE, LOOP_READS_DATA, LOOP_MAY_WAIT };

// What is known of each loop (enum finite), by loop index; lives in `a`. Loops inside a loop are
// their own questions.
uint8_t *finite_loops(struct arena *a, const struct cfg *c);

// Are all loops of f? One that has no body has none.
bool finite_function(struct kir_func *f);

// Does f, or a function that it may call, read what other threads may write?
bool finite_reads_others(const struct kir_func *f);

#endif
