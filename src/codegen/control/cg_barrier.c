// Barriers. In KD_MODE_BLOCK a group that reaches one saves what it still needs and the state
// in which it goes on, and the loop over groups turns to the next group; a pass over all groups
// is one phase of the barrier. In the stack modes a helper switches to another stack.
#include "codegen/control/cg_barrier.h"
#include "codegen/control/cg_park.h"
#include "codegen/control/cg_stop.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/block.h"
#include "isa/ops/cluster.h"

static LLVMValueRef reduction_result(struct cg *c, const struct kir_inst *i, LLVMValueRef popc,
                                     LLVMValueRef lanes) {
    if (i->mods.boolop == ISA_BOOL_AND)
        return LLVMBuildICmp(c->b, LLVMIntEQ, popc, lanes, "");
    if (i->mods.boolop == ISA_BOOL_OR)
        return LLVMBuildICmp(c->b, LLVMIntNE, popc, cg_i32(c, 0), "");
    return popc;
}

static void suspend(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct cg_stop *s = cg_save_to_stop(g, i, KD_SPLIT_BARRIER);
    cg_stop_at_barrier(g, i);
    cg_go_on(g, s);
    if (i->op == ISA_OP_BAR_RED && i->nres)
        cg_set_result(g, i->res[0],
                      reduction_result(c, i, LLVMBuildLoad2(c->b, c->i32, g->red_prev_popc, ""),
                                       LLVMBuildLoad2(c->b, c->i32, g->red_prev_lanes, "")));
}

// All threads of the block are here: they are one team.
static void meet_in_place(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef sum[2] = {cg_i32(c, 0), cg_i32(c, 0)};
    if (i->op != ISA_OP_BAR_RED || !i->nres)
        return;
    for (unsigned t = 0; t < c->team; t++) {
        LLVMValueRef n[2];
        cg_turn_to(g, t);
        cg_count_group(g, i, n);
        for (int k = 0; k < 2; k++)
            sum[k] = LLVMBuildAdd(c->b, sum[k], n[k], "");
    }
    cg_turn_to(g, 0);
    cg_set_result(g, i->res[0], reduction_result(c, i, sum[0], sum[1]));
}

static void call_helper(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    bool red = i->op == ISA_OP_BAR_RED;
    bool counted = red ? i->flag : i->nops > 1;
    LLVMValueRef id = cg_extract(g, cg_vec(g, i->ops[0]), cg_i32(c, 0));
    LLVMValueRef count = counted ? cg_extract(g, cg_vec(g, i->ops[1]), cg_i32(c, 0)) : cg_i32(c, 0);
    LLVMValueRef args[7] = {g->blk, g->now.group, cg_narrow(c, id, 32), cg_narrow(c, count, 32)};
    if (!red) {
        cg_call_rt(c, i->op == ISA_OP_BAR_SYNC ? "kd_rt_bar_sync" : "kd_rt_bar_arrive", args, 4);
        return;
    }
    LLVMValueRef p = cg_vec(g, i->ops[i->nops - 1]), m = cg_mask(g);
    LLVMValueRef yes = g->now.mask ? cg_select(c, m, p, LLVMConstNull(LLVMTypeOf(m))) : p;
    LLVMValueRef n[2] = {cg_mask_bits(g, yes), cg_mask_bits(g, m)};
    for (int k = 0; k < 2; k++) {
        LLVMTypeRef t = LLVMTypeOf(n[k]);
        if (c->width > 1)
            n[k] = cg_call_intrinsic(c, "llvm.ctpop", &t, 1, &n[k], 1);
        n[k] = cg_narrow(c, n[k], 32);
    }
    args[4] = cg_i32(c, i->mods.boolop);
    args[5] = n[0];
    args[6] = n[1];
    LLVMValueRef r = cg_call_rt(c, "kd_rt_bar_red", args, 7);
    if (i->nres && i->res[0]->type == KIR_PRED)
        r = LLVMBuildICmp(c->b, LLVMIntNE, r, cg_i32(c, 0), "");
    if (i->nres)
        cg_set_result(g, i->res[0], r);
}

static bool emit_cluster_barrier(struct cg_func *g, const struct kir_inst *i) {
    bool arrive = i->op == ISA_OP_BARRIER_CLUSTER_ARRIVE;
    if (!arrive && i->op != ISA_OP_BARRIER_CLUSTER_WAIT)
        return false;
    LLVMValueRef args[2] = {g->blk, g->now.group};
    cg_call_rt(g->cg, arrive ? "kd_rt_cluster_arrive" : "kd_rt_cluster_wait", args, 2);
    return true;
}

bool cg_emit_barrier(struct cg_func *g, struct kir_inst *i) {
    if (emit_cluster_barrier(g, i))
        return true;
    if (i->op != ISA_OP_BAR_SYNC && i->op != ISA_OP_BAR_ARRIVE && i->op != ISA_OP_BAR_RED)
        return false;
    if (g->cg->one_team)
        meet_in_place(g, i);
    else if (g->cg->mode == KD_MODE_BLOCK)
        suspend(g, i);
    else
        call_helper(g, i);
    return true;
}
