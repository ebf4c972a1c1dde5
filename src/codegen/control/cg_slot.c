// Slots: where vectors that live through several barriers are kept. A web of such values, the sum
// of a loop over tiles and the phi that carries it to the next iteration, has one place among what
// is saved of a group, and is stored there when it has changed: an iteration with two barriers, one
// before the tile is used and one behind, saves its sums once. What a loop with barriers takes from
// outside is stored when the loop begins. What is put back and not used before the next barrier is
// not even loaded, which LLVM sees.
#include <stdlib.h>
#include <string.h>

#include "codegen/control/cg_slot.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_web.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_live.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/block.h"
#include "support/work.h"

// A barrier: what is alive behind it, and whether its value is in its place before.
struct stop {
    const struct kir_inst *at;
    struct cg_live live;
    uint8_t *in_place;
};

// What is stored when a loop begins, in layout order.
struct entered {
    uint32_t n;
    struct kir_value **values;
};

struct cg_slots {
    struct cg_webs w;
    uint8_t *joined;         // by web: it is of several values
    uint32_t *offset;        // by web: 0: it has no place
    uint32_t *place, n;      // by web: which of the n places it has
    uint32_t words;          // of a set of places
    uint64_t **out;          // by block id: the places that hold their values where it ends
    VEC(struct stop) stops;  // the barriers in layout order
    uint32_t *before;        // by block id: barriers in front of it in the layout
    struct entered *entered; // by loop
    uint32_t asked_stop, asked_value; // by cg_is_in_slot last
    uint64_t *state;                  // room for a set of places
};

static bool has(const uint64_t *s, uint32_t k) {
    return s[k / 64] >> (k % 64) & 1;
}

static void set(uint64_t *s, uint32_t k, bool on) {
    uint64_t bit = 1ULL << (k % 64);
    s[k / 64] = on ? s[k / 64] | bit : s[k / 64] & ~bit;
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_barrier(const struct kir_inst *i) {
    return i->op == ISA_OP_BAR_SYNC || i->op == ISA_OP_BAR_RED;
}

// ---- which values ---------------------------------------------------------------------------

static bool all_full(const struct cg_func *g, const struct kir_inst *i) {
    bool full = g->fl->full[i->block->id];
    for (uint32_t p = 0; i->op == ISA_OP_PHI && p < i->block->preds.len; p++)
        full &= g->fl->full[i->block->preds.data[p]->id];
    return full;
}

static bool may_have_slot(struct cg_func *g, const struct kir_value *v) {
    return v->type != KIR_PRED && g->fl->shape[v->id].kind == SHAPE_VARYING &&
           !g->fl->live_out[v->id] && !g->fl->shared[v->id] && !cg_has_home(g, v) &&
           all_full(g, v->def);
}

static bool is_from_outside(struct cg_func *g, const struct kir_value *v,
                            const struct kir_block *b) {
    const struct cfg_loop *l = g->fl->cfg->loop[b->id];
    return l && !l->irreducible && !cfg_in_loop(l, g->fl->cfg->loop[v->def->block->id]);
}

// Members are what is alive behind a barrier; those that are so behind several, or behind one in
// each iteration of a loop, count for a slot.
static void find_members(struct cg_func *g, struct cg_slots *s, uint8_t *barriers) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (is_barrier(i)) {
                struct cg_live live = cg_live_after(g, i);
                uint8_t *in_place = arena_array(g->cg->arena, uint8_t, live.n + 1);
                vec_push(g->cg->arena, &s->stops, (struct stop){i, live, in_place});
            }
    cg_forget_walk(g);
    for (uint32_t n = 0; n < s->stops.len; n++)
        for (uint32_t k = 0; k < s->stops.data[n].live.n; k++) {
            const struct kir_value *v = s->stops.data[n].live.values[k];
            if (barriers[v->id] < 2)
                barriers[v->id] += is_from_outside(g, v, s->stops.data[n].at->block) ? 2 : 1;
        }
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                s->w.member[i->res[k]->id] = barriers[i->res[k]->id] && may_have_slot(g, i->res[k]);
}

static bool joins(const struct cg_slots *s, const struct kir_inst *phi, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && s->w.member[v->id] && s->w.member[phi->res[0]->id] &&
           v->type == phi->res[0]->type;
}

