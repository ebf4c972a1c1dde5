#ifndef KUDZU_CODEGEN_CG_CHECK_H
#define KUDZU_CODEGEN_CG_CHECK_H

#include "codegen/core/state.h"

void cg_emit_check(struct cg_func *g, struct kir_inst *i);

#endif
