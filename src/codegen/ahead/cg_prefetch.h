#ifndef KUDZU_CODEGEN_CG_PREFETCH_H
#define KUDZU_CODEGEN_CG_PREFETCH_H

#include "codegen/core/state.h"

// In a counted loop: asks for what an access at p will touch some iterations later, `bytes` a group
// (0: in pieces).
void cg_prefetch_turns(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, unsigned bytes,
                       bool is_store);

// Outside loops: asks for what the same access of later groups will touch, `bytes` a group.
void cg_prefetch_groups(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, unsigned bytes,
                        bool is_store);

// By how many bytes the address of an access grows in each iteration, as an i64, when it fills a
// tile, or writes one: it stands in a loop with barriers, and the next iteration's memory is worth
// asking for. Else NULL.
LLVMValueRef cg_next_tile(struct cg_func *g, const struct kir_inst *i);

// The same for all lanes of an access of `bytes` a lane whose addresses are p and constant offsets.
void cg_prefetch_tile(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, unsigned bytes,
                      LLVMValueRef by);

// Does the store i ask for what the next block stores to?
bool cg_asks_for_next(struct cg_func *g, const struct kir_inst *i);

#endif
