#ifndef KUDZU_CODEGEN_CG_WAIT_H
#define KUDZU_CODEGEN_CG_WAIT_H

#include "codegen/core/state.h"

// Lanes in loop l, at whose head control is, have looked in vain: who wants to know is
// told what they wait for, and with `yields` others run.
void cg_call_wait(struct cg_func *g, const struct cfg_loop *l, bool yields);

#endif
