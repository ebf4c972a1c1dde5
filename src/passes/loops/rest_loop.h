// Loops that a compiler has written out several times, with a loop of the rest before them.
#ifndef KUDZU_PASSES_REST_LOOP_H
#define KUDZU_PASSES_REST_LOOP_H

#include "ir/ir.h"

// Lets the loop of the rest make all iterations where the written-out one is the same several times
// over, which is left out; true when there was such a loop. For loops that read memory and write
// none. f is valid before and after.
bool join_rest_loops(struct kir_func *f);

#endif
