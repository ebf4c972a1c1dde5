#ifndef KUDZU_CODEGEN_CG_PARK_H
#define KUDZU_CODEGEN_CG_PARK_H

#include "codegen/core/state.h"

// Around the loop over groups: its variables; the head to which a group comes back for each split,
// returning the group; the split's frame, of which `first` becomes whether it begins; where a split
// that has stopped goes, and what stands there.
void cg_make_park(struct cg_func *g, LLVMValueRef waiting);
LLVMValueRef cg_begin_splits(struct cg_func *g, LLVMValueRef group);
LLVMValueRef cg_split_frame(struct cg_func *g, LLVMValueRef own, LLVMValueRef *first);
void cg_start_splits(struct cg_func *g);
LLVMBasicBlockRef cg_after_split(struct cg_func *g, LLVMBasicBlockRef next_group);
void cg_end_split(struct cg_func *g, LLVMBasicBlockRef next_group);
void cg_stop_at_barrier(struct cg_func *g, const struct kir_inst *i);

// At the head of loop l that has looked in vain: lanes that are elsewhere go on first; where there
// are none, other groups do. False: lanes do not wait for each other in it.
bool cg_emit_turn(struct cg_func *g, const struct cfg_loop *l, LLVMBasicBlockRef look);

// A warp operation at which lanes may have to wait for others; false: it is none.
bool cg_emit_meeting(struct cg_func *g, struct kir_inst *i);

#endif
