// From block to block: edges, masks, phis, and the jump over blocks that no lane is in. Each
// block of the kernel IR has a `body`, and a `test` that jumps over it when its mask is empty.
// Direct edges go to bodies; everything else follows the layout through flow_next().
#include "codegen/control/cg_edge.h"
#include "codegen/control/cg_ask_whole.h"
#include "codegen/control/cg_runs.h"
#include "codegen/control/cg_slot.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_lines.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/control.h"

enum { MAX_UNROLLED = 600 * 16 };

// Which entry of to->preds the edge (from, target index k) is.
static uint32_t pred_index(const struct cg_func *g, const struct kir_block *from, uint32_t k) {
    const struct cfg *c = g->fl->cfg;
    return c->edge_pred[c->first_edge[from->id] + k];
}

// Of what is made once for a team the first group alone takes care.
static struct cg_var *own_var(struct cg_func *g, const struct kir_value *v) {
    return g->turn && cg_made_once(g, v) ? NULL : cg_var_of(g, v);
}

struct incoming {
    LLVMValueRef scalar, guard, vec;
};

// A phi's operand in the phi's representation: their types agree in width alone.
static LLVMValueRef phi_operand(struct cg_func *g, const struct kir_inst *i, uint32_t k,
                                LLVMValueRef x) {
    struct cg *c = g->cg;
    bool vec = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
    LLVMTypeRef t = vec ? cg_vec_type(c, i->res[0]->type) : cg_scalar_type(c, i->res[0]->type);
    x = cg_operand_bits(g, i, k, x);
    return LLVMTypeOf(x) == t ? x : LLVMBuildBitCast(c->b, x, t, "");
}

// All lanes come through `from` to `to`, in each iteration of their loop anew, and no edge brings
// lanes there before this one: what the others have then is not looked at, or still to come.
static bool brings_first(const struct cg_func *g, const struct kir_block *from,
                         const struct kir_block *to) {
    const struct cfg *f = g->fl->cfg;
    const struct cfg_loop *l = f->loop[to->id];
    uint32_t edges = 0;
    if (f->idom[to->id] != from->id || f->loop[from->id] != l || (l && l->irreducible) ||
        f->pos[from->id] >= f->pos[to->id])
        return false;
    for (uint32_t p = 0; p < to->preds.len; p++)
        edges += to->preds.data[p] == from;
    return edges == 1;
}

void cg_assign_phis(struct cg_func *g, struct kir_block *from, uint32_t k, LLVMValueRef mask) {
    struct cg *c = g->cg;
    struct kir_block *to = from->last->targets[k];
    uint32_t p = pred_index(g, from, k), n = 0;
    bool blends = g->fl->join[to->id] && mask && !brings_first(g, from, to);
    for (struct kir_inst *i = to->first; i && i->op == ISA_OP_PHI; i = i->next)
        n++;
    struct incoming *in = arena_array(c->arena, struct incoming, n + 1);
    n = 0;
    for (struct kir_inst *i = to->first; i && i->op == ISA_OP_PHI; i = i->next, n++) {
        struct cg_var *var = own_var(g, i->res[0]);
        if (!var)
            continue;
        if (cg_has_home(g, i->res[0]) && !cg_same_home(g, i->res[0], i->ops[p]))
            in[n].vec = phi_operand(g, i, p, cg_vec(g, i->ops[p]));
        if (var->scalar)
            in[n].scalar = phi_operand(g, i, p, cg_scalar(g, i->ops[p]));
        if (var->guard)
            in[n].guard = cg_guard(g, i->ops[p]);
        if (var->vec)
            in[n].vec = phi_operand(g, i, p,
                                    cg_is_guarded(g, i->res[0]) ? cg_delta(g, i->ops[p])
                                                                : cg_vec(g, i->ops[p]));
    }
    cg_move_lines(g, to, p);
    cg_enter_slots(g, to, p);
    n = 0;
    for (struct kir_inst *i = to->first; i && i->op == ISA_OP_PHI; i = i->next, n++) {
        struct cg_var *var = own_var(g, i->res[0]);
        if (!var)
            continue;
        if (var->scalar)
            LLVMBuildStore(c->b, in[n].scalar, var->scalar);
        if (var->guard)
            LLVMBuildStore(c->b, in[n].guard ? in[n].guard : LLVMConstInt(c->i1, 1, 0), var->guard);
        if (in[n].vec && cg_has_home(g, i->res[0]) && !cg_store_zeros(g, i, p))
            cg_store_home(g, i->res[0], in[n].vec);
        if (!var->vec)
            continue;
        LLVMValueRef x = in[n].vec;
        if (cg_goes_to_slot(g, i, p))
            cg_store_slot(g, i->res[0], x);
        if (blends) {
            LLVMValueRef old = LLVMBuildLoad2(c->b, LLVMTypeOf(x), var->vec, "");
            x = cg_select(c, mask, x, old);
        }
        LLVMBuildStore(c->b, x, var->vec);
    }
}

