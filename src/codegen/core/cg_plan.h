#ifndef KUDZU_CODEGEN_CG_PLAN_H
#define KUDZU_CODEGEN_CG_PLAN_H

#include "codegen/core/state.h"

// Sets g->plan; what is put off is known.
void cg_make_plan(struct cg_func *g);

#endif
