#ifndef KUDZU_CODEGEN_CG_ALIGN_H
#define KUDZU_CODEGEN_CG_ALIGN_H

#include "codegen/core/state.h"

void cg_find_alignment(struct cg_func *g);
bool cg_is_aligned(struct cg_func *g, const struct kir_inst *i); // proven

// Ends the launch unless the addresses of all active lanes are multiples of the access's size.
// May begin a new block: values made before it can be used after it.
void cg_check_alignment(struct cg_func *g, struct kir_inst *i);

#endif