static void prepare_phis_of_group(struct cg_func *g, struct kir_block *b) {
    for (uint32_t k = 0; k < b->last->ntargets; k++) {
        struct kir_block *to = b->last->targets[k];
        uint32_t p = pred_index(g, b, k);
        cg_prepare_lines(g, to, p);
        for (struct kir_inst *i = to->first; i && i->op == ISA_OP_PHI; i = i->next) {
            struct cg_var *var = cg_var_of(g, i->res[0]);
            if (cg_same_home(g, i->res[0], i->ops[p]))
                continue;
            cg_scalar(g, i->ops[p]);
            if (var->vec && cg_is_guarded(g, i->res[0]))
                cg_delta(g, i->ops[p]);
            else if (var->vec || cg_has_home(g, i->res[0]))
                cg_vec(g, i->ops[p]);
        }
    }
}

void cg_prepare_phis(struct cg_func *g, struct kir_block *b) {
    for (unsigned t = g->cg->team; t-- > 0;) {
        cg_turn_to(g, t);
        prepare_phis_of_group(g, b);
    }
}

static void add_to_mask(struct cg_func *g, const struct kir_block *from, struct kir_block *to,
                        LLVMValueRef mask) {
    struct cg *c = g->cg;
    LLVMValueRef var = g->now.mask_var[to->id];
    if (!var)
        return;
    cg_know_mask(g, from, to, mask);
    if (g->fl->join[to->id])
        mask = LLVMBuildOr(c->b, LLVMBuildLoad2(c->b, LLVMTypeOf(mask), var, ""), mask, "");
    LLVMBuildStore(c->b, mask, var);
}

// A loop of barriers runs a few times, and most of what it computes follows from the iteration: the
// halves of a block that a reduction adds.
static bool worth_unrolling(const struct cg_func *g, const struct cfg_loop *l) {
    unsigned n = 0;
    bool barrier = false;
    if (!g->cg->one_team || !g->cg->target.fused)
        return false;
    for (uint32_t k = 0; k < g->fl->cfg->loops.len; k++)
        if (g->fl->cfg->loops.data[k]->parent == l)
            return false;
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next, n++)
            barrier |= isa_op_info[i->op].klass == ISA_CLASS_BLOCK;
    return barrier && n * g->cg->team * g->cg->width <= MAX_UNROLLED;
}

static void go_to(struct cg_func *g, const struct kir_block *from, const struct kir_block *to,
                  LLVMBasicBlockRef block) {
    LLVMValueRef br = LLVMBuildBr(g->cg->b, block);
    const struct cfg_loop *l = g->fl->cfg->loop[from->id];
    if (l && l->header == to && worth_unrolling(g, l))
        cg_unroll(g->cg, br);
}

void cg_take_lanes(struct cg_func *g, struct kir_block *from, uint32_t k) {
    struct kir_block *to = from->last->targets[k];
    if (g->fl->exit_only[to->id])
        return;
    cg_assign_phis(g, from, k, cg_mask(g));
    add_to_mask(g, from, to, cg_mask(g));
}

// Control goes on where the lanes have been sent.
void cg_go_to_next(struct cg_func *g, struct kir_block *b, uint32_t k) {
    struct kir_block *to = b->last->targets[k];
    if (g->fl->exit_only[to->id] || g->fl->deferred[b->id][k])
        cg_follow_layout(g, b);
    else // a block that runs untested may have no lane to send
        go_to(g, b, to,
              g->now.mask_var[b->id] && cg_is_harmless(g, b) ? g->test[to->id] : g->body[to->id]);
}

// The lanes of `mask` take edge k, which is deferred.
static void add_lanes(struct cg_func *g, struct kir_block *b, uint32_t k, LLVMValueRef mask) {
    struct kir_block *to = b->last->targets[k];
    if (g->fl->exit_only[to->id])
        return;
    if (!LLVMIsConstant(mask) || !LLVMIsNull(mask))
        cg_assign_phis(g, b, k, mask);
    add_to_mask(g, b, to, mask);
}

// All active lanes take edge k.
static void take_edge(struct cg_func *g, struct kir_block *b, uint32_t k) {
    for (unsigned t = g->cg->team; t-- > 0;) {
        cg_turn_to(g, t);
        cg_take_lanes(g, b, k);
    }
    cg_go_to_next(g, b, k);
}

