// Which blocks run whenever the kernel does, and which never, as far as that is known while code is
// generated: where one team is the whole block, masks that follow from the thread's index alone are
// constants. In other kernels some masks are too: that of what one lane of each warp does.
#include "codegen/control/cg_runs.h"
#include "codegen/access/cg_words.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/arith.h"
#include "isa/ops/block.h"
#include "isa/ops/control.h"
#include "isa/ops/floats.h"
#include "isa/ops/move.h"
#include "isa/ops/warp.h"
#include "plan/plan.h"

enum { SMALL_BLOCK = 10 };

// Takes the operation longer than a test whether anybody needs it?
static bool is_slow(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_DIV:
    case ISA_OP_REM:
        return isa_type_is_float(i->ty) || i->ops[1]->kind != KIR_VALUE_CONST;
    case ISA_OP_SQRT:
        return true;
    default:
        return false;
    }
}

static bool is_lone(const struct cg_func *g, const struct kir_inst *i) {
    const struct plan_access *a = plan_access_of(g->plan, i);
    return a && a->lone;
}

bool cg_is_harmless(const struct cg_func *g, const struct kir_block *b) {
    const uint32_t *pos = g->fl->cfg->pos;
    unsigned n = 0;
    // Untested it would begin another iteration of its loop that nobody takes, and there another.
    if (b->last->op == ISA_OP_BRA && pos[b->last->targets[0]->id] <= pos[b->id])
        return false;
    for (const struct kir_inst *i = b->first; i != b->last; i = i->next, n++)
        if ((isa_op_info[i->op].klass != ISA_CLASS_POINTWISE && i->op != ISA_OP_PHI &&
             !is_lone(g, i)) ||
            is_slow(i) || i->op == ISA_OP_GROUP_LANE)
            return false;
    return n <= SMALL_BLOCK && b->last->op == ISA_OP_BRA;
}

// Does i leave shared memory to its loads and stores, and their order to the text's?
static bool is_plain(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
        return true;
    case ISA_CLASS_MEMORY:
        return (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK &&
               i->mods.space != ISA_SPACE_GENERIC && i->mods.space != ISA_SPACE_CLUSTER;
    case ISA_CLASS_WARP:
        return i->op == ISA_OP_SHFL || i->op == ISA_OP_VOTE || i->op == ISA_OP_BAR_WARP_SYNC;
    case ISA_CLASS_CONTROL:
        return i->op == ISA_OP_BRA || i->op == ISA_OP_CBR;
    default:
        return i->op == ISA_OP_PHI;
    }
}

// A load of one word for all lanes, as products take from their tiles: memory gives each to many
// groups, and those of the other tile once for the team.
static bool is_factor(const struct cg_func *g, const struct kir_inst *i) {
    return i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_SHARED &&
           g->fl->shape[i->ops[0]->id].kind == SHAPE_UNIFORM;
}

// In a loop without others in it, which all lanes of the team leave together, what is known of
// shared memory when a block ends is known in the next one that each iteration comes to.
static bool has_plain_turns(const struct cg_func *g, const struct cfg_loop *l) {
    const struct cfg *c = g->fl->cfg;
    if (l->irreducible || g->fl->loop_waits[l->index] || !g->fl->full[l->header->id])
        return false;
    for (uint32_t p = l->first; p <= l->last; p++) {
        if (c->loop[c->order[p]->id] != l)
            return false;
        for (const struct kir_inst *i = c->order[p]->first; i; i = i->next)
            if ((!is_plain(i) && i->op != ISA_OP_BAR_SYNC) || is_factor(g, i))
                return false;
    }
    return true;
}

// Does each iteration that is followed by another one come through b?
static bool is_in_each_turn(const struct cfg *c, const struct cfg_loop *l,
                            const struct kir_block *b) {
    for (uint32_t p = 0; p < l->header->preds.len; p++) {
        const struct kir_block *from = l->header->preds.data[p];
        if (c->loop[from->id] == l && !cfg_dominates(c, b, from))
            return false;
    }
    return true;
}

static void find_turns(struct cg_func *g) {
    const struct cfg *c = g->fl->cfg;
    for (uint32_t k = 0; k < c->loops.len; k++) {
        const struct cfg_loop *l = c->loops.data[k];
        bool plain = has_plain_turns(g, l);
        for (uint32_t p = l->first; p <= l->last && plain; p++)
            if (g->fl->full[c->order[p]->id] && is_in_each_turn(c, l, c->order[p]))
                g->runs[c->order[p]->id] = CG_RUNS_TURN;
    }
}

