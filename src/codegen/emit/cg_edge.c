// From block to block: edges, masks, phis, and the jump over blocks that no lane is in. Each
// block of the kernel IR has a `body`, and a `test` that jumps over it when its mask is empty.
// Direct edges go to bodies; everything else follows the layout through flow_next().
#include "codegen/emit/cg.h"
#include "passes/analysis/skew.h"
#include "passes/flow/waiting.h"

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

static void jump(struct cg_func *g, struct flow_next n) {
    LLVMBuildBr(g->cg->b, n.block      ? g->test[n.block->id]
                          : n.loop_end ? g->loop_end[n.loop_end->index]
                                       : g->end);
}

void cg_follow_layout(struct cg_func *g, struct kir_block *b) {
    jump(g, flow_next(g->fl, b, g->fl->cfg->pos[b->id], NULL, true, NULL));
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
static void go_on(struct cg_func *g, struct kir_block *b, uint32_t k) {
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
    go_on(g, b, k);
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

// Is a lane of any group of the team in the block's mask?
static LLVMValueRef any_in_team(struct cg_func *g, const struct kir_block *b) {
    struct cg *c = g->cg;
    LLVMValueRef all = NULL;
    for (unsigned t = c->team; t-- > 0;) {
        cg_turn_to(g, t);
        LLVMValueRef m = LLVMBuildLoad2(c->b, cg_mask_type(c), g->now.mask_var[b->id], "");
        all = all ? LLVMBuildOr(c->b, all, m, "") : m;
    }
    return cg_any(g, all);
}

static void begin_body(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    for (unsigned t = c->team; t-- > 0;) {
        cg_turn_to(g, t);
        g->now.mask = g->entry_mask;
        if (g->now.mask_var[b->id]) {
            LLVMValueRef none = LLVMConstNull(cg_mask_type(c));
            LLVMValueRef known = cg_known_mask(g, b);
            g->now.mask =
                known ? known
                      : LLVMBuildLoad2(c->b, cg_mask_type(c), g->now.mask_var[b->id], "mask");
            LLVMBuildStore(c->b, none, g->now.mask_var[b->id]);
        }
        for (struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next)
            cg_store_live_out(g, i->res[0]);
    }
}

static bool all_made_once(const struct cg_func *g, const struct kir_inst *i) {
    for (uint32_t r = 0; r < i->nres; r++)
        if (!cg_made_once(g, i->res[r]))
            return false;
    return i->nres > 0;
}

// In a group of which no lane acts an instruction does nothing. Its results are seen by no lane,
// but they have to be there.
static bool skip_inactive(struct cg_func *g, struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    if (!cg_never_active(g) || (k != ISA_CLASS_MEMORY && k != ISA_CLASS_POINTWISE))
        return false;
    for (uint32_t r = 0; r < i->nres; r++)
        if (g->fl->shape[i->res[r]->id].kind != SHAPE_VARYING || cg_made_once(g, i->res[r]))
            return false;
    for (uint32_t r = 0; r < i->nres; r++)
        cg_set_vec(g, i->res[r], LLVMConstNull(cg_vec_type(g->cg, i->res[r]->type)));
    return true;
}

static bool is_once(const struct cg_func *g, const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    bool fence = k == ISA_CLASS_FENCE && i->op != ISA_OP_GRIDDEPCONTROL; // of some lanes
    return k == ISA_CLASS_BLOCK || fence || all_made_once(g, i);
}

static void emit_for_group(struct cg_func *g, struct kir_inst *i, unsigned t) {
    cg_turn_to(g, t);
    bool there =
        i->nres && (cg_val_of(g, i->res[0])->epoch == CG_PERMANENT || cg_is_again(g, i->res[0]));
    if (!there && !skip_inactive(g, i))
        cg_emit_inst(g, i);
}

// An instruction for each group of the team, or once for all.
static void emit_for_team(struct cg_func *g, struct kir_inst *i) {
    if (cg_emit_transposed(g, i))
        return;
    // In the groups' order: of several stores to one place the last thread's stays.
    for (unsigned t = 0; t < (is_once(g, i) ? 1 : g->cg->team); t++)
        emit_for_group(g, i, t);
    cg_turn_to(g, 0);
}

// Between barriers nothing orders what different groups do. Where a team is large, group after
// group keeps few values in registers at a time; words of shared memory stay there (cg_words.c).
static struct kir_inst *stretch_end(struct cg_func *g, struct kir_block *b, struct kir_inst *i) {
    enum cg_runs runs = (enum cg_runs)g->runs[b->id];
    bool in_turn = runs == CG_RUNS_TURN || (runs == CG_RUNS_READING && g->fl->cfg->loop[b->id]);
    if (!g->words || g->cg->team == 1 || (runs != CG_RUNS_ALWAYS && !in_turn))
        return i;
    for (; i != b->last; i = i->next) {
        enum isa_class k = isa_op_info[i->op].klass;
        bool access = (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK;
        bool copies = i->op == ISA_OP_LD && cg_copying_store(g, i);
        if (cg_is_transposed(g->fl, i))
            return i;
        if ((!access || copies) && k != ISA_CLASS_POINTWISE && k != ISA_CLASS_SOURCE)
            return i;
        if (i->op == ISA_OP_GROUP_ALL)
            return i;
    }
    return i;
}

static void emit_stretch(struct cg_func *g, struct kir_inst *from, const struct kir_inst *end) {
    for (unsigned t = 0; t < g->cg->team; t++)
        for (struct kir_inst *i = from; i != end; i = i->next)
            if (i->op != ISA_OP_PHI && !(t && is_once(g, i)))
                emit_for_group(g, i, t);
    cg_turn_to(g, 0);
}

// Marks what instructions outside the stretch use.
static void mark_used_outside(const struct cg_func *g, const struct kir_inst *from,
                              const struct kir_inst *end, uint8_t *used) {
    bool inside = false;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next) {
            inside = (inside || i == from) && i != end;
            for (uint32_t k = 0; k < i->nops && !inside; k++)
                used[i->ops[k]->id] = 1;
        }
}

static void pin_results(struct cg_func *g, struct kir_inst *from, const struct kir_inst *end) {
    uint8_t *used = arena_array(g->cg->arena, uint8_t, g->f->value_count + 1);
    mark_used_outside(g, from, end, used);
    for (unsigned t = 0; t < g->cg->team; t++)
        for (struct kir_inst *i = from; i != end; i = i->next)
            if (i->nres == 1 && used[i->res[0]->id]) {
                cg_turn_to(g, t);
                cg_pin(g, i->res[0]);
            }
    cg_turn_to(g, 0);
}

// Each group `by` instructions behind the one before it.
static void emit_skewed(struct cg_func *g, struct kir_inst *from, const struct skew *s) {
    struct kir_inst **all = arena_array(g->cg->arena, struct kir_inst *, s->length);
    unsigned n = 0, team = g->cg->team;
    for (struct kir_inst *i = from; i != s->end; i = i->next)
        all[n++] = i;
    for (unsigned step = 0; step < n + (team - 1) * s->by; step++)
        for (unsigned t = 0; t < team && t * s->by <= step; t++) {
            unsigned k = step - t * s->by;
            if (k < n && all[k]->op != ISA_OP_PHI && !(t && is_once(g, all[k])))
                emit_for_group(g, all[k], t);
        }
    cg_turn_to(g, 0);
    pin_results(g, from, s->end);
}

// Not where shared memory is kept in registers: it costs nothing to load there.
static struct skew skew_at(struct cg_func *g, struct kir_inst *i) {
    struct skew none = {0};
    return g->words || g->copies_end || g->cg->team == 1 ? none : skew_from(g->fl, i);
}

static bool emitted_before(const struct cg_func *g, const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return g->copies_end && (k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE);
}

static void ask_for_stores(struct cg_func *g) {
    for (unsigned t = 0; t < g->cg->team; t++) {
        cg_turn_to(g, t);
        cg_prefetch_stores(g);
    }
    cg_turn_to(g, 0);
}

void cg_emit_body(struct cg_func *g, struct kir_block *b) {
    const struct kir_inst *end_known = NULL; // of a stretch that was asked about
    for (struct kir_inst *i = b->first; i != b->last; i = i->next) {
        struct skew skew = {0};
        if (!end_known) {
            skew = skew_at(g, i);
            end_known = skew.end;
        }
        if (skew.by) {
            emit_skewed(g, i, &skew);
            i = skew.end->prev;
            continue;
        }
        end_known = i == end_known ? NULL : end_known;
        if (i == g->asks_for_stores)
            ask_for_stores(g);
        struct kir_inst *end = g->copies_end ? i : stretch_end(g, b, i);
        if (end != i) {
            emit_stretch(g, i, end);
            i = end->prev;
            continue;
        }
        cg_prefetch_copies(g, i);
        if (i->op != ISA_OP_PHI && !emitted_before(g, i))
            emit_for_team(g, i);
        if (i == g->copies_end)
            g->copies_end = NULL;
    }
    cg_prefetch_later_stores(g, b);
}

static void emit_test(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    LLVMPositionBuilderAtEnd(c->b, g->test[b->id]);
    bool never = g->runs[b->id] == CG_RUNS_NEVER;
    if (!never &&
        (!g->now.mask_var[b->id] || cg_is_harmless(g, b) || g->runs[b->id] == CG_RUNS_ALWAYS ||
         g->runs[b->id] == CG_RUNS_TURN || g->rejoins[b->id])) {
        LLVMBuildBr(c->b, g->body[b->id]);
        return;
    }
    LLVMBasicBlockRef skip = cg_new_block(g, "skip");
    LLVMValueRef whole = cg_is_whole(g, b);
    if (whole) {
        LLVMBasicBlockRef ask = cg_new_block(g, "not.whole");
        LLVMBuildCondBr(c->b, whole, g->body[b->id], ask);
        LLVMPositionBuilderAtEnd(c->b, ask);
    }
    if (never)
        LLVMBuildBr(c->b, skip);
    else
        LLVMBuildCondBr(c->b, any_in_team(g, b), g->body[b->id], skip);
    LLVMPositionBuilderAtEnd(c->b, skip);
    jump(g, flow_next(g->fl, b, g->fl->cfg->pos[b->id], NULL, false, NULL));
}

static void emit_loop_end(struct cg_func *g, struct kir_block *b, struct cfg_loop *l) {
    struct cg *c = g->cg;
    LLVMPositionBuilderAtEnd(c->b, g->loop_end[l->index]);
    LLVMBasicBlockRef leave = cg_new_block(g, "leave");
    if (g->now.mask_var[l->header->id])
        LLVMBuildCondBr(c->b, any_in_team(g, l->header), g->body[l->header->id], leave);
    else
        LLVMBuildBr(c->b, leave);
    LLVMPositionBuilderAtEnd(c->b, leave);
    jump(g, flow_next(g->fl, b, g->fl->cfg->pos[b->id], l, true, NULL));
}

// Lets others go on when the loop has looked in vain. What it looks for is mostly there when it
// looks first, and giving way costs more than a look; later arrivals at the loop give way at once.
// A loop of which it is not known whether it waits gives way when it has run for long, and then now
// and again.
static void emit_wait(struct cg_func *g, const struct cfg_loop *l) {
    enum { LONG = 1024, NOW_AND_AGAIN = 64 };
    struct cg *c = g->cg;
    bool surely = g->fl->loop_waits[l->index] < WAITS_PERHAPS;
    LLVMValueRef left = cg_entry_alloca(g, c->i32);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b), wait = cg_new_block(g, "wait"),
                      look = cg_new_block(g, "look");
    LLVMPositionBuilderBefore(c->b, LLVMGetNextInstruction(left));
    LLVMBuildStore(c->b, cg_i32(c, surely ? 1 : LONG), left);
    LLVMPositionBuilderAtEnd(c->b, here);
    LLVMValueRef n = LLVMBuildLoad2(c->b, c->i32, left, "");
    LLVMBuildStore(c->b, LLVMBuildSub(c->b, n, cg_i32(c, 1), ""), left);
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, n, cg_i32(c, 0), ""), wait, look);
    LLVMPositionBuilderAtEnd(c->b, wait);
    LLVMBuildStore(c->b, cg_i32(c, surely ? 0 : NOW_AND_AGAIN), left);
    if (!cg_emit_turn(g, l, look)) {
        cg_call_wait(g, l, true);
        LLVMBuildBr(c->b, look);
    }
    LLVMPositionBuilderAtEnd(c->b, look);
}

