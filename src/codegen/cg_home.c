// Homes: memory that the sums of matrix products stay in. A kernel has far more of them than there
// are registers, and each lives through a loop in which a product takes its place: c of the product
// and d are one thing, and so is the phi between them. What is connected like that, with never two
// of it alive, has one place in memory; LLVM, which sees values only, would copy them from one
// place on the stack to the next. Where groups stop at barriers the place is among what is saved
// there, and nothing has to be saved.
#include "codegen/cg.h"

#include <string.h>

#include "isa/matrix.h"

struct cg_homes {
    uint32_t *up;    // by value id: towards the value that stands for all that are connected
    uint8_t *member; // by value id: is made by a product, or is a phi of such
    uint8_t *bad;    // by value id: what it stands for has no home
    uint32_t *alive; // by value id: how many of what it stands for are alive
    uint64_t **live_in;
    uint32_t words;
    LLVMValueRef *memory; // by value id: in the frame
    uint32_t *offset;     // by value id: where groups are saved; 0: not there
};

static uint32_t find(struct cg_homes *h, uint32_t x) {
    while (h->up[x] != x)
        x = h->up[x] = h->up[h->up[x]];
    return x;
}

static bool is_sum(const struct kir_inst *i) {
    return i->op == ISA_OP_MMA || i->op == ISA_OP_WMMA_MMA;
}

// The operand that result k takes the place of; NULL: it is of another type.
static struct kir_value *replaced(const struct kir_inst *i, uint32_t k) {
    struct isa_matrix x = isa_matrix_of((enum isa_op)i->op, &i->mods);
    if (x.type[ISA_FRAG_C] != x.type[ISA_FRAG_D])
        return NULL;
    return i->ops[isa_fragment_of(&x, ISA_FRAG_A).registers +
                  isa_fragment_of(&x, ISA_FRAG_B).registers + k];
}

static bool join(struct cg_homes *h, const struct kir_value *x, const struct kir_value *y) {
    uint32_t a = find(h, x->id), b = find(h, y->id);
    h->up[a] = b;
    return a != b;
}

static bool join_phi(struct cg_homes *h, const struct kir_inst *i) {
    bool any = h->member[i->res[0]->id], changed = false;
    for (uint32_t k = 0; k < i->nops; k++)
        any |= i->ops[k]->kind == KIR_VALUE_INST && h->member[i->ops[k]->id];
    if (!any)
        return false;
    changed = !h->member[i->res[0]->id];
    h->member[i->res[0]->id] = 1;
    for (uint32_t k = 0; k < i->nops; k++) {
        const struct kir_value *v = i->ops[k];
        if (v->kind != KIR_VALUE_INST || (v->def->op != ISA_OP_PHI && !is_sum(v->def)))
            continue;
        changed |= !h->member[v->id];
        h->member[v->id] = 1;
        changed |= join(h, i->res[0], v);
    }
    return changed;
}

// Products first, then phis until nothing changes.
static bool connect(struct cg_func *g, struct cg_homes *h) {
    bool any = false;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres && is_sum(i); k++) {
                struct kir_value *c = replaced(i, k);
                h->member[i->res[k]->id] = 1;
                any = true;
                if (c && c->kind == KIR_VALUE_INST &&
                    (c->def->op == ISA_OP_PHI || is_sum(c->def))) {
                    h->member[c->id] = 1;
                    join(h, i->res[k], c);
                }
            }
    for (bool changed = any; changed;) {
        changed = false;
        for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
            for (struct kir_inst *i = g->fl->cfg->order[p]->first; i && i->op == ISA_OP_PHI;
                 i = i->next)
                changed |= join_phi(h, i);
    }
    return any;
}

// ---- never two alive
// -----------------------------------------------------------------------------

static bool has(const uint64_t *s, uint32_t k) {
    return s[k / 64] >> (k % 64) & 1;
}

static void begin_life(struct cg_homes *h, uint64_t *live, const struct kir_value *v) {
    if (v->kind != KIR_VALUE_INST || !h->member[v->id] || has(live, v->id))
        return;
    live[v->id / 64] |= 1ULL << (v->id % 64);
    h->alive[find(h, v->id)]++;
}

static void end_life(struct cg_homes *h, uint64_t *live, const struct kir_value *v) {
    if (!h->member[v->id])
        return;
    uint32_t all = find(h, v->id), self = has(live, v->id);
    if (h->alive[all] > self)
        h->bad[all] = 1;
    h->alive[all] -= self;
    live[v->id / 64] &= ~(1ULL << (v->id % 64));
}

// What is alive at the end of b.
static void at_end(struct cg_homes *h, const struct kir_block *b, uint64_t *live) {
    for (uint32_t t = 0; t < b->last->ntargets; t++) {
        struct kir_block *s = b->last->targets[t];
        for (uint32_t w = 0; w < h->words; w++)
            live[w] |= h->live_in[s->id][w];
        for (struct kir_inst *i = s->first; i && i->op == ISA_OP_PHI; i = i->next)
            for (uint32_t p = 0; p < s->preds.len; p++)
                if (s->preds.data[p] == b && i->ops[p]->kind == KIR_VALUE_INST &&
                    h->member[i->ops[p]->id])
                    live[i->ops[p]->id / 64] |= 1ULL << (i->ops[p]->id % 64);
    }
}

