// Values while a function is emitted: what is known of them in the current block, and the
// variables (allocas, which LLVM turns into registers) that carry them across blocks. The
// linear layout keeps no dominance that LLVM could see, so a value used in another block is
// always a variable.
#include <stdio.h>
#include <string.h>

#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_lines.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "plan/plan.h"

LLVMValueRef cg_offs_vec(struct cg_func *g, const int64_t *offs, LLVMTypeRef elem) {
    LLVMValueRef e[32];
    for (unsigned k = 0; k < g->cg->width; k++)
        e[k] = LLVMConstInt(elem, (unsigned long long)offs[k], 1);
    return g->cg->width == 1 ? e[0] : LLVMConstVector(e, g->cg->width);
}

static LLVMValueRef constant(struct cg *c, const struct kir_value *v) {
    LLVMTypeRef t = cg_scalar_type(c, v->type);
    if (v->kind == KIR_VALUE_UNDEF)
        return LLVMConstNull(t);
    switch (v->type) {
    case KIR_F32:
        return LLVMConstBitCast(LLVMConstInt(c->i32, v->bits.u32[0], 0), c->f32);
    case KIR_F64:
        return LLVMConstBitCast(LLVMConstInt(c->i64, v->bits.u64[0], 0), c->f64);
    case KIR_B128:
        return LLVMConstIntOfArbitraryPrecision(c->i128, 2, v->bits.u64);
    default:
        return LLVMConstInt(t, v->bits.u64[0], 0);
    }
}

// Does the current block lie outside a divergent loop that v is defined in? Then it sees the
// vector in which each lane keeps the value that it left the loop with.
static bool is_outside(struct cg_func *g, const struct kir_value *v) {
    if (g->cg->width == 1 || !g->fl->live_out[v->id])
        return false;
    struct cfg_loop *in = g->fl->cfg->loop[v->def->block->id];
    for (; in && !cfg_in_loop(in, g->fl->cfg->loop[g->block->id]); in = in->parent)
        if (g->fl->loop_divergent[in->index])
            return true;
    return false;
}

static struct cg_val *lookup(struct cg_func *g, struct kir_value *v);

// Scalar and guard from the first group's.
static void derive(struct cg_func *g, struct kir_value *v, struct cg_val *x) {
    struct cg *c = g->cg;
    unsigned turn = g->turn;
    cg_turn_to(g, 0);
    struct cg_val first = *lookup(g, v);
    cg_turn_to(g, turn);
    int64_t lag = g->fl->lag[v->id] * (int64_t)turn;
    LLVMValueRef by = LLVMConstInt(LLVMTypeOf(first.scalar), (unsigned long long)lag, 1);
    x->scalar = LLVMBuildAdd(c->b, first.scalar, by, "");
    x->guard = first.guard;
}

static struct cg_val *lookup(struct cg_func *g, struct kir_value *v) {
    struct cg *c = g->cg;
    struct cg_val *x = cg_val_of(g, v);
    bool derived = g->turn && g->fl->affine[v->id];
    if (x->epoch == CG_PERMANENT || x->epoch == g->epoch) {
        if (derived && !x->scalar)
            derive(g, v, x);
        return x;
    }
    *x = (struct cg_val){.epoch = g->epoch};
    if (derived) {
        derive(g, v, x);
        if (cg_var_of(g, v)->vec)
            x->delta = LLVMBuildLoad2(c->b, cg_vec_type(c, v->type), cg_var_of(g, v)->vec, "");
        return x;
    }
    if (v->kind != KIR_VALUE_INST) {
        x->scalar = constant(c, v);
        return x;
    }
    if (cg_has_home(g, v)) {
        x->vec = cg_load_home(g, v);
        return x;
    }
    if (cg_is_in_lines(g, v)) {
        cg_take_words(g, v);
        return x;
    }
    struct cg_var *var = cg_var_of(g, v);
    LLVMTypeRef t = cg_scalar_type(c, v->type), vt = cg_vec_type(c, v->type);
    if (is_outside(g, v)) {
        x->vec = LLVMBuildLoad2(c->b, vt, var->out, "");
        return x;
    }
    if (g->now.known[v->id] && !LLVMIsUndef(g->now.known[v->id])) {
        x->vec = g->now.known[v->id];
        return x;
    }
    if (var->scalar)
        x->scalar = LLVMBuildLoad2(c->b, t, var->scalar, "");
    if (var->guard)
        x->guard = LLVMBuildLoad2(c->b, c->i1, var->guard, "");
    if (var->vec)
        *(cg_is_guarded(g, v) ? &x->delta : &x->vec) = LLVMBuildLoad2(c->b, vt, var->vec, "");
    if (!x->scalar && !x->vec) {
        if (!c->failed) // the results of what was refused are missing, and that was said
            cg_error(c, "internal: %s: value %u is not at hand in block %u", g->f->name, v->id,
                     g->block->id);
        x->vec = LLVMConstNull(vt);
        x->scalar = LLVMConstNull(t);
    }
    return x;
}

