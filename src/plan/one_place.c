// Accesses of all lanes to one place: a scalar. Each thread's local memory is another place.
#include "plan/passes.h"

bool plan_at_one_place(const struct plan_inputs *in, struct plan_access *a, const struct shape *s) {
    if (in->fl->width > 1 && (s->kind != SHAPE_UNIFORM || a->inst->mods.space == ISA_SPACE_LOCAL))
        return false;
    a->kind = PLAN_ONE;
    return true;
}
