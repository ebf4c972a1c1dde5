#ifndef KUDZU_CODEGEN_CG_STACK_H
#define KUDZU_CODEGEN_CG_STACK_H

#include "codegen/core/state.h"

bool cg_allocates(const struct kir_func *f);
void cg_begin_stack(struct cg_func *g); // at the function's first block

// i64: where the frame of a function that is called here begins, for all lanes.
LLVMValueRef cg_stack_end(struct cg_func *g);
// Emits i; false: it is none of these instructions.
bool cg_emit_stack(struct cg_func *g, struct kir_inst *i);

#endif
