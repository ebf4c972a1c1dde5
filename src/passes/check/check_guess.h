// Reads that an atomic operation verifies: as in the guide's atomicAdd of doubles by atomicCAS.
#ifndef KUDZU_PASSES_CHECK_GUESS_H
#define KUDZU_PASSES_CHECK_GUESS_H

#include "ir/ir.h"

// Marks, by inst->id, weak reads whose values compare-and-swap operations of the same address
// compare with what is there: one that read something else is found out and tried again. 0: of no
// such operation; else enum isa_scope of the operation. ids are the function's.
uint8_t *check_guesses_find(struct arena *arena, struct kir_func *f);

#endif
