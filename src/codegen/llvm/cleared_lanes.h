// Masks of which some lanes are cleared.
#ifndef KUDZU_CODEGEN_CLEARED_LANES_H
#define KUDZU_CODEGEN_CLEARED_LANES_H

#include "codegen/core/state.h"

// A shuffle that keeps some lanes of a mask in their place and takes zeros for the others becomes
// an AND. For AVX-512, after the optimiser, which makes shuffles of such selections: LLVM 19 clears
// the upper lanes by moving a part of the mask (kmovb, kmovw, kmovd), takes that for a copy, and
// when it puts the copy on the stack it stores all lanes of what was copied. Accesses of eight
// bytes under a mask, which it makes ones of sixteen in the same way, get as many lanes here.
void cg_clear_lanes(struct cg *c);

#endif
