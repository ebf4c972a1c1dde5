#ifndef KUDZU_CODEGEN_CG_BLOCK_H
#define KUDZU_CODEGEN_CG_BLOCK_H

#include "codegen/core/state.h"

void cg_emit_blocks(struct cg_func *g); // all of them, in layout order

#endif
