#ifndef KUDZU_CODEGEN_CG_AHEAD_H
#define KUDZU_CODEGEN_CG_AHEAD_H

#include "codegen/core/state.h"

// At a thread's head, where threads run one after the other: asks for what a later one will need.
void cg_run_ahead(struct cg_func *g);

#endif
