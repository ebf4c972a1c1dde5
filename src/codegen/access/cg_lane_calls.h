#ifndef KUDZU_CODEGEN_CG_LANE_CALLS_H
#define KUDZU_CODEGEN_CG_LANE_CALLS_H

#include "codegen/access/cg_gather.h"
#include "codegen/core/state.h"

// The same in quick code, for what cg_calls_for_lanes accepts.
bool cg_calls_for_lanes(const struct cg_func *g, const struct cg_lane_access *a);
void cg_gather_by_call(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *out);
void cg_scatter_by_call(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp);

// Memory for calls of that kind: the lanes' pointers, which are stored there, and vectors of at
// most 8 bytes a lane. What is there holds until the next call.
enum { CG_CALL_MEMORIES = 3 };
struct cg_call_memory {
    LLVMValueRef places, values[CG_CALL_MEMORIES];
};
struct cg_call_memory cg_call_memory(struct cg_func *g, LLVMValueRef pointers);
// values[k], where `first` is values[0]: the called function needs no other pointer to them.
LLVMValueRef cg_call_values(struct cg *c, LLVMValueRef first, unsigned k);

#endif
