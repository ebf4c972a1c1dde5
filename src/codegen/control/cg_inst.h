#ifndef KUDZU_CODEGEN_CG_INST_H
#define KUDZU_CODEGEN_CG_INST_H

#include "codegen/core/state.h"

void cg_emit_inst(struct cg_func *g, struct kir_inst *i);

#endif
