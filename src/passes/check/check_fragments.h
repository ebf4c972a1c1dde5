// Undecided bits that matrices bring out of memory to a warp's registers, and that go back
// (check_init.h).
#ifndef KUDZU_PASSES_CHECK_FRAGMENTS_H
#define KUDZU_PASSES_CHECK_FRAGMENTS_H

#include "passes/check/check_init.h"

// Is i an ldmatrix or a wmma.load whose bits are known?
bool check_fragments_load_is(const struct kir_inst *i);
// Makes the bits of its results.
void check_fragments_load(struct init *s, struct kir_inst *i);
// Tells of what stmatrix or wmma.store stores.
void check_fragments_store(struct init *s, struct kir_inst *i);

#endif
