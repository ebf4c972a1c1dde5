// Reductions of a warp by exchanging with lanes at distances 16, 8, 4, 2 and 1.
#ifndef KUDZU_PASSES_BUTTERFLY_H
#define KUDZU_PASSES_BUTTERFLY_H

#include "ir/ir.h"

// Where such a chain ends all lanes have one value: what follows it takes lane 0's, so that it is
// known to be alike. f is valid before and after.
void butterflies(struct kir_func *f);

#endif
