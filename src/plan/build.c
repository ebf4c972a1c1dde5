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

// sole: the only lane that can act in i's block; -1: several can.
static struct plan_access decide(const struct plan_inputs *in, const struct kir_inst *i, int sole) {
    struct shape s = flow_use(in->fl, i->ops[0], i->block);
    struct plan_access a = plan_describe(in->fl, i);
    if (i->mods.sem == ISA_SEM_WEAK && i->mods.space != ISA_SPACE_LOCAL && in->fl->width > 1)
        a.lane = (int8_t)sole;
    if (plan_at_one_place(in, &a, &s))
        return a;
    if (!plan_at_offsets(in, &a, &s) && !plan_in_runs(in, &a, &s))
        plan_at_steps(in, &a);
    plan_find_window(in, &a);
    plan_without_mask(in, &a, &s);
    a.transposed = !in->puts_off && plan_is_transposed(in->fl, i);
    return a;
}

struct plan_access plan_new_access(const struct plan *p, const struct kir_inst *i) {
    return decide(&p->in, i, sole_lane(p->in.fl, i->block));
}

static void find_accesses(struct arena *a, struct plan *p, const struct kir_block *b) {
    int sole = -2; // nobody has asked
    for (const struct kir_inst *i = b->first; i; i = i->next) {
        if (!plan_is_access(i))
            continue;
        sole = sole == -2 ? sole_lane(p->in.fl, b) : sole;
        struct plan_access *x = arena_new(a, struct plan_access);
        *x = decide(&p->in, i, sole);
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
    return p;
}
