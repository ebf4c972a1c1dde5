// What the plan says of a value: a scalar, or one with constant offsets, is what one lane has, for
// all lanes; what a team shares is what its first group has.
#include "plan/interp/internal.h"

// What is said of one value.
struct said {
    const struct plan_step *s;
    const struct kir_value *v;
    const struct plan_value *is;
    const int64_t *offs; // NULL: none
    int64_t lag;         // from group to group
    uint64_t mask;
};

static uint64_t own_of(const struct said *x, const struct interp_thread *t) {
    return *plan_register_of(x->s, t, x->v) & x->mask;
}

// What t has more than lane 0 of the block's first group.
static uint64_t distance(const struct said *x, const struct interp_thread *t) {
    uint64_t lane = x->offs ? (uint64_t)x->offs[plan_lane_of(x->s, t)] : 0;
    return lane + (uint64_t)x->lag * plan_group_of(x->s, t);
}

static uint64_t said_of(const struct said *x, const struct interp_thread *t,
                        const struct interp_thread *by) {
    return (own_of(x, by) + distance(x, t) - distance(x, by)) & x->mask;
}

// The upper half of a value of 128 bits, which has no offsets.
static bool same_above(const struct said *x, const struct interp_thread *t,
                       const struct interp_thread *by) {
    return x->v->type != KIR_B128 ||
           plan_register_of(x->s, t, x->v)[1] == plan_register_of(x->s, by, x->v)[1];
}

static const char *statement_of(const struct said *x) {
    static const char *const own[] = {"is scalar", "is offsets", "is guarded", "is vector"};
    static const char *const shared[] = {"is scalar shared", "is offsets shared",
                                         "is guarded shared", "is vector shared"};
    static const char *const lag[] = {"is scalar lag", "is offsets lag", "is guarded lag",
                                      "is vector lag"};
    const char *const *words = x->is->sharing == PLAN_SHARED ? shared
                               : x->is->sharing == PLAN_LAG  ? lag
                                                             : own;
    return words[x->is->form];
}

static void compare(struct plan_step *s, const struct said *x, const struct kir_inst *i,
                    const struct interp_thread *t, const struct interp_thread *by) {
    uint64_t said = said_of(x, t, by), own = own_of(x, t);
    if (said != own || !same_above(x, t, by))
        plan_broken(s, t, i, statement_of(x), own, said);
}

// Lanes that are elsewhere have it, too. What is used outside a loop that lanes leave one by one is
// theirs from when they left.
static void give_others(const struct said *x, const struct interp_thread *by, uint32_t first,
                        uint32_t n) {
    if (x->s->plan->in.fl->live_out[x->v->id])
        return;
    for (uint32_t id = first; id < first + n; id++) {
        struct interp_thread *t = plan_companion(x->s, id);
        if (!t || t == by)
            continue;
        uint64_t *r = plan_register_of(x->s, t, x->v), said = said_of(x, t, by);
        r[0] = said;
        if (x->v->type == KIR_B128)
            r[1] = plan_register_of(x->s, by, x->v)[1];
    }
}

// One value and distances for all lanes of a group, or of the team.
static void settle_scalar(struct plan_step *s, const struct said *x, const struct plan_lanes *lanes,
                          const struct kir_inst *i) {
    bool own = x->is->sharing == PLAN_OWN;
    for (unsigned k = 0, n; k < lanes->n && !s->in->failed; k += n) {
        n = own ? plan_group_lanes(s, lanes, k) : lanes->n;
        uint32_t all = own ? s->p->width : s->p->width * s->p->team;
        for (unsigned l = 1; l < n; l++)
            compare(s, x, i, lanes->t[k + l], lanes->t[k]);
        give_others(x, lanes->t[k], lanes->t[k]->id / all * all, all);
    }
}

// Vectors of a team: what the first group has that has this lane. Where a guard does not hold
// nothing is said of what is guarded, not of its lag either.
static void settle_vectors(struct plan_step *s, const struct said *x,
                           const struct plan_lanes *lanes, const struct kir_inst *i) {
    const struct interp_thread *first[KD_WARP] = {NULL};
    for (unsigned k = 0; k < lanes->n && !s->in->failed; k++) {
        const struct interp_thread **by = &first[plan_lane_of(s, lanes->t[k])];
        if (*by)
            compare(s, x, i, lanes->t[k], *by);
        else
            *by = lanes->t[k];
    }
}

void plan_settle(struct plan_step *s, const struct plan_lanes *lanes, const struct kir_inst *i,
                 const struct kir_value *v) {
    const struct flow *fl = s->plan->in.fl;
    struct said x = {.s = s, .v = v, .is = &s->plan->values[v->id], .mask = UINT64_MAX};
    unsigned bits = kir_type_bits(v->type);
    if (bits < 64)
        x.mask = (UINT64_C(1) << bits) - 1;
    if (x.is->form == PLAN_OFFSETS)
        x.offs = fl->shape[v->id].offs;
    if (x.is->sharing == PLAN_LAG)
        x.lag = fl->lag[v->id];
    if (x.is->form == PLAN_SCALAR || x.is->form == PLAN_OFFSETS)
        settle_scalar(s, &x, lanes, i);
    else if (x.is->sharing != PLAN_OWN && x.is->form != PLAN_GUARDED)
        settle_vectors(s, &x, lanes, i);
}
