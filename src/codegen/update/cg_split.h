#ifndef KUDZU_CODEGEN_CG_SPLIT_H
#define KUDZU_CODEGEN_CG_SPLIT_H

#include "codegen/core/state.h"

// Stores that put elements into one of two places, each of which counts up: false, when i is none.
bool cg_emit_split(struct cg_func *g, struct kir_inst *i);

#endif