void cg_find_runs(struct cg_func *g) {
    struct cfg *cfg = g->fl->cfg;
    g->runs = arena_array(g->cg->arena, uint8_t, g->f->blocks.len + 1);
    g->rejoins = arena_array(g->cg->arena, uint8_t, g->f->blocks.len + 1);
    for (uint32_t p = 0; p < cfg->nblocks && g->cg->one_team; p++) {
        const struct kir_block *b = cfg->order[p], *entry = g->f->blocks.data[0];
        bool always = b == entry || (g->fl->full[b->id] && cfg_postdominates(cfg, b, entry));
        if (always && !cfg->loop[b->id])
            g->runs[b->id] = CG_RUNS_ALWAYS;
    }
    if (g->cg->one_team && g->cg->width > 1 && g->f->is_kernel)
        find_turns(g);
}

static bool is_certain(const struct cg_func *g, const struct kir_block *b) {
    return g->runs[b->id] == CG_RUNS_ALWAYS || g->runs[b->id] == CG_RUNS_TURN;
}

// The only block that leads to x, if that always runs, in x's loop, and parts lanes there.
static const struct kir_block *certain_pred(const struct cg_func *g, const struct kir_block *x) {
    const struct kir_block *p = x->preds.len == 1 ? x->preds.data[0] : NULL;
    return p && g->fl->divergent[p->id] && is_certain(g, p) &&
                   g->fl->cfg->loop[p->id] == g->fl->cfg->loop[x->id]
               ? p
               : NULL;
}

static bool is_known(struct cg *c, LLVMValueRef mask) {
    for (unsigned k = 0; k < c->width; k++)
        if (!LLVMIsConstant(mask) ||
            !LLVMIsAConstantInt(c->width == 1 ? mask : LLVMGetAggregateElement(mask, k)))
            return false;
    return true;
}

// More blocks than this are not looked through for a mask that is known: of ifs inside each other
// each would be, again and again.
enum { MOST_BETWEEN = 1000 };

// Does whatever comes to the place of `to` come out of `from`? A branch that all lanes take may go
// past `from` to a block between them.
static bool always_behind(const struct cfg *c, const struct kir_block *from,
                          const struct kir_block *to) {
    if (c->pos[from->id] >= c->pos[to->id] || c->pos[to->id] - c->pos[from->id] > MOST_BETWEEN)
        return false;
    for (uint32_t p = c->pos[from->id] + 1; p <= c->pos[to->id]; p++)
        if (!cfg_dominates(c, from, c->order[p]))
            return false;
    return true;
}

// Is the mask that the edge from -> to brings the one that `to` runs with, if it runs? Untested it
// runs without lanes, too, unless all lanes have parted in `from`.
static bool brings_mask(const struct cg_func *g, const struct kir_block *from,
                        const struct kir_block *to) {
    if (to->preds.len != 1 || g->fl->join[to->id])
        return false;
    bool parts = g->fl->full[from->id] && g->fl->divergent[from->id];
    bool untested = cg_is_harmless(g, to) && !(parts && always_behind(g->fl->cfg, from, to));
    return !untested;
}

void cg_know_mask(struct cg_func *g, const struct kir_block *from, const struct kir_block *to,
                  LLVMValueRef mask) {
    LLVMValueRef *known = &g->now.mask_known[to->id];
    if (g->rejoins[to->id])
        return;
    bool usable = brings_mask(g, from, to) && is_known(g->cg, mask);
    LLVMValueRef never = LLVMGetUndef(LLVMTypeOf(mask)); // stands for: not one constant
    *known = usable && (!*known || *known == mask) ? mask : never;
}

LLVMValueRef cg_known_mask(const struct cg_func *g, const struct kir_block *b) {
    LLVMValueRef known = g->now.mask_known[b->id];
    return known && !LLVMIsUndef(known) ? known : NULL;
}

