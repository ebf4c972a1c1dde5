#ifndef KUDZU_CODEGEN_CG_APPEND_H
#define KUDZU_CODEGEN_CG_APPEND_H

#include "codegen/core/state.h"

void cg_make_appends(struct cg_func *g);  // the builder stands in the entry block
void cg_close_appends(struct cg_func *g); // at the end of a run of blocks

// Before an access of so many bytes a lane: makes what has been put off and may lie there.
void cg_settle(struct cg_func *g, struct kir_inst *i, unsigned bytes);
void cg_settle_appends(struct cg_func *g, struct kir_inst *i, unsigned bytes); // of atomics

// Is the atomic operation i an addition that says where the next stores go? Then there is nothing
// more to emit for it, nor for those stores, of n components x.
bool cg_is_append(const struct cg_func *g, const struct kir_inst *i); // either
bool cg_append_place(struct cg_func *g, struct kir_inst *i);
bool cg_append_values(struct cg_func *g, const struct kir_inst *i, LLVMValueRef *x, unsigned n);

#endif
