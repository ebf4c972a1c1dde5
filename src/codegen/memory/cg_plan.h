#ifndef KUDZU_CODEGEN_CG_PLAN_H
#define KUDZU_CODEGEN_CG_PLAN_H

#include "codegen/core/state.h"

// Sets g->plan. What crosses blocks, is aligned, appended or put off has been found.
void cg_make_plan(struct cg_func *g);

#endif
