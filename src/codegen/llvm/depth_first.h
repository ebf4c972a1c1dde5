#ifndef KUDZU_CODEGEN_DEPTH_FIRST_H
#define KUDZU_CODEGEN_DEPTH_FIRST_H

#include "codegen/core/state.h"

// After LLVM's passes: puts the instructions of long basic blocks into an order that keeps few
// values at a time.
void cg_order_depth_first(struct cg *c);

#endif
