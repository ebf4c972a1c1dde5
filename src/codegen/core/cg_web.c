#include "codegen/core/cg_web.h"
#include "codegen/core/state.h"

#include <string.h>

#include "support/work.h"

void cg_begin_webs(struct cg_func *g, struct cg_webs *w) {
    struct arena *a = g->cg->arena;
    uint32_t n = g->f->value_count + 1;
    w->up = arena_array(a, uint32_t, n);
    w->member = arena_array(a, uint8_t, n);
    w->bad = arena_array(a, uint8_t, n);
    for (uint32_t v = 0; v < n; v++)
        w->up[v] = v;
}

uint32_t cg_web_of(struct cg_webs *w, uint32_t x) {
    while (w->up[x] != x)
        x = w->up[x] = w->up[w->up[x]];
    return x;
}

bool cg_join_webs(struct cg_webs *w, const struct kir_value *x, const struct kir_value *y) {
    uint32_t a = cg_web_of(w, x->id), b = cg_web_of(w, y->id);
    w->up[a] = b;
    return a != b;
}

static bool has(const struct cg_webs *w, const uint64_t *s, const struct kir_value *v) {
    uint32_t k = w->number[v->id];
    return s[k / 64] >> (k % 64) & 1;
}

static void set(const struct cg_webs *w, uint64_t *s, const struct kir_value *v, bool on) {
    uint32_t k = w->number[v->id];
    uint64_t bit = 1ULL << (k % 64);
    s[k / 64] = on ? s[k / 64] | bit : s[k / 64] & ~bit;
}

static void begin_life(struct cg_webs *w, uint64_t *live, const struct kir_value *v) {
    if (v->kind != KIR_VALUE_INST || !w->member[v->id] || has(w, live, v))
        return;
    set(w, live, v, true);
    w->alive[cg_web_of(w, v->id)]++;
}

static void end_life(struct cg_webs *w, uint64_t *live, const struct kir_value *v) {
    if (!w->member[v->id])
        return;
    uint32_t all = cg_web_of(w, v->id), self = has(w, live, v);
    if (w->alive[all] > self)
        w->bad[all] = 1;
    w->alive[all] -= self;
    set(w, live, v, false);
}

// What is alive at the end of b.
static void at_end(struct cg_func *g, struct cg_webs *w, const struct kir_block *b,
                   uint64_t *live) {
    const struct cfg *c = g->fl->cfg;
    for (uint32_t t = 0; t < b->last->ntargets; t++) {
        struct kir_block *s = b->last->targets[t];
        uint32_t p = c->edge_pred[c->first_edge[b->id] + t];
        for (uint32_t k = 0; k < w->words; k++)
            live[k] |= w->live_in[s->id][k];
        for (struct kir_inst *i = s->first; i && i->op == ISA_OP_PHI; i = i->next)
            if (i->ops[p]->kind == KIR_VALUE_INST && w->member[i->ops[p]->id])
                set(w, live, i->ops[p], true);
    }
}

// How many of each web a set has; less: takes that back.
static void count_alive(struct cg_webs *w, const uint64_t *live, bool less) {
    for (uint32_t k = 0; k < w->words; k++)
        for (uint64_t bits = live[k]; bits; bits &= bits - 1) {
            uint32_t web = cg_web_of(w, w->members[k * 64 + (uint32_t)__builtin_ctzll(bits)]);
            w->alive[web] = less ? 0 : w->alive[web] + 1;
        }
}

// Walks b backwards. Phis begin together: all of them end before any begins.
static void walk(struct cg_func *g, struct cg_webs *w, const struct kir_block *b, uint64_t *live) {
    memset(live, 0, w->words * sizeof *live);
    at_end(g, w, b, live);
    count_alive(w, live, false);
    for (const struct kir_inst *i = b->last; i; i = i->prev) {
        // Results nobody uses are written all the same, when the others are.
        for (uint32_t k = 0; k < i->nres; k++)
            begin_life(w, live, i->res[k]);
        for (uint32_t k = 0; k < i->nres; k++)
            end_life(w, live, i->res[k]);
        for (uint32_t k = 0; k < i->nops && i->op != ISA_OP_PHI; k++)
            begin_life(w, live, i->ops[k]);
    }
    count_alive(w, live, true);
}

static void number_members(struct cg_func *g, struct cg_webs *w) {
    struct arena *a = g->cg->arena;
    w->members = arena_array(a, uint32_t, g->f->value_count + 1);
    w->number = arena_array(a, uint32_t, g->f->value_count + 1);
    w->nmembers = 0;
    for (uint32_t v = 0; v < g->f->value_count; v++)
        if (w->member[v]) {
            w->number[v] = w->nmembers;
            w->members[w->nmembers++] = v;
        }
    w->words = w->nmembers / 64 + 1;
}

void cg_check_webs(struct cg_func *g, struct cg_webs *w) {
    struct arena *a = g->cg->arena;
    struct cfg *c = g->fl->cfg;
    number_members(g, w);
    w->alive = arena_array(a, uint32_t, g->f->value_count + 1);
    w->live_in = arena_array(a, uint64_t *, g->f->blocks.len + 1);
    for (uint32_t k = 0; k < g->f->blocks.len; k++)
        w->live_in[k] = arena_array(a, uint64_t, w->words);
    uint64_t *live = arena_array(a, uint64_t, w->words);
    for (bool changed = true; changed;) {
        changed = false;
        work_spend((uint64_t)c->nblocks * w->words);
        for (uint32_t p = c->nblocks; p-- > 0;) {
            struct kir_block *b = c->order[p];
            walk(g, w, b, live);
            if (memcmp(live, w->live_in[b->id], w->words * sizeof *live)) {
                memcpy(w->live_in[b->id], live, w->words * sizeof *live);
                changed = true;
            }
        }
    }
}
