// What is alive where groups stop. Of blocks there are sets, of the values alone that pass from
// block to block; within a block one walk serves all places that are asked about in its order, so
// that many barriers in a long block cost no more than few.
#include <stdlib.h>
#include <string.h>

#include "codegen/core/state.h"
#include "codegen/value/cg_again.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_live.h"
#include "isa/ops/block.h"
#include "support/work.h"

enum { NONE = UINT32_MAX };

// Before an instruction the value with a rank was alive and behind it not, or the other way round.
struct change {
    const struct kir_inst *at;
    uint32_t rank;
    bool begins; // to be alive, as the walk goes: backwards
};

struct cg_liveness {
    uint32_t *rank;           // by value id: its place among all results in the layout
    struct kir_value **value; // by rank
    uint32_t *number;         // by rank: among those that pass from block to block, plus one
    uint32_t *passing;        // by number: rank
    uint64_t *kept;           // numbers of what is not made again
    uint32_t words;
    uint64_t **in; // by block id: numbers that are alive where it begins
    // The walk through a block: from its end to its beginning, and back to `at`.
    const struct kir_block *block;
    const struct kir_inst *at;
    VEC(struct change) log;
    uint32_t *alive, *place, n; // a set: ranks; by rank where it stands there, plus one
};

static bool is_live_kind(struct cg_func *g, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && cg_val_of(g, v)->epoch != CG_PERMANENT;
}

// What is made again is made at the head of the group, wherever it stands.
static bool is_elsewhere(const struct cg_func *g, const struct kir_inst *i) {
    return i->nres && cg_is_again(g, i->res[0]);
}

// What is made again is made where the group goes on behind a barrier.
static bool makes_again(const struct cg_func *g, const struct kir_inst *i) {
    return g->again && (i->op == ISA_OP_BAR_SYNC || i->op == ISA_OP_BAR_RED);
}

// ---- sets of blocks -------------------------------------------------------------------------

static void pass_on(struct cg_liveness *l, uint32_t rank, uint32_t *n) {
    if (l->number[rank])
        return;
    l->passing[*n] = rank;
    l->number[rank] = ++*n;
}

static void number_values(struct cg_func *g, struct cg_liveness *l) {
    struct arena *a = g->cg->arena;
    const struct cfg *c = g->fl->cfg;
    uint32_t values = g->f->value_count + 1, n = 0, passing = 0;
    l->rank = arena_array(a, uint32_t, values);
    l->value = arena_array(a, struct kir_value *, values);
    l->number = arena_array(a, uint32_t, values);
    l->passing = arena_array(a, uint32_t, values);
    l->alive = arena_array(a, uint32_t, values);
    l->place = arena_array(a, uint32_t, values);
    for (uint32_t p = 0; p < c->nblocks; p++)
        for (struct kir_inst *i = c->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++) {
                l->rank[i->res[k]->id] = n;
                l->value[n++] = i->res[k];
            }
    for (uint32_t p = 0; p < c->nblocks; p++)
        for (struct kir_inst *i = c->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++) {
                const struct kir_value *v = i->ops[k];
                if (v->kind == KIR_VALUE_INST &&
                    (i->op == ISA_OP_PHI || v->def->block != i->block || is_elsewhere(g, v->def)))
                    pass_on(l, l->rank[v->id], &passing);
            }
    l->words = passing / 64 + 1;
    l->kept = arena_array(a, uint64_t, l->words);
    for (uint32_t k = 0; k < passing; k++)
        if (!cg_is_again(g, l->value[l->passing[k]]))
            l->kept[k / 64] |= 1ULL << (k % 64);
}

static void set_bit(const struct cg_liveness *l, uint64_t *s, const struct kir_value *v, bool on) {
    uint32_t k = l->number[l->rank[v->id]] - 1;
    if (k == NONE)
        return;
    uint64_t bit = 1ULL << (k % 64);
    s[k / 64] = on ? s[k / 64] | bit : s[k / 64] & ~bit;
}

static void walk_back(struct cg_func *g, const struct cg_liveness *l, const struct kir_block *b,
                      uint64_t *live) {
    for (struct kir_inst *i = b->last; i; i = i->prev) {
        if (is_elsewhere(g, i))
            continue;
        for (uint32_t w = 0; w < l->words && makes_again(g, i); w++)
            live[w] &= l->kept[w];
        for (uint32_t k = 0; k < i->nres; k++)
            set_bit(l, live, i->res[k], false);
        for (uint32_t k = 0; k < i->nops && i->op != ISA_OP_PHI; k++)
            if (is_live_kind(g, i->ops[k]))
                set_bit(l, live, i->ops[k], true);
    }
}

// What is alive at the end of b: what its successors need, and their phis' operands.
static void live_at_end(struct cg_func *g, const struct cg_liveness *l, const struct kir_block *b,
                        uint64_t *live) {
    const struct cfg *c = g->fl->cfg;
    memset(live, 0, l->words * sizeof *live);
    for (uint32_t t = 0; t < b->last->ntargets; t++) {
        const struct kir_block *s = b->last->targets[t];
        uint32_t p = c->edge_pred[c->first_edge[b->id] + t];
        for (uint32_t w = 0; w < l->words; w++)
            live[w] |= l->in[s->id][w];
        for (struct kir_inst *i = s->first; i && i->op == ISA_OP_PHI; i = i->next)
            if (is_live_kind(g, i->ops[p]))
                set_bit(l, live, i->ops[p], true);
    }
}

