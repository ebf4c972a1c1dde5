// A function's plan from kernel IR and its flow.
#include "passes/flow/sole_lane.h"
#include "plan/passes.h"
#include "plan/tables.h"

// ---- representations and masks ------------------------------------------------------------------

static struct plan_value value_of(const struct flow *fl, uint32_t id) {
    const struct shape *s = &fl->shape[id];
    struct plan_value x = {.form = PLAN_VECTOR};
    if (fl->width == 1 || s->kind == SHAPE_UNIFORM)
        x.form = PLAN_SCALAR;
    else if (s->kind == SHAPE_OFFSETS)
        x.form = s->guard ? PLAN_GUARDED : PLAN_OFFSETS;
    x.sharing = fl->shared[id] ? PLAN_SHARED : fl->affine[id] ? PLAN_LAG : PLAN_OWN;
    return x;
}

static enum plan_mask mask_of(const struct plan_inputs *in, const struct kir_block *b) {
    if (!in->fl->full[b->id] && !in->fl->exit_only[b->id])
        return PLAN_BLOCK;
    return in->all_lanes ? PLAN_ALL : PLAN_ENTRY;
}

bool plan_has_mask(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return k != ISA_CLASS_POINTWISE && k != ISA_CLASS_SOURCE && !kir_is_terminator(i->op);
}

// ---- accesses -----------------------------------------------------------------------------------

static void find_accesses(struct arena *a, struct plan *p, const struct kir_block *b) {
    int sole = -2; // nobody has asked
    for (struct kir_inst *i = b->first; i; i = i->next) {
        if (!plan_is_access(i))
            continue;
        sole = sole == -2 ? sole_lane(p->in.fl, b) : sole;
        struct plan_access *x = arena_new(a, struct plan_access);
        *x = plan_decide(&p->in, i, sole);
        vec_push(a, &p->accesses, x);
    }
}

// ---- the plan -----------------------------------------------------------------------------------

struct plan *plan_build(struct arena *a, const struct plan_inputs *in) {
    const struct cfg *cfg = in->fl->cfg;
    struct plan *p = plan_new(a, in);
    for (uint32_t id = 0; id < in->fl->func->value_count; id++)
        p->values[id] = value_of(in->fl, id);
    for (uint32_t k = 0; k < cfg->nblocks; k++) {
        const struct kir_block *b = cfg->order[k];
        p->masks[b->id] = (uint8_t)mask_of(in, b);
        find_accesses(a, p, b);
    }
    plan_index(a, p);
    for (uint32_t k = 0; k < p->accesses.len; k++) {
        plan_join_row(a, p, p->accesses.data[k]);
        plan_join_eights(p, p->accesses.data[k]);
    }
    plan_find_streams(a, p);
    return p;
}