// The mask that the current group brings to x, which lanes come to from b or came to before;
// NULL: not known.
static LLVMValueRef mask_at(struct cg_func *g, const struct kir_block *b,
                            const struct kir_block *x) {
    struct cg *c = g->cg;
    if (!certain_pred(g, x))
        return NULL;
    if (x->preds.data[0] != b)
        return cg_known_mask(g, x);
    if (b->last->op != ISA_OP_CBR || b->last->targets[0] == b->last->targets[1] ||
        !brings_mask(g, b, x))
        return NULL;
    LLVMValueRef m = cg_vec(g, b->last->ops[0]);
    if (b->last->targets[1] == x)
        m = LLVMBuildNot(c->b, m, "");
    if (g->now.mask)
        m = cg_select(c, g->now.mask, m, LLVMConstNull(cg_mask_type(c)));
    return is_known(c, m) ? m : NULL;
}

// Does x lead to a later block of its loop, not out of it, and not to another iteration?
static bool goes_on_in_loop(const struct cg_func *g, const struct kir_block *x) {
    const struct cfg *c = g->fl->cfg;
    const struct kir_block *to = x->last->targets[0];
    return c->loop[to->id] == c->loop[x->id] && c->pos[to->id] > c->pos[x->id];
}

// May x run with no lane active, without harm and at little cost? Then what it stores to shared
// memory is a choice between two vectors.
static bool is_cheap(const struct cg_func *g, const struct kir_block *x) {
    unsigned n = 0;
    for (const struct kir_inst *i = x->first; i != x->last; i = i->next, n++) {
        bool shared = (i->op == ISA_OP_ST || i->op == ISA_OP_LD) &&
                      i->mods.space == ISA_SPACE_SHARED && i->mods.sem == ISA_SEM_WEAK &&
                      g->fl->shape[i->ops[0]->id].kind != SHAPE_UNIFORM;
        if (!shared && isa_op_info[i->op].klass != ISA_CLASS_POINTWISE && i->op != ISA_OP_PHI)
            return false;
    }
    return n <= SMALL_BLOCK && x->last->op == ISA_OP_BRA && goes_on_in_loop(g, x);
}

// Sets what is known of x, where control goes on after b.
static void learn(struct cg_func *g, const struct kir_block *b, const struct kir_block *x) {
    bool known = true, any = false;
    if (is_certain(g, x))
        return;
    for (unsigned t = g->cg->team; t-- > 0;) {
        cg_turn_to(g, t);
        LLVMValueRef m = known ? mask_at(g, b, x) : NULL;
        known &= m != NULL;
        any |= m && !LLVMIsNull(m);
    }
    const struct kir_block *pred = certain_pred(g, x);
    if (!known && pred && g->words && is_cheap(g, x))
        g->runs[x->id] = g->runs[pred->id];
    if (known)
        g->runs[x->id] = any ? g->runs[pred->id] : CG_RUNS_NEVER;
}

static bool leaves_shared_alone(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i; i = i->next) {
        bool stores = i->op == ISA_OP_ST && i->mods.space != ISA_SPACE_GLOBAL &&
                      i->mods.space != ISA_SPACE_LOCAL;
        if (stores || cg_touches_shared(i) || isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
            return false;
    }
    return true;
}

// May lanes end in x, or in what it calls?
static bool may_end(const struct kir_block *x) {
    for (const struct kir_inst *i = x->first; i; i = i->next)
        if (i->op == ISA_OP_CALL)
            return true;
    return x->last->op != ISA_OP_BRA && x->last->op != ISA_OP_CBR && x->last->op != ISA_OP_BRX_IDX;
}

// All lanes of b, which always runs, go one way and meet again in j, and no others come there: it
// runs with b's mask.
static bool rejoin(struct cg_func *g, const struct kir_block *b, const struct kir_block *j) {
    const struct cfg *c = g->fl->cfg;
    bool known = !g->fl->divergent[b->id] && !c->loop[j->id] && cfg_dominates(c, b, j);
    for (uint32_t p = c->pos[b->id]; p < c->pos[j->id] && known; p++)
        known = !may_end(c->order[p]);
    for (unsigned t = 0; t < g->cg->team && known; t++) {
        cg_turn_to(g, t);
        known = g->now.mask && is_known(g->cg, g->now.mask) && g->now.mask_var[j->id];
    }
    for (unsigned t = 0; t < g->cg->team && known; t++) {
        cg_turn_to(g, t);
        g->now.mask_known[j->id] = g->now.mask;
    }
    cg_turn_to(g, 0);
    if (known)
        g->rejoins[j->id] = 1, g->runs[j->id] = CG_RUNS_ALWAYS;
    return known;
}

