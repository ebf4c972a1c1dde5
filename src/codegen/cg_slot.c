// Slots: where vectors that live through several barriers are kept. A web of such values, the sum
// of a loop over tiles and the phi that carries it to the next iteration, has one place among what
// is saved of a group, and is stored there when it has changed: an iteration with two barriers, one
// before the tile is used and one behind, saves its sums once. What a loop with barriers takes from
// outside is stored when the loop begins. What is put back and not used before the next barrier is
// not even loaded, which LLVM sees.
#include <string.h>

#include "codegen/cg_web.h"
#include "support/work.h"

struct cg_slots {
    struct cg_webs w;
    uint8_t *joined;       // by web: it is of several values
    uint32_t *offset;      // by web: 0: it has no place
    uint64_t **in;         // by block id: the webs that are in their places where it begins
    uint64_t **out;        // ... and where it ends
    VEC(uint64_t *) after; // by barrier in layout order: what is alive behind it
    uint32_t *before;      // by block id: barriers in front of it in the layout
    uint64_t *state;       // room for a set of webs
};

static bool has(const uint64_t *s, uint32_t k) {
    return s[k / 64] >> (k % 64) & 1;
}

static void set(uint64_t *s, uint32_t k, bool on) {
    uint64_t bit = 1ULL << (k % 64);
    s[k / 64] = on ? s[k / 64] | bit : s[k / 64] & ~bit;
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
    VEC(const struct kir_block *) at = {0};
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (is_barrier(i)) {
                vec_push(g->cg->arena, &s->after, cg_live_after(g, i));
                vec_push(g->cg->arena, &at, i->block);
            }
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++) {
                uint32_t v = i->res[k]->id;
                for (uint32_t n = 0; n < s->after.len && barriers[v] < 2; n++)
                    if (has(s->after.data[n], v))
                        barriers[v] += is_from_outside(g, i->res[k], at.data[n]) ? 2 : 1;
                s->w.member[v] = barriers[v] && may_have_slot(g, i->res[k]);
            }
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

static bool heads_barriers(struct cg_func *g, const struct kir_block *b) {
    const struct cfg_loop *l = g->fl->cfg->loop[b->id];
    if (!l || l->header != b)
        return false;
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (is_barrier(i))
                return true;
    return false;
}

static void walk(struct cg_func *g, struct cg_slots *s, const struct kir_block *b,
                 const struct kir_inst *stop, uint32_t barrier, uint64_t *state) {
    uint32_t web;
    for (const struct kir_inst *i = b->first; i != stop; i = i->next) {
        for (uint32_t k = 0; k < i->nres && i->op != ISA_OP_PHI; k++)
            if (slotted(s, i->res[k], &web))
                set(state, web, false);
        if (!is_barrier(i))
            continue;
        const uint64_t *live = s->after.data[barrier++];
        for (uint32_t v = 0; v < g->f->value_count; v++)
            if (has(live, v) && s->w.member[v] && s->offset[cg_web_of(&s->w, v)])
                set(state, cg_web_of(&s->w, v), true);
    }
}

// Is v, which is in its slot alone, stored where the loop begins that b is the head of?
static bool enters(struct cg_func *g, struct cg_slots *s, const struct kir_value *v,
                   const struct kir_block *b) {
    uint32_t web;
    return slotted(s, v, &web) && !s->joined[web] && has(s->w.live_in[b->id], v->id) &&
           is_from_outside(g, v, b);
}

// What the edge from the p-th predecessor brings to a phi is in its place.
static bool comes_in_place(struct cg_slots *s, const struct kir_inst *phi, uint32_t p) {
    uint32_t web, of;
    return slotted(s, phi->res[0], &web) && slotted(s, phi->ops[p], &of) && of == web &&
           has(s->out[phi->block->preds.data[p]->id], web);
}

