// Vectors of 64-bit numbers of which 32 bits are wanted.
#ifndef KUDZU_CODEGEN_NARROWED_H
#define KUDZU_CODEGEN_NARROWED_H

#include "codegen/core/state.h"

// For AVX-512, as the last thing before code is made.
void cg_narrow_by_permutations(struct cg *c);

#endif
