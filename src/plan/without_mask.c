// Accesses that touch the memory of lanes which do not act, where that harms nobody.
#include "plan/passes.h"

// All lanes' places lie in the block's shared memory, inactive lanes' too: nobody else writes
// there meanwhile, so masked accesses may touch them. What is stored as a whole can be loaded
// while it is still on its way to the cache, which masked stores cannot, and LLVM sees through.
static bool lies_in_block(const struct plan_inputs *in, const struct plan_access *a,
                          const struct shape *s) {
    const struct kir_inst *i = a->inst;
    int64_t lo = 0, hi = 0, bytes = (int64_t)a->count * a->bytes, max = INT32_MAX;
    if (i->mods.space != ISA_SPACE_SHARED || s->kind != SHAPE_OFFSETS || s->guard ||
        !in->shared_static || !in->machine->fused)
        return false;
    for (unsigned k = 0; k < in->fl->width; k++) {
        lo = s->offs[k] < lo ? s->offs[k] : lo;
        hi = s->offs[k] > hi ? s->offs[k] : hi;
    }
    if (s->lo < -max || s->hi > max || i->offset < -max || i->offset > max)
        return false;
    return s->lo + lo + i->offset >= 0 &&
           s->hi + hi + i->offset + bytes <= (int64_t)in->shared_static;
}

// Where the machine has no masked loads LLVM makes a branch a lane of one, and where lanes leave a
// loop by what they load, few iterations have all lanes. Is it worth asking whether the load can do
// without its mask?
static bool wants_page(const struct plan_inputs *in, const struct plan_access *a) {
    const struct flow *fl = in->fl;
    const struct cfg_loop *l = fl->cfg->loop[a->inst->block->id];
    uint32_t v = a->inst->ops[0]->id;
    bool regular = fl->team == 1 || fl->affine[v] || fl->shared[v];
    return a->inst->op != ISA_OP_ST && !in->machine->mask_registers && l && !l->irreducible &&
           fl->loop_divergent[l->index] && !in->quick && !a->in_block && regular &&
           a->kind == PLAN_LINE && a->count == 1 && a->inst->mods.sem == ISA_SEM_WEAK;
}

void plan_without_mask(const struct plan_inputs *in, struct plan_access *a, const struct shape *s) {
    a->in_block = lies_in_block(in, a, s);
    a->by_page = wants_page(in, a);
}