LLVMValueRef cg_scalar(struct cg_func *g, struct kir_value *v) {
    struct cg_val *x = lookup(g, v);
    return x->scalar ? x->scalar : x->vec;
}

LLVMValueRef cg_guard(struct cg_func *g, struct kir_value *v) {
    LLVMValueRef guard = lookup(g, v)->guard;
    return guard && LLVMIsAConstantInt(guard) && !LLVMIsNull(guard) ? NULL : guard;
}

LLVMValueRef cg_delta(struct cg_func *g, struct kir_value *v) {
    struct cg *c = g->cg;
    struct cg_val *x = lookup(g, v);
    struct shape s = cg_shape_at_def(g, v);
    if (x->delta)
        return x->delta;
    if (s.kind == SHAPE_OFFSETS && !s.guard)
        return cg_offs_vec(g, s.offs, cg_scalar_type(c, v->type));
    if (s.kind != SHAPE_OFFSETS || !x->vec)
        return LLVMConstNull(cg_vec_type(c, v->type));
    LLVMValueRef d = LLVMBuildSub(c->b, x->vec, cg_splat(c, x->scalar), "");
    if (x->epoch != CG_PERMANENT)
        x->delta = d;
    return d;
}

LLVMValueRef cg_vec(struct cg_func *g, struct kir_value *v) {
    struct cg *c = g->cg;
    struct cg_val *x = lookup(g, v);
    if (c->width == 1)
        return x->scalar ? x->scalar : x->vec;
    if (x->vec)
        return x->vec;
    LLVMValueRef r = cg_splat(c, x->scalar);
    struct shape s = cg_shape_at_def(g, v);
    if (x->delta)
        r = LLVMBuildAdd(c->b, r, x->delta, "");
    else if (s.kind == SHAPE_OFFSETS)
        r = LLVMBuildAdd(c->b, r, cg_offs_vec(g, s.offs, cg_scalar_type(c, v->type)), "");
    if (x->epoch != CG_PERMANENT)
        x->vec = r;
    return r;
}

void cg_store_live_out(struct cg_func *g, struct kir_value *v) {
    struct cg *c = g->cg;
    struct cg_var *var = cg_var_of(g, v);
    if (!var->out)
        return;
    LLVMValueRef x = cg_vec(g, v);
    if (g->now.mask) {
        LLVMValueRef old = LLVMBuildLoad2(c->b, LLVMTypeOf(x), var->out, "");
        x = cg_select(c, g->now.mask, x, old);
    }
    LLVMBuildStore(c->b, x, var->out);
}

void cg_store_var(struct cg_func *g, struct kir_value *v) {
    struct cg *c = g->cg;
    struct cg_var *var = cg_var_of(g, v);
    struct cg_val *x = cg_val_of(g, v);
    if (x->epoch == CG_PERMANENT)
        return;
    if (var->scalar)
        LLVMBuildStore(c->b, x->scalar, var->scalar);
    if (var->guard)
        LLVMBuildStore(c->b, x->guard ? x->guard : LLVMConstInt(c->i1, 1, 0), var->guard);
    if (var->vec)
        LLVMBuildStore(c->b, cg_is_guarded(g, v) ? cg_delta(g, v) : cg_vec(g, v), var->vec);
    cg_store_live_out(g, v);
}

static LLVMValueRef canonical_at_def(struct cg_func *g, const struct kir_value *v, LLVMValueRef x) {
    return g->nan[v->id] == CG_NAN_AT_DEF && v->type == KIR_F32 ? cg_canonical(g->cg, x) : x;
}

void cg_set_scalar(struct cg_func *g, struct kir_value *v, LLVMValueRef x) {
    struct cg_val *val = cg_val_of(g, v);
    uint32_t epoch = val->epoch == CG_PERMANENT ? CG_PERMANENT : g->epoch;
    x = canonical_at_def(g, v, x);
    *val = (struct cg_val){.scalar = x, .epoch = epoch};
    cg_store_var(g, v);
}

void cg_set_offsets(struct cg_func *g, struct kir_value *v, LLVMValueRef base, LLVMValueRef guard,
                    LLVMValueRef vec, LLVMValueRef delta) {
    struct cg_val *val = cg_val_of(g, v);
    uint32_t epoch = val->epoch == CG_PERMANENT ? CG_PERMANENT : g->epoch;
    *val =
        (struct cg_val){.scalar = base, .guard = guard, .vec = vec, .delta = delta, .epoch = epoch};
    cg_store_var(g, v);
}

