// How values grow from one iteration of a loop to the next.
#include "isa/ops/move.h"
#include "passes/affine/affine.h"
#include "passes/affine/sum.h"

static bool is_in(const struct affine *f, const struct cfg_loop *l, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && cfg_in_loop(l, f->cfg->loop[v->def->block->id]);
}

// The value that a phi of the loop's header has in the next iteration; NULL: one of several.
static const struct kir_value *next_of(const struct affine *f, const struct cfg_loop *l,
                                       const struct kir_inst *phi) {
    const struct kir_value *next = NULL;
    if (phi->op != ISA_OP_PHI || phi->block != l->header)
        return NULL;
    for (uint32_t k = 0; k < phi->nops; k++)
        if (cfg_in_loop(l, f->cfg->loop[phi->block->preds.data[k]->id])) {
            if (next)
                return NULL;
            next = phi->ops[k];
        }
    return next;
}

// A factor that is a sum of l's own.
static bool find_sum(const struct affine *f, const struct cfg_loop *l, const struct affine_sum *s,
                     unsigned *term, unsigned *factor, struct affine_form *x) {
    for (*term = 0; *term < s->n; ++*term)
        for (*factor = 0; *factor < AFFINE_FACTORS; ++*factor) {
            const struct kir_value *v = s->term[*term].factor[*factor];
            struct affine_term own;
            if (!v || v->kind != KIR_VALUE_INST || f->cfg->loop[v->def->block->id] != l)
                continue;
            *x = affine_form_of(f, v, &own);
            if (!affine_is_own(x, v))
                return true;
        }
    return false;
}

// The sum of v, a value of l's own, without those of 32 bits that are extended in it.
static bool sum_in(const struct affine *f, const struct cfg_loop *l, const struct kir_value *v,
                   struct affine_sum *s) {
    enum { MOST_OPENED = 32 };
    struct affine_term own;
    struct affine_form x = affine_form_of(f, v, &own);
    unsigned term, factor, n = 0;
    *s = affine_sum_of(&x);
    while (find_sum(f, l, s, &term, &factor, &x))
        if (n++ == MOST_OPENED || !affine_open(s, term, factor, &x))
            return false;
    return true;
}

// What is added to a phi of the loop's header in each iteration: a sum of values from outside.
static bool step_of(const struct affine *f, const struct cfg_loop *l, const struct kir_inst *phi,
                    struct affine_sum *step) {
    const struct kir_value *next = next_of(f, l, phi);
    struct affine_sum back = affine_value(phi->res[0]);
    if (!next || next->kind != KIR_VALUE_INST || f->cfg->loop[next->def->block->id] != l)
        return false;
    if (!sum_in(f, l, next, step) || !affine_add(step, &back, -1))
        return false;
    for (unsigned k = 0; k < step->n; k++)
        for (unsigned m = 0; m < AFFINE_FACTORS && step->term[k].factor[m]; m++)
            if (is_in(f, l, step->term[k].factor[m]))
                return false;
    return true;
}

// *s += the growth of a term.
static bool add_growth(const struct affine *f, const struct cfg_loop *l,
                       const struct affine_term *t, struct affine_sum *s) {
    unsigned at = t->factor[1] && is_in(f, l, t->factor[1]);
    const struct kir_value *x = t->factor[at], *y = t->factor[1] ? t->factor[1 - at] : NULL;
    struct affine_sum step;
    if (!is_in(f, l, x))
        return true;
    if ((y && is_in(f, l, y)) || !step_of(f, l, x->def, &step))
        return false;
    struct affine_sum by = y ? affine_extended(y, !t->by_zeros[1 - at]) : affine_constant(1);
    return affine_multiply(&step, &by) && affine_add(s, &step, t->times);
}

bool affine_growth(const struct affine *f, const struct cfg_loop *l, const struct kir_value *v,
                   struct affine_term *term, struct affine_form *by) {
    struct affine_sum x = {0}, s = affine_constant(0);
    bool inside = is_in(f, l, v);
    if (inside && (f->cfg->loop[v->def->block->id] != l || !sum_in(f, l, v, &x)))
        return false;
    for (unsigned k = 0; k < x.n; k++)
        if (!add_growth(f, l, &x.term[k], &s))
            return false;
    for (unsigned k = 0; k < s.n; k++)
        term[k] = s.term[k];
    *by = (struct affine_form){.term = term, .constant = s.constant, .n = s.n};
    return true;
}
