// Indices computed in 32 bits and used in 64: where no thread of a block can leave 32 bits, they
// are computed in 64, so that neighbours in one are neighbours in the other.
#ifndef KUDZU_PASSES_WIDE_INDEX_H
#define KUDZU_PASSES_WIDE_INDEX_H

#include "ir/clean/copy.h"
#include "passes/analysis/block_range.h"

struct wide_index;

// What is known of indices of r's function, before anything but r's own computations is added.
struct wide_index *wide_index_new(struct arena *a, const struct block_range *r);

// Does the comparison i, or its opposite `cmp`, hold in all threads of a block? Operand `n` follows
// from indices, the other one is the same in the block. NULL: no number tells. What must not wrap
// for that is a condition more.
struct kir_value *wide_index_test(struct wide_index *w, const struct kir_inst *i, enum isa_cmp cmp,
                                  unsigned n);

// The conditions so far, as one; NULL: there are none.
struct kir_value *wide_index_conditions(const struct wide_index *w);

// Looks for conversions of sums and products of indices and of numbers that are the same in a
// block, none of which wraps under the conditions. False: there are none.
bool wide_index_find(struct wide_index *w);

// In the blocks that c has copied, the conversions become computations in 64 bits.
void wide_index_apply(struct wide_index *w, const struct kir_copy *c);

#endif
