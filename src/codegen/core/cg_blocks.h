#ifndef KUDZU_CODEGEN_CG_BLOCKS_H
#define KUDZU_CODEGEN_CG_BLOCKS_H

#include "codegen/core/state.h"

LLVMValueRef cg_entry_alloca(struct cg_func *g, LLVMTypeRef t); // at the function's head
LLVMBasicBlockRef cg_new_block(struct cg_func *g, const char *name);
bool cg_is_meeting(const struct cg_func *g, const struct kir_inst *i);

// Tells LLVM to unroll the loop that `branch` closes, when its iterations can be counted.
void cg_unroll(struct cg *c, LLVMValueRef branch);

// Keeps LLVM from unrolling and vectorizing it.
void cg_no_loop_transforms(struct cg *c, LLVMValueRef branch);

// Goes on with group `turn` of the team.
void cg_turn_to(struct cg_func *g, unsigned turn);

// Behind b no lane is active any more: on to where lanes wait, or to the end.
void cg_follow_layout(struct cg_func *g, struct kir_block *b);
void cg_jump(struct cg_func *g, struct flow_next n);

// The weights of branches, as LLVM has them, to what hardly ever runs.
enum { CG_RARE = 1, CG_OFTEN = 2000 };
// Says that the branch goes to its successor 0 or 1 hardly ever.
void cg_rarely(struct cg *c, LLVMValueRef branch, unsigned successor);

// Where atomic operations and launches have to find the other lanes of a warp there, too.
void cg_meet_lanes(struct cg_func *g);

#endif
