// Which numbers a value can be in any thread of a block, by the block's size: from threadIdx on,
// through integer arithmetic.
#ifndef KUDZU_PASSES_NUMBER_RANGE_H
#define KUDZU_PASSES_NUMBER_RANGE_H

#include "passes/flow/cfg.h"

// The value, a number of 32 or 64 bits or a predicate, is one of lo ... hi, modulo 2^bits.
struct number_range {
    bool known;
    bool of_thread; // it follows from a thread's index
    int64_t lo, hi;
};

// By value id. ntid: threads of a block in each dimension, 0: not known.
struct number_range *number_ranges(struct arena *a, const struct cfg *c, const uint32_t ntid[3]);

struct number_range number_range_of(const struct number_range *ranges, const struct kir_value *v);

// The range as numbers of this integer type; not known where it wraps.
struct number_range number_range_as(struct number_range r, enum isa_type type);

// Does a comparison give the same for all pairs of x and y, numbers of its type? What, in *holds.
bool number_range_decides(enum isa_cmp cmp, struct number_range x, struct number_range y,
                          bool *holds);

#endif
