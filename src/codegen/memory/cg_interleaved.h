#ifndef KUDZU_CODEGEN_CG_INTERLEAVED_H
#define KUDZU_CODEGEN_CG_INTERLEAVED_H

#include "codegen/core/state.h"

// The load i, whose lanes lie `distance` bytes apart, the first one's at `base`: a vector of `elem`
// for each component, where it needs no mask and whole vectors of memory are worth it. Else false.
bool cg_load_interleaved(struct cg_func *g, const struct kir_inst *i, LLVMTypeRef elem,
                         LLVMValueRef base, int64_t distance, LLVMValueRef *out);

// Is the store i one of several that fill the rows of memory between lanes? Then it is made with
// the last of them, as the store `row` of a vector a lane.
enum cg_row { CG_ROW_NONE, CG_ROW_LATER, CG_ROW_NOW };
enum cg_row cg_store_row(struct cg_func *g, struct kir_inst *i, struct kir_inst *row);

#endif
