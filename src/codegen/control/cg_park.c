// Lanes that wait at a barrier or a warp operation for others of their warp which come another way,
// or never: docs/design/partial_arrival.md. Code is made for lanes that arrive together. Whether
// others are elsewhere is seen from the masks that they wait with. Then those that have come are
// parked: what a group keeps at a barrier is copied to a frame of their own (kd_rt_park), and the
// code goes on with the others as if these had ended. Parked lanes go on later, by themselves, as a
// split of the group, where the loop over groups would turn to the next group.
#include <stddef.h>
#include <string.h>

#include "codegen/control/cg_edge.h"
#include "codegen/control/cg_park.h"
#include "codegen/control/cg_stop.h"
#include "codegen/control/cg_wait.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_warp.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/warp.h"
#include "passes/flow/park_points.h"
#include "support/work.h"

struct cg_park {
    LLVMValueRef frame_var, group_var; // of the split that runs, NULL: the group's own; the group
    LLVMValueRef own;                  // frame of the group
    LLVMValueRef waiting;              // some split is at a barrier
    LLVMBasicBlockRef next;            // a split has stopped
};

static LLVMValueRef null_ptr(struct cg *c) {
    return LLVMConstNull(c->ptr);
}

// Branches to what hardly ever happens, if `cond` holds.
static void branch_rarely(struct cg *c, LLVMValueRef cond, LLVMBasicBlockRef rare,
                          LLVMBasicBlockRef often) {
    LLVMTypeRef t = c->i1;
    LLVMValueRef args[2] = {cond, LLVMConstInt(c->i1, 0, 0)};
    LLVMBuildCondBr(c->b, cg_call_intrinsic(c, "llvm.expect", &t, 1, args, 2), rare, often);
}

// ---- the loop over groups and their splits ------------------------------------------------

void cg_make_park(struct cg_func *g, LLVMValueRef waiting) {
    struct cg *c = g->cg;
    if (!c->parks)
        return;
    g->park = arena_new(c->arena, struct cg_park);
    g->park->frame_var = LLVMBuildAlloca(c->b, c->ptr, "split");
    g->park->group_var = LLVMBuildAlloca(c->b, c->i32, "split.group");
    g->park->waiting = waiting;
    g->park->next = cg_new_block(g, "split.next");
}

LLVMValueRef cg_begin_splits(struct cg_func *g, LLVMValueRef group) {
    struct cg *c = g->cg;
    if (!g->park)
        return group;
    LLVMBuildStore(c->b, null_ptr(c), g->park->frame_var);
    LLVMBuildStore(c->b, group, g->park->group_var);
    g->park_head = cg_new_block(g, "split.head");
    LLVMBuildBr(c->b, g->park_head);
    LLVMPositionBuilderAtEnd(c->b, g->park_head);
    return LLVMBuildLoad2(c->b, c->i32, g->park->group_var, "group");
}

LLVMValueRef cg_split_frame(struct cg_func *g, LLVMValueRef own, LLVMValueRef *first) {
    struct cg *c = g->cg;
    LLVMValueRef frame = LLVMBuildLoad2(c->b, c->ptr, g->park->frame_var, "");
    LLVMValueRef is_own = LLVMBuildICmp(c->b, LLVMIntEQ, frame, null_ptr(c), "");
    g->park->own = own;
    *first = LLVMBuildAnd(c->b, *first, is_own, "");
    return LLVMBuildSelect(c->b, is_own, own, frame, "");
}

void cg_start_splits(struct cg_func *g) {
    if (g->park)
        LLVMBuildStore(g->cg->b, cg_i64(g->cg, 0),
                       cg_field(g->cg, g->park->own, offsetof(struct kd_split, next)));
}

LLVMBasicBlockRef cg_after_split(struct cg_func *g, LLVMBasicBlockRef next_group) {
    return g->park ? g->park->next : next_group;
}

static LLVMValueRef has_splits(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMValueRef at = cg_field(g->cg, g->park->own, offsetof(struct kd_split, next));
    LLVMValueRef next = LLVMBuildLoad2(c->b, c->i64, at, "splits");
    return LLVMBuildICmp(c->b, LLVMIntNE, next, cg_i64(c, 0), "");
}

static LLVMValueRef frame_bytes(struct cg *c) {
    return LLVMBuildLoad2(c->b, c->i64, c->spill_stride, "");
}