static void meet(struct cg_func *g, struct cg_slots *s, const struct kir_block *b,
                 uint64_t *state) {
    uint32_t words = g->f->value_count / 64 + 1, web;
    bool heads = heads_barriers(g, b);
    for (uint32_t k = 0; k < words; k++)
        state[k] = b->preds.len ? ~0ULL : 0;
    for (uint32_t p = 0; p < b->preds.len; p++)
        for (uint32_t k = 0; k < words; k++)
            state[k] &= s->out[b->preds.data[p]->id][k];
    for (const struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next) {
        if (!slotted(s, i->res[0], &web))
            continue;
        bool all = true;
        for (uint32_t p = 0; p < b->preds.len; p++)
            all &= comes_in_place(s, i, p);
        set(state, web, all || heads);
    }
    work_spend(heads ? g->f->value_count : 0);
    for (uint32_t p = 0; heads && p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                if (enters(g, s, i->res[k], b))
                    set(state, cg_web_of(&s->w, i->res[k]->id), true);
}

static uint32_t barriers_in(const struct kir_block *b) {
    uint32_t n = 0;
    for (const struct kir_inst *i = b->first; i; i = i->next)
        n += is_barrier(i);
    return n;
}

static void find_in_place(struct cg_func *g, struct cg_slots *s) {
    struct arena *a = g->cg->arena;
    struct cfg *cfg = g->fl->cfg;
    uint32_t words = g->f->value_count / 64 + 1;
    uint64_t *state = s->state = arena_array(a, uint64_t, words);
    s->before = arena_array(a, uint32_t, g->f->blocks.len + 1);
    s->in = arena_array(a, uint64_t *, g->f->blocks.len + 1);
    s->out = arena_array(a, uint64_t *, g->f->blocks.len + 1);
    for (uint32_t k = 0; k < g->f->blocks.len; k++) {
        s->in[k] = arena_array(a, uint64_t, words);
        s->out[k] = arena_array(a, uint64_t, words);
        memset(s->out[k], 0xff, words * sizeof *state);
    }
    for (bool changed = true; changed;) {
        changed = false;
        work_spend((uint64_t)cfg->nblocks * words);
        for (uint32_t p = 0, n = 0; p < cfg->nblocks; n += barriers_in(cfg->order[p]), p++) {
            struct kir_block *b = cfg->order[p];
            s->before[b->id] = n;
            meet(g, s, b, s->in[b->id]);
            memcpy(state, s->in[b->id], words * sizeof *state);
            walk(g, s, b, NULL, n, state);
            changed |= memcmp(state, s->out[b->id], words * sizeof *state) != 0;
            memcpy(s->out[b->id], state, words * sizeof *state);
        }
    }
}

// ---- for cg_barrier.c and cg_edge.c ---------------------------------------------------------

void cg_find_slots(struct cg_func *g) {
    struct arena *a = g->cg->arena;
    uint32_t n = g->f->value_count + 1;
    uint8_t *barriers = arena_array(a, uint8_t, n);
    struct cg_slots *s = arena_new(a, struct cg_slots);
    if (g->cg->width == 1)
        return;
    s->offset = arena_array(a, uint32_t, n);
    s->joined = arena_array(a, uint8_t, n);
    cg_begin_webs(g, &s->w);
    find_members(g, s, barriers);
    connect(g, s);
    cg_check_webs(g, &s->w);
    g->homes_end = (g->homes_end + 63) / 64 * 64;
    give(g, s, barriers);
    find_in_place(g, s);
    g->slots = s;
}

uint32_t cg_slot_of(struct cg_func *g, const struct kir_value *v) {
    uint32_t web;
    return slotted(g->slots, v, &web) ? g->slots->offset[web] : 0;
}

bool cg_is_in_slot(struct cg_func *g, const struct kir_inst *barrier, const struct kir_value *v) {
    struct cg_slots *s = g->slots;
    uint32_t words = g->f->value_count / 64 + 1, web;
    const struct kir_block *b = barrier->block;
    if (!slotted(s, v, &web))
        return false;
    uint64_t *state = s->state;
    work_spend(words);
    memcpy(state, s->in[b->id], words * sizeof *state);
    walk(g, s, b, barrier, s->before[b->id], state);
    return has(state, web);
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
    return slotted(g->slots, phi->res[0], &web) && heads_barriers(g, phi->block) &&
           !comes_in_place(g->slots, phi, p);
}

void cg_enter_slots(struct cg_func *g, const struct kir_block *to, uint32_t p) {
    struct cg_slots *s = g->slots;
    const struct kir_block *from = to->preds.data[p];
    if (!s || !heads_barriers(g, to) ||
        cfg_in_loop(g->fl->cfg->loop[to->id], g->fl->cfg->loop[from->id]))
        return;
    for (uint32_t n = 0; n < g->fl->cfg->nblocks; n++)
        for (const struct kir_inst *i = g->fl->cfg->order[n]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                if (enters(g, s, i->res[k], to) &&
                    !has(s->out[from->id], cg_web_of(&s->w, i->res[k]->id)))
                    cg_store_slot(g, i->res[k], cg_vec(g, i->res[k]));
}
