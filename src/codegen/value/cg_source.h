#ifndef KUDZU_CODEGEN_CG_SOURCE_H
#define KUDZU_CODEGEN_CG_SOURCE_H

#include "codegen/core/state.h"

// Emits i; false: it is none of these instructions.
bool cg_emit_source(struct cg_func *g, struct kir_inst *i);

// The pointer that an address in a state space stands for: scalar, or one a lane.
LLVMValueRef cg_pointer(struct cg_func *g, enum isa_space space, LLVMValueRef addr, bool vector);

// Does a generic address, a scalar pointer, lie in the block's shared memory? An i1.
LLVMValueRef cg_lies_in_shared(struct cg_func *g, LLVMValueRef p);
LLVMValueRef cg_symbol_address(struct cg_func *g, const struct kir_symbol *sym, int64_t offset);

#endif
