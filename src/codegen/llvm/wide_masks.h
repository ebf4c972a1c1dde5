// In better code, on machines that keep masks in registers of vectors, before instructions are
// selected. Quick code's masks, all of them: quick_masks.h.
#ifndef KUDZU_CODEGEN_WIDE_MASKS_H
#define KUDZU_CODEGEN_WIDE_MASKS_H

#include "codegen/core/state.h"

// Masks that are combined, or used in other blocks than where they are made, become vectors of
// words of 32 bits, as comparisons of such words give them and as blends, masked accesses and tests
// take them. LLVM would pack each vector of truths into words of 16 bits or bytes and widen it
// again for each of these.
void cg_widen_masks(struct cg *c);

#endif
