#include "passes/affine/lane_step.h"

#include "isa/ops/move.h"
#include "passes/affine/sum.h"
#include "passes/flow/shape.h"

// of: by value id. NULL: not known; &LATER: of a phi's operand that no pass has come to.
struct lane_steps {
    const struct affine *affine;
    const struct flow *fl;
    const struct lane_step **of;
};

static const struct lane_step LATER;

// How a value's lanes lie.
struct step {
    enum { NOT_YET, KNOWN, NONE } state;
    struct affine_sum by, narrow_by;
    const struct kir_value *narrow;
    bool narrow_signed;
};

static const struct step NO_STEP = {.state = NONE};

static struct step step_of(const struct lane_steps *r, const struct kir_value *v) {
    const struct lane_step *x = v->kind == KIR_VALUE_INST ? r->of[v->id] : NULL;
    if (!x || x == &LATER)
        return (struct step){.state = x ? NOT_YET : NONE};
    return (struct step){KNOWN, affine_sum_of(&x->by), affine_sum_of(&x->narrow_by), x->narrow,
                         x->narrow_signed};
}

static bool is_constant_step(const struct flow *fl, const struct shape *x, int64_t *by) {
    for (unsigned l = 1; l < fl->width; l++)
        if (x->offs[l] != x->offs[0] + (int64_t)l * (x->offs[1] - x->offs[0]))
            return false;
    *by = x->offs[1] - x->offs[0];
    return true;
}

static struct step constant(int64_t by) {
    return (struct step){.state = KNOWN, .by = affine_constant(by)};
}

// Lanes leave a divergent loop in different iterations.
static bool is_mixed(const struct flow *fl, const struct kir_value *v, const struct kir_block *at) {
    if (v->kind != KIR_VALUE_INST)
        return false;
    for (struct cfg_loop *l = fl->cfg->loop[v->def->block->id]; l; l = l->parent) {
        if (cfg_in_loop(l, fl->cfg->loop[at->id]))
            return false;
        if (fl->loop_divergent[l->index])
            return true;
    }
    return false;
}

// Of v as block `at` sees it.
static struct step step_at(const struct lane_steps *r, const struct kir_value *v,
                           const struct kir_block *at) {
    struct shape x = flow_use(r->fl, v, at);
    int64_t by;
    if (is_mixed(r->fl, v, at))
        return NO_STEP;
    if (x.kind == SHAPE_UNIFORM)
        return constant(0);
    if (x.kind == SHAPE_OFFSETS && !x.guard && is_constant_step(r->fl, &x, &by))
        return constant(by);
    return step_of(r, v);
}

// ---- sums of 32 bits that are extended ---------------------------------------------------------

// Is what the lanes of a vector add to a number of 32 bits a number of 64?
static bool is_small(const struct affine_sum *s) {
    enum { MOST_TERMS = 4, MOST_TIMES = 1 << 24 };
    bool small = s->n <= MOST_TERMS && s->constant < MOST_TIMES && s->constant > -MOST_TIMES;
    for (unsigned k = 0; k < s->n; k++) {
        const struct affine_term *t = &s->term[k];
        small &= !t->factor[1] && t->factor[0]->type == KIR_B32 && t->times < MOST_TIMES &&
                 t->times > -MOST_TIMES;
    }
    return small;
}

// Of v as a number of 64 bits, whose lanes lie so.
static struct step extended(const struct lane_steps *r, const struct kir_value *v, bool is_signed,
                            const struct kir_block *at, struct step s) {
    struct shape x = flow_use(r->fl, v, at);
    if (s.state != KNOWN || (!s.by.n && !s.by.constant))
        return s;
    if (x.kind == SHAPE_OFFSETS)
        return shape_extended(r->fl, v, x, is_signed).guard ? NO_STEP : s;
    if (!s.by.n || s.narrow || !is_small(&s.by))
        return NO_STEP;
    s.narrow = v;
    s.narrow_by = s.by;
    s.narrow_signed = is_signed;
    return s;
}

// ---- sums --------------------------------------------------------------------------------------

static bool is_zero(const struct step *s) {
    return s->state == KNOWN && !s->by.n && !s->by.constant;
}

// A factor of a sum of so many bits.
static struct step of_factor(const struct lane_steps *r, const struct affine_term *t, unsigned m,
                             const struct kir_block *at, unsigned bits) {
    const struct kir_value *v = t->factor[m];
    struct step s = step_at(r, v, at);
    return bits == 64 && v->type == KIR_B32 ? extended(r, v, !t->by_zeros[m], at, s) : s;
}

// A product's lanes lie apart where one of the two stays.
static struct step of_term(const struct lane_steps *r, const struct affine_term *t,
                           const struct kir_block *at, unsigned bits) {
    struct step x = of_factor(r, t, 0, at, bits);
    if (!t->factor[1] || x.state != KNOWN)
        return x;
    struct step y = of_factor(r, t, 1, at, bits);
    unsigned stays = is_zero(&x) ? 0 : 1;
    if (y.state != KNOWN || (!is_zero(&x) && !is_zero(&y)))
        return y.state == KNOWN ? NO_STEP : y;
    struct affine_sum by = affine_extended(t->factor[stays], !t->by_zeros[stays]);
    struct step *s = stays ? &x : &y;
    if (!affine_multiply(&s->by, &by))
        return NO_STEP;
    return *s;
}

