#ifndef KUDZU_CODEGEN_PROMOTE_H
#define KUDZU_CODEGEN_PROMOTE_H

#include "codegen/core/state.h"

// Variables of the module's functions (allocas that are loaded and stored as a whole) become SSA
// values. In nearly linear time where LLVM's pass takes variables times blocks: it walks the
// dominator tree below each store for each variable, and masks are stored where a group begins.
// False: some are left that LLVM's pass would take very long for, and make very many phis of.
bool cg_promote(struct cg *c);

#endif
