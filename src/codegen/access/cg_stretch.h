#ifndef KUDZU_CODEGEN_CG_STRETCH_H
#define KUDZU_CODEGEN_CG_STRETCH_H

#include "codegen/access/cg_places.h"
#include "codegen/core/state.h"

// Is the lane's own index part of an index (32 bits) that follows no pattern?
bool cg_may_stretch(struct cg_func *g, const struct kir_value *index);

// Stores words of x at places base + index * 4, with a signed index.
void cg_store_stretches(struct cg_func *g, const struct cg_places *at, LLVMValueRef x);

#endif
