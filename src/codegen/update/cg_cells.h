#ifndef KUDZU_CODEGEN_CG_CELLS_H
#define KUDZU_CODEGEN_CG_CELLS_H

#include "codegen/core/state.h"

// An operation of all lanes on the word at p (an i64), with x, neutral in lanes that do not act;
// false: it is not put off.
bool cg_combine_in_cell(struct cg_func *g, struct kir_inst *i, LLVMValueRef p, LLVMValueRef x);

#endif
