// In quick code, before instructions are selected, for machines without registers of masks. Better
// code's, those that LLVM would pack again and again alone: wide_masks.h.
#ifndef KUDZU_CODEGEN_QUICK_MASKS_H
#define KUDZU_CODEGEN_QUICK_MASKS_H

#include "codegen/core/state.h"

// Vectors of 8, 16 or 32 truths become vectors of numbers of 32 bits, all bits or none, which
// registers hold. LLVM's instruction selection would make vectors of smaller numbers of them, and
// its fast one knows none at all. A truth stays where a comparison is widened at once, and where
// numbers are compared with zero right in front of what wants truths.
void cg_quick_masks(struct cg *c);

#endif
