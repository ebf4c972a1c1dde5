#ifndef KUDZU_CODEGEN_CG_BINS_H
#define KUDZU_CODEGEN_CG_BINS_H

#include "codegen/access/cg_places.h"
#include "codegen/core/state.h"

// An operation with x at the lanes' places, in the window when they lie in it; what is emitted up
// to cg_end_binned is for when they do not.
struct cg_binned {
    LLVMBasicBlockRef done;
};
struct cg_binned cg_begin_binned(struct cg_func *g, struct kir_inst *i, const struct cg_places *at,
                                 LLVMValueRef x);
void cg_end_binned(struct cg_func *g, const struct cg_binned *n);

#endif