// Is x, behind b in b's iteration, if that is one, as certain to run?
static bool goes_on_in(const struct cg_func *g, const struct kir_block *b,
                       const struct kir_block *x) {
    const struct cfg *c = g->fl->cfg;
    return g->runs[x->id] == g->runs[b->id] && c->loop[x->id] == c->loop[b->id] &&
           c->pos[x->id] > c->pos[b->id];
}

// From b's place on, control goes no further than to m's, and not back: to another iteration of
// their loop.
static bool stays_between(const struct cfg *c, const struct kir_block *x, uint32_t b, uint32_t m) {
    for (uint32_t k = 0; k < x->last->ntargets; k++) {
        uint32_t to = c->pos[x->last->targets[k]->id];
        if (to <= b || to > m)
            return false;
    }
    return true;
}

// Do the blocks between b and where its lanes meet again access shared memory at known places
// alone? Then what is known of the others stays known.
static bool steps_over(struct cg_func *g, const struct kir_block *b) {
    const struct cfg *c = g->fl->cfg;
    if (!g->words || c->ipdom[b->id] == UINT32_MAX)
        return false;
    const struct kir_block *j = g->f->blocks.data[c->ipdom[b->id]];
    uint32_t from = c->pos[b->id], to = c->pos[j->id];
    if (!goes_on_in(g, b, j))
        return false;
    for (uint32_t p = from + 1; p < to; p++) {
        struct kir_block *x = c->order[p];
        if (!cfg_dominates(c, b, x) || c->loop[x->id] != c->loop[b->id] ||
            g->runs[x->id] != CG_RUNS_MAYBE || !stays_between(c, x, from, to) ||
            !cg_step_over_words(g, x, false))
            return false;
        for (const struct kir_inst *i = x->first; i; i = i->next)
            if (!is_plain(i))
                return false;
    }
    for (uint32_t p = from + 1; p < to; p++)
        cg_step_over_words(g, c->order[p], true);
    cg_carry_words(g, b, to);
    return true;
}

// Does what is known behind b, while nothing but reads stands between them, hold in j?
static bool holds_in(struct cg_func *g, const struct kir_block *b, const struct kir_block *j) {
    return goes_on_in(g, b, j) || (g->runs[b->id] == CG_RUNS_ALWAYS && rejoin(g, b, j));
}

// Do the blocks between b, which always runs, and where its lanes meet again leave shared memory
// as it is?
static bool only_reads(struct cg_func *g, const struct kir_block *b) {
    struct cfg *c = g->fl->cfg;
    uint32_t from = c->pos[b->id] + 1, to = c->nblocks;
    const struct kir_block *j = NULL;
    if (c->ipdom[b->id] != UINT32_MAX) {
        j = g->f->blocks.data[c->ipdom[b->id]];
        to = c->pos[j->id];
    }
    for (uint32_t p = from; p < to; p++) {
        const struct kir_block *x = c->order[p];
        if (!cfg_dominates(c, b, x) || c->loop[x->id] != c->loop[b->id] ||
            g->runs[x->id] != CG_RUNS_MAYBE || !leaves_shared_alone(x) ||
            (c->loop[x->id] && !stays_between(c, x, from - 1, to)))
            return false;
    }
    if (to < from || (j ? !holds_in(g, b, j) : g->runs[b->id] == CG_RUNS_TURN))
        return false;
    for (uint32_t p = from; p < to; p++)
        g->runs[c->order[p]->id] = CG_RUNS_READING;
    cg_carry_words(g, b, from);
    return true;
}

static bool next_always_runs(struct cg_func *g, struct kir_block *b) {
    struct kir_inst *t = b->last;
    bool branches = t->op == ISA_OP_CBR || t->op == ISA_OP_BRX_IDX;
    if (branches && !g->fl->divergent[b->id])
        return false;
    bool direct =
        t->op == ISA_OP_BRA && !g->fl->deferred[b->id][0] && !g->fl->exit_only[t->targets[0]->id];
    struct flow_next n = {.block = direct ? t->targets[0] : NULL};
    if (!direct)
        n = flow_next(g->fl, b, g->fl->cfg->pos[b->id], NULL, true, NULL);
    while (n.block) {
        learn(g, b, n.block);
        if (g->runs[n.block->id] != CG_RUNS_NEVER)
            return is_certain(g, b) ? goes_on_in(g, b, n.block)
                                    : g->runs[n.block->id] == CG_RUNS_ALWAYS;
        n = flow_next(g->fl, n.block, g->fl->cfg->pos[n.block->id], NULL, false, NULL);
    }
    return !n.loop_end && g->runs[b->id] != CG_RUNS_TURN;
}

