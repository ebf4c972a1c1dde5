// Iterations with all lanes of a loop of one block that lanes leave by counting (`i < n`). A
// divergent loop runs under masks; nearly all iterations of such a loop have every lane active, and
// one scalar comparison for the whole team tells whether the next one has:
//
//     body:   all lanes active, no index wraps?  -> full, else masked
//     full:   the block without masks; all lanes go on? -> full, else the usual way, with masks
//     masked: the block under its masks
//
// A loop whose iterations leave out a part when the counter has come near its end (`if (i + 256 <
// n)`, where a thread takes two elements in each iteration) has three blocks. A full iteration
// makes all of them, one after the other, when another scalar comparison at its head says that no
// lane leaves the part out.
#include "codegen/emit/cg.h"

struct counted {
    struct kir_value *index, *limit; // lanes stay while index < limit
    struct kir_value *next;          // the phi that gets `index`; NULL: none
    bool is_signed, or_equal;
    uint32_t back;                    // which target is the block itself
    int64_t most;                     // the largest offset from the first group's base
    struct kir_block *middle, *latch; // NULL, and the block itself: there is one block
    struct counted *part;             // which lanes go to the middle block: index < limit
};

static bool only_plain(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i != b->last; i = i->next) {
        enum isa_class k = isa_op_info[i->op].klass;
        if (k == ISA_CLASS_BLOCK || k == ISA_CLASS_CONTROL)
            return false;
    }
    return true;
}

