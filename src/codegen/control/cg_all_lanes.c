// What all lanes of a team do, as scalar comparisons tell: whether all go one way, by an index that
// grows from lane to lane and something uniform.
#include "codegen/control/cg_all_lanes.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/arith.h"

// Puts the comparison that keeps lanes in the loop into the form index < limit.
static bool relation(const struct kir_inst *s, bool stay_if_true, struct cg_counted *l) {
    enum { LT, LE, GT, GE } r;
    switch (s->mods.cmp) {
    case ISA_CMP_LT:
    case ISA_CMP_LO:
        r = stay_if_true ? LT : GE;
        break;
    case ISA_CMP_LE:
    case ISA_CMP_LS:
        r = stay_if_true ? LE : GT;
        break;
    case ISA_CMP_GT:
    case ISA_CMP_HI:
        r = stay_if_true ? GT : LE;
        break;
    case ISA_CMP_GE:
    case ISA_CMP_HS:
        r = stay_if_true ? GE : LT;
        break;
    default:
        return false;
    }
    bool swapped = r == GT || r == GE;
    l->index = s->ops[swapped];
    l->limit = s->ops[!swapped];
    l->or_equal = r == LE || r == GE;
    bool unsigned_cmp = s->mods.cmp == ISA_CMP_LO || s->mods.cmp == ISA_CMP_LS ||
                        s->mods.cmp == ISA_CMP_HI || s->mods.cmp == ISA_CMP_HS;
    l->is_signed = isa_type_is_signed(s->ty) && !unsigned_cmp;
    return true;
}

static bool is_comparison(const struct kir_block *b, const struct kir_value *p) {
    if (p->kind != KIR_VALUE_INST || p->def->block != b || p->def->op != ISA_OP_SETP ||
        p->def->nops != 2 || p->def->mods.boolop)
        return false;
    const struct kir_inst *s = p->def;
    unsigned bits = isa_type_bits(s->ty);
    return !isa_type_is_float(s->ty) && (bits == 32 || bits == 64) &&
           kir_type_bits(s->ops[0]->type) == bits && kir_type_bits(s->ops[1]->type) == bits;
}

// Does the comparison p of block b have a form that one scalar answers for the team?
bool cg_find_condition(struct cg_func *g, const struct kir_block *b, const struct kir_value *p,
                       bool stay_if_true, struct cg_counted *l) {
    if (!is_comparison(b, p) || !relation(p->def, stay_if_true, l))
        return false;
    struct shape index = cg_shape(g, l->index), limit = cg_shape(g, l->limit);
    bool one = g->cg->team == 1;
    if (index.kind != SHAPE_OFFSETS || index.guard || limit.kind != SHAPE_UNIFORM ||
        !(one || g->fl->shared[l->limit->id]) ||
        !(one || g->fl->shared[l->index->id] || g->fl->affine[l->index->id]))
        return false;
    int64_t lag = one ? 0 : g->fl->lag[l->index->id];
    for (unsigned k = 0; k < g->cg->width; k++) {
        if (index.offs[k] < 0 || lag < 0)
            return false;
        l->most = index.offs[k] > l->most ? index.offs[k] : l->most;
    }
    l->most += lag * (int64_t)(g->cg->team - 1);
    return true;
}

LLVMValueRef cg_extend(struct cg *c, LLVMValueRef x, bool is_signed) {
    return is_signed ? LLVMBuildSExt(c->b, x, c->i64, "") : LLVMBuildZExt(c->b, x, c->i64, "");
}

