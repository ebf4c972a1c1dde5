// From a group of a team to the next one: what the team knows (flow/team.h), and what follows from
// it for values that vary from lane to lane.
#include "passes/affine/motion.h"
#include "passes/flow/team.h"

enum { NEAR = 1 << 20 };

static enum affine_moves moves(const void *who, const struct kir_value *v, int64_t *by) {
    const struct flow *fl = who;
    *by = fl->lag[v->id];
    if (fl->live_out[v->id]) // of different iterations
        return AFFINE_UNKNOWN;
    if (fl->lag_state[v->id] == TEAM_LAG)
        return *by > -NEAR && *by < NEAR ? AFFINE_MOVES : AFFINE_UNKNOWN;
    bool pure = v->def->nres == 1 && isa_op_info[v->def->op].klass == ISA_CLASS_POINTWISE;
    return pure ? AFFINE_FOLLOWS : AFFINE_UNKNOWN;
}

struct affine_motion *affine_by_group(struct arena *a, const struct affine *f,
                                      const struct flow *fl) {
    struct affine_mover m = {moves, fl};
    return affine_motion_find(a, f, &m);
}
