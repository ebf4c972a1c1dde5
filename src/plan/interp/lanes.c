// Threads of a team, and what they have.
#include "plan/interp/internal.h"

struct interp_thread *plan_companion(const struct plan_step *s, uint32_t id) {
    struct interp_thread *t = id < s->in->b->nthreads ? &s->in->threads[id] : NULL;
    return t && t->depth >= s->depth && t->frames[s->depth - 1].func == s->func ? t : NULL;
}

unsigned plan_group_lanes(const struct plan_step *s, const struct plan_lanes *lanes, unsigned k) {
    unsigned n = 1, group = plan_group_of(s, lanes->t[k]);
    while (k + n < lanes->n && plan_group_of(s, lanes->t[k + n]) == group)
        n++;
    return n;
}

uint64_t *plan_register_of(const struct plan_step *s, const struct interp_thread *t,
                           const struct kir_value *v) {
    return t->regs + t->frames[s->depth - 1].regs + s->func->slots[v->id];
}

uint64_t plan_value_of(const struct plan_step *s, const struct interp_thread *t,
                       const struct kir_value *v) {
    if (v->kind == KIR_VALUE_INST)
        return *plan_register_of(s, t, v);
    return v->kind == KIR_VALUE_CONST ? v->bits.u64[0] : 0;
}

void plan_copy_results(const struct plan_step *s, const struct interp_thread *from,
                       struct interp_thread *to) {
    for (uint32_t r = 0; r < s->inst->ir->nres; r++) {
        const struct kir_value *v = s->inst->ir->res[r];
        memcpy(plan_register_of(s, to, v), plan_register_of(s, from, v),
               kir_type_bits(v->type) == 128 ? 16 : 8);
    }
}