// What is known of shared memory, where it is not known what runs next.
static void end_of_words(struct cg_func *g, struct kir_block *b) {
    if (cg_goes_on(g, b))
        return;
    if (cg_ends_turn(g, b))
        cg_end_turn_of_words(g, !cg_is_read_behind(g, g->fl->cfg->loop[b->id]));
    else
        cg_forget_words(g);
}

static void emit_block(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    uint32_t pos = g->fl->cfg->pos[b->id];
    emit_test(g, b);
    LLVMPositionBuilderAtEnd(c->b, g->body[b->id]);
    g->epoch++;
    g->block = b;
    g->untested = g->now.mask_var[b->id] && cg_is_harmless(g, b);
    g->may_be_empty = c->team > 1 || g->untested;
    begin_body(g, b);
    if (b == g->f->blocks.data[0])
        cg_begin_stack(g);
    struct cfg_loop *in = g->fl->cfg->loop[b->id];
    if (in && in->header == b && g->fl->loop_waits[in->index])
        emit_wait(g, in);
    if (in && in->header == b && g->runs[b->id] == CG_RUNS_TURN)
        cg_begin_turn_of_words(g);
    cg_emit_full_turns(g, b);
    bool sent = cg_emit_whole(g, b);
    if (!sent)
        cg_emit_body(g, b);
    end_of_words(g, b);
    if (sent) {
        go_on(g, b, 0);
    } else if (!cg_emit_steps(g, b)) {
        cg_find_meeting(g, b);
        cg_emit_terminator(g, b);
    }
    for (struct cfg_loop *l = in; l && l->last == pos; l = l->parent)
        emit_loop_end(g, b, l);
}

// No lane comes to a block that was emitted with one before it.
static void leave_out(struct cg_func *g, struct kir_block *b) {
    LLVMPositionBuilderAtEnd(g->cg->b, g->test[b->id]);
    LLVMBuildUnreachable(g->cg->b);
    LLVMPositionBuilderAtEnd(g->cg->b, g->body[b->id]);
    LLVMBuildUnreachable(g->cg->b);
}

void cg_emit_blocks(struct cg_func *g) {
    struct cfg *cfg = g->fl->cfg;
    for (uint32_t p = 0; p < cfg->nblocks; p++)
        if (g->done[cfg->order[p]->id])
            leave_out(g, cfg->order[p]);
        else
            emit_block(g, cfg->order[p]);
}
