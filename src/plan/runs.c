// Accesses of runs of neighbours, wherever each begins. Where a sum of 32 bits may wrap within a
// run, or that they are neighbours is a guess, it is asked when it runs.
#include "plan/passes.h"

enum { LEAST_RUN_BYTES = 16, MOST_RUNS = 8 };

static bool set_runs(struct plan_access *a, struct lane_run r, unsigned width, bool same) {
    a->kind = PLAN_RUNS;
    a->n = (uint16_t)r.lanes;
    a->same = same ? UINT32_MAX >> (32 - width / r.lanes) : 0;
    a->tested = !r.exact;
    a->guess = r.guess;
    return true;
}

bool plan_in_runs(const struct plan_inputs *in, struct plan_access *a, const struct shape *s) {
    const struct kir_inst *i = a->inst;
    const struct kir_value *v = i->ops[0];
    unsigned width = in->fl->width;
    int64_t bytes = (int64_t)a->count * a->bytes;
    if (s->kind != SHAPE_VARYING || a->whole || kir_type_bits(v->type) != 64 ||
        (i->mods.space != ISA_SPACE_GLOBAL && i->mods.space != ISA_SPACE_GENERIC))
        return false;
    struct lane_run r = lane_run(in->runs, v, i->block, bytes);
    if (r.lanes * MOST_RUNS >= width && r.lanes * bytes >= LEAST_RUN_BYTES &&
        (r.exact || !in->quick))
        return set_runs(a, r, width, false);
    if (i->op == ISA_OP_ST)
        return false;
    r = lane_run(in->runs, v, i->block, 0);
    bool many = r.lanes * MOST_RUNS >= width && r.lanes > 2;
    if (!many || (!r.exact && (!r.guess || in->quick)))
        return false;
    return set_runs(a, r, width, true);
}
