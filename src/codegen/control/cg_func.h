#ifndef KUDZU_CODEGEN_CG_FUNC_H
#define KUDZU_CODEGEN_CG_FUNC_H

#include "codegen/core/state.h"

void cg_emit_kernel(struct cg *c, struct flow *fl);
void cg_emit_function(struct cg *c, struct kir_func *f, struct flow *fl);

#endif
