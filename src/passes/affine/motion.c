#include "passes/affine/motion.h"

enum { MOST = 1 << 30 }; // of what is followed, lest it overflows

bool affine_moved(const struct affine_motion *m, const struct kir_value *v, int64_t *by) {
    *by = v->kind == KIR_VALUE_INST ? m->by[v->id] : 0;
    return v->kind != KIR_VALUE_INST || m->known[v->id];
}

// The factor moves, another one would have to be known.
static bool of_term(const struct affine_motion *m, const struct affine_term *t, int64_t *by) {
    int64_t x, y = 0;
    if (!affine_moved(m, t->factor[0], &x) || (t->factor[1] && !affine_moved(m, t->factor[1], &y)))
        return false;
    *by = 0;
    return t->factor[1] ? !x && !y : !__builtin_mul_overflow(x, t->times, by);
}

static bool of_form(const struct affine_motion *m, const struct affine_form *x, int64_t *by) {
    int64_t t;
    *by = 0;
    for (unsigned k = 0; k < x->n; k++)
        if (!of_term(m, &x->term[k], &t) || __builtin_add_overflow(*by, t, by))
            return false;
    return *by > -MOST && *by < MOST;
}

// Made alike from what stays.
static bool of_operands(const struct affine_motion *m, const struct kir_inst *i) {
    int64_t by;
    for (uint32_t k = 0; k < i->nops; k++)
        if (!affine_moved(m, i->ops[k], &by) || by)
            return false;
    return isa_op_info[i->op].klass == ISA_CLASS_POINTWISE;
}

static bool find(const struct affine *f, const struct affine_motion *m,
                 const struct affine_mover *mover, const struct kir_value *v, int64_t *by) {
    struct affine_term own;
    *by = 0;
    switch (mover->moves(mover->who, v, by)) {
    case AFFINE_MOVES:
        return *by > -MOST && *by < MOST;
    case AFFINE_FOLLOWS:
        break;
    default:
        return false;
    }
    struct affine_form x = affine_form_of(f, v, &own);
    if (!affine_is_own(&x, v))
        return of_form(m, &x, by);
    return of_operands(m, v->def);
}

struct affine_motion *affine_motion_find(struct arena *a, const struct affine *f,
                                         const struct affine_mover *mover) {
    struct affine_motion *m = arena_new(a, struct affine_motion);
    m->known = arena_array(a, uint8_t, f->cfg->func->value_count + 1);
    m->by = arena_array(a, int64_t, f->cfg->func->value_count + 1);
    for (uint32_t p = 0; p < f->cfg->nblocks; p++)
        for (const struct kir_inst *i = f->cfg->order[p]->first; i; i = i->next)
            for (uint32_t r = 0; r < i->nres; r++) {
                int64_t by;
                bool known = find(f, m, mover, i->res[r], &by);
                m->known[i->res[r]->id] = known;
                m->by[i->res[r]->id] = known ? by : 0;
            }
    return m;
}
