// An access by itself: the passes of which each may decide its kind.
#include "passes/flow/sole_lane.h"
#include "plan/passes.h"
#include "plan/tables.h"

struct plan_access plan_decide(const struct plan_inputs *in, struct kir_inst *i, int sole) {
    struct shape s = flow_use(in->fl, i->ops[0], i->block);
    struct plan_access a = plan_describe(in->fl, i);
    if (i->mods.sem == ISA_SEM_WEAK && i->mods.space != ISA_SPACE_LOCAL && in->fl->width > 1)
        a.lane = (int8_t)sole;
    if (plan_at_one_place(in, &a, &s))
        return a;
    if (!plan_at_offsets(in, &a, &s) && !plan_in_runs(in, &a, &s))
        plan_at_steps(in, &a);
    plan_find_window(in, &a);
    plan_find_lane_words(in, &a, &s);
    plan_without_mask(in, &a, &s);
    plan_find_lone(in, &a);
    a.transposed =
        !in->puts_off && (plan_is_transposed(in->fl, in->groups, i) || plan_is_column(in, &a, &s));
    return a;
}

struct plan_access *plan_add(struct arena *a, struct plan *p, struct kir_inst *i) {
    struct plan_access *x = arena_new(a, struct plan_access);
    *x = plan_decide(&p->in, i, sole_lane(p->in.fl, i->block));
    plan_insert(p, x);
    return x;
}