static void connect(struct cg_func *g, struct cg_slots *s) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i && i->op == ISA_OP_PHI;
             i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                if (joins(s, i, i->ops[k]))
                    cg_join_webs(&s->w, i->res[0], i->ops[k]);
    for (uint32_t v = 0; v < g->f->value_count; v++)
        if (cg_web_of(&s->w, v) != v)
            s->joined[cg_web_of(&s->w, v)] = 1;
}

// Webs that are alive behind one barrier alone gain nothing.
static void give(struct cg_func *g, struct cg_slots *s, const uint8_t *barriers) {
    struct cfg *cfg = g->fl->cfg;
    uint8_t *n = arena_array(g->cg->arena, uint8_t, g->f->value_count + 1);
    for (uint32_t v = 0; v < g->f->value_count; v++)
        if (s->w.member[v] && n[cg_web_of(&s->w, v)] < 2)
            n[cg_web_of(&s->w, v)] += barriers[v];
    for (uint32_t p = 0; p < cfg->nblocks; p++)
        for (struct kir_inst *i = cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++) {
                uint32_t web = cg_web_of(&s->w, i->res[k]->id);
                if (!s->w.member[i->res[k]->id] || s->w.bad[web] || s->offset[web] || n[web] < 2)
                    continue;
                unsigned bytes = kir_type_bits(i->res[k]->type) / 8 * g->cg->width;
                s->offset[web] = g->homes_end;
                s->place[web] = s->n++;
                g->homes_end += (bytes + 63) / 64 * 64;
            }
}

// ---- when they are in their places ----------------------------------------------------------

static bool slotted(struct cg_slots *s, const struct kir_value *v, uint32_t *web) {
    if (!s || v->kind != KIR_VALUE_INST || !s->w.member[v->id])
        return false;
    *web = cg_web_of(&s->w, v->id);
    return s->offset[*web] != 0;
}

static uint32_t barriers_in(const struct kir_block *b) {
    uint32_t n = 0;
    for (const struct kir_inst *i = b->first; i; i = i->next)
        n += is_barrier(i);
    return n;
}

// The loop that b is the head of, if it has barriers; else NULL.
static const struct cfg_loop *heads_barriers(struct cg_func *g, const struct cg_slots *s,
                                             const struct kir_block *b) {
    const struct cfg_loop *l = g->fl->cfg->loop[b->id];
    if (!l || l->header != b)
        return NULL;
    const struct kir_block *first = g->fl->cfg->order[l->first], *last = g->fl->cfg->order[l->last];
    return s->before[first->id] < s->before[last->id] + barriers_in(last) ? l : NULL;
}

static bool is_in_place(struct cg_slots *s, const uint64_t *state, const struct kir_value *v) {
    uint32_t web;
    return slotted(s, v, &web) && has(state, s->place[web]);
}

// From where b begins to `end` (NULL: to where it ends); n: the barriers in front of it.
static void walk(struct cg_slots *s, const struct kir_block *b, uint32_t n,
                 const struct kir_inst *end, uint64_t *state) {
    uint32_t web;
    for (const struct kir_inst *i = b->first; i != end; i = i->next) {
        for (uint32_t k = 0; k < i->nres && i->op != ISA_OP_PHI; k++)
            if (slotted(s, i->res[k], &web))
                set(state, s->place[web], false);
        if (!is_barrier(i))
            continue;
        struct stop *stop = &s->stops.data[n++];
        for (uint32_t k = 0; k < stop->live.n; k++)
            stop->in_place[k] = is_in_place(s, state, stop->live.values[k]);
        for (uint32_t k = 0; k < stop->live.n; k++)
            if (slotted(s, stop->live.values[k], &web))
                set(state, s->place[web], true);
    }
}

