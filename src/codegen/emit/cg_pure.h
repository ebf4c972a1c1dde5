#ifndef KUDZU_CODEGEN_CG_PURE_H
#define KUDZU_CODEGEN_CG_PURE_H

#include "codegen/core/state.h"

// The same for an instruction without effect, which may be made early, or once more.
void cg_emit_pure(struct cg_func *g, struct kir_inst *i);

// Fails the compilation for an instruction that nobody knows.
void cg_cannot_compile(struct cg_func *g, const struct kir_inst *i);
// Emits i; false: it is none of these instructions.
bool cg_emit_pointwise(struct cg_func *g, struct kir_inst *i);

#endif
