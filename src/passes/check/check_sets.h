// What values of a function may point into, as sets of 64 bits.
#ifndef KUDZU_PASSES_CHECK_SETS_H
#define KUDZU_PASSES_CHECK_SETS_H

#include "ir/ir.h"

#define CHECK_SET_UNKNOWN (UINT64_C(1) << 63) // anything, besides the set's other bits

// By value: its set. Numbers that are no addresses have none, nor has what is not of 64 bits.
// source: true: what i results in has *set; false: it follows from i's operands.
uint64_t *check_sets_find(struct arena *arena, const struct kir_func *f,
                          bool (*source)(void *user, const struct kir_inst *i, uint64_t *set),
                          void *user);

#endif
