// Which lanes run next: of a team those that are furthest behind in the layout, deepest in calls.
// The header of a loop comes behind the loop there: lanes go into the next iteration together.
// Lanes that left a loop wait for those that iterate, and lanes that took one way of a branch for
// those on the other way, as under masks.
#include "plan/interp/groups.h"
#include "plan/interp/internal.h"

static uint32_t place_of(const struct plan_interp *p, const struct interp_func *f, uint32_t pc) {
    const struct plan_code *c = &p->code[f->ir->index];
    return c->plan ? c->at[pc].place : pc;
}

// Whether x goes before y.
static bool goes_before(const struct plan_interp *p, struct interp_thread *x,
                        struct interp_thread *y) {
    const struct interp_func *fx = interp_top(x)->func, *fy = interp_top(y)->func;
    if (x->depth != y->depth)
        return x->depth > y->depth;
    if (fx != fy)
        return fx->ir->index < fy->ir->index;
    return x->pc != y->pc && place_of(p, fx, x->pc) < place_of(p, fx, y->pc);
}

static bool together(struct interp_thread *x, struct interp_thread *y) {
    return x->depth == y->depth && x->pc == y->pc && interp_top(x)->func == interp_top(y)->func;
}

static void choose(const struct plan_interp *p, struct interp *in, uint32_t from, uint32_t end,
                   struct plan_lanes *lanes) {
    struct interp_thread *best = NULL;
    lanes->n = 0;
    for (uint32_t k = from; k < end; k++) {
        struct interp_thread *t = &in->threads[k];
        if (t->state != INTERP_READY && t->state != INTERP_PHASE_WAIT)
            continue;
        if (!best || goes_before(p, t, best)) {
            best = t;
            lanes->n = 0;
        }
        if (together(t, best))
            lanes->t[lanes->n++] = t;
    }
    // A lane that waits for a phase holds up those behind it in the layout: they are one vector.
    unsigned ready = 0;
    for (unsigned k = 0; k < lanes->n; k++)
        if (lanes->t[k]->state == INTERP_READY)
            lanes->t[ready++] = lanes->t[k];
    lanes->n = ready;
}

static bool gives_way(struct interp *in, uint32_t from, uint32_t end) {
    bool any = false;
    for (uint32_t w = from / KD_WARP; w <= (end - 1) / KD_WARP; w++) {
        any |= in->warps[w].give_way;
        in->warps[w].give_way = false;
    }
    return any;
}

static bool run_team(const struct plan_interp *p, struct interp *in, uint32_t from, uint32_t end) {
    struct plan_lanes lanes;
    bool ran = false;
    for (uint32_t n = 0; n < INTERP_TURN && !in->failed; ran = true) {
        choose(p, in, from, end, &lanes);
        if (!lanes.n)
            break;
        struct plan_step s = {.p = p, .in = in, .lanes = &lanes};
        s.func = interp_top(lanes.t[0])->func;
        s.depth = lanes.t[0]->depth;
        s.inst = interp_at(lanes.t[0]);
        const struct plan_code *c = &p->code[s.func->ir->index];
        s.plan = c->plan;
        s.at = c->plan ? &c->at[lanes.t[0]->pc] : NULL;
        n += interp_cost(s.inst->ir);
        plan_run_step(&s);
        // Behind a barrier teams begin in their order again, as a loop over them does.
        if (gives_way(in, from, end) || isa_op_info[s.inst->ir->op].klass == ISA_CLASS_BLOCK)
            return true;
    }
    return ran;
}

bool plan_only_ends(const struct interp_way *way, struct interp_thread *t) {
    const struct plan_interp *p = (const struct plan_interp *)way;
    const struct plan_code *c = &p->code[interp_top(t)->func->ir->index];
    return t->depth == 1 && c->plan && c->at[t->pc].only_ends;
}

bool plan_round(const struct interp_way *way, struct interp *in) {
    const struct plan_interp *p = (const struct plan_interp *)way;
    uint32_t lanes = p->width * p->team, all = in->b->nthreads;
    bool ran = false;
    for (uint32_t from = 0; from < all && !in->failed; from += lanes)
        ran |= run_team(p, in, from, from + lanes < all ? from + lanes : all);
    return ran;
}
