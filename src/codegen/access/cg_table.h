#ifndef KUDZU_CODEGEN_CG_TABLE_H
#define KUDZU_CODEGEN_CG_TABLE_H

#include "codegen/core/state.h"

uint64_t cg_largest(const struct kir_value *v); // that v can be in any thread, as unsigned

// Loads from a small table in shared memory whose index is known to lie in it; false: it is no such
// load. elem: a scalar type of four bytes.
bool cg_load_table(struct cg_func *g, const struct kir_inst *i, LLVMTypeRef elem,
                   LLVMValueRef *out);

#endif
