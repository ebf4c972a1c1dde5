#ifndef KUDZU_CODEGEN_CG_FRAGMENT_H
#define KUDZU_CODEGEN_CG_FRAGMENT_H

#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"

// Emits i; false: it is none of these instructions.
bool cg_emit_fragment(struct cg_func *g, struct kir_inst *i);
struct cg_rows cg_rows_of(struct cg_func *g, struct kir_inst *i, LLVMValueRef memory);

// The register of matrix n of those rows.
LLVMValueRef cg_load_matrix(struct cg *c, const struct cg_rows *r, unsigned n, bool trans);

// Where v, a register that quick code has loaded in this stretch of code, lies; NULL: nowhere.
LLVMValueRef cg_fragment_memory(const struct cg_func *g, const struct kir_value *v);

#endif
