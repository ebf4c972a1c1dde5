// From a block to the next one of its row: its index is larger by one, nothing else that threads
// are told. What they load may be anything.
#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "passes/affine/motion.h"

static enum affine_moves moves(const void *who, const struct kir_value *v, int64_t *by) {
    const struct kir_inst *i = v->def;
    (void)who;
    *by = 0;
    if (isa_op_info[i->op].klass == ISA_CLASS_POINTWISE)
        return AFFINE_FOLLOWS;
    if (i->op == ISA_OP_SYMADDR || (i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM))
        return AFFINE_MOVES;
    if (i->op != ISA_OP_SREG || i->sreg < ISA_SREG_TID_X || i->sreg > ISA_SREG_NCTAID_Z)
        return AFFINE_UNKNOWN;
    *by = i->sreg == ISA_SREG_CTAID_X;
    return AFFINE_MOVES;
}

struct affine_motion *affine_by_block(struct arena *a, const struct affine *f) {
    struct affine_mover m = {moves, NULL};
    return affine_motion_find(a, f, &m);
}
