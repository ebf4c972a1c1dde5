// What values are in the threads of a block, as scalar code that runs once for the block.
#ifndef KUDZU_PASSES_BLOCK_RANGE_H
#define KUDZU_PASSES_BLOCK_RANGE_H

#include "ir/ir.h"

struct block_range {
    struct kir_func *f;
    struct kir_inst *at; // what is computed stands before it, in the entry block
};

// An index in the grid or the block, and a small number. In grids of fewer than 2^30 threads in
// each dimension that is below 2^31 and does not wrap.
struct block_index {
    unsigned dimension;
    bool in_grid;
    int32_t added;
    const struct kir_inst *wider; // the conversion to 64 bits; NULL: none
};

// The same number in all threads of a block, computed anew; NULL: v is no such number.
struct kir_value *block_uniform(const struct block_range *k, struct kir_value *v);

// Is it arithmetic on integers of 32 bits that wraps around, without saturation or a carry?
bool block_wraps_at_32(const struct kir_inst *i);

bool block_index(const struct kir_value *v, struct block_index *x);

// The largest (else the least) that an index is in any thread of a block.
struct kir_value *block_extreme(const struct block_range *k, const struct block_index *x,
                                bool largest);

// A pointwise instruction or a source like old, on other operands.
struct kir_inst *block_like(const struct block_range *k, const struct kir_inst *old,
                            struct kir_value **ops);

#endif
