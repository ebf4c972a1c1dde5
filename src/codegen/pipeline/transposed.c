// Teams for kernels without loops, whose threads' accesses lie in columns.
#include "codegen/pipeline/analyse.h"
#include "codegen/pipeline/team.h"
#include "codegen/pipeline/traits.h"
#include "passes/analysis/alignment.h"
#include "plan/plan.h"

static bool any_transposed(struct arena *a, const struct flow *fl) {
    const uint8_t *zeros = alignment_find(a, fl->func, NULL, 0);
    const struct affine *x = affine_find(a, fl->cfg, fl->spec.ntid, zeros);
    const struct affine_motion *groups = affine_by_group(a, x, fl);
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (plan_is_transposed(fl, groups, i))
                return true;
    return false;
}

// As many rows of a block as a line has words make a team where its threads' accesses lie in
// columns: see cg_transpose.c. A row of the block is a group then, however wide it is. The kernel
// has no loops, and no team for other reasons.
void try_transposed(struct pipeline *p, bool may_widen) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    enum { MOST_ROWS = 16, LEAST_ROWS = 4 };
    const uint32_t *n = c->spec.ntid;
    const struct flow *alone = fl[c->kernel->index];
    bool is_width = n[0] == 8 || n[0] == 16 || n[0] == 32;
    unsigned width = may_widen && is_width ? n[0] : c->width, rows = n[1], team = MOST_ROWS;
    while (team >= LEAST_ROWS && rows % team)
        team /= 2;
    if (team < LEAST_ROWS || n[0] != width || alone->cfg->loops.len || c->width == 1 ||
        !any_varying_access(alone) || func_has_barrier(c->kernel) || lanes_of_atomics(c, alone) ||
        team_forbidden(c->kernel) || team * func_instructions(c->kernel) > MAX_TEAM_INSTRUCTIONS)
        return;
    unsigned old = c->width;
    c->width = width;
    c->team = team;
    analyse_all(p);
    bool found = any_transposed(c->arena, fl[c->kernel->index]);
    if (found && !(c->spec.flags & KD_SPEC_QUICK))
        return;
    c->quick |= found; // of the same width
    c->width = found ? width : old;
    c->team = 1;
    analyse_all(p);
}
