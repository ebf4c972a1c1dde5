#ifndef KUDZU_CODEGEN_CG_PIN_H
#define KUDZU_CODEGEN_CG_PIN_H

#include "codegen/core/state.h"

// The current group's v, a vector that was just made, stays before what is emitted next.
void cg_pin(struct cg_func *g, struct kir_value *v);

#endif
