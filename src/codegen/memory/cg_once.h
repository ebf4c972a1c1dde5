#ifndef KUDZU_CODEGEN_CG_ONCE_H
#define KUDZU_CODEGEN_CG_ONCE_H

#include "codegen/core/state.h"

void cg_make_once(struct cg_func *g);  // the builder stands in the entry block
void cg_begin_once(struct cg_func *g); // where a group begins, or goes on behind a barrier

// The results of a load that the block's first group makes for all; false: it is no such load.
bool cg_load_once(struct cg_func *g, struct kir_inst *i, LLVMValueRef *x);

#endif
