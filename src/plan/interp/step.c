// One instruction of lanes that run together.
#include "isa/ops/all.h"
#include "plan/interp/internal.h"

// ---- masks --------------------------------------------------------------------------------------

// Threads of the group that thread `id` is of which the function was entered with, but those that
// have ended in what it calls: these come back to no block.
static unsigned could_act(const struct plan_step *s, uint32_t id) {
    uint32_t first = id / s->p->width * s->p->width;
    unsigned n = 0;
    for (id = first; id < first + s->p->width; id++) {
        const struct interp_thread *t = plan_companion(s, id);
        n += t && (t->state != INTERP_DONE || t->depth == s->depth);
    }
    return n;
}

static void check_masks(struct plan_step *s) {
    const struct kir_inst *i = s->inst->ir;
    const struct plan_lanes *lanes = s->lanes;
    uint8_t mask = s->plan->masks[i->block->id];
    if (mask == PLAN_BLOCK || !plan_has_mask(i))
        return;
    for (unsigned k = 0, n; k < lanes->n && !s->in->failed; k += n) {
        n = plan_group_lanes(s, lanes, k);
        uint32_t end = (lanes->t[k]->id / s->p->width + 1) * s->p->width;
        unsigned all = could_act(s, lanes->t[k]->id);
        if (n != all)
            plan_broken(s, lanes->t[k], i, mask == PLAN_ALL ? "under all" : "under entry", n, all);
        else if (mask == PLAN_ALL && end > s->in->b->nthreads)
            plan_broken(s, lanes->t[k], i, "under all", s->in->b->nthreads, end);
    }
}

// ---- edges --------------------------------------------------------------------------------------

// Each lane's phis, and then what the plan says of them, for the lanes that come over one edge.
// What is undefined there stays as it is: where one value stands for all lanes others decide it.
static void go(struct plan_step *s) {
    const struct interp_inst *i = s->inst;
    struct plan_lanes rest = *s->lanes, same;
    while (rest.n && !s->in->failed) {
        uint32_t target = interp_edge(rest.t[0], i);
        if (target >= i->ir->ntargets) {
            interp_run_lane(s->in, rest.t[0], i); // a fault
            return;
        }
        same.n = 0;
        unsigned left = 0;
        for (unsigned k = 0; k < rest.n; k++)
            if (interp_edge(rest.t[k], i) == target)
                same.t[same.n++] = rest.t[k];
            else
                rest.t[left++] = rest.t[k];
        rest.n = left;
        const struct interp_edge *e = &i->edges[target];
        for (unsigned k = 0; k < same.n; k++)
            interp_take_edge(s->in, same.t[k], e);
        const struct kir_inst *phi = i->ir->targets[target]->first;
        for (uint32_t k = 0; k < e->nmoves; k++, phi = phi->next)
            if (!e->moves[k].undefined)
                plan_settle(s, &same, phi, phi->res[0]);
    }
}

// ---- instructions -------------------------------------------------------------------------------

// group.first: what the group's first lane has, which need not be here.
static void take_first(struct plan_step *s) {
    for (unsigned k = 0; k < s->lanes->n; k++) {
        struct interp_thread *t = s->lanes->t[k];
        const struct interp_thread *first = plan_companion(s, t->id / s->p->width * s->p->width);
        *plan_register_of(s, t, s->inst->ir->res[0]) =
            plan_value_of(s, first ? first : t, s->inst->ir->ops[0]);
        t->pc++;
    }
}

// group.all: of all lanes of the team that come here.
static void ask_all(struct plan_step *s) {
    uint64_t all = 1;
    for (unsigned k = 0; k < s->lanes->n; k++)
        all &= plan_value_of(s, s->lanes->t[k], s->inst->ir->ops[0]);
    for (unsigned k = 0; k < s->lanes->n; k++, s->lanes->t[k - 1]->pc++)
        *plan_register_of(s, s->lanes->t[k], s->inst->ir->res[0]) = all;
}

