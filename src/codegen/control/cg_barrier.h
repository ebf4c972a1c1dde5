#ifndef KUDZU_CODEGEN_CG_BARRIER_H
#define KUDZU_CODEGEN_CG_BARRIER_H

#include "codegen/core/state.h"

// Emits i; false: it is none of these instructions.
bool cg_emit_barrier(struct cg_func *g, struct kir_inst *i);

#endif
