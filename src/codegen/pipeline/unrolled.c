// Counted loops written out, where one team holds the block.
#include "codegen/pipeline/analyse.h"
#include "codegen/pipeline/own_kernel.h"
#include "codegen/pipeline/passes.h"
#include "codegen/pipeline/team.h"
#include "codegen/pipeline/traits.h"
#include "passes/loops/unroll.h"

// The kernel with its counted loops written out; false: it has others too, or the code would be
// long.
static bool unroll_kernel(struct cg *c, unsigned most) {
    struct kir_module *m = own_module(c);
    if (!unroll_loops(m->funcs.data[c->kernel->index], c->spec.ntid, most))
        return false;
    use_module(c, m);
    return true;
}

// Barriers in loops; or several outside of them, between which other loops touch shared memory:
// without these the block would be one team as it is (choose_team).
static bool has_counted_barriers(const struct cg *c, const struct flow *fl) {
    bool touches = false;
    unsigned outside = 0;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            bool loops = fl->cfg->loop[i->block->id];
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK && loops)
                return !c->quick && !(c->spec.flags & KD_SPEC_QUICK);
            outside += isa_op_info[i->op].klass == ISA_CLASS_BLOCK;
            touches |= loops && isa_op_info[i->op].klass == ISA_CLASS_MEMORY &&
                       i->mods.space == ISA_SPACE_SHARED;
        }
    return touches && outside > 1 && !c->quick && !(c->spec.flags & KD_SPEC_QUICK);
}

// A block that is one vector needs no barriers: its threads exchange values through shared memory
// all the same, in loops that store there.
static bool has_counted_stores(const struct cg *c, const struct flow *fl, unsigned groups) {
    for (uint32_t p = 0; p < fl->cfg->nblocks && groups == 1; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (i->op == ISA_OP_ST && i->mods.space == ISA_SPACE_SHARED &&
                fl->cfg->loop[i->block->id] && fl->shape[i->ops[0]->id].kind != SHAPE_UNIFORM)
                return !c->quick && !(c->spec.flags & KD_SPEC_QUICK);
    return false;
}

static bool unroll(struct pipeline *p) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    const uint32_t *n = c->spec.ntid;
    unsigned threads = n[0] * n[1] * n[2], groups = threads / c->width, team = c->team;
    struct old_kernel old = old_kernel(c);
    if (c->mode != KD_MODE_BLOCK || c->splits || c->parks || c->width == 1 || !threads ||
        threads % c->width)
        return false;
    unsigned most = has_counted_barriers(c, fl[c->kernel->index])         ? MAX_BLOCK_INSTRUCTIONS
                    : has_counted_stores(c, fl[c->kernel->index], groups) ? MAX_WARP_INSTRUCTIONS
                                                                          : 0;
    if (!most || !one_team_fits(c, groups) || !unroll_kernel(c, most / groups))
        return false;
    c->team = groups;
    if (analyse_all(p) && one_team_fits(c, groups) && !p->waits)
        return true;
    restore_kernel(c, old);
    c->team = team;
    analyse_all(p);
    return false;
}

void try_unrolled(struct pipeline *p) {
    p->unrolled = unroll(p);
}
