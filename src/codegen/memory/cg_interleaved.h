#ifndef KUDZU_CODEGEN_CG_INTERLEAVED_H
#define KUDZU_CODEGEN_CG_INTERLEAVED_H

#include "codegen/core/state.h"

struct plan_access;

// A load that has a window, where it needs no mask: a vector of `elem` for each component. base:
// the first lane's place.
void cg_load_interleaved(struct cg *c, const struct plan_access *a, LLVMTypeRef elem,
                         LLVMValueRef base, LLVMValueRef *out);

// Is the store i one of several that fill the rows of memory between lanes? Then it is made with
// the last of them, as the store `row` of a vector a lane.
enum cg_row { CG_ROW_NONE, CG_ROW_LATER, CG_ROW_NOW };
enum cg_row cg_store_row(struct cg_func *g, struct kir_inst *i, struct kir_inst *row);

#endif
