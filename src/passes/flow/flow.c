// Divergence of control flow over the layout, and the fixpoint with shapes (shape.c).
#include "passes/flow/flow.h"

#include <string.h>

#include "isa/ops/control.h"
#include "passes/flow/shape.h"
#include "passes/flow/team.h"
#include "support/work.h"

enum { NONE = UINT32_MAX };

bool flow_const(const struct kir_value *v, uint64_t *out) {
    if (v->kind != KIR_VALUE_CONST)
        return false;
    *out = v->bits.u64[0];
    return true;
}

static struct cfg_loop *loop_of(const struct flow *fl, const struct kir_block *b) {
    return fl->cfg->loop[b->id];
}

// An edge to the header of a loop that holds its source.
static bool is_back_edge(const struct flow *fl, const struct kir_block *from,
                         const struct kir_block *to) {
    return fl->cfg->pos[to->id] <= fl->cfg->pos[from->id];
}

// Of the edge from the p-th of x's preds.
static bool edge_deferred(const struct flow *fl, const struct kir_block *x, uint32_t p) {
    const struct cfg *c = fl->cfg;
    return fl->deferred[x->preds.data[p]->id][c->pred_edge[c->first_pred[x->id] + p]];
}

// Do y and b share a loop that does not contain x? Then an earlier iteration of it may have left
// lanes waiting at x.
static bool shares_inner_loop(const struct flow *fl, const struct kir_block *y,
                              const struct kir_block *b, const struct kir_block *x) {
    struct cfg_loop *l = cfg_common_loop(loop_of(fl, y), loop_of(fl, b));
    return l && !cfg_in_loop(l, loop_of(fl, x));
}

bool flow_pending(const struct flow *fl, const struct kir_block *x, const struct kir_block *b,
                  bool own_edges) {
    if (fl->exit_only[x->id])
        return false;
    uint32_t at = fl->cfg->pos[b->id];
    for (uint32_t p = 0; p < x->preds.len; p++) {
        const struct kir_block *y = x->preds.data[p];
        uint32_t from = fl->cfg->pos[y->id];
        if (from == NONE || !edge_deferred(fl, x, p))
            continue;
        work_spend(1);
        if (from < at || (own_edges && from == at) || shares_inner_loop(fl, y, b, x))
            return true;
        // Irreducible loops: lanes may wait anywhere in them.
        struct cfg_loop *l = cfg_common_loop(loop_of(fl, y), loop_of(fl, b));
        if (l && l->in_irreducible)
            return true;
    }
    return false;
}

bool flow_waits(const struct flow *fl, const struct kir_block *x, const struct kir_block *b) {
    uint32_t at = fl->cfg->pos[b->id], there = fl->cfg->pos[x->id];
    work_spend(1);
    if (there > at || fl->exit_only[x->id])
        return flow_pending(fl, x, b, false);
    for (uint32_t p = 0; p < x->preds.len; p++) {
        const struct kir_block *y = x->preds.data[p];
        uint32_t from = fl->cfg->pos[y->id];
        if (from == NONE || !edge_deferred(fl, x, p))
            continue;
        // Lanes that waited for another iteration of a loop have had it when the layout is past its
        // end.
        struct cfg_loop *turns = loop_of(fl, x);
        if (turns && turns->header == x && is_back_edge(fl, y, x) && !turns->irreducible &&
            at > turns->last)
            continue;
        // Lanes that came from before x went on with x when the layout came by.
        if ((from >= there && from < at) || shares_inner_loop(fl, y, b, x))
            return true;
        struct cfg_loop *l = cfg_common_loop(loop_of(fl, y), loop_of(fl, b));
        if (l && l->in_irreducible)
            return true;
    }
    return false;
}