// Puts the comparison that keeps lanes in the loop into the form index < limit.
static bool relation(const struct kir_inst *s, bool stay_if_true, struct counted *l) {
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
static bool find_condition(struct cg_func *g, const struct kir_block *b, const struct kir_value *p,
                           bool stay_if_true, struct counted *l) {
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

static bool is_made_in(const struct cg_func *g, const struct cfg_loop *loop,
                       const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && cfg_in_loop(loop, g->fl->cfg->loop[v->def->block->id]);
}

// Is v a phi of the loop's header, and numbers that the loop does not change added to it?
static bool follows_from_phi(const struct cg_func *g, const struct cfg_loop *loop,
                             const struct kir_value *v, unsigned depth) {
    if (!is_made_in(g, loop, v))
        return true;
    if (v->def->op == ISA_OP_PHI)
        return v->def->block == loop->header;
    return depth && v->def->op == ISA_OP_ADD && v->def->nops == 2 && !v->def->mods.sat &&
           !v->def->mods.cc && follows_from_phi(g, loop, v->def->ops[0], depth - 1) &&
           follows_from_phi(g, loop, v->def->ops[1], depth - 1);
}

// The middle block, which `b` leaves out for some lanes before all meet in the latch.
static bool find_middle(struct cg_func *g, struct kir_block *b, const struct cfg_loop *loop,
                        struct counted *l) {
    enum { DEPTH = 4 };
    for (uint32_t k = 0; k < 2; k++) {
        struct kir_block *m = b->last->targets[k], *t = b->last->targets[1 - k];
        if (m == t || m == b || t == b || !cfg_in_loop(loop, g->fl->cfg->loop[m->id]) ||
            !cfg_in_loop(loop, g->fl->cfg->loop[t->id]) || m->preds.len != 1 ||
            m->first->op == ISA_OP_PHI || m->last->op != ISA_OP_BRA || m->last->targets[0] != t ||
            t->preds.len != 2 || t->last->op != ISA_OP_CBR)
            continue;
        l->middle = m;
        l->latch = t;
        l->part = arena_new(g->cg->arena, struct counted);
        return g->fl->divergent[b->id] && only_plain(m) && only_plain(t) &&
               find_condition(g, b, b->last->ops[0], k == 0, l->part) &&
               !is_made_in(g, loop, l->part->limit) &&
               follows_from_phi(g, loop, l->part->index, DEPTH);
    }
    return false;
}

static bool find_blocks(struct cg_func *g, struct kir_block *b, struct counted *l) {
    const struct cfg_loop *loop = g->fl->cfg->loop[b->id];
    if (!loop || loop->header != b || loop->irreducible)
        return false;
    l->latch = b;
    return loop->first == loop->last ||
           (loop->last - loop->first == 2 && find_middle(g, b, loop, l));
}

static bool find_counted(struct cg_func *g, struct kir_block *b, struct counted *l) {
    *l = (struct counted){0};
    if (g->cg->width == 1 || b->last->op != ISA_OP_CBR || !g->now.mask_var[b->id] ||
        !only_plain(b) || !find_blocks(g, b, l))
        return false;
    const struct kir_inst *t = l->latch->last;
    bool back[2] = {t->targets[0] == b, t->targets[1] == b};
    l->back = back[0] ? 0 : 1;
    if (back[0] == back[1] || !g->fl->divergent[l->latch->id] ||
        !find_condition(g, l->latch, t->ops[0], back[0], l))
        return false;
    for (struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next)
        for (uint32_t k = 0; k < i->nops; k++)
            if (b->preds.data[k] == l->latch && i->ops[k] == l->index)
                l->next = i->res[0];
    return true;
}

static LLVMValueRef extend(struct cg *c, LLVMValueRef x, bool is_signed) {
    return is_signed ? LLVMBuildSExt(c->b, x, c->i64, "") : LLVMBuildZExt(c->b, x, c->i64, "");
}

// No lane of the team wraps, and each lane's index is below the limit.
static LLVMValueRef all_stay(struct cg_func *g, const struct counted *l, LLVMValueRef base) {
    struct cg *c = g->cg;
    LLVMIntPredicate less = l->is_signed  ? l->or_equal ? LLVMIntSLE : LLVMIntSLT
                            : l->or_equal ? LLVMIntULE
                                          : LLVMIntULT;
    LLVMValueRef limit = cg_scalar(g, l->limit);
    LLVMValueRef most = cg_i64(c, (uint64_t)l->most);
    if (kir_type_bits(l->index->type) == 32) {
        LLVMValueRef top = LLVMBuildAdd(c->b, extend(c, base, l->is_signed), most, "");
        return LLVMBuildICmp(c->b, less, top, extend(c, limit, l->is_signed), "all.stay");
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
    struct counted l = {0};
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
    if (!find_condition(g, b, p, want, &l) || !cg_at_hand(g, l.index) || !cg_at_hand(g, l.limit))
        return NULL;
    return all_stay(g, &l, cg_scalar(g, l.index));
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

// The phi that a full iteration hands the index to has been below a limit in all lanes; before the
// first iteration that must be seen.
static LLVMValueRef starts_exact(struct cg_func *g, const struct counted *l) {
    struct cg *c = g->cg;
    if (!l->next || kir_type_bits(l->next->type) != 32)
        return LLVMConstInt(c->i1, 1, 0);
    LLVMValueRef base = extend(c, cg_scalar(g, l->next), l->is_signed);
    LLVMValueRef top = LLVMBuildAdd(c->b, base, cg_i64(c, (uint64_t)l->most), "");
    return LLVMBuildICmp(c->b, LLVMIntSLE, top, cg_i64(c, l->is_signed ? INT32_MAX : UINT32_MAX),
                         "exact");
}

// The uniform value that the index grows by in each iteration; NULL: there is none.
static struct kir_value *step_of(struct cg_func *g, const struct counted *l) {
    const struct kir_value *v = l->index;
    if (!l->next || v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_ADD)
        return NULL;
    for (int k = 0; k < 2; k++)
        if (v->def->ops[k] == l->next && cg_shape(g, v->def->ops[1 - k]).kind == SHAPE_UNIFORM)
            return v->def->ops[1 - k];
    return NULL;
}

// The first lane's part of what follows from the header's phis, before the header is emitted.
static LLVMValueRef at_head(struct cg_func *g, const struct cfg_loop *loop, struct kir_value *v) {
    if (!is_made_in(g, loop, v) || v->def->op == ISA_OP_PHI)
        return cg_scalar(g, v);
    return LLVMBuildAdd(g->cg->b, at_head(g, loop, v->def->ops[0]),
                        at_head(g, loop, v->def->ops[1]), "");
}

// An iteration in which some lanes leave the middle block out is made under masks.
static void ask_for_part(struct cg_func *g, struct kir_block *b, const struct counted *l,
                         LLVMBasicBlockRef masked) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef whole = cg_new_block(g, "full.whole");
    LLVMValueRef base = at_head(g, g->fl->cfg->loop[b->id], l->part->index);
    LLVMBuildCondBr(c->b, all_stay(g, l->part, base), whole, masked);
    LLVMPositionBuilderAtEnd(c->b, whole);
}

static void emit_part(struct cg_func *g, const struct counted *l) {
    g->block = l->middle;
    cg_emit_body(g, l->middle);
    for (unsigned t = g->cg->team; t-- > 0;) {
        cg_turn_to(g, t);
        cg_assign_phis(g, l->middle, 0, NULL);
        for (struct kir_inst *i = l->latch->first; i->op == ISA_OP_PHI; i = i->next)
            cg_store_live_out(g, i->res[0]);
    }
    g->block = l->latch;
    cg_emit_body(g, l->latch);
}

static void emit_full_turn(struct cg_func *g, struct kir_block *b, const struct counted *l,
                           LLVMBasicBlockRef full, LLVMBasicBlockRef masked) {
    struct cg *c = g->cg;
    if (l->part)
        ask_for_part(g, b, l, masked);
    LLVMBasicBlockRef again = cg_new_block(g, "full.again"), mixed = cg_new_block(g, "full.mixed");
    g->exact = l->next;
    g->exact_signed = l->is_signed;
    g->step = step_of(g, l);
    g->stepped = l->index;
    cg_emit_body(g, b);
    if (l->part)
        emit_part(g, l);
    g->step = NULL;
    g->stream_turns = NULL;
    cg_forget_words(g);
    LLVMValueRef stay = all_stay(g, l, cg_scalar(g, l->index));
    cg_prepare_phis(g, l->latch);
    LLVMBuildCondBr(c->b, stay, again, mixed);
    LLVMPositionBuilderAtEnd(c->b, again);
    for (unsigned t = c->team; t-- > 0;) {
        cg_turn_to(g, t);
        cg_assign_phis(g, l->latch, l->back, NULL);
    }
    LLVMBuildBr(c->b, full);
    LLVMPositionBuilderAtEnd(c->b, mixed);
    cg_emit_terminator(g, l->latch);
    g->exact = NULL;
    g->block = b;
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

static void find_stream_turns(struct cg_func *g, const struct kir_block *b,
                              const struct counted *l) {
    struct cg *c = g->cg;
    struct kir_value *by = step_of(g, l);
    if (!by || !cg_at_hand(g, by) || !cg_at_hand(g, l->limit))
        return;
    LLVMValueRef x[3] = {cg_scalar(g, l->limit), cg_scalar(g, l->next), cg_scalar(g, by)};
    for (unsigned k = 0; k < 3; k++)
        if (LLVMTypeOf(x[k]) != c->i64)
            x[k] = extend(c, x[k], l->is_signed);
    cg_find_stream_turns(g, g->fl->cfg->loop[b->id], LLVMBuildSub(c->b, x[0], x[1], ""), x[2]);
}

void cg_emit_full_turns(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    struct counted l;
    LLVMValueRef mask[CG_MAX_TEAM];
    if (!find_counted(g, b, &l))
        return;
    note_on(c->notes, l.latch->last, false, "loop that counts: no masks while all threads stay");
    LLVMBasicBlockRef full = cg_new_block(g, "full"), masked = cg_new_block(g, "masked");
    find_stream_turns(g, b, &l);
    LLVMValueRef active = cg_all_active(g);
    LLVMBuildCondBr(c->b, LLVMBuildAnd(c->b, active, starts_exact(g, &l), ""), full, masked);
    LLVMPositionBuilderAtEnd(c->b, full);
    cg_masks_off(g, b, mask);
    emit_full_turn(g, b, &l, full, masked);
    LLVMPositionBuilderAtEnd(c->b, masked);
    cg_masks_on(g, mask);
}