void cg_end_split(struct cg_func *g, LLVMBasicBlockRef next_group) {
    struct cg *c = g->cg;
    if (!g->park)
        return;
    LLVMBasicBlockRef ask = cg_new_block(g, "split.ask"), go = cg_new_block(g, "split.go");
    LLVMPositionBuilderAtEnd(c->b, g->park->next);
    branch_rarely(c, has_splits(g), ask, next_group);
    LLVMPositionBuilderAtEnd(c->b, ask);
    LLVMValueRef args[4] = {g->blk, g->park->own, g->now.spill, frame_bytes(c)};
    LLVMValueRef frame = cg_call_rt(c, "kd_rt_next_split", args, 4);
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, frame, null_ptr(c), ""), next_group, go);
    LLVMPositionBuilderAtEnd(c->b, go);
    LLVMBuildStore(c->b, frame, g->park->frame_var);
    LLVMBuildBr(c->b, g->park_head);
}

// ---- where splits stop --------------------------------------------------------------------

// Which lanes of the group that are not at b's end can be elsewhere; NULL: none.
static LLVMValueRef elsewhere(struct cg_func *g, const struct kir_block *b) {
    struct cg *c = g->cg;
    LLVMValueRef all = NULL;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++) {
        const struct kir_block *x = g->fl->cfg->order[p];
        if (x == b || !g->now.mask_var[x->id] || !flow_waits(g->fl, x, b))
            continue;
        LLVMValueRef m = LLVMBuildLoad2(c->b, cg_mask_type(c), g->now.mask_var[x->id], "");
        all = all ? LLVMBuildOr(c->b, all, m, "") : m;
    }
    return all ? cg_any(g, all) : NULL;
}

// The lanes that are here stop, and have been saved. Where others are elsewhere, `others`, these go
// on; else control goes to `stopped`.
static void stop_lanes(struct cg_func *g, struct kir_block *b, LLVMValueRef others,
                       LLVMBasicBlockRef stopped) {
    struct cg *c = g->cg;
    if (!others) {
        LLVMBuildBr(c->b, stopped);
        return;
    }
    LLVMBasicBlockRef park = cg_new_block(g, "park");
    branch_rarely(c, others, park, stopped);
    LLVMPositionBuilderAtEnd(c->b, park);
    LLVMValueRef args[4] = {g->blk, g->park->own, g->now.spill, frame_bytes(c)};
    cg_call_rt(c, "kd_rt_park", args, 4);
    if (stopped == g->suspended)
        LLVMBuildStore(c->b, LLVMConstInt(c->i1, 1, 0), g->park->waiting);
    cg_follow_layout(g, b);
}

void cg_stop_at_barrier(struct cg_func *g, const struct kir_inst *i) {
    stop_lanes(g, i->block, g->park ? elsewhere(g, i->block) : NULL, g->suspended);
}

// ---- loops that look ----------------------------------------------------------------------

static bool has_only_phis(const struct kir_block *b) {
    const struct kir_inst *i = b->first;
    while (i->op == ISA_OP_PHI)
        i = i->next;
    return i->op == ISA_OP_BRA;
}

bool cg_emit_turn(struct cg_func *g, const struct cfg_loop *l, LLVMBasicBlockRef look) {
    struct cg *c = g->cg;
    struct kir_block *b = l->header;
    if (!g->park || !has_only_phis(b))
        return false;
    LLVMBasicBlockRef stop = cg_new_block(g, "turn"), alone = cg_new_block(g, "yield");
    LLVMValueRef others = elsewhere(g, b), apart = has_splits(g), mask = g->now.mask;
    LLVMBuildCondBr(c->b, others ? LLVMBuildOr(c->b, others, apart, "") : apart, stop, alone);
    LLVMPositionBuilderAtEnd(c->b, alone);
    cg_call_wait(g, l, true);
    LLVMBuildBr(c->b, look);
    LLVMPositionBuilderAtEnd(c->b, stop);
    cg_call_wait(g, l, false);
    g->epoch++;
    struct cg_stop *s = cg_save_to_stop(g, b->last, KD_SPLIT_TURN);
    stop_lanes(g, b, others, g->park->next);
    cg_go_on(g, s);
    cg_emit_terminator(g, b);
    g->epoch++;
    g->now.mask = mask;
    return true;
}

// ---- warp operations ----------------------------------------------------------------------

static LLVMValueRef row(struct cg_func *g, size_t offset) {
    return cg_field(g->cg, g->now.spill, KD_SPLIT_FRAME + offset);
}

static void store_row(struct cg_func *g, size_t offset, LLVMValueRef v) {
    LLVMSetAlignment(LLVMBuildStore(g->cg->b, v, row(g, offset)), 64);
}

static uint32_t member_operand(const struct kir_inst *i) {
    return i->op == ISA_OP_SHFL ? 3 : i->op == ISA_OP_BAR_WARP_SYNC ? 0 : 1;
}

static LLVMValueRef words(struct cg_func *g, struct kir_inst *i, uint32_t k) {
    return cg_narrow(g->cg, cg_operand_bits(g, i, k, cg_vec(g, i->ops[k])), 32);
}

