// What is known of a value where code is being made: its shape, and whether it is at hand.
#include "codegen/value/cg_known.h"
#include "codegen/core/state.h"
#include "plan/plan.h"

struct shape cg_shape(struct cg_func *g, const struct kir_value *v) {
    if (g->cg->width == 1)
        return (struct shape){.kind = SHAPE_UNIFORM};
    return flow_use(g->fl, v, g->block);
}

// What a team shares lies with its first group.
struct cg_val *cg_val_of(struct cg_func *g, const struct kir_value *v) {
    return &(g->fl->shared[v->id] ? g->groups[0].vals : g->now.vals)[v->id];
}

struct cg_var *cg_var_of(struct cg_func *g, const struct kir_value *v) {
    return &(g->fl->shared[v->id] ? g->groups[0].vars : g->now.vars)[v->id];
}

bool cg_made_once(const struct cg_func *g, const struct kir_value *v) {
    const struct plan_value *x = &g->plan->values[v->id];
    return x->sharing == PLAN_SHARED || (x->sharing == PLAN_LAG && x->form != PLAN_GUARDED);
}

bool cg_at_hand(struct cg_func *g, const struct kir_value *v) {
    uint32_t epoch = cg_val_of(g, v)->epoch;
    return v->kind != KIR_VALUE_INST || epoch == CG_PERMANENT || epoch == g->epoch;
}

struct shape cg_shape_at_def(const struct cg_func *g, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST ? g->fl->shape[v->id] : (struct shape){.kind = SHAPE_UNIFORM};
}

bool cg_is_guarded(const struct cg_func *g, const struct kir_value *v) {
    return g->plan->values[v->id].form == PLAN_GUARDED;
}