// Walks b backwards. Phis begin together: all of them end before any begins.
static void walk(struct cg_func *g, struct cg_homes *h, const struct kir_block *b, uint64_t *live) {
    memset(live, 0, h->words * sizeof *live);
    memset(h->alive, 0, g->f->value_count * sizeof *h->alive);
    at_end(h, b, live);
    for (uint32_t v = 0; v < g->f->value_count; v++)
        if (has(live, v))
            h->alive[find(h, v)]++;
    for (const struct kir_inst *i = b->last; i; i = i->prev) {
        for (uint32_t k = 0; k < i->nres; k++)
            end_life(h, live, i->res[k]);
        for (uint32_t k = 0; k < i->nops && i->op != ISA_OP_PHI; k++)
            begin_life(h, live, i->ops[k]);
    }
}

static void find_alive(struct cg_func *g, struct cg_homes *h) {
    struct arena *a = g->cg->arena;
    struct cfg *c = g->fl->cfg;
    h->words = g->f->value_count / 64 + 1;
    h->alive = arena_array(a, uint32_t, g->f->value_count + 1);
    h->live_in = arena_array(a, uint64_t *, g->f->blocks.len + 1);
    for (uint32_t k = 0; k < g->f->blocks.len; k++)
        h->live_in[k] = arena_array(a, uint64_t, h->words);
    uint64_t *live = arena_array(a, uint64_t, h->words);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = c->nblocks; p-- > 0;) {
            struct kir_block *b = c->order[p];
            walk(g, h, b, live);
            if (memcmp(live, h->live_in[b->id], h->words * sizeof *live)) {
                memcpy(h->live_in[b->id], live, h->words * sizeof *live);
                changed = true;
            }
        }
    }
}

// ---- the choice
// ----------------------------------------------------------------------------------

static bool all_full(const struct cg_func *g, const struct kir_inst *i) {
    bool full = g->fl->full[i->block->id];
    for (uint32_t p = 0; i->op == ISA_OP_PHI && p < i->block->preds.len; p++)
        full &= g->fl->full[i->block->preds.data[p]->id];
    return full;
}

static void refuse(struct cg_func *g, struct cg_homes *h) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++) {
                uint32_t v = i->res[k]->id;
                if (h->member[v] && (g->fl->shape[v].kind != SHAPE_VARYING || g->fl->live_out[v] ||
                                     !all_full(g, i)))
                    h->bad[find(h, v)] = 1;
            }
}

static LLVMTypeRef home_type(struct cg *c, const struct kir_value *v) {
    return cg_vec_of(c, kir_type_bits(v->type) == 64 ? c->i64 : c->i32);
}

static void give(struct cg_func *g, struct cg_homes *h, const struct kir_value *v, bool saved) {
    uint32_t all = find(h, v->id);
    if (!h->member[v->id] || h->bad[all] || h->offset[all] || h->memory[all])
        return;
    if (saved) {
        h->offset[all] = g->homes_end;
        g->homes_end += kir_type_bits(v->type) / 8 * g->cg->width;
    } else {
        h->memory[all] = LLVMBuildAlloca(g->cg->b, home_type(g->cg, v), "home");
        LLVMSetAlignment(h->memory[all], 64);
    }
}

void cg_find_homes(struct cg_func *g, bool saved) {
    struct arena *a = g->cg->arena;
    uint32_t n = g->f->value_count + 1;
    if (g->cg->width != ISA_LANES || g->cg->team != 1)
        return;
    struct cg_homes *h = arena_new(a, struct cg_homes);
    h->up = arena_array(a, uint32_t, n);
    h->member = arena_array(a, uint8_t, n);
    for (uint32_t v = 0; v < n; v++)
        h->up[v] = v;
    if (!connect(g, h))
        return;
    h->bad = arena_array(a, uint8_t, n);
    h->memory = arena_array(a, LLVMValueRef, n);
    h->offset = arena_array(a, uint32_t, n);
    find_alive(g, h);
    refuse(g, h);
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                give(g, h, i->res[k], saved);
    g->homes = h;
}

bool cg_has_home(struct cg_func *g, const struct kir_value *v) {
    struct cg_homes *h = g->homes;
    return h && v->kind == KIR_VALUE_INST && h->member[v->id] && !h->bad[find(h, v->id)];
}

bool cg_same_home(struct cg_func *g, const struct kir_value *x, const struct kir_value *y) {
    return cg_has_home(g, x) && cg_has_home(g, y) && find(g->homes, x->id) == find(g->homes, y->id);
}

static LLVMValueRef home_of(struct cg_func *g, const struct kir_value *v) {
    struct cg *c = g->cg;
    uint32_t all = find(g->homes, v->id);
    LLVMValueRef at = cg_i64(c, g->homes->offset[all]);
    if (g->homes->memory[all])
        return g->homes->memory[all];
    return LLVMBuildInBoundsGEP2(c->b, c->i8, g->now.spill, &at, 1, "");
}

// Volatile, or LLVM keeps a copy of what it knows to be there.
LLVMValueRef cg_load_home(struct cg_func *g, const struct kir_value *v) {
    LLVMValueRef x = LLVMBuildLoad2(g->cg->b, cg_vec_type(g->cg, v->type), home_of(g, v), "");
    LLVMSetAlignment(x, 64);
    LLVMSetVolatile(x, 1);
    return x;
}

void cg_store_home(struct cg_func *g, const struct kir_value *v, LLVMValueRef x) {
    LLVMValueRef s = LLVMBuildStore(g->cg->b, x, home_of(g, v));
    LLVMSetAlignment(s, 64);
    LLVMSetVolatile(s, 1);
}
