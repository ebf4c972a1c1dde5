// The kernel rewritten by one pass, and whether what came of it is kept.
#include "codegen/pipeline/analyse.h"
#include "codegen/pipeline/own_kernel.h"
#include "codegen/pipeline/passes.h"
#include "codegen/pipeline/traits.h"
#include "passes/analysis/index_words.h"
#include "passes/analysis/known_sign.h"
#include "passes/analysis/private_frame.h"
#include "passes/loops/group_edges.h"
#include "passes/loops/group_rows.h"
#include "passes/loops/known_size.h"
#include "passes/loops/last_lanes.h"
#include "passes/loops/roll.h"
#include "passes/loops/stride_loop.h"

// The kernel is in a module of this compilation's own, to be changed.
static void own_kernel(struct cg *c) {
    const struct kir_value *limit = c->stride_limit;
    use_module(c, own_module(c));
    if (limit && limit->kind == KIR_VALUE_INST)
        c->stride_limit = in_copy(c->kernel, limit);
}

// False: quick code is asked for, which is not changed so, but has the same width.
static bool take_kernel(struct cg *c) {
    if (c->spec.flags & KD_SPEC_QUICK)
        c->quick = true;
    else
        own_kernel(c);
    return !c->quick;
}

void try_index_words(struct pipeline *p) {
    struct cg *c = p->c;
    if (c->spec.width == 1 || !index_words(c->kernel, false))
        return;
    struct kir_module *m = own_module(c);
    index_words(m->funcs.data[c->kernel->index], true);
    use_module(c, m);
}

void try_known_size(struct pipeline *p) {
    struct cg *c = p->c;
    if (!c->spec.ntid[0] || !known_size_any(c->kernel, c->spec.ntid))
        return;
    struct kir_module *m = own_module(c);
    known_size(m->funcs.data[c->kernel->index], c->spec.ntid);
    use_module(c, m);
}

void try_private_frame(struct pipeline *p) {
    struct cg *c = p->c;
    if (!c->kernel->locals.len || c->spec.width == 1)
        return;
    struct kir_module *m = own_module(c);
    c->private_frame = private_frame(m->funcs.data[c->kernel->index]);
    if (c->private_frame)
        use_module(c, m);
}

void try_strides(struct pipeline *p) {
    struct cg *c = p->c;
    struct old_kernel old = old_kernel(c);
    if (!(c->spec.flags & KD_SPEC_STRIDES) || c->quick)
        return;
    struct kir_module *m = own_module(c);
    c->stride_limit = stride_loop_open(m->funcs.data[c->kernel->index], c->spec.ntid);
    if (!c->stride_limit)
        return;
    use_module(c, m);
    choose_mode_anew(p);
    if (c->mode == KD_MODE_BLOCK && !c->splits && !c->parks)
        return;
    restore_kernel(c, old);
    c->stride_limit = NULL;
}

void try_known_sign(struct pipeline *p) {
    struct cg *c = p->c;
    uint32_t nth = c->kernel->index;
    if (c->width == 1 || !known_sign(c->kernel, p->fl[nth], c->spec.ntid, false))
        return;
    own_kernel(c);
    analyse_all(p);
    known_sign(c->kernel, p->fl[nth], c->spec.ntid, true);
    analyse_all(p);
}

void try_group_versions(struct pipeline *p) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    // Groups of a team take the version when all of them can.
    enum { ROUNDS = 6, MOST_INSTRUCTIONS = 1200, MOST_GROUPS = 4 };
    struct old_kernel old = old_kernel(c);
    struct kir_value *limit = c->stride_limit;
    uint32_t nth = c->kernel->index;
    unsigned team = c->team;
    bool loops;
    if (p->unrolled || c->mode != KD_MODE_BLOCK || c->splits || c->parks || c->width == 1 ||
        c->quick || (is_one_team(c) && func_has_barrier(c->kernel)))
        return;
    bool rows = group_rows_any(fl[nth], &loops);
    if (!rows && !group_edges_any(fl[nth]))
        return;
    if (!take_kernel(c))
        return;
    c->team = rows && !loops ? 1 : team > MOST_GROUPS ? MOST_GROUPS : team;
    analyse_all(p);
    bool made = false;
    for (unsigned r = 0; r < ROUNDS && func_instructions(c->kernel) <= MOST_INSTRUCTIONS; r++) {
        if (group_rows_any(fl[nth], &loops))
            made |= group_rows(c->kernel, fl[nth]);
        else if (group_edges_any(fl[nth]))
            made |= group_edges(c->kernel, fl[nth]);
        else
            break;
        analyse_all(p);
    }
    if (made)
        return;
    restore_kernel(c, old);
    c->stride_limit = limit;
    c->team = team;
    analyse_all(p);
}

void try_last_lanes(struct pipeline *p) {
    // Of nested loops each may have its copy.
    enum { ROUNDS = 8, MOST_INSTRUCTIONS = 2000 };
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    uint32_t nth = c->kernel->index;
    if (p->unrolled || c->mode != KD_MODE_BLOCK || c->parks || c->width == 1 || c->team > 1 ||
        c->quick || !last_lanes_any(fl[nth], &c->target, c->private_frame))
        return;
    if (!take_kernel(c))
        return;
    analyse_all(p);
    for (unsigned r = 0; r < ROUNDS && func_instructions(c->kernel) <= MOST_INSTRUCTIONS &&
                         last_lanes(c->kernel, fl[nth], &c->target, c->private_frame);
         r++)
        analyse_all(p);
}

void try_rolled(struct pipeline *p) {
    struct cg *c = p->c;
    unsigned vectors = c->width > 16 ? c->width / 16 : 1, copies = c->team * vectors;
    if (c->mode != KD_MODE_BLOCK || c->splits || c->parks || c->width == 1 || is_one_team(c) ||
        !has_long_block(c->kernel, copies))
        return;
    struct kir_module *m = own_module(c);
    if (!roll_up(m->funcs.data[c->kernel->index], copies))
        return;
    use_module(c, m);
    analyse_all(p);
}