// Do lanes wait at the header, when the layout reaches the end of loop l coming from b?
static bool loop_end_pending(const struct flow *fl, const struct cfg_loop *l,
                             const struct kir_block *b, bool own_edges) {
    const struct kir_block *h = l->header;
    for (uint32_t p = 0; p < h->preds.len; p++) {
        const struct kir_block *y = h->preds.data[p];
        uint32_t from = fl->cfg->pos[y->id];
        if (from == NONE || !is_back_edge(fl, y, h) || !cfg_in_loop(l, loop_of(fl, y)) ||
            !edge_deferred(fl, h, p))
            continue;
        uint32_t at = fl->cfg->pos[b->id];
        bool anywhere = l->irreducible && cfg_in_loop(l, loop_of(fl, b));
        if (anywhere || from < at || (own_edges && from == at) || shares_inner_loop(fl, y, b, h))
            return true;
    }
    return false;
}

// ---- where lanes may wait, by position --------------------------------------------------------
// A tree over the layout: leaves hold the first position from which a deferred edge leads to the
// block at a position, or to the header of a loop that ends there; other nodes the least of both
// below them. So that looking for the next place where lanes wait does not ask each in between.

static void make_waits(struct flow *fl) {
    uint32_t n = 1;
    while (n < fl->cfg->nblocks)
        n *= 2;
    fl->wait_leaves = n;
    fl->waits = arena_array(fl->arena, uint32_t, 2 * (size_t)n);
    memset(fl->waits, 0xff, 2 * (size_t)n * sizeof *fl->waits);
}

static void note_wait(struct flow *fl, uint32_t at, uint32_t from) {
    for (uint32_t k = fl->wait_leaves + at; k && fl->waits[k] > from; k /= 2)
        fl->waits[k] = from;
}

static void note_deferred(struct flow *fl, const struct kir_block *from,
                          const struct kir_block *to) {
    uint32_t first = fl->cfg->pos[from->id];
    note_wait(fl, fl->cfg->pos[to->id], first);
    for (const struct cfg_loop *l = loop_of(fl, to); l && l->header == to; l = l->parent)
        note_wait(fl, l->last, first);
}

// The first position from `at` on at which lanes may wait that came from one up to `from`; nblocks:
// none.
static uint32_t next_wait(const struct flow *fl, uint32_t at, uint32_t from) {
    if (at >= fl->cfg->nblocks)
        return fl->cfg->nblocks;
    uint32_t k = fl->wait_leaves + at;
    while (fl->waits[k] > from) {
        while (k & 1) // a right half, or the root
            k /= 2;
        if (!k)
            return fl->cfg->nblocks;
        k++;
    }
    while (k < fl->wait_leaves)
        k = fl->waits[2 * k] <= from ? 2 * k : 2 * k + 1;
    return k - fl->wait_leaves;
}

// Where flow_next has to stop for the sake of a target: where the block stands, or where the loop
// ends that it is the header of.
static uint32_t stop_for(const struct flow *fl, const struct kir_block *target, uint32_t pos) {
    uint32_t stop = fl->cfg->nblocks;
    if (!target)
        return stop;
    if (fl->cfg->pos[target->id] > pos)
        stop = fl->cfg->pos[target->id];
    for (const struct cfg_loop *l = loop_of(fl, target); l && l->header == target; l = l->parent)
        if (l->last > pos && l->last < stop)
            stop = l->last;
    return stop;
}

struct flow_next flow_next(const struct flow *fl, const struct kir_block *b, uint32_t pos,
                           struct cfg_loop *after_loop, bool own_edges,
                           const struct kir_block *target) {
    struct cfg *c = fl->cfg;
    // Only edges from before b, and from anywhere in the loop that it is in, are waited for.
    const struct cfg_loop *around = loop_of(fl, b), *outermost = around ? around->outermost : NULL;
    uint32_t last = outermost ? outermost->last : c->pos[b->id];
    for (;;) {
        if (fl->reach && !after_loop && pos >= last && fl->reach[last] <= pos &&
            (!outermost || pos > last))
            return (struct flow_next){
                target && c->pos[target->id] > pos ? (struct kir_block *)target : NULL, NULL};
        // Loops that end here, innermost first.
        struct cfg_loop *l = after_loop ? after_loop->parent : c->loop[c->order[pos]->id];
        for (; l && l->last == pos; l = l->parent) {
            if (target && target == l->header)
                return loop_end_pending(fl, l, b, own_edges)
                           ? (struct flow_next){NULL, l}
                           : (struct flow_next){(struct kir_block *)target, NULL};
            if (loop_end_pending(fl, l, b, own_edges))
                return (struct flow_next){NULL, l};
        }
        after_loop = NULL;
        uint32_t stop = stop_for(fl, target, pos), wait = next_wait(fl, pos + 1, last);
        pos = wait < stop ? wait : stop;
        work_spend(1);
        if (pos >= c->nblocks)
            return (struct flow_next){NULL, NULL};
        struct kir_block *x = c->order[pos];
        if (x == target || flow_pending(fl, x, b, own_edges))
            return (struct flow_next){x, NULL};
    }
}

