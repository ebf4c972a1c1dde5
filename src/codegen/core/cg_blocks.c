// LLVM's blocks and stack variables of a function, its loops, and the group that code is made for.
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "isa/ops/warp.h"

LLVMBasicBlockRef cg_new_block(struct cg_func *g, const char *name) {
    return LLVMAppendBasicBlockInContext(g->cg->ctx, g->fn, name);
}

LLVMValueRef cg_entry_alloca(struct cg_func *g, LLVMTypeRef t) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMValueRef first = LLVMGetFirstInstruction(g->entry);
    if (first)
        LLVMPositionBuilderBefore(c->b, first);
    LLVMValueRef v = LLVMBuildAlloca(c->b, t, "");
    LLVMPositionBuilderAtEnd(c->b, here);
    return v;
}

void cg_turn_to(struct cg_func *g, unsigned turn) {
    if (turn == g->turn)
        return;
    g->groups[g->turn] = g->now;
    g->now = g->groups[turn];
    g->turn = turn;
}

bool cg_is_meeting(const struct cg_func *g, const struct kir_inst *i) {
    return isa_op_info[i->op].klass == ISA_CLASS_BLOCK ||
           (i->op == ISA_OP_BAR_WARP_SYNC && g->cg->one_team);
}

// A loop's metadata: properties that are names alone, and such with the value false.
static void loop_metadata(struct cg *c, LLVMValueRef branch, const char *name, const char *off) {
    LLVMMetadataRef ops[3];
    unsigned n = 0;
    LLVMMetadataRef self = LLVMTemporaryMDNode(c->ctx, NULL, 0);
    ops[n++] = self;
    LLVMMetadataRef s = LLVMMDStringInContext2(c->ctx, name, strlen(name));
    ops[n++] = LLVMMDNodeInContext2(c->ctx, &s, 1);
    if (off) {
        LLVMMetadataRef v[2] = {LLVMMDStringInContext2(c->ctx, off, strlen(off)),
                                LLVMValueAsMetadata(LLVMConstInt(c->i1, 0, 0))};
        ops[n++] = LLVMMDNodeInContext2(c->ctx, v, 2);
    }
    LLVMMetadataRef loop = LLVMMDNodeInContext2(c->ctx, ops, n);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(c->ctx, "llvm.loop", 9),
                    LLVMMetadataAsValue(c->ctx, loop));
}

void cg_no_loop_transforms(struct cg *c, LLVMValueRef branch) {
    loop_metadata(c, branch, "llvm.loop.unroll.disable", "llvm.loop.vectorize.enable");
}

void cg_unroll(struct cg *c, LLVMValueRef branch) {
    loop_metadata(c, branch, "llvm.loop.unroll.full", NULL);
}

void cg_jump(struct cg_func *g, struct flow_next n) {
    LLVMBuildBr(g->cg->b, n.block      ? g->test[n.block->id]
                          : n.loop_end ? g->loop_end[n.loop_end->index]
                                       : g->end);
}

void cg_follow_layout(struct cg_func *g, struct kir_block *b) {
    cg_jump(g, flow_next(g->fl, b, g->fl->cfg->pos[b->id], NULL, true, NULL));
}

void cg_rarely(struct cg *c, LLVMValueRef branch, unsigned successor) {
    LLVMMetadataRef w[3] = {
        LLVMMDStringInContext2(c->ctx, "branch_weights", 14),
        LLVMValueAsMetadata(cg_i32(c, successor == 0 ? CG_RARE : CG_OFTEN)),
        LLVMValueAsMetadata(cg_i32(c, successor == 1 ? CG_RARE : CG_OFTEN)),
    };
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(c->ctx, "prof", 4),
                    LLVMMetadataAsValue(c->ctx, LLVMMDNodeInContext2(c->ctx, w, 3)));
}

// A warp's lanes go together up to the branch at which one of them counts what all have stored, or
// launches a grid that reads it; programs rely on that (guide 13 promises it of the launching
// thread's own stores only). Of threads with a stack each, the one that comes first lets the others
// come, too.
void cg_meet_lanes(struct cg_func *g) {
    struct cg *c = g->cg;
    if (c->lanes_meet && c->mode == KD_MODE_THREAD_STACKS)
        cg_call_rt(c, "kd_rt_let_others", &g->blk, 1);
}
