#ifndef KUDZU_CODEGEN_CG_RUNS_H
#define KUDZU_CODEGEN_CG_RUNS_H

#include "codegen/core/state.h"

void cg_find_runs(struct cg_func *g);

// May the block run with no lane active? Then jumping over it is not worth a test.
bool cg_is_harmless(const struct cg_func *g, const struct kir_block *b);

// Remembers the mask that the edge from -> to brings when it is a constant and no other edge leads
// there: `to` runs with it or not at all. An edge that is emitted twice brings two masks.
void cg_know_mask(struct cg_func *g, const struct kir_block *from, const struct kir_block *to,
                  LLVMValueRef mask);
LLVMValueRef cg_known_mask(const struct cg_func *g, const struct kir_block *b); // NULL: not known

// At the end of b: where its lanes meet again they run with its mask, untested.
void cg_find_meeting(struct cg_func *g, const struct kir_block *b);

// At the end of b, which always runs: does what runs next always run, too? Emits nothing that
// stays.
// If not always, and they leave shared memory alone, that counts, too.
bool cg_goes_on(struct cg_func *g, struct kir_block *b);

// Is there no access to shared memory behind b in b's iteration of its loop, which is one of plain
// ones?
bool cg_ends_turn(const struct cg_func *g, const struct kir_block *b);

// May anything outside l read shared memory?
bool cg_is_read_behind(const struct cg_func *g, const struct cfg_loop *l);

#endif
