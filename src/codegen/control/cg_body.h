#ifndef KUDZU_CODEGEN_CG_BODY_H
#define KUDZU_CODEGEN_CG_BODY_H

#include "codegen/core/state.h"

// A block's instructions, phis and terminator apart, for all groups of the team.
void cg_emit_body(struct cg_func *g, struct kir_block *b);

#endif
