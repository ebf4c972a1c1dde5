// Indices computed in 32 bits and used in 64: where no thread of a block can leave 32 bits, they
// are computed in 64, so that neighbours in one are neighbours in the other.
#ifndef KUDZU_PASSES_WIDE_INDEX_H
#define KUDZU_PASSES_WIDE_INDEX_H

#include "ir/clean/copy.h"
#include "passes/analysis/block_range.h"

struct wide_index;

// Looks for conversions of sums and products of indices and of numbers that are the same in a
// block. *all, a condition of the block, gets the one under which none of them wraps. NULL: there
// are none.
struct wide_index *wide_index_find(struct arena *a, const struct block_range *r,
                                   struct kir_value **all);

// In the blocks that c has copied, the conversions become computations in 64 bits.
void wide_index_apply(struct wide_index *w, const struct kir_copy *c);

#endif
