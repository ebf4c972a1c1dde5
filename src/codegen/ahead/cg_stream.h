#ifndef KUDZU_CODEGEN_CG_STREAM_H
#define KUDZU_CODEGEN_CG_STREAM_H

#include "codegen/core/state.h"

void cg_find_streams(struct cg_func *g); // the builder stands in the entry block

// Before iterations of l without masks: its index is `left` (i64) below its limit, and grows by
// step (i64).
void cg_find_stream_turns(struct cg_func *g, const struct cfg_loop *l, LLVMValueRef left,
                          LLVMValueRef step);

// An i1: may stores of i's go past the caches to lines at `at` (i64, the bits that all their places
// have)? NULL: never.
LLVMValueRef cg_streams_at(struct cg_func *g, const struct kir_inst *i, LLVMValueRef at);
void cg_store_past(struct cg *c, LLVMValueRef x, LLVMValueRef p); // x: whole lines

// A store of the vector x for i at p; mask NULL: of all lanes. True: it goes past the caches where
// it may, and what is emitted up to cg_end_stream is for the other case.
struct cg_stream {
    LLVMBasicBlockRef done;
};
bool cg_begin_stream(struct cg_func *g, const struct kir_inst *i, LLVMValueRef x, LLVMValueRef p,
                     LLVMValueRef mask, struct cg_stream *s);
void cg_end_stream(struct cg_func *g, const struct cg_stream *s);

// p, or where asking for memory does no harm when i's stores go past the caches.
LLVMValueRef cg_unless_stream(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p);
void cg_close_streams(struct cg_func *g); // at the end of a run of blocks

// After LLVM's passes: is this a branch to a store past the caches, or to the same through them?
bool cg_may_store_past(struct cg *c, LLVMValueRef branch);

#endif
