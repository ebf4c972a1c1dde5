#ifndef KUDZU_CODEGEN_CG_WHOLE_H
#define KUDZU_CODEGEN_CG_WHOLE_H

#include "codegen/core/state.h"

// Emits b's body in two versions, and what they hand to the next block; false: there is one.
bool cg_emit_whole(struct cg_func *g, struct kir_block *b);

#endif
