// Accesses of lanes a distance apart that only the launch knows.
#include "plan/passes.h"

bool plan_at_steps(const struct plan_inputs *in, struct plan_access *a) {
    const struct kir_inst *i = a->inst;
    if (in->quick || (i->mods.space != ISA_SPACE_GLOBAL && i->mods.space != ISA_SPACE_GENERIC) ||
        (a->whole && i->op == ISA_OP_ST) || !lane_step(in->steps, i->ops[0], i->block, &a->step)) {
        a->step = (struct lane_step){0};
        return false;
    }
    a->kind = PLAN_STEPS;
    return true;
}