// What the device needs of the operation.
static void store_operands(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMTypeRef i64v = cg_vec_of(c, c->i64);
    uint32_t m = member_operand(i);
    if (i->op != ISA_OP_BAR_WARP_SYNC) {
        unsigned bits = i->op == ISA_OP_MATCH ? isa_type_bits(i->ty) : 32;
        LLVMValueRef a = cg_operand_bits(g, i, 0, cg_vec(g, i->ops[0]));
        if (i->op != ISA_OP_VOTE)
            a = cg_narrow(c, a, bits);
        store_row(g, offsetof(struct kd_split_operands, a),
                  bits == 64 ? a : LLVMBuildZExt(c->b, a, i64v, ""));
    }
    if (i->op == ISA_OP_SHFL) {
        store_row(g, offsetof(struct kd_split_operands, b), words(g, i, 1));
        store_row(g, offsetof(struct kd_split_operands, c), words(g, i, 2));
    }
    store_row(g, offsetof(struct kd_split_operands, members), words(g, i, m));
}

// i1: is a lane that some lane here wants not here?
static LLVMValueRef misses_members(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct kir_value *m = i->ops[member_operand(i)];
    LLVMValueRef absent = LLVMBuildNot(c->b, cg_active_lanes(g), "");
    if (cg_shape(g, m).kind == SHAPE_UNIFORM) {
        LLVMValueRef want = cg_narrow(c, cg_scalar(g, m), 32);
        return LLVMBuildICmp(c->b, LLVMIntNE, LLVMBuildAnd(c->b, want, absent, ""), cg_i32(c, 0),
                             "");
    }
    LLVMValueRef want = words(g, i, member_operand(i));
    want = LLVMBuildAnd(c->b, want, cg_splat(c, absent), "");
    LLVMValueRef any = LLVMBuildICmp(c->b, LLVMIntNE, want, LLVMConstNull(LLVMTypeOf(want)), "");
    return cg_any(g, LLVMBuildAnd(c->b, any, cg_mask(g), ""));
}

static void set_results(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef lane[2] = {cg_stopped_lanes(g), LLVMConstInt(c->i1, 1, 0)};
    LLVMValueRef first = cg_call_intrinsic(c, "llvm.cttz", &c->i32, 1, lane, 2);
    LLVMValueRef r = LLVMBuildLoad2(c->b, cg_vec_of(c, c->i64),
                                    row(g, offsetof(struct kd_split_operands, a)), "");
    LLVMSetAlignment(r, 64);
    for (uint32_t k = 0; k < i->nres; k++) {
        LLVMValueRef x = r;
        if (k)
            x = LLVMBuildLShr(c->b, x, cg_splat(c, cg_i64(c, 32)), "");
        bool pred = i->res[k]->type == KIR_PRED;
        x = LLVMBuildTrunc(c->b, x, pred ? cg_mask_type(c) : cg_vec_of(c, c->i32), "");
        if (!pred)
            x = LLVMBuildBitCast(c->b, x, cg_vec_type(c, i->res[k]->type), "");
        if (g->fl->shape[i->res[k]->id].kind == SHAPE_UNIFORM)
            x = LLVMBuildExtractElement(c->b, x, first, "");
        cg_set_result(g, i->res[k], x);
    }
}

bool cg_emit_meeting(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    if (!g->park || !is_park_point(i))
        return false;
    LLVMBasicBlockRef ask = cg_new_block(g, "op.ask"), wait = cg_new_block(g, "op.wait"),
                      here = cg_new_block(g, "op");
    LLVMValueRef others = elsewhere(g, i->block), apart = has_splits(g);
    for (uint32_t k = 0; k < i->nops; k++)
        cg_vec(g, i->ops[k]);
    branch_rarely(c, others ? LLVMBuildOr(c->b, apart, others, "") : apart, ask, here);
    LLVMPositionBuilderAtEnd(c->b, ask);
    branch_rarely(c, misses_members(g, i), wait, here);
    LLVMPositionBuilderAtEnd(c->b, wait);
    store_operands(g, i);
    // What is loaded to be saved is not at hand where all have come.
    struct arena kept = {0};
    size_t bytes = (g->f->value_count + 1) * sizeof *g->now.vals;
    struct cg_val *known = arena_memdup(&kept, g->now.vals, bytes);
    work_spend(g->f->value_count);
    struct cg_stop *stop = cg_save_to_stop(g, i, KD_SPLIT_WARP_OP);
    stop_lanes(g, i->block, others, g->park->next);
    memcpy(g->now.vals, known, bytes);
    arena_free(&kept);
    LLVMPositionBuilderAtEnd(c->b, here);
    cg_emit_warp(g, i);
    cg_emit_terminator(g, i->block);
    cg_go_on(g, stop);
    set_results(g, i);
    return true;
}