// A vector that is a constant, wherever it is emitted, is one in all blocks.
static void know_value(struct cg_func *g, const struct kir_value *v, LLVMValueRef x) {
    LLVMValueRef *known = &g->now.known[v->id];
    if (!g->cg->one_team || g->cg->width == 1 || g->fl->shared[v->id])
        return;
    bool usable = LLVMIsConstant(x) && (!*known || *known == x);
    *known = usable ? x : LLVMGetUndef(LLVMTypeOf(x));
}

void cg_set_vec(struct cg_func *g, struct kir_value *v, LLVMValueRef x) {
    x = canonical_at_def(g, v, x);
    struct cg_val *val = cg_val_of(g, v);
    if (cg_has_home(g, v)) {
        cg_store_home(g, v, x);
        return;
    }
    *val = (struct cg_val){.vec = x, .epoch = g->epoch};
    if (g->cg->width == 1)
        val->scalar = x;
    know_value(g, v, x);
    cg_store_var(g, v);
}

void cg_set_result(struct cg_func *g, struct kir_value *v, LLVMValueRef x) {
    struct cg *c = g->cg;
    bool is_vec = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
    if (g->plan->values[v->id].form == PLAN_SCALAR)
        cg_set_scalar(g, v, is_vec ? LLVMBuildExtractElement(c->b, x, cg_i32(c, 0), "") : x);
    else
        cg_set_vec(g, v, is_vec ? x : cg_splat(c, x));
}

LLVMValueRef cg_mask(struct cg_func *g) {
    if (g->now.mask)
        return g->now.mask;
    return LLVMConstAllOnes(cg_mask_type(g->cg));
}

LLVMValueRef cg_mask_bits(struct cg_func *g, LLVMValueRef mask) {
    return g->cg->width == 1 ? mask : cg_bits_of_lanes(g->cg, mask);
}

LLVMValueRef cg_any(struct cg_func *g, LLVMValueRef mask) {
    LLVMValueRef bits = cg_mask_bits(g, mask);
    return LLVMBuildICmp(g->cg->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "any");
}

bool cg_never_active(const struct cg_func *g) {
    return g->now.mask && LLVMIsConstant(g->now.mask) && LLVMIsNull(g->now.mask);
}

struct cg_active cg_begin_active(struct cg_func *g) {
    struct cg *c = g->cg;
    struct cg_active a = {0};
    if (c->team == 1 && !g->untested)
        return a;
    return cg_begin_some(g);
}

struct cg_active cg_begin_some(struct cg_func *g) {
    struct cg *c = g->cg;
    struct cg_active a = {0};
    if (!g->now.mask || LLVMIsConstant(g->now.mask))
        return a;
    LLVMBasicBlockRef some = cg_new_block(g, "active");
    a.from = LLVMGetInsertBlock(c->b);
    a.done = cg_new_block(g, "active.done");
    LLVMBuildCondBr(c->b, cg_any(g, g->now.mask), some, a.done);
    LLVMPositionBuilderAtEnd(c->b, some);
    return a;
}

void cg_end_active(struct cg_func *g, const struct cg_active *a, LLVMValueRef *x, unsigned n) {
    struct cg *c = g->cg;
    if (!a->done)
        return;
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(c->b), a->from};
    LLVMBuildBr(c->b, a->done);
    LLVMPositionBuilderAtEnd(c->b, a->done);
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef in[2] = {x[k], LLVMConstNull(LLVMTypeOf(x[k]))};
        x[k] = LLVMBuildPhi(c->b, LLVMTypeOf(x[k]), "");
        LLVMAddIncoming(x[k], in, from, 2);
    }
}

LLVMValueRef cg_lane_index(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMValueRef t = cg_splat(c, g->now.t0);
    return c->width == 1 ? t : LLVMBuildAdd(c->b, t, cg_offs_vec(g, g->fl->iota, c->i32), "");
}