static bool add(struct step *s, const struct step *x, int64_t times) {
    if (x->narrow && s->narrow && (x->narrow != s->narrow || x->narrow_signed != s->narrow_signed))
        return false;
    if (x->narrow) {
        s->narrow = x->narrow;
        s->narrow_by = x->narrow_by;
        s->narrow_signed = x->narrow_signed;
    }
    return affine_add(&s->by, &x->by, times);
}

static struct step of_sum(const struct lane_steps *r, const struct kir_inst *i,
                          const struct affine_form *x) {
    unsigned bits = kir_type_bits(i->res[0]->type);
    struct step s = constant(0);
    for (unsigned k = 0; k < x->n; k++) {
        struct step t = of_term(r, &x->term[k], i->block, bits);
        if (t.state != KNOWN || !add(&s, &t, x->term[k].times))
            return t.state == KNOWN ? NO_STEP : t;
    }
    affine_reduce(&s.by, bits);
    return s;
}

// ---- phis --------------------------------------------------------------------------------------

static bool same_sum(const struct affine_sum *x, const struct affine_sum *y) {
    struct affine_sum d = *x;
    return affine_add(&d, y, -1) && !d.n && !d.constant;
}

static bool same_step(const struct step *x, const struct step *y) {
    return same_sum(&x->by, &y->by) && x->narrow == y->narrow &&
           x->narrow_signed == y->narrow_signed && same_sum(&x->narrow_by, &y->narrow_by);
}

// Those of its operands, which are the same.
static struct step of_phi(const struct lane_steps *r, const struct kir_inst *i) {
    struct step s = {.state = NOT_YET};
    if (r->fl->join[i->block->id])
        return NO_STEP;
    for (uint32_t n = 0; n < i->nops; n++) {
        struct step x = step_at(r, i->ops[n], i->block->preds.data[n]);
        if (x.state == NONE || (x.state == KNOWN && s.state == KNOWN && !same_step(&x, &s)))
            return NO_STEP;
        if (x.state == KNOWN)
            s = x;
    }
    return s;
}

// ---- all values --------------------------------------------------------------------------------

static struct step find(const struct lane_steps *r, const struct kir_inst *i) {
    const struct kir_value *v = i->res[0];
    struct affine_term own;
    if (i->nres != 1 || (v->type != KIR_B32 && v->type != KIR_B64))
        return NO_STEP;
    if (i->op == ISA_OP_PHI)
        return of_phi(r, i);
    struct affine_form x = affine_form_of(r->affine, v, &own);
    return affine_is_own(&x, v) ? NO_STEP : of_sum(r, i, &x);
}

// Of constant offsets and what all lanes have alike shapes tell.
static bool is_needed(const struct flow *fl, const struct kir_inst *i) {
    const struct shape *x = i->nres ? &fl->shape[i->res[0]->id] : NULL;
    return x && x->kind != SHAPE_UNIFORM && (x->kind != SHAPE_OFFSETS || x->guard);
}

static struct affine_form form_of(struct arena *a, const struct affine_sum *s) {
    struct affine_form x = {.constant = s->constant, .n = s->n};
    if (s->n)
        x.term = arena_memdup(a, s->term, s->n * sizeof *s->term);
    return x;
}

static const struct lane_step *keep(struct arena *a, const struct step *s) {
    struct lane_step *x = arena_new(a, struct lane_step);
    *x = (struct lane_step){form_of(a, &s->by), form_of(a, &s->narrow_by), s->narrow,
                            s->narrow_signed};
    return x;
}

// One over the layout; true when a phi has changed, so that there has to be another one: it was not
// known yet, or what was assumed of it does not hold.
static bool pass(struct arena *a, struct lane_steps *r, bool optimistic) {
    const struct cfg *c = r->fl->cfg;
    bool any = false;
    for (uint32_t p = 0; p < c->nblocks; p++)
        for (const struct kir_inst *i = c->order[p]->first; i; i = i->next) {
            if (!i->nres || !r->of[i->res[0]->id])
                continue;
            struct step was = step_of(r, i->res[0]),
                        s = i->op == ISA_OP_PHI && !optimistic ? NO_STEP : find(r, i);
            if (was.state == s.state && (s.state != KNOWN || same_step(&was, &s)))
                continue;
            r->of[i->res[0]->id] = s.state == KNOWN ? keep(a, &s) : NULL;
            any |= i->op == ISA_OP_PHI;
        }
    return any;
}

struct lane_steps *lane_steps_find(struct arena *a, const struct affine *f, const struct flow *fl) {
    enum { MOST_PASSES = 8 };
    if (fl->width == 1)
        return NULL;
    struct lane_steps *r = arena_new(a, struct lane_steps);
    uint32_t n = fl->func->value_count + 1, passes = 1;
    *r = (struct lane_steps){f, fl, arena_array(a, const struct lane_step *, n)};
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (is_needed(fl, i))
                r->of[i->res[0]->id] = &LATER;
    while (passes < MOST_PASSES && pass(a, r, true))
        passes++;
    if (passes == MOST_PASSES) // what has been assumed of phis may not hold yet
        pass(a, r, false);
    return r;
}

bool lane_step(const struct lane_steps *steps, const struct kir_value *v,
               const struct kir_block *at, struct lane_step *s) {
    if (!steps)
        return false;
    struct step x = step_at(steps, v, at);
    if (x.state != KNOWN || !x.by.n)
        return false;
    *s = *steps->of[v->id];
    return true;
}
