// The plan of a function: made before anything is emitted, and shown to those who ask.
#include "codegen/memory/cg_plan.h"
#include "codegen/access/cg_copy.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_append.h"
#include "plan/plan.h"
#include "support/debug.h"

#include <stdio.h>

#ifdef NDEBUG
static const bool always_valid = true;
#else
static const bool always_valid = false; // until it is looked at
#endif

static bool all_lanes_exist(const struct cg *c) {
    uint32_t n = c->spec.ntid[0] * c->spec.ntid[1] * c->spec.ntid[2];
    return (n && n % c->width == 0) || (c->spec.flags & KD_SPEC_FULL_WARPS) ||
           (!n && (c->spec.flags & KD_SPEC_X_MULTIPLE_OF_32));
}

static void validate(struct cg *c, const struct plan *p) {
    struct strbuf err = {0};
    if (!plan_validate(p, &err))
        cg_error(c, "internal: %s", strbuf_str(&err));
    strbuf_free(&err);
}

static void show(struct cg *c, const struct plan *p) {
    bool prints = debug_on("plan");
    if (prints || c->plan_text || !always_valid)
        validate(c, p);
    if (c->plan_text)
        plan_print(p, c->plan_text);
    if (!prints)
        return;
    struct strbuf text = {0};
    plan_print(p, &text);
    fputs(strbuf_str(&text), stderr);
    strbuf_free(&text);
}

static void show_facts(const struct affine *x) {
    struct strbuf text = {0};
    if (!debug_on("affine"))
        return;
    affine_print(x, &text);
    fputs(strbuf_str(&text), stderr);
    strbuf_free(&text);
}

// Of what is copied from memory to memory, or appended to a list.
static bool is_taken(void *who, const struct kir_inst *i) {
    struct cg_func *g = who;
    if (i->op != ISA_OP_ST)
        return cg_copying_store(g, i);
    const struct kir_value *v = i->ops[1];
    bool is_copy = v->kind == KIR_VALUE_INST && cg_copying_store(g, v->def) == i;
    return is_copy || cg_is_append(g, i);
}

void cg_make_plan(struct cg_func *g) {
    struct cg *c = g->cg;
    bool is_kernel = g->f->is_kernel;
    struct affine *x = affine_find(c->arena, g->fl->cfg, c->spec.ntid, g->zeros);
    const struct affine_motion *groups = c->team > 1 ? affine_by_group(c->arena, x, g->fl) : NULL;
    show_facts(x);
    struct plan_inputs in = {.fl = g->fl,
                             .machine = &c->target,
                             .shared_static = is_kernel ? c->kernel->shared_static : 0,
                             .quick = c->quick,
                             .all_lanes = c->width == 1 || (is_kernel && all_lanes_exist(c)),
                             .affine = x,
                             .runs = lane_runs_find(c->arena, x, g->fl),
                             .steps = c->quick ? NULL : lane_steps_find(c->arena, x, g->fl),
                             .groups = groups,
                             .is_taken = is_taken,
                             .who = g,
                             .has_runs = is_kernel && c->mode == KD_MODE_BLOCK && !c->splits,
                             .puts_off = g->reds || g->appends};
    g->plan = plan_build(c->arena, &in);
    show(c, g->plan);
    if (c->plans)
        c->plans[g->f->index] = g->plan;
}