static bool in_irreducible(const struct flow *fl, const struct kir_block *b) {
    const struct cfg_loop *l = loop_of(fl, b);
    return l && l->in_irreducible;
}

static bool find_deferred(struct flow *fl) {
    bool changed = false;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        struct kir_block *b = fl->cfg->order[p];
        for (uint32_t k = 0; k < b->last->ntargets; k++) {
            struct kir_block *t = b->last->targets[k];
            if (fl->deferred[b->id][k] || fl->exit_only[t->id])
                continue;
            bool defer = fl->divergent[b->id];
            if (!defer && fl->width > 1) {
                struct flow_next n = flow_next(fl, b, p, NULL, false, t);
                defer = n.block != t || in_irreducible(fl, b) || in_irreducible(fl, t);
            }
            if (defer) {
                fl->deferred[b->id][k] = 1;
                note_deferred(fl, b, t);
                changed = true;
            }
        }
    }
    return changed;
}

// Lanes that end there leave the loop too, but nothing of theirs is read later.
static bool leave_at_times(struct flow *fl, const struct kir_block *from,
                           const struct kir_block *to) {
    bool changed = false;
    for (struct cfg_loop *l = loop_of(fl, from); l; l = l->parent) {
        bool inside = cfg_in_loop(l, loop_of(fl, to));
        work_spend(1);
        if ((!inside || l->header == to) && !fl->loop_divergent[l->index])
            fl->loop_divergent[l->index] = 1, changed = true;
        if (inside) // what is around it has its header outside of it
            break;
    }
    return changed;
}

static bool find_divergent_loops(struct flow *fl) {
    bool changed = false;
    for (uint32_t k = 0; k < fl->cfg->loops.len && fl->width > 1; k++)
        if (fl->cfg->loops.data[k]->irreducible && !fl->loop_divergent[k])
            fl->loop_divergent[k] = 1, changed = true;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        struct kir_block *b = fl->cfg->order[p];
        for (uint32_t t = 0; t < b->last->ntargets && loop_of(fl, b); t++)
            if (fl->deferred[b->id][t])
                changed |= leave_at_times(fl, b, b->last->targets[t]);
    }
    return changed;
}

// Lanes at x: did they come over several edges, or at several times?
static bool is_join(const struct flow *fl, const struct kir_block *x) {
    uint32_t forward = 0, forward_deferred = 0, back = 0, back_deferred = 0;
    for (uint32_t p = 0; p < x->preds.len; p++) {
        const struct kir_block *y = x->preds.data[p];
        if (fl->cfg->pos[y->id] == NONE)
            continue;
        bool is_back = is_back_edge(fl, y, x), def = edge_deferred(fl, x, p);
        *(is_back ? &back : &forward) += 1;
        *(is_back ? &back_deferred : &forward_deferred) += def;
        struct cfg_loop *l = loop_of(fl, y);
        for (; l && !cfg_in_loop(l, loop_of(fl, x)); l = l->parent)
            if (fl->loop_divergent[l->index])
                return true;
        if (l && l->in_irreducible)
            return true;
    }
    return (forward > 1 && forward_deferred) || (back > 1 && back_deferred);
}

