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
#include "codegen/control/cg_counted.h"
#include "codegen/access/cg_words.h"
#include "codegen/ahead/cg_stream.h"
#include "codegen/control/cg_all_lanes.h"
#include "codegen/control/cg_body.h"
#include "codegen/control/cg_edge.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"

static bool only_plain(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i != b->last; i = i->next) {
        enum isa_class k = isa_op_info[i->op].klass;
        if (k == ISA_CLASS_BLOCK || k == ISA_CLASS_CONTROL)
            return false;
    }
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
                        struct cg_counted *l) {
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
        l->part = arena_new(g->cg->arena, struct cg_counted);
        return g->fl->divergent[b->id] && only_plain(m) && only_plain(t) &&
               cg_find_condition(g, b, b->last->ops[0], k == 0, l->part) &&
               !is_made_in(g, loop, l->part->limit) &&
               follows_from_phi(g, loop, l->part->index, DEPTH);
    }
    return false;
}

static bool find_blocks(struct cg_func *g, struct kir_block *b, struct cg_counted *l) {
    const struct cfg_loop *loop = g->fl->cfg->loop[b->id];
    if (!loop || loop->header != b || loop->irreducible)
        return false;
    l->latch = b;
    return loop->first == loop->last ||
           (loop->last - loop->first == 2 && find_middle(g, b, loop, l));
}

static bool find_counted(struct cg_func *g, struct kir_block *b, struct cg_counted *l) {
    *l = (struct cg_counted){0};
    if (g->cg->width == 1 || b->last->op != ISA_OP_CBR || !g->now.mask_var[b->id] ||
        !only_plain(b) || !find_blocks(g, b, l))
        return false;
    const struct kir_inst *t = l->latch->last;
    bool back[2] = {t->targets[0] == b, t->targets[1] == b};
    l->back = back[0] ? 0 : 1;
    if (back[0] == back[1] || !g->fl->divergent[l->latch->id] ||
        !cg_find_condition(g, l->latch, t->ops[0], back[0], l))
        return false;
    for (struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next)
        for (uint32_t k = 0; k < i->nops; k++)
            if (b->preds.data[k] == l->latch && i->ops[k] == l->index)
                l->next = i->res[0];
    return true;
}

// The phi that a full iteration hands the index to has been below a limit in all lanes; before the
// first iteration that must be seen.
static LLVMValueRef starts_exact(struct cg_func *g, const struct cg_counted *l) {
    struct cg *c = g->cg;
    if (!l->next || kir_type_bits(l->next->type) != 32)
        return LLVMConstInt(c->i1, 1, 0);
    LLVMValueRef base = cg_extend(c, cg_scalar(g, l->next), l->is_signed);
    LLVMValueRef top = LLVMBuildAdd(c->b, base, cg_i64(c, (uint64_t)l->most), "");
    return LLVMBuildICmp(c->b, LLVMIntSLE, top, cg_i64(c, l->is_signed ? INT32_MAX : UINT32_MAX),
                         "exact");
}

// The uniform value that the index grows by in each iteration; NULL: there is none.
static struct kir_value *step_of(struct cg_func *g, const struct cg_counted *l) {
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
static void ask_for_part(struct cg_func *g, struct kir_block *b, const struct cg_counted *l,
                         LLVMBasicBlockRef masked) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef whole = cg_new_block(g, "full.whole");
    LLVMValueRef base = at_head(g, g->fl->cfg->loop[b->id], l->part->index);
    LLVMBuildCondBr(c->b, cg_all_stay(g, l->part, base), whole, masked);
    LLVMPositionBuilderAtEnd(c->b, whole);
}

static void emit_part(struct cg_func *g, const struct cg_counted *l) {
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

static void emit_full_turn(struct cg_func *g, struct kir_block *b, const struct cg_counted *l,
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
    LLVMValueRef stay = cg_all_stay(g, l, cg_scalar(g, l->index));
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

static void find_stream_turns(struct cg_func *g, const struct kir_block *b,
                              const struct cg_counted *l) {
    struct cg *c = g->cg;
    struct kir_value *by = step_of(g, l);
    if (!by || !cg_at_hand(g, by) || !cg_at_hand(g, l->limit))
        return;
    LLVMValueRef x[3] = {cg_scalar(g, l->limit), cg_scalar(g, l->next), cg_scalar(g, by)};
    for (unsigned k = 0; k < 3; k++)
        if (LLVMTypeOf(x[k]) != c->i64)
            x[k] = cg_extend(c, x[k], l->is_signed);
    cg_find_stream_turns(g, g->fl->cfg->loop[b->id], LLVMBuildSub(c->b, x[0], x[1], ""), x[2]);
}

void cg_emit_full_turns(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    struct cg_counted l;
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
