#ifndef KUDZU_CODEGEN_CG_NAN_H
#define KUDZU_CODEGEN_CG_NAN_H

#include "codegen/core/state.h"

void cg_find_nans(struct cg_func *g);
LLVMValueRef cg_canonical(struct cg *c, LLVMValueRef x); // f32, scalar or vector

// Operand k of i, whose value is x, fit for what i sees of it; does it take an instruction?
LLVMValueRef cg_operand_bits(struct cg_func *g, const struct kir_inst *i, uint32_t k,
                             LLVMValueRef x);
bool cg_wants_canonical(const struct cg_func *g, const struct kir_inst *i, uint32_t k);

#endif
