// Accesses of a team at an address a lane, where the groups lie side by side: lane l of group g
// reads or writes word g behind that of lane l of the first group. Each lane's words then lie in a
// line.
#include "plan/passes.h"

enum { WORD = 4, LEAST = 4 };

static bool is_word(const struct flow *fl, const struct kir_inst *i, enum isa_space space) {
    bool access = (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK &&
                  i->mods.space == space && i->mods.vec <= 1;
    if (!access || fl->team < LEAST || fl->width < LEAST || isa_type_bits(i->ty) != 8 * WORD)
        return false;
    const struct kir_value *v = i->op == ISA_OP_ST ? i->ops[1] : i->res[0];
    return kir_type_bits(v->type) == 8 * WORD && i->ops[0]->type == KIR_B64;
}

bool plan_is_transposed(const struct flow *fl, const struct affine_motion *groups,
                        const struct kir_inst *i) {
    int64_t by;
    return groups && is_word(fl, i, ISA_SPACE_GLOBAL) &&
           flow_use(fl, i->ops[0], i->block).kind == SHAPE_VARYING &&
           affine_moved(groups, i->ops[0], &by) && by == WORD;
}

// Do lanes' lines follow each other, so that the order of stores does not matter?
static bool lines_follow(const struct flow *fl, const int64_t *offs) {
    for (unsigned l = 1; l < fl->width; l++)
        if (offs[l] - offs[l - 1] < (int64_t)fl->team * WORD)
            return false;
    return true;
}

// A column of a tile in shared memory, lanes being rows of it at constant distances: nothing has
// to be asked when it runs but whether all lanes act.
bool plan_is_column(const struct plan_inputs *in, const struct plan_access *a,
                    const struct shape *s) {
    int64_t by;
    bool kind = a->kind == PLAN_EACH || (a->kind == PLAN_STRIDED && a->sparse);
    return is_word(in->fl, a->inst, ISA_SPACE_SHARED) && kind && a->offs && !s->guard &&
           a->lane < 0 && !in->quick && in->fl->affine[a->inst->ops[0]->id] && in->groups &&
           affine_moved(in->groups, a->inst->ops[0], &by) && by == WORD &&
           lines_follow(in->fl, a->offs);
}
