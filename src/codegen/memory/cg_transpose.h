#ifndef KUDZU_CODEGEN_CG_TRANSPOSE_H
#define KUDZU_CODEGEN_CG_TRANSPOSE_H

#include "codegen/core/state.h"

// Is i an access at an address a lane whose groups lie side by side, as far as can be seen?
bool cg_is_transposed(const struct flow *fl, const struct kir_inst *i);
// Emits i; false: it is none of these instructions.
bool cg_emit_transposed(struct cg_func *g, struct kir_inst *i); // for the whole team; false: not i

#endif
