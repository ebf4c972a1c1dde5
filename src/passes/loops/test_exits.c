// Searches ask behind their loop whether it came to its end: `k == n`. Lanes that leave at
// different iterations keep the counter for that, a word each, by a select in each iteration for
// each vector; of a comparison that is made in the loop they keep a bit. In the loop the counter is
// alike in all lanes, so that the comparison itself is a scalar. Where the way out says already
// what the comparison will give (a search that leaves at a difference has not come to its end),
// lanes keep nothing.
#include "passes/loops/test_exits.h"

#include "passes/analysis/known_test.h"

struct test {
    const struct cfg *cfg;
    struct kir_func *func;
    const uint32_t *uses; // by value id
    struct kir_inst *phi, *setp;
    struct kir_value *other; // what is compared with the phi
};

static uint32_t *count_uses(struct arena *a, const struct cfg *c) {
    uint32_t *n = arena_array(a, uint32_t, c->func->value_count + 1);
    for (uint32_t b = 0; b < c->func->blocks.len; b++)
        for (const struct kir_inst *i = c->func->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                n[i->ops[k]->id]++;
    return n;
}

static bool leaves(const struct cfg *c, const struct kir_value *v, const struct kir_block *use) {
    const struct cfg_loop *l = v->kind == KIR_VALUE_INST ? c->loop[v->def->block->id] : NULL;
    return l && !cfg_in_loop(l, c->loop[use->id]);
}

// v without what constants add to it and without conversions.
static const struct kir_value *stripped(const struct kir_value *v) {
    enum { MOST_STEPS = 8 };
    for (unsigned n = 0; v->kind == KIR_VALUE_INST && n < MOST_STEPS; n++) {
        const struct kir_inst *i = v->def;
        bool whole = !isa_type_is_float(i->ty) && !i->mods.sat;
        bool sum = (i->op == ISA_OP_ADD || i->op == ISA_OP_SUB) && i->nops == 2 &&
                   i->ops[1]->kind == KIR_VALUE_CONST;
        bool same = i->op == ISA_OP_CVT && !isa_type_is_float(i->ty2);
        if (!whole || i->nres != 1 || !(sum || same))
            return v;
        v = i->ops[0];
    }
    return v;
}

// Does v count a loop's iterations, from a constant on?
static bool is_counter(const struct kir_value *v) {
    const struct kir_value *phi = stripped(v);
    if (phi->kind != KIR_VALUE_INST || phi->def->op != ISA_OP_PHI)
        return false;
    for (uint32_t k = 0; k < phi->def->nops; k++) {
        const struct kir_value *from = phi->def->ops[k];
        if (from->kind != KIR_VALUE_CONST && (from == phi || stripped(from) != phi))
            return false;
    }
    return true;
}

// A phi that one comparison uses, and nothing else.
static bool find_test(struct test *t) {
    const struct kir_value *v = t->phi->res[0];
    if (v->type == KIR_PRED || t->uses[v->id] != 1)
        return false;
    struct kir_inst *i = t->phi->next;
    while (i && !(i->op == ISA_OP_SETP && i->nops == 2 && (i->ops[0] == v || i->ops[1] == v)))
        i = i->next;
    if (!i || i->nres != 1 || isa_type_is_float(i->ty))
        return false;
    t->setp = i;
    t->other = i->ops[i->ops[0] == v];
    return true;
}

// Is `other` there wherever the phi's operands are made?
static bool is_there(const struct test *t) {
    const struct kir_block *b = t->phi->block;
    const struct kir_value *o = t->other;
    if (o->kind != KIR_VALUE_INST)
        return o->kind == KIR_VALUE_CONST;
    return o->def->block != b && cfg_dominates(t->cfg, o->def->block, b) && !leaves(t->cfg, o, b);
}

static enum known_test known(const struct test *t, uint32_t k) {
    const struct kir_block *b = t->phi->block;
    const struct kir_value *v = t->phi->ops[k];
    bool first = t->setp->ops[0] == t->phi->res[0];
    return known_test(t->cfg, t->setp, first ? v : t->other, first ? t->other : v, b->preds.data[k],
                      b);
}

static bool is_worth_it(const struct test *t) {
    bool any = false;
    for (uint32_t k = 0; k < t->phi->nops; k++) {
        const struct kir_value *v = t->phi->ops[k];
        const struct kir_block *from = t->phi->block->preds.data[k];
        if (t->cfg->pos[from->id] == UINT32_MAX)
            return false;
        if (!leaves(t->cfg, v, from))
            continue;
        any = true;
        if (known(t, k) != KNOWN_NOT)
            continue;
        const struct kir_value *o = t->other;
        bool there =
            o->kind == KIR_VALUE_CONST || cfg_dominates(t->cfg, o->def->block, v->def->block);
        if (!is_counter(v) || !there)
            return false;
    }
    return any;
}

// The comparison with the phi's k-th operand.
static struct kir_value *make_test(const struct test *t, uint32_t k) {
    enum known_test result = known(t, k);
    if (result != KNOWN_NOT)
        return kir_const(t->func, KIR_PRED, result == KNOWN_TRUE);
    const struct kir_inst *old = t->setp;
    struct kir_value *v = t->phi->ops[k];
    struct kir_block *from = t->phi->block->preds.data[k];
    struct kir_inst *i =
        kir_inst_new(t->func, ISA_OP_SETP, (enum isa_type)old->ty, 2, 1, &old->res[0]->type, 0);
    bool first = old->ops[0] == t->phi->res[0];
    i->ops[0] = first ? v : t->other;
    i->ops[1] = first ? t->other : v;
    i->mods = old->mods;
    i->ty2 = old->ty2;
    i->file = old->file;
    i->line = old->line;
    struct kir_inst *at = leaves(t->cfg, v, from) ? v->def : NULL;
    while (at && at->op == ISA_OP_PHI && at->next->op == ISA_OP_PHI)
        at = at->next;
    if (at)
        kir_insert_after(at, i);
    else
        kir_insert_before(from->last, i);
    return i->res[0];
}

static void move_test(const struct test *t) {
    struct kir_inst *phi =
        kir_inst_new(t->func, ISA_OP_PHI, ISA_PRED, t->phi->nops, 1, &t->setp->res[0]->type, 0);
    for (uint32_t k = 0; k < t->phi->nops; k++)
        phi->ops[k] = make_test(t, k);
    kir_insert_before(t->phi, phi);
    kir_replace_uses(t->func, t->setp->res[0], phi->res[0]);
    kir_remove(t->setp);
    kir_remove(t->phi);
}

void test_exits(struct kir_func *f) {
    struct arena a = {0};
    struct cfg *c = f->blocks.len ? cfg_build(&a, f) : NULL;
    struct test t = {.cfg = c, .func = f};
    if (c && c->loops.len)
        t.uses = count_uses(&a, c);
    for (uint32_t p = 0; t.uses && p < c->nblocks; p++)
        for (struct kir_inst *next, *i = c->order[p]->first; i && i->op == ISA_OP_PHI; i = next) {
            next = i->next;
            t.phi = i;
            if (find_test(&t) && is_there(&t) && is_worth_it(&t))
                move_test(&t);
        }
    arena_free(&a);
}