// No lane of the team wraps, and each lane's index is below the limit.
LLVMValueRef cg_all_stay(struct cg_func *g, const struct cg_counted *l, LLVMValueRef base) {
    struct cg *c = g->cg;
    LLVMIntPredicate less = l->is_signed  ? l->or_equal ? LLVMIntSLE : LLVMIntSLT
                            : l->or_equal ? LLVMIntULE
                                          : LLVMIntULT;
    LLVMValueRef limit = cg_scalar(g, l->limit);
    LLVMValueRef most = cg_i64(c, (uint64_t)l->most);
    if (kir_type_bits(l->index->type) == 32) {
        LLVMValueRef top = LLVMBuildAdd(c->b, cg_extend(c, base, l->is_signed), most, "");
        return LLVMBuildICmp(c->b, less, top, cg_extend(c, limit, l->is_signed), "all.stay");
    }
    LLVMValueRef top = LLVMBuildAdd(c->b, base, most, "");
    LLVMValueRef fits = LLVMBuildICmp(c->b, l->is_signed ? LLVMIntSGE : LLVMIntUGE, top, base, "");
    return LLVMBuildAnd(c->b, fits, LLVMBuildICmp(c->b, less, top, limit, ""), "all.stay");
}

// Does p, which is one scalar in each group, hold (or not, as `want` says) in all of the team's?
static LLVMValueRef all_groups(struct cg_func *g, struct kir_value *p, bool want) {
    struct cg *c = g->cg;
    bool once = c->team == 1 || g->fl->shared[p->id];
    LLVMValueRef all = NULL;
    for (unsigned t = once ? 1 : c->team; t-- > 0;) {
        cg_turn_to(g, t);
        LLVMValueRef x = cg_scalar(g, p);
        x = want ? x : LLVMBuildNot(c->b, x, "");
        all = all ? LLVMBuildAnd(c->b, all, x, "") : x;
    }
    return all;
}

// Does p hold (or not) in all lanes of the team? NULL: no scalars tell.
static LLVMValueRef all_lanes(struct cg_func *g, const struct kir_block *b, struct kir_value *p,
                              bool want, unsigned depth) {
    struct cg_counted l = {0};
    if (p->kind != KIR_VALUE_INST || !depth || !cg_at_hand(g, p))
        return NULL;
    const struct kir_inst *i = p->def;
    if (cg_shape(g, p).kind == SHAPE_UNIFORM)
        return all_groups(g, p, want);
    if (i->op == ISA_OP_NOT)
        return all_lanes(g, b, i->ops[0], !want, depth - 1);
    if (i->op == (want ? ISA_OP_AND : ISA_OP_OR) && i->nops == 2) {
        LLVMValueRef x = all_lanes(g, b, i->ops[0], want, depth - 1);
        LLVMValueRef y = x ? all_lanes(g, b, i->ops[1], want, depth - 1) : NULL;
        return y ? LLVMBuildAnd(g->cg->b, x, y, "all.stay") : NULL;
    }
    if (!cg_find_condition(g, b, p, want, &l) || !cg_at_hand(g, l.index) || !cg_at_hand(g, l.limit))
        return NULL;
    return cg_all_stay(g, &l, cg_scalar(g, l.index));
}

LLVMValueRef cg_all_take(struct cg_func *g, struct kir_block *b, uint32_t k) {
    enum { DEPTH = 6 };
    return b->last->op == ISA_OP_CBR ? all_lanes(g, b, b->last->ops[0], k == 0, DEPTH) : NULL;
}

LLVMValueRef cg_all_active(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMValueRef all = NULL;
    for (unsigned t = c->team; t-- > 0;) {
        cg_turn_to(g, t);
        all = all ? LLVMBuildAnd(c->b, all, cg_mask(g), "") : cg_mask(g);
    }
    LLVMValueRef bits = cg_mask_bits(g, all);
    return LLVMBuildICmp(c->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "all.active");
}

void cg_masks_off(struct cg_func *g, const struct kir_block *b, LLVMValueRef *mask) {
    g->epoch++;
    for (unsigned t = g->cg->team; t-- > 0;) {
        cg_turn_to(g, t);
        mask[t] = g->now.mask;
        g->now.mask = NULL;
        for (struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next)
            cg_store_live_out(g, i->res[0]);
    }
}

void cg_masks_on(struct cg_func *g, LLVMValueRef *mask) {
    g->epoch++;
    for (unsigned t = g->cg->team; t-- > 0;) {
        cg_turn_to(g, t);
        g->now.mask = mask[t];
    }
}
