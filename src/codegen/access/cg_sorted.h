#ifndef KUDZU_CODEGEN_CG_SORTED_H
#define KUDZU_CODEGEN_CG_SORTED_H

#include "codegen/access/cg_gather.h"
#include "codegen/core/state.h"

// The same when each lane's place is known and, sorted, they lie side by side; false:
// they do not.
bool cg_scatter_sorted(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp);

#endif