static LLVMValueRef mask_and(struct cg_func *g, LLVMValueRef cond) {
    // A select, for what `cond` holds in inactive lanes may be poison.
    return g->now.mask && !LLVMIsNull(cond)
               ? cg_select(g->cg, g->now.mask, cond, LLVMConstNull(cg_mask_type(g->cg)))
               : cond;
}

static void emit_cbr(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    struct kir_value *p = b->last->ops[0];
    if (!g->fl->divergent[b->id]) {
        LLVMBasicBlockRef yes = cg_new_block(g, "yes"), no = cg_new_block(g, "no");
        cg_prepare_phis(g, b);
        LLVMBuildCondBr(c->b, cg_scalar(g, p), yes, no);
        LLVMPositionBuilderAtEnd(c->b, yes);
        take_edge(g, b, 0);
        LLVMPositionBuilderAtEnd(c->b, no);
        take_edge(g, b, 1);
        return;
    }
    cg_ask_whole(g, b);
    for (unsigned t = c->team; t-- > 0;) {
        cg_turn_to(g, t);
        LLVMValueRef cond = cg_vec(g, p);
        add_lanes(g, b, 0, mask_and(g, cond));
        add_lanes(g, b, 1, mask_and(g, LLVMBuildNot(c->b, cond, "")));
    }
    cg_follow_layout(g, b);
}

static void emit_brx(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    struct kir_inst *t = b->last;
    if (!g->fl->divergent[b->id]) {
        LLVMBasicBlockRef bad = cg_new_block(g, "brx.bad");
        LLVMValueRef x = cg_scalar(g, t->ops[0]);
        cg_prepare_phis(g, b);
        LLVMValueRef sw = LLVMBuildSwitch(c->b, x, bad, t->ntargets);
        for (uint32_t k = 0; k < t->ntargets; k++) {
            LLVMBasicBlockRef to = cg_new_block(g, "case");
            LLVMAddCase(sw, LLVMConstInt(LLVMTypeOf(x), k, 0), to);
            LLVMPositionBuilderAtEnd(c->b, to);
            take_edge(g, b, k);
        }
        LLVMPositionBuilderAtEnd(c->b, bad);
        LLVMBuildUnreachable(c->b);
        return;
    }
    LLVMTypeRef type = cg_scalar_type(c, t->ops[0]->type);
    for (unsigned turn = c->team; turn-- > 0;) {
        cg_turn_to(g, turn);
        LLVMValueRef x = cg_vec(g, t->ops[0]);
        for (uint32_t k = 0; k < t->ntargets; k++) {
            LLVMValueRef number = cg_splat(c, LLVMConstInt(type, k, 0));
            add_lanes(g, b, k, mask_and(g, LLVMBuildICmp(c->b, LLVMIntEQ, x, number, "")));
        }
    }
    cg_follow_layout(g, b);
}

static void emit_ret(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    struct kir_inst *t = b->last;
    for (uint32_t k = 0; k < t->nops && !g->f->is_kernel; k++) {
        LLVMTypeRef type = cg_result_type(c, g->f, k);
        bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
        LLVMValueRef x = vector ? cg_vec(g, t->ops[k]) : cg_scalar(g, t->ops[k]);
        x = cg_cast(c, cg_operand_bits(g, t, k, x), type);
        if (g->now.mask && vector) {
            LLVMValueRef old = LLVMBuildLoad2(c->b, LLVMTypeOf(x), g->ret_vars[k], "");
            x = cg_select(c, g->now.mask, x, old);
        }
        LLVMBuildStore(c->b, x, g->ret_vars[k]);
    }
    if (g->alive_var) {
        LLVMValueRef old = LLVMBuildLoad2(c->b, cg_mask_type(c), g->alive_var, "");
        LLVMBuildStore(c->b, LLVMBuildOr(c->b, old, cg_mask(g), ""), g->alive_var);
    }
    cg_follow_layout(g, b);
}

void cg_emit_terminator(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    switch (b->last->op) {
    case ISA_OP_BRA:
        take_edge(g, b, 0);
        break;
    case ISA_OP_CBR:
        emit_cbr(g, b);
        break;
    case ISA_OP_BRX_IDX:
        emit_brx(g, b);
        break;
    case ISA_OP_RET:
        emit_ret(g, b);
        break;
    case ISA_OP_EXIT:
        cg_follow_layout(g, b);
        break;
    default: {
        LLVMValueRef args[3] = {g->blk, g->now.t0, cg_i32(c, KD_FAULT_TRAP)};
        cg_call_rt(c, "kd_rt_fault", args, 3);
        LLVMBuildUnreachable(c->b);
    }
    }
}