struct cg_lane_loop cg_begin_lanes(struct cg_func *g, LLVMValueRef mask) {
    struct cg *c = g->cg;
    struct cg_lane_loop l = {0};
    note_on(c->notes, c->inst, c->width > 1, "'%s': one thread after another",
            isa_op_info[c->inst->op].name);
    LLVMValueRef bits = cg_mask_bits(g, mask);
    LLVMTypeRef t = LLVMTypeOf(bits);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b);
    l.head = cg_new_block(g, "lane");
    l.done = cg_new_block(g, "lanes.done");
    LLVMBasicBlockRef body = cg_new_block(g, "lane.body");
    LLVMBuildBr(c->b, l.head);
    LLVMPositionBuilderAtEnd(c->b, l.head);
    l.bits_phi = LLVMBuildPhi(c->b, t, "lanes");
    LLVMAddIncoming(l.bits_phi, &bits, &from, 1);
    LLVMValueRef none = LLVMBuildICmp(c->b, LLVMIntEQ, l.bits_phi, LLVMConstNull(t), "");
    LLVMBuildCondBr(c->b, none, l.done, body);
    LLVMPositionBuilderAtEnd(c->b, body);
    if (c->width == 1) {
        l.lane = cg_i32(c, 0);
        return l;
    }
    LLVMValueRef wide = c->width == 32 ? l.bits_phi : LLVMBuildZExt(c->b, l.bits_phi, c->i32, "");
    LLVMValueRef args[2] = {wide, LLVMConstInt(c->i1, 1, 0)};
    l.lane = cg_call_intrinsic(c, "llvm.cttz", &c->i32, 1, args, 2);
    return l;
}

void cg_end_lanes(struct cg_func *g, struct cg_lane_loop *l) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMTypeOf(l->bits_phi);
    LLVMValueRef less = LLVMBuildSub(c->b, l->bits_phi, LLVMConstInt(t, 1, 0), "");
    LLVMValueRef rest = LLVMBuildAnd(c->b, l->bits_phi, less, "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b);
    LLVMAddIncoming(l->bits_phi, &rest, &from, 1);
    LLVMBuildBr(c->b, l->head);
    LLVMPositionBuilderAtEnd(c->b, l->done);
}

void cg_find_crossing(struct cg_func *g) {
    struct cfg *c = g->fl->cfg;
    for (uint32_t p = 0; p < c->nblocks; p++) {
        struct kir_block *b = c->order[p];
        for (struct kir_inst *i = b->first; i; i = i->next) {
            for (uint32_t k = 0; k < i->nops; k++) {
                struct kir_value *v = i->ops[k];
                struct kir_block *at = i->op == ISA_OP_PHI ? b->preds.data[k] : b;
                if (v->kind == KIR_VALUE_INST && (v->def->block != at || v->def->op == ISA_OP_PHI))
                    g->crosses[v->id] = 1;
            }
        }
        for (struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next)
            g->crosses[i->res[0]->id] = 1;
    }
}

static LLVMValueRef make_var(struct cg_func *g, LLVMTypeRef t, const char *what, uint32_t id) {
    char name[32];
    snprintf(name, sizeof name, "%s%u", what, id);
    return LLVMBuildAlloca(g->cg->b, t, name);
}

static void make_vars_of(struct cg_func *g, const struct kir_value *v) {
    struct cg *c = g->cg;
    struct cg_var *var = cg_var_of(g, v);
    enum plan_form form = (enum plan_form)g->plan->values[v->id].form;
    bool scalar = form != PLAN_VECTOR;
    bool derived = g->turn && g->fl->affine[v->id];
    if (scalar && !derived)
        var->scalar = make_var(g, cg_scalar_type(c, v->type), "s", v->id);
    if (form == PLAN_GUARDED && !derived)
        var->guard = make_var(g, c->i1, "g", v->id);
    if (!scalar || form == PLAN_GUARDED)
        var->vec = make_var(g, cg_vec_type(c, v->type), "v", v->id);
    if (c->width > 1 && g->fl->live_out[v->id])
        var->out = make_var(g, cg_vec_type(c, v->type), "o", v->id);
}

// Variables for what crosses blocks. The builder stands in the entry block.
void cg_make_vars(struct cg_func *g) {
    struct cfg *cfg = g->fl->cfg;
    for (uint32_t p = 0; p < cfg->nblocks; p++)
        for (struct kir_inst *i = cfg->order[p]->first; i; i = i->next)
            for (uint32_t r = 0; r < i->nres; r++)
                if (g->crosses[i->res[r]->id] && cg_val_of(g, i->res[r])->epoch != CG_PERMANENT &&
                    !cg_has_home(g, i->res[r]) && !cg_is_in_lines(g, i->res[r]) &&
                    !(g->turn && cg_made_once(g, i->res[r])))
                    make_vars_of(g, i->res[r]);
}

// At the start of each group nothing of the last one is left: LLVM would otherwise carry
// registers around the loop over groups.
void cg_reset_vars(struct cg_func *g) {
    struct cg *c = g->cg;
    for (uint32_t k = 0; k < g->f->value_count; k++) {
        const struct cg_var *var = &g->now.vars[k];
        LLVMValueRef all[4] = {var->scalar, var->guard, var->vec, var->out};
        for (int n = 0; n < 4; n++)
            if (all[n])
                LLVMBuildStore(c->b, LLVMGetUndef(LLVMGetAllocatedType(all[n])), all[n]);
    }
    cg_reset_lines(g);
}
