#ifndef KUDZU_CODEGEN_ABREAST_H
#define KUDZU_CODEGEN_ABREAST_H

#include "codegen/core/state.h"

// After LLVM's passes: scalars of a block that are computed by the same steps become lanes of one
// vector.
void cg_compute_abreast(struct cg *c);

#endif
