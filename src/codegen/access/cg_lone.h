#ifndef KUDZU_CODEGEN_CG_LONE_H
#define KUDZU_CODEGEN_CG_LONE_H

#include "codegen/access/cg_gather.h"
#include "codegen/core/state.h"

// Stores the lowest active lane's word x; goes on, where there are more lanes, with storing them
// all, after which there is a branch to the block that is returned.
LLVMBasicBlockRef cg_store_lone(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef x);

// Sets from and by of a store of v.
void cg_find_growth(struct cg_func *g, struct kir_value *v, struct cg_lane_access *a);

#endif
