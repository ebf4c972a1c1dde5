#ifndef KUDZU_CODEGEN_CG_TRANSPOSE_H
#define KUDZU_CODEGEN_CG_TRANSPOSE_H

#include "codegen/core/state.h"

// Emits i; false: it is none of these instructions.
bool cg_emit_transposed(struct cg_func *g, struct kir_inst *i); // for the whole team; false: not i

#endif
