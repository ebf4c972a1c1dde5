// Scattered stores that none of a vector's lanes makes, or one, and which nobody can foretell:
// where a run of equal elements begins, say (`if (x[i] != x[i - 1]) first[x[i]] = i`). A branch
// around such a store is mispredicted each time there is a lane. So the block with the store runs
// without being asked.
#include "plan/passes.h"

enum { LANES = 16, WORD_BITS = 32, SMALL_BLOCK = 10 };

static bool may_be_lone(const struct kir_inst *i) {
    return i->op == ISA_OP_ST && i->mods.sem == ISA_SEM_WEAK && !i->mods.vec &&
           isa_type_bits(i->ty) == WORD_BITS &&
           (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_SHARED ||
            i->mods.space == ISA_SPACE_GENERIC);
}

void plan_find_lone(const struct plan_inputs *in, struct plan_access *a) {
    const struct kir_inst *i = a->inst;
    unsigned stores = 0, n = 0, width = in->fl->width;
    if (!in->machine->mask_registers || in->quick || width % LANES || width > 2 * LANES ||
        in->puts_off || !may_be_lone(i) || in->fl->shape[i->ops[0]->id].kind != SHAPE_VARYING ||
        i->block->last->op != ISA_OP_BRA)
        return;
    for (const struct kir_inst *k = i->block->first; k != i->block->last; k = k->next, n++) {
        stores += k->op == ISA_OP_ST;
        if (k != i && k->op != ISA_OP_PHI && isa_op_info[k->op].klass != ISA_CLASS_POINTWISE)
            return;
    }
    // What one lane alone can store needs no other way, and that the block has been asked for.
    a->lone = stores == 1 && n <= SMALL_BLOCK && a->lane < 0;
}
