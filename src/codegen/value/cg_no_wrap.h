#ifndef KUDZU_CODEGEN_CG_NO_WRAP_H
#define KUDZU_CODEGEN_CG_NO_WRAP_H

#include "codegen/core/state.h"

// The result of i as one scalar, of the operands src: does it wrap? See cg_no_wrap.c.
void cg_note_no_wrap(struct cg_func *g, const struct kir_inst *i, const LLVMValueRef *src,
                     LLVMValueRef result);

#endif
