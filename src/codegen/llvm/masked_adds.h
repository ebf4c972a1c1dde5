// Sums with truth values, as masked instructions.
#ifndef KUDZU_CODEGEN_MASKED_ADDS_H
#define KUDZU_CODEGEN_MASKED_ADDS_H

#include "codegen/core/state.h"

// x + zext(m), with m a mask of lanes, becomes m ? x + 1 : x, and so with -, and sext: one masked
// instruction of AVX-512, where the mask would become a vector first. LLVM 19, left to itself,
// turns the sum into a difference and back without end where it knows that a vector's masks are
// zero. After the optimiser, which would undo it.
void cg_mask_adds(struct cg *c);

#endif
