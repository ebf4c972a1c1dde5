#ifndef KUDZU_CODEGEN_CG_FAULT_H
#define KUDZU_CODEGEN_CG_FAULT_H

#include "codegen/core/state.h"

// Ends the launch with a fault when `bad` (i1) holds.
void cg_fault_if(struct cg_func *g, LLVMValueRef bad, enum kd_fault fault);

// The name of i's source file as a constant; NULL when there is no line.
LLVMValueRef cg_file_name(struct cg *c, const struct kir_inst *i);

// Calls the helper that ends the launch; it does not return. address: NULL when there is none.
void cg_fault_at(struct cg_func *g, const struct kir_inst *i, LLVMValueRef thread,
                 enum kd_fault fault, LLVMValueRef address);

#endif
