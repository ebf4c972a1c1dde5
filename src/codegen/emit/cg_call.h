#ifndef KUDZU_CODEGEN_CG_CALL_H
#define KUDZU_CODEGEN_CG_CALL_H

#include "codegen/core/state.h"

// Emits i; false: it is none of these instructions.
bool cg_emit_call(struct cg_func *g, struct kir_inst *i);

#endif
