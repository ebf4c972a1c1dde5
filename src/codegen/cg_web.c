#include "codegen/cg_web.h"

#include <string.h>

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

static bool has(const uint64_t *s, uint32_t k) {
    return s[k / 64] >> (k % 64) & 1;
}

static void begin_life(struct cg_webs *w, uint64_t *live, const struct kir_value *v) {
    if (v->kind != KIR_VALUE_INST || !w->member[v->id] || has(live, v->id))
        return;
    live[v->id / 64] |= 1ULL << (v->id % 64);
    w->alive[cg_web_of(w, v->id)]++;
}

static void end_life(struct cg_webs *w, uint64_t *live, const struct kir_value *v) {
    if (!w->member[v->id])
        return;
    uint32_t all = cg_web_of(w, v->id), self = has(live, v->id);
    if (w->alive[all] > self)
        w->bad[all] = 1;
    w->alive[all] -= self;
    live[v->id / 64] &= ~(1ULL << (v->id % 64));
}

// What is alive at the end of b.
static void at_end(struct cg_webs *w, const struct kir_block *b, uint64_t *live) {
    for (uint32_t t = 0; t < b->last->ntargets; t++) {
        struct kir_block *s = b->last->targets[t];
        for (uint32_t k = 0; k < w->words; k++)
            live[k] |= w->live_in[s->id][k];
        for (struct kir_inst *i = s->first; i && i->op == ISA_OP_PHI; i = i->next)
            for (uint32_t p = 0; p < s->preds.len; p++)
                if (s->preds.data[p] == b && i->ops[p]->kind == KIR_VALUE_INST &&
                    w->member[i->ops[p]->id])
                    live[i->ops[p]->id / 64] |= 1ULL << (i->ops[p]->id % 64);
    }
}

// Walks b backwards. Phis begin together: all of them end before any begins.
static void walk(struct cg_func *g, struct cg_webs *w, const struct kir_block *b, uint64_t *live) {
    memset(live, 0, w->words * sizeof *live);
    memset(w->alive, 0, g->f->value_count * sizeof *w->alive);
    at_end(w, b, live);
    for (uint32_t v = 0; v < g->f->value_count; v++)
        if (has(live, v))
            w->alive[cg_web_of(w, v)]++;
    for (const struct kir_inst *i = b->last; i; i = i->prev) {
        // Results nobody uses are written all the same, when the others are.
        for (uint32_t k = 0; k < i->nres; k++)
            begin_life(w, live, i->res[k]);
        for (uint32_t k = 0; k < i->nres; k++)
            end_life(w, live, i->res[k]);
        for (uint32_t k = 0; k < i->nops && i->op != ISA_OP_PHI; k++)
            begin_life(w, live, i->ops[k]);
    }
}

void cg_check_webs(struct cg_func *g, struct cg_webs *w) {
    struct arena *a = g->cg->arena;
    struct cfg *c = g->fl->cfg;
    w->words = g->f->value_count / 64 + 1;
    w->alive = arena_array(a, uint32_t, g->f->value_count + 1);
    w->live_in = arena_array(a, uint64_t *, g->f->blocks.len + 1);
    for (uint32_t k = 0; k < g->f->blocks.len; k++)
        w->live_in[k] = arena_array(a, uint64_t, w->words);
    uint64_t *live = arena_array(a, uint64_t, w->words);
    for (bool changed = true; changed;) {
        changed = false;
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
