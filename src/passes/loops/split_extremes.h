// Comparisons of a maximum or a minimum.
#ifndef KUDZU_PASSES_SPLIT_EXTREMES_H
#define KUDZU_PASSES_SPLIT_EXTREMES_H

#include "ir/ir.h"

// Makes of `max(x, y) >= n` the tests `x >= n` and `y >= n`, joined by or, and of its like, where
// nothing else uses the maximum. f is valid before and after.
void split_extremes(struct kir_func *f);

#endif
