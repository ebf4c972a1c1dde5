#ifndef KUDZU_CODEGEN_CG_EDGE_H
#define KUDZU_CODEGEN_CG_EDGE_H

#include "codegen/core/state.h"

void cg_emit_terminator(struct cg_func *g, struct kir_block *b);

// Gives the phis behind edge k their values for the lanes of `mask` (NULL: all).
void cg_assign_phis(struct cg_func *g, struct kir_block *from, uint32_t k, LLVMValueRef mask);

// The same for all active lanes of the current group, which go there next.
void cg_take_lanes(struct cg_func *g, struct kir_block *from, uint32_t k);

// Control goes on where the lanes have been sent over edge k.
void cg_go_to_next(struct cg_func *g, struct kir_block *b, uint32_t k);

// Makes what the phis behind b's edges will get, before b branches: what is made in one arm
// cannot be used in the other.
void cg_prepare_phis(struct cg_func *g, struct kir_block *b);

#endif
