// Accesses of a team at an address a lane, where the groups lie side by side: lane l of group g
// reads or writes word g behind that of lane l of the first group. Each lane's words then lie in a
// line.
#include "plan/plan.h"

enum { WORD = 4, LEAST = 4 };

bool plan_is_transposed(const struct flow *fl, const struct affine_motion *groups,
                        const struct kir_inst *i) {
    bool access = (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK &&
                  i->mods.space == ISA_SPACE_GLOBAL && i->mods.vec <= 1;
    if (!access || !groups || fl->team < LEAST || fl->width < LEAST ||
        isa_type_bits(i->ty) != 8 * WORD)
        return false;
    const struct kir_value *v = i->op == ISA_OP_ST ? i->ops[1] : i->res[0];
    int64_t by;
    return kir_type_bits(v->type) == 8 * WORD && i->ops[0]->type == KIR_B64 &&
           flow_use(fl, i->ops[0], i->block).kind == SHAPE_VARYING &&
           affine_moved(groups, i->ops[0], &by) && by == WORD;
}
