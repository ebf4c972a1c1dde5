#ifndef KUDZU_CODEGEN_CG_EIGHTS_H
#define KUDZU_CODEGEN_CG_EIGHTS_H

#include "codegen/core/state.h"

// I together with the access beside it; false: each by itself.
bool cg_emit_eights(struct cg_func *g, struct kir_inst *i);

#endif
