#ifndef KUDZU_CODEGEN_CG_STEPS_H
#define KUDZU_CODEGEN_CG_STEPS_H

#include "codegen/core/state.h"

// At the end of b: emits what all lanes do up to where they meet again, if that is four tests and
// stores of theirs, and goes on there. The blocks between are then done.
bool cg_emit_steps(struct cg_func *g, struct kir_block *b);

#endif