static bool find_joins(struct flow *fl) {
    bool changed = false;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        struct kir_block *x = fl->cfg->order[p];
        if (fl->join[x->id] || fl->width == 1 || !is_join(fl, x))
            continue;
        fl->join[x->id] = 1;
        changed = true;
    }
    return changed;
}

struct shape flow_use(const struct flow *fl, const struct kir_value *v,
                      const struct kir_block *block) {
    struct shape s = fl->shape[v->id];
    if (v->kind != KIR_VALUE_INST || s.kind == SHAPE_UNKNOWN)
        return s;
    for (struct cfg_loop *l = loop_of(fl, v->def->block); l; l = l->parent) {
        if (cfg_in_loop(l, loop_of(fl, block)))
            break;
        if (fl->loop_divergent[l->index])
            return (struct shape){.kind = SHAPE_VARYING};
    }
    return s;
}

static bool differs_in_team(const struct flow *fl, const struct kir_value *v) {
    return fl->team > 1 && v->kind == KIR_VALUE_INST &&
           (fl->lag_state[v->id] == TEAM_DIFFERS || fl->lag[v->id]);
}

static bool find_divergent_branches(struct flow *fl) {
    bool changed = false;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        struct kir_block *b = fl->cfg->order[p];
        struct kir_inst *t = b->last;
        if (fl->divergent[b->id] || (t->op != ISA_OP_CBR && t->op != ISA_OP_BRX_IDX))
            continue;
        uint8_t kind = flow_use(fl, t->ops[0], b).kind;
        if (kind == SHAPE_OFFSETS || kind == SHAPE_VARYING || differs_in_team(fl, t->ops[0]) ||
            (fl->width > 1 && in_irreducible(fl, b)))
            fl->divergent[b->id] = 1, changed = true;
    }
    return changed;
}

// Does a full block dominate b that b postdominates, in the same loop? The nearest such block is as
// full as those above it, for which it is one itself. And where b does not postdominate a block
// that dominates it, it does none above that, from which there is a way there that leaves b out.
// What dominates the one entry of a loop is not inside it, and neither is what dominates that.
static bool meets_full(const struct flow *fl, const struct kir_block *b) {
    const struct cfg *c = fl->cfg;
    const struct cfg_loop *l = c->loop[b->id];
    for (uint32_t d = c->idom[b->id]; d != NONE && !fl->no_full; d = c->idom[d]) {
        work_spend(1);
        if (!cfg_postdominates(c, b, fl->func->blocks.data[d]))
            return false;
        if (c->loop[d] == l)
            return fl->full[d];
        if (l && !l->irreducible && !cfg_in_loop(l, c->loop[d]))
            return false;
    }
    return false;
}

// The blocks that run with the entry's mask: the entry; what only direct edges of full blocks
// lead to; what a full block dominates and is postdominated by, in the same loop.
static void find_full(struct flow *fl) {
    struct cfg *c = fl->cfg;
    for (uint32_t p = 0; p < c->nblocks; p++)
        fl->full[c->order[p]->id] = !fl->no_full;
    fl->full[0] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 1; p < c->nblocks; p++) {
            struct kir_block *b = c->order[p];
            if (!fl->full[b->id])
                continue;
            bool ok = true;
            for (uint32_t k = 0; k < b->preds.len && ok; k++) {
                struct kir_block *y = b->preds.data[k];
                ok = c->pos[y->id] == NONE || (fl->full[y->id] && !edge_deferred(fl, b, k));
            }
            ok = ok || meets_full(fl, b);
            if (!ok)
                fl->full[b->id] = 0, changed = true;
        }
    }
}

static void mark_live_out(struct flow *fl, const struct kir_value *v, const struct kir_block *use) {
    if (v->kind == KIR_VALUE_INST && flow_use(fl, v, use).kind == SHAPE_VARYING) {
        struct cfg_loop *l = loop_of(fl, v->def->block);
        for (; l && !cfg_in_loop(l, loop_of(fl, use)); l = l->parent)
            if (fl->loop_divergent[l->index])
                fl->live_out[v->id] = 1;
    }
}

