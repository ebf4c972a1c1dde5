// What the size of a block decides of its threads' numbers: tests, extremes, and how often loops
// run that each thread begins at its own number.
#ifndef KUDZU_PASSES_KNOWN_SIZE_H
#define KUDZU_PASSES_KNOWN_SIZE_H

#include "ir/ir.h"

// Is there anything that `known_size` would change in f? ntid: threads of a block in each
// dimension, 0: not known.
bool known_size_any(struct kir_func *f, const uint32_t ntid[3]);
void known_size(struct kir_func *f, const uint32_t ntid[3]);

#endif