bool cg_goes_on(struct cg_func *g, struct kir_block *b) {
    bool next = next_always_runs(g, b);
    if (next && is_certain(g, b))
        cg_carry_words(g, b, 0);
    return next || (is_certain(g, b) && (only_reads(g, b) || steps_over(g, b)));
}

static bool may_read_shared(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i; i = i->next) {
        bool other = i->op == ISA_OP_LD &&
                     (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_LOCAL ||
                      i->mods.space == ISA_SPACE_PARAM || i->mods.space == ISA_SPACE_CONST);
        if (!other && i->op != ISA_OP_ST && !is_plain(i) && i->op != ISA_OP_BAR_SYNC &&
            isa_op_info[i->op].klass != ISA_CLASS_CONTROL)
            return true;
        if (i->op == ISA_OP_CALL || (i->op == ISA_OP_LD && !other))
            return true;
    }
    return false;
}

static bool accesses_shared(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i; i = i->next)
        if ((i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.space == ISA_SPACE_SHARED)
            return true;
    return false;
}

bool cg_ends_turn(const struct cg_func *g, const struct kir_block *b) {
    const struct cfg *c = g->fl->cfg;
    const struct cfg_loop *l = c->loop[b->id];
    if (g->runs[b->id] != CG_RUNS_TURN)
        return false;
    for (uint32_t p = c->pos[b->id] + 1; p <= l->last; p++)
        if (accesses_shared(c->order[p]))
            return false;
    return true;
}

bool cg_is_read_behind(const struct cg_func *g, const struct cfg_loop *l) {
    const struct cfg *c = g->fl->cfg;
    for (uint32_t p = 0; p < c->nblocks; p++)
        if ((p < l->first || p > l->last) && may_read_shared(c->order[p]))
            return true;
    return false;
}

// Behind a barrier a mask is another value, which has been in memory.
static bool has_barrier(const struct kir_block *x) {
    for (const struct kir_inst *i = x->first; i; i = i->next)
        if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
            return true;
    return false;
}

// Where the lanes that part at the end of b meet again, all of them and no others, while nobody can
// get behind b without coming through it: NULL where that is not so.
static const struct kir_block *meeting(const struct cg_func *g, const struct kir_block *b) {
    const struct cfg *c = g->fl->cfg;
    if (!g->fl->divergent[b->id] || c->ipdom[b->id] == UINT32_MAX || g->fl->no_full)
        return NULL;
    const struct kir_block *m = g->f->blocks.data[c->ipdom[b->id]];
    const struct cfg_loop *l = c->loop[b->id];
    if (c->idom[m->id] != b->id || c->loop[m->id] != l || m->preds.len < 2 ||
        c->pos[m->id] <= c->pos[b->id])
        return NULL;
    for (; l; l = l->parent)
        if (l->irreducible)
            return NULL;
    if (c->pos[m->id] - c->pos[b->id] > MOST_BETWEEN)
        return NULL;
    for (uint32_t p = c->pos[b->id]; p < c->pos[m->id]; p++)
        if (!cfg_dominates(c, b, c->order[p]) || may_end(c->order[p]) ||
            !stays_between(c, c->order[p], c->pos[b->id], c->pos[m->id]) ||
            (c->order[p] != b && has_barrier(c->order[p])))
            return NULL;
    struct flow_next n = flow_next(g->fl, b, c->pos[b->id], NULL, false, NULL);
    bool inside =
        n.block && c->pos[n.block->id] > c->pos[b->id] && c->pos[n.block->id] <= c->pos[m->id];
    return inside ? NULL : m;
}

void cg_find_meeting(struct cg_func *g, const struct kir_block *b) {
    const struct kir_block *m = g->cg->one_team || g->cg->width == 1 ? NULL : meeting(g, b);
    for (unsigned t = 0; t < g->cg->team && m; t++) {
        cg_turn_to(g, t);
        if (!g->now.mask || !g->now.mask_var[b->id] || !g->now.mask_var[m->id])
            m = NULL;
    }
    for (unsigned t = 0; t < g->cg->team && m; t++) {
        cg_turn_to(g, t);
        g->now.mask_known[m->id] = g->now.mask;
    }
    cg_turn_to(g, 0);
    if (m)
        g->rejoins[m->id] = 1;
}