static struct cg_liveness *find_liveness(struct cg_func *g) {
    struct arena *a = g->cg->arena;
    struct cfg *c = g->fl->cfg;
    struct cg_liveness *l = arena_new(a, struct cg_liveness);
    number_values(g, l);
    if ((uint64_t)g->f->blocks.len * l->words > CG_MOST_LIVE_WORDS)
        work_refuse("it has too many blocks and values to find what lives across its barriers");
    l->in = arena_array(a, uint64_t *, g->f->blocks.len + 1);
    for (uint32_t k = 0; k < g->f->blocks.len; k++)
        l->in[k] = arena_array(a, uint64_t, l->words);
    uint64_t *live = arena_array(a, uint64_t, l->words);
    for (bool changed = true; changed;) {
        changed = false;
        work_spend((uint64_t)c->nblocks * l->words);
        for (uint32_t p = c->nblocks; p-- > 0;) {
            const struct kir_block *b = c->order[p];
            live_at_end(g, l, b, live);
            walk_back(g, l, b, live);
            if (memcmp(live, l->in[b->id], l->words * sizeof *live)) {
                memcpy(l->in[b->id], live, l->words * sizeof *live);
                changed = true;
            }
        }
    }
    return l;
}

// ---- within a block -------------------------------------------------------------------------

static void set_alive(struct cg_liveness *l, uint32_t rank, bool on) {
    if (on && !l->place[rank]) {
        l->alive[l->n++] = rank;
        l->place[rank] = l->n;
    } else if (!on && l->place[rank]) {
        uint32_t last = l->alive[--l->n];
        l->alive[l->place[rank] - 1] = last;
        l->place[last] = l->place[rank];
        l->place[rank] = 0;
    }
}

static void change(struct cg_func *g, struct cg_liveness *l, const struct kir_inst *i,
                   uint32_t rank, bool begins) {
    if (begins == (l->place[rank] != 0))
        return;
    vec_push(g->cg->arena, &l->log, (struct change){i, rank, begins});
    set_alive(l, rank, begins);
}

static void begin_walk(struct cg_func *g, struct cg_liveness *l, const struct kir_block *b) {
    uint64_t *live = arena_array(g->cg->arena, uint64_t, l->words);
    while (l->n)
        set_alive(l, l->alive[l->n - 1], false);
    live_at_end(g, l, b, live);
    for (uint32_t w = 0; w < l->words; w++)
        for (uint64_t bits = live[w]; bits; bits &= bits - 1)
            set_alive(l, l->passing[w * 64 + (uint32_t)__builtin_ctzll(bits)], true);
    l->log.len = 0;
    for (const struct kir_inst *i = b->last; i; i = i->prev) {
        if (is_elsewhere(g, i))
            continue;
        for (uint32_t k = l->n; makes_again(g, i) && k-- > 0;)
            if (cg_is_again(g, l->value[l->alive[k]]))
                change(g, l, i, l->alive[k], false);
        for (uint32_t k = 0; k < i->nres; k++)
            change(g, l, i, l->rank[i->res[k]->id], false);
        for (uint32_t k = 0; k < i->nops && i->op != ISA_OP_PHI; k++)
            if (is_live_kind(g, i->ops[k]))
                change(g, l, i, l->rank[i->ops[k]->id], true);
    }
    l->block = b;
    l->at = b->first;
}

// Goes on behind i, if that is not passed yet.
static bool walk_behind(struct cg_liveness *l, const struct kir_inst *i) {
    while (l->at) {
        const struct kir_inst *here = l->at;
        while (l->log.len && l->log.data[l->log.len - 1].at == here) {
            struct change x = l->log.data[--l->log.len];
            set_alive(l, x.rank, !x.begins);
        }
        l->at = here->next;
        if (here == i)
            return true;
    }
    return false;
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

struct cg_live cg_live_after(struct cg_func *g, const struct kir_inst *i) {
    struct arena *a = g->cg->arena;
    if (!g->liveness)
        g->liveness = find_liveness(g);
    struct cg_liveness *l = g->liveness;
    if (l->block != i->block || !walk_behind(l, i)) {
        begin_walk(g, l, i->block);
        walk_behind(l, i);
    }
    struct cg_live live = {0, arena_array(a, struct kir_value *, l->n + 1)};
    uint32_t *ranks = arena_memdup(a, l->alive, (l->n + 1) * sizeof *ranks);
    qsort(ranks, l->n, sizeof *ranks, compare);
    for (uint32_t k = 0; k < l->n; k++) {
        struct kir_value *v = l->value[ranks[k]];
        if (v->def != i) // made after the barrier
            live.values[live.n++] = v;
    }
    work_spend(l->n);
    return live;
}

void cg_forget_walk(struct cg_func *g) {
    if (g->liveness)
        g->liveness->block = NULL;
}
