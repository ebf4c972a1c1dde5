#include "codegen/pipeline/scalars.h"

#include "codegen/pipeline/analyse.h"
#include "codegen/pipeline/own_kernel.h"
#include "codegen/pipeline/team.h"
#include "codegen/pipeline/team_loops.h"
#include "codegen/update/cg_reds.h"
#include "passes/affine/lane_cost.h"
#include "passes/analysis/thread_rows.h"
#include "passes/loops/rest_loop.h"

static bool calls_any(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_CALL)
                return true;
    return false;
}

// What a run of blocks puts off in vectors would be locked instructions in scalars.
static bool counts_in_vectors(struct cg *c, const struct flow *fl) {
    return !any_leaves_by_data(fl) && cg_puts_off(c, fl);
}

bool wants_scalars(struct cg *c, const struct traits *t, const struct flow *fl) {
    if (c->spec.width || c->width == 1 || t->barrier || t->warp_ops || calls_any(c->kernel))
        return false;
    c->thread_rows = c->target.half_vectors && thread_rows_are_vectors(fl);
    if (c->thread_rows)
        c->why_scalars = "each takes rows of four words, which are vectors by themselves";
    else if (!counts_in_vectors(c, fl) && scalars_are_faster(fl, &c->target, c->private_frame))
        c->why_scalars = "most of the time goes to addresses of single threads, in loops "
                         "that they leave in different iterations";
    if (c->why_scalars)
        c->scalars_at = first_loop(fl);
    return c->why_scalars;
}

void run_threads(struct pipeline *p) {
    struct cg *c = p->c;
    struct kir_module *m = own_module(c);
    if (join_rest_loops(m->funcs.data[c->kernel->index]))
        use_module(c, m);
    c->width = 1;
    analyse_all(p);
}
