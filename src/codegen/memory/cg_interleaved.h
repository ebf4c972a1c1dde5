#ifndef KUDZU_CODEGEN_CG_INTERLEAVED_H
#define KUDZU_CODEGEN_CG_INTERLEAVED_H

#include "codegen/core/state.h"

struct plan_access;

// A load that has a window, where it needs no mask: a vector of `elem` for each component. base:
// the first lane's place.
void cg_load_interleaved(struct cg *c, const struct plan_access *a, LLVMTypeRef elem,
                         LLVMValueRef base, LLVMValueRef *out);

#endif
