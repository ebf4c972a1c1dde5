#ifndef KUDZU_CODEGEN_CG_WORDS_H
#define KUDZU_CODEGEN_CG_WORDS_H

#include "codegen/core/state.h"

// May i touch shared memory, other than by a load or store?
bool cg_touches_shared(const struct kir_inst *i);
void cg_make_words(struct cg_func *g); // the builder stands in the entry block

// Loads and stores of shared memory ask here first. True: done, in registers. False: memory has all
// that a load reads, and what a store writes is not remembered. raw: comp before NaNs were made
// canonical.
bool cg_load_words(struct cg_func *g, struct kir_inst *i, unsigned count, unsigned bytes,
                   LLVMTypeRef elem, LLVMValueRef *out);
// Is cg_load_words sure to have what the current group's load reads?
bool cg_words_hold(struct cg_func *g, struct kir_inst *i, unsigned count, unsigned bytes);
bool cg_store_words(struct cg_func *g, struct kir_inst *i, unsigned count, unsigned bytes,
                    LLVMValueRef *comp, LLVMValueRef *raw);

// Before anything else that may touch shared memory, and where control flow is not known.
void cg_forget_words(struct cg_func *g);

// Before a load of more shared memory than one that asks cg_load_words: memory has all that words
// hold, also where the block may not run and what they hold stays known.
void cg_flush_words(struct cg_func *g);

// x may run behind the block that was emitted, for some groups and lanes. Does it access shared
// memory at known addresses alone, if at all? `now`: memory gets what x may read, and what it may
// write is not known any more.
bool cg_step_over_words(struct cg_func *g, struct kir_block *x, bool now);

// What is known behind b holds in the next block that is as certain to run, in blocks that read
// alone, and those before place `until` of the layout, which have been stepped over: nowhere else.
void cg_carry_words(struct cg_func *g, const struct kir_block *b, uint32_t until);

// Behind the block that was emitted the iteration of its loop has no accesses: what nobody reads
// before it is written again need not be in memory. of_loop: nobody does behind the loop.
void cg_begin_turn_of_words(struct cg_func *g); // the block that is emitted next is a loop's head
void cg_end_turn_of_words(struct cg_func *g, bool of_loop);

#endif