static void find_live_out(struct flow *fl) {
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        struct kir_block *b = fl->cfg->order[p];
        for (struct kir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                mark_live_out(fl, i->ops[k], i->op == ISA_OP_PHI ? b->preds.data[k] : b);
    }
}

static void find_exit_only(struct flow *fl) {
    if (!fl->func->is_kernel)
        return;
    for (uint32_t p = 1; p < fl->cfg->nblocks; p++) {
        struct kir_block *b = fl->cfg->order[p];
        fl->exit_only[b->id] =
            b->first == b->last && (b->last->op == ISA_OP_RET || b->last->op == ISA_OP_EXIT);
    }
}

// Once it is known which edges are deferred.
static void find_reach(struct flow *fl) {
    const struct cfg *c = fl->cfg;
    uint32_t *reach = arena_array(fl->arena, uint32_t, c->nblocks + 1), most = 0;
    for (uint32_t p = 0; p < c->nblocks; p++) {
        const struct kir_block *b = c->order[p];
        for (uint32_t k = 0; k < b->last->ntargets; k++) {
            uint32_t to = c->pos[b->last->targets[k]->id];
            if (fl->deferred[b->id][k] && to > most)
                most = to;
        }
        reach[p] = most;
    }
    fl->reach = reach;
}

static struct flow *analyse(struct arena *a, struct kir_func *f, unsigned width, unsigned team,
                            const struct kd_spec *spec, bool calls_can_exit,
                            const struct call_shapes *calls, const struct flow *before) {
    struct flow *fl = arena_new(a, struct flow);
    uint32_t nb = f->blocks.len, nv = f->value_count;
    fl->arena = a;
    fl->func = f;
    fl->width = width;
    fl->team = team;
    fl->spec = *spec;
    fl->no_full = calls_can_exit;
    fl->calls = calls;
    fl->before = before;
    fl->cfg = cfg_build(a, f);
    if (!fl->cfg)
        work_refuse("its loops lie inside each other too deeply");
    work_spend((uint64_t)nb + nv);
    fl->shape = arena_array(a, struct shape, nv + 1);
    fl->divergent = arena_array(a, uint8_t, nb + 1);
    fl->deferred = arena_array(a, uint8_t *, nb + 1);
    fl->full = arena_array(a, uint8_t, nb + 1);
    fl->join = arena_array(a, uint8_t, nb + 1);
    fl->exit_only = arena_array(a, uint8_t, nb + 1);
    fl->loop_divergent = arena_array(a, uint8_t, fl->cfg->loops.len + 1);
    fl->live_out = arena_array(a, uint8_t, nv + 1);
    fl->lag_state = arena_array(a, uint8_t, nv + 1);
    fl->lag = arena_array(a, int64_t, nv + 1);
    fl->affine = arena_array(a, uint8_t, nv + 1);
    fl->shared = arena_array(a, uint8_t, nv + 1);
    for (uint32_t k = 0; k < nb; k++)
        fl->deferred[k] = arena_array(a, uint8_t, f->blocks.data[k]->last->ntargets + 1);
    make_waits(fl);
    shape_init(fl);
    find_exit_only(fl);
    do {
        for (bool changed = true; changed;) {
            work_spend((uint64_t)nb + nv);
            changed = shape_pass(fl);
            changed |= team_pass(fl);
            changed |= find_divergent_branches(fl);
            changed |= find_deferred(fl);
            changed |= find_divergent_loops(fl);
            changed |= find_joins(fl);
        }
    } while (shape_settle(fl));
    find_reach(fl);
    find_full(fl);
    find_live_out(fl);
    team_finish(fl);
    return fl;
}

// Of a team a second time, when it is known how its groups differ.
struct flow *flow_analyse(struct arena *a, struct kir_func *f, unsigned width, unsigned team,
                          const struct kd_spec *spec, bool calls_can_exit,
                          const struct call_shapes *calls) {
    struct flow *fl = analyse(a, f, width, team, spec, calls_can_exit, calls, NULL);
    return team > 1 ? analyse(a, f, width, team, spec, calls_can_exit, calls, fl) : fl;
}