// What is in its slot alone, not by a phi, and comes from outside is stored where a loop begins.
static void find_entered(struct cg_func *g, struct cg_slots *s) {
    const struct cfg *c = g->fl->cfg;
    struct arena *a = g->cg->arena;
    uint32_t *rank = arena_array(a, uint32_t, g->f->value_count + 1), n = 0, web;
    struct kir_value **value = arena_array(a, struct kir_value *, s->w.nmembers + 1);
    for (uint32_t p = 0; p < c->nblocks; p++)
        for (const struct kir_inst *i = c->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                if (s->w.member[i->res[k]->id]) {
                    rank[i->res[k]->id] = n;
                    value[n++] = i->res[k];
                }
    s->entered = arena_array(a, struct entered, c->loops.len + 1);
    for (uint32_t k = 0; k < c->loops.len; k++) {
        const struct kir_block *b = c->loops.data[k]->header;
        if (!heads_barriers(g, s, b))
            continue;
        VEC(uint32_t) ranks = {0};
        const uint64_t *live = s->w.live_in[b->id];
        work_spend(s->w.words);
        for (uint32_t w = 0; w < s->w.words; w++)
            for (uint64_t bits = live[w]; bits; bits &= bits - 1) {
                uint32_t v = s->w.members[w * 64 + (uint32_t)__builtin_ctzll(bits)];
                const struct kir_value *x = value[rank[v]];
                if (slotted(s, x, &web) && !s->joined[web] && is_from_outside(g, x, b))
                    vec_push(a, &ranks, rank[v]);
            }
        if (!ranks.len)
            continue;
        qsort(ranks.data, ranks.len, sizeof *ranks.data, compare);
        struct entered *e = &s->entered[k];
        e->values = arena_array(a, struct kir_value *, ranks.len);
        for (uint32_t r = 0; r < ranks.len; r++)
            e->values[e->n++] = value[ranks.data[r]];
    }
}

// What the edge from the p-th predecessor brings to a phi is in its place.
static bool comes_in_place(struct cg_slots *s, const struct kir_inst *phi, uint32_t p) {
    uint32_t web, of;
    return slotted(s, phi->res[0], &web) && slotted(s, phi->ops[p], &of) && of == web &&
           has(s->out[phi->block->preds.data[p]->id], s->place[web]);
}

static void meet(struct cg_func *g, struct cg_slots *s, const struct kir_block *b,
                 uint64_t *state) {
    uint32_t web;
    const struct cfg_loop *heads = heads_barriers(g, s, b);
    memset(state, b->preds.len ? 0xff : 0, s->words * sizeof *state);
    for (uint32_t p = 0; p < b->preds.len; p++)
        for (uint32_t k = 0; k < s->words; k++)
            state[k] &= s->out[b->preds.data[p]->id][k];
    for (const struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next) {
        if (!slotted(s, i->res[0], &web))
            continue;
        bool all = true;
        for (uint32_t p = 0; p < b->preds.len; p++)
            all &= comes_in_place(s, i, p);
        set(state, s->place[web], all || heads);
    }
    for (uint32_t k = 0; heads && k < s->entered[heads->index].n; k++)
        if (slotted(s, s->entered[heads->index].values[k], &web))
            set(state, s->place[web], true);
}

static void count_barriers(struct cg_func *g, struct cg_slots *s) {
    const struct cfg *cfg = g->fl->cfg;
    s->before = arena_array(g->cg->arena, uint32_t, g->f->blocks.len + 1);
    for (uint32_t p = 0, n = 0; p < cfg->nblocks; n += barriers_in(cfg->order[p]), p++)
        s->before[cfg->order[p]->id] = n;
}

static void find_in_place(struct cg_func *g, struct cg_slots *s) {
    struct arena *a = g->cg->arena;
    struct cfg *cfg = g->fl->cfg;
    s->words = s->n / 64 + 1;
    uint64_t *state = s->state = arena_array(a, uint64_t, s->words);
    s->out = arena_array(a, uint64_t *, g->f->blocks.len + 1);
    for (uint32_t k = 0; k < g->f->blocks.len; k++) {
        s->out[k] = arena_array(a, uint64_t, s->words);
        memset(s->out[k], 0xff, s->words * sizeof *state);
    }
    for (bool changed = true; changed;) {
        changed = false;
        work_spend((uint64_t)cfg->nblocks * s->words);
        for (uint32_t p = 0; p < cfg->nblocks; p++) {
            struct kir_block *b = cfg->order[p];
            meet(g, s, b, state);
            walk(s, b, s->before[b->id], NULL, state);
            changed |= memcmp(state, s->out[b->id], s->words * sizeof *state) != 0;
            memcpy(s->out[b->id], state, s->words * sizeof *state);
        }
    }
}

// ---- for cg_stop.c and cg_edge.c ------------------------------------------------------------

void cg_find_slots(struct cg_func *g) {
    struct arena *a = g->cg->arena;
    uint32_t n = g->f->value_count + 1;
    uint8_t *barriers = arena_array(a, uint8_t, n);
    struct cg_slots *s = arena_new(a, struct cg_slots);
    if (g->cg->width == 1)
        return;
    s->offset = arena_array(a, uint32_t, n);
    s->joined = arena_array(a, uint8_t, n);
    s->place = arena_array(a, uint32_t, n);
    cg_begin_webs(g, &s->w);
    find_members(g, s, barriers);
    connect(g, s);
    cg_check_webs(g, &s->w);
    g->homes_end = (g->homes_end + 63) / 64 * 64;
    give(g, s, barriers);
    count_barriers(g, s);
    find_entered(g, s);
    find_in_place(g, s);
    g->slots = s;
}

uint32_t cg_slot_of(struct cg_func *g, const struct kir_value *v) {
    uint32_t web;
    return slotted(g->slots, v, &web) ? g->slots->offset[web] : 0;
}

// Where lanes are parked, groups stop at other instructions, too.
static bool is_in_slot_elsewhere(struct cg_func *g, const struct kir_inst *i,
                                 const struct kir_value *v) {
    struct cg_slots *s = g->slots;
    meet(g, s, i->block, s->state);
    walk(s, i->block, s->before[i->block->id], i, s->state);
    return is_in_place(s, s->state, v);
}

bool cg_is_in_slot(struct cg_func *g, const struct kir_inst *barrier, const struct kir_value *v) {
    struct cg_slots *s = g->slots;
    uint32_t web, n = s->before[barrier->block->id];
    if (!slotted(s, v, &web))
        return false;
    if (!is_barrier(barrier))
        return is_in_slot_elsewhere(g, barrier, v);
    // Barriers are emitted in their order, and so is what is alive behind one.
    if (n <= s->asked_stop && s->stops.data[s->asked_stop].at->block == barrier->block)
        n = s->asked_stop;
    while (s->stops.data[n].at != barrier)
        n++;
    const struct stop *stop = &s->stops.data[n];
    uint32_t k = n == s->asked_stop ? s->asked_value : 0;
    s->asked_stop = n;
    for (uint32_t left = stop->live.n; left; left--, k++) {
        k = k < stop->live.n ? k : 0;
        if (stop->live.values[k] == v) {
            s->asked_value = k;
            return stop->in_place[k];
        }
    }
    return false;
}

void cg_store_slot(struct cg_func *g, const struct kir_value *v, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMValueRef at = cg_i64(c, cg_slot_of(g, v));
    LLVMValueRef p = LLVMBuildInBoundsGEP2(c->b, c->i8, g->now.spill, &at, 1, "");
    unsigned bytes = kir_type_bits(v->type) / 8 * c->width;
    LLVMSetAlignment(LLVMBuildStore(c->b, x, p), bytes >= 64 ? 64 : 16);
}

bool cg_goes_to_slot(struct cg_func *g, const struct kir_inst *phi, uint32_t p) {
    uint32_t web;
    return slotted(g->slots, phi->res[0], &web) && heads_barriers(g, g->slots, phi->block) &&
           !comes_in_place(g->slots, phi, p);
}

void cg_enter_slots(struct cg_func *g, const struct kir_block *to, uint32_t p) {
    struct cg_slots *s = g->slots;
    const struct kir_block *from = to->preds.data[p];
    const struct cfg_loop *l = s ? heads_barriers(g, s, to) : NULL;
    if (!l || cfg_in_loop(g->fl->cfg->loop[to->id], g->fl->cfg->loop[from->id]))
        return;
    for (uint32_t k = 0; k < s->entered[l->index].n; k++) {
        struct kir_value *v = s->entered[l->index].values[k];
        if (!is_in_place(s, s->out[from->id], v))
            cg_store_slot(g, v, cg_vec(g, v));
    }
}