// group.few: of the group's lanes that come here at most so many.
static void ask_few(struct plan_step *s) {
    const struct plan_lanes *lanes = s->lanes;
    for (unsigned k = 0, n; k < lanes->n; k += n) {
        n = plan_group_lanes(s, lanes, k);
        for (unsigned l = k; l < k + n; l++, lanes->t[l - 1]->pc++) {
            uint64_t most = plan_value_of(s, lanes->t[l], s->inst->ir->ops[1]);
            uint64_t is = plan_value_of(s, lanes->t[l], s->inst->ir->ops[0]);
            *plan_register_of(s, lanes->t[l], s->inst->ir->res[0]) = n <= most ? is : 0;
        }
    }
}

// group.lowest: of the group's lanes that come here the first.
static void take_lowest(struct plan_step *s) {
    const struct plan_lanes *lanes = s->lanes;
    for (unsigned k = 0, n; k < lanes->n; k += n) {
        n = plan_group_lanes(s, lanes, k);
        for (unsigned l = k; l < k + n; l++, lanes->t[l - 1]->pc++)
            *plan_register_of(s, lanes->t[l], s->inst->ir->res[0]) =
                l == k ? plan_value_of(s, lanes->t[l], s->inst->ir->ops[0]) : 0;
    }
}

// Time passes between two lanes that ask for it.
static bool is_time(const struct kir_inst *i) {
    return i->op == ISA_OP_SREG && i->sreg >= ISA_SREG_CLOCK && i->sreg <= ISA_SREG_GLOBALTIMER_HI;
}

static void run_lanes(struct plan_step *s) {
    bool once =
        is_time(s->inst->ir) && s->plan->values[s->inst->ir->res[0]->id].form == PLAN_SCALAR;
    for (unsigned k = 0; k < s->lanes->n && !s->in->failed; k++) {
        interp_run_lane(s->in, s->lanes->t[k], s->inst);
        if (once && k)
            plan_copy_results(s, s->lanes->t[0], s->lanes->t[k]);
    }
}

static void run_warps(struct interp *in, const struct plan_lanes *lanes) {
    for (unsigned k = 0; k < lanes->n && !in->failed;) {
        struct interp_warp *w = interp_warp_of(in, lanes->t[k]);
        uint32_t group = 0;
        for (; k < lanes->n && interp_warp_of(in, lanes->t[k]) == w; k++)
            group |= UINT32_C(1) << lanes->t[k]->id % KD_WARP;
        interp_step(in, w, group);
    }
}

// What the plan says of the results of the instruction before, which some operations give only when
// other lanes have come, too.
static void settle_before(struct plan_step *s) {
    const struct kir_inst *before = s->inst->ir->prev;
    for (uint32_t r = 0; before && before->op != ISA_OP_PHI && r < before->nres; r++)
        plan_settle(s, s->lanes, before, before->res[r]);
}

static bool is_branch(const struct kir_inst *i) {
    return i->op == ISA_OP_BRA || i->op == ISA_OP_CBR || i->op == ISA_OP_BRX_IDX;
}

void plan_run_step(struct plan_step *s) {
    const struct kir_inst *i = s->inst->ir;
    if (!s->plan) {
        run_warps(s->in, s->lanes);
        return;
    }
    settle_before(s);
    check_masks(s);
    if (s->in->failed)
        return;
    if (isa_op_info[i->op].klass == ISA_CLASS_WARP)
        run_warps(s->in, s->lanes);
    else if (s->at->access)
        plan_make_access(s);
    else if (is_branch(i))
        go(s);
    else if (i->op == ISA_OP_GROUP_FIRST)
        take_first(s);
    else if (i->op == ISA_OP_GROUP_ALL)
        ask_all(s);
    else if (i->op == ISA_OP_GROUP_FEW)
        ask_few(s);
    else if (i->op == ISA_OP_GROUP_LOWEST)
        take_lowest(s);
    else
        run_lanes(s);
    interp_end_step(s->in);
}
