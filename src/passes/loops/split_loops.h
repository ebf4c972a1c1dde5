// Loops that share their header.
#ifndef KUDZU_PASSES_SPLIT_LOOPS_H
#define KUDZU_PASSES_SPLIT_LOOPS_H

#include "ir/ir.h"

// A loop within another one that has no header of its own gets one, where warp operations stand in
// the outer loop alone: lanes that leave the inner loop then wait there for the others, and are
// together where those operations are. f is valid before and after.
void split_loops(struct kir_func *f);

#endif
