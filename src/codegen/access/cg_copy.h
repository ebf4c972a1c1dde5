#ifndef KUDZU_CODEGEN_CG_COPY_H
#define KUDZU_CODEGEN_CG_COPY_H

#include "codegen/core/state.h"

// Is i a load of 8 or 16 bytes a lane, at addresses that follow no pattern, whose results the next
// store stores, and nothing else uses? Then it is that store, else NULL.
struct kir_inst *cg_copying_store(struct cg_func *g, const struct kir_inst *i);

// The load's part, where cg_copying_store says so, and the store's; p: a pointer a lane. Inactive
// lanes copy nothing.
void cg_begin_copy(struct cg_func *g, const struct kir_inst *load, LLVMValueRef p);
bool cg_is_copy(struct cg_func *g, const struct kir_inst *store);
bool cg_flows_into_phi(const struct kir_inst *of); // does a result of its?
void cg_end_copy(struct cg_func *g, const struct kir_inst *store, LLVMValueRef p);

// Does a row of copies begin at `first`? Its end then, else NULL.
struct kir_inst *cg_row_of_copies(struct cg_func *g, struct kir_inst *first);

// Is i one of what can be made before all copies of a row, and not there yet?
bool cg_is_before_copies(struct cg_func *g, const struct kir_inst *i);

// Has all that the copies of such a row read brought into the cache; what computes their addresses
// has been emitted.
void cg_prefetch_copies(struct cg_func *g, struct kir_inst *first);

// Memory for one address a lane to read from (0) or write to (1); 16 bytes of memory that lanes
// which are not active read (zeros) or write instead.
LLVMValueRef cg_lane_memory(struct cg_func *g, unsigned n);
LLVMValueRef cg_idle_memory(struct cg_func *g, bool store);

#endif
