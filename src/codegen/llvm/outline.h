#ifndef KUDZU_CODEGEN_OUTLINE_H
#define KUDZU_CODEGEN_OUTLINE_H

#include "codegen/core/state.h"

// After LLVM's passes: gives masked loads, stores, gathers and scatters that `level` would run lane
// by lane functions of their own, when there are many of them.
void cg_outline_masked(struct cg *c);

#endif
