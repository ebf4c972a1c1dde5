#include "passes/affine/lane_run.h"

#include "isa/ops/arith.h"
#include "isa/ops/logic.h"
#include "passes/affine/sum.h"
#include "passes/analysis/alignment.h"
#include "passes/flow/shape.h"

// A run of lanes that stays one when offs are added to addresses that are alike in `same` lanes.
static unsigned run_of(const struct flow *fl, const int64_t *offs, int64_t stride) {
    unsigned n = fl->width;
    for (unsigned l = 0; l < fl->width; l++)
        while (n > 1 && offs[l] != offs[l / n * n] + (int64_t)(l % n) * stride)
            n /= 2;
    return n;
}

static unsigned fewer(unsigned x, unsigned y) {
    return x < y ? x : y;
}

// What lanes took out of a divergent loop is of different iterations, and each has local memory of
// its own.
static bool is_opaque(const struct flow *fl, const struct kir_value *v) {
    return v->kind != KIR_VALUE_INST || fl->live_out[v->id] ||
           isa_op_info[v->def->op].klass != ISA_CLASS_POINTWISE ||
           (v->def->op == ISA_OP_CVTA && v->def->mods.space == ISA_SPACE_LOCAL);
}

static bool is_uniform(const struct flow *fl, const struct kir_value *v,
                       const struct kir_block *at) {
    return flow_use(fl, v, at).kind == SHAPE_UNIFORM;
}

// A number that all lanes have, and that divides or cuts off more than the lanes of a vector.
static bool is_wide(const struct flow *fl, const struct kir_value *v, const struct kir_block *at,
                    uint64_t least) {
    uint64_t c;
    return is_uniform(fl, v, at) && (!flow_const(v, &c) || c >= least);
}

static bool is_whole(const struct kir_inst *i) {
    return !isa_type_is_float(i->ty) && i->ty != ISA_U16X2 && i->ty != ISA_S16X2;
}

// An index by a width that only the launch knows: neighbours are in one row, most of the time.
static bool is_row(const struct flow *fl, const struct kir_inst *i) {
    return is_whole(i) &&
           ((i->op == ISA_OP_DIV && is_wide(fl, i->ops[1], i->block, 2 * fl->width)) ||
            (i->op == ISA_OP_SHR && is_wide(fl, i->ops[1], i->block, 5)));
}

// The operand whose lanes are as far apart as the result's, most of the time: an index within a
// row, one that is kept in bounds or goes round at its end. -1: there is none.
static int column(const struct flow *fl, const struct kir_inst *i) {
    if (!is_whole(i) || i->nops != (i->op == ISA_OP_SELP ? 3 : 2))
        return -1;
    uint64_t c;
    bool second = is_uniform(fl, i->ops[1], i->block), first = is_uniform(fl, i->ops[0], i->block);
    switch (i->op) {
    case ISA_OP_REM:
        return is_wide(fl, i->ops[1], i->block, 2 * fl->width) ? 0 : -1;
    case ISA_OP_AND: // with constants shapes know better
        return second && !flow_const(i->ops[1], &c)  ? 0
               : first && !flow_const(i->ops[0], &c) ? 1
                                                     : -1;
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return second ? 0 : first ? 1 : -1;
    case ISA_OP_SELP:
        return first ? 1 : 0;
    default:
        return -1;
    }
}

// Lanes with one value, as block `at` sees it.
static unsigned alike_at(const struct lane_runs *r, const struct kir_value *v,
                         const struct kir_block *at, bool *guess) {
    struct shape s = flow_use(r->fl, v, at);
    if (s.kind == SHAPE_UNIFORM)
        return r->fl->width;
    if (s.kind == SHAPE_OFFSETS && !s.guard)
        return run_of(r->fl, s.offs, 0);
    if (is_opaque(r->fl, v))
        return 1;
    *guess |= r->guess[v->id];
    return r->alike[v->id];
}

// What is computed alike from values that are alike.
static unsigned alike(const struct lane_runs *r, const struct kir_inst *i, bool *guess) {
    unsigned n = r->fl->width;
    if (is_row(r->fl, i)) {
        *guess = true;
        return n;
    }
    for (uint32_t k = 0; k < i->nops && n > 1; k++)
        n = fewer(n, alike_at(r, i->ops[k], i->block, guess));
    return n;
}

struct lane_runs *lane_runs_find(struct arena *a, const struct affine *f, const struct flow *fl) {
    struct lane_runs *r = arena_new(a, struct lane_runs);
    uint32_t n = fl->func->value_count + 1;
    *r = (struct lane_runs){f, fl, arena_array(a, uint8_t, n), arena_array(a, uint8_t, n)};
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++) {
                const struct kir_value *v = i->res[k];
                bool guess = false;
                r->alike[v->id] = is_opaque(fl, v) ? 1 : (uint8_t)alike(r, i, &guess);
                r->guess[v->id] = guess;
            }
    return r;
}

struct lane_runs *lane_runs_of_flow(const struct flow *fl) {
    const uint8_t *zeros = alignment_find(fl->arena, fl->func, NULL, 0);
    return lane_runs_find(fl->arena, affine_find(fl->arena, fl->cfg, fl->spec.ntid, zeros), fl);
}

// A sum that is being taken apart: constant offsets are added up, the other terms must be alike in
// the lanes of a run.
struct search {
    const struct lane_runs *runs;
    const struct kir_block *at;
    struct affine_sum left;
    int64_t offs[32];
    unsigned lanes;
    bool exact, guess;
};

// Guarded ones hold most of the time.
static void add_offsets(struct search *s, const struct affine_term *t, struct shape x) {
    const struct flow *fl = s->runs->fl;
    if (t->factor[0]->type == KIR_B32 && s->exact)
        x = shape_extended(fl, t->factor[0], x, !t->by_zeros[0]);
    s->guess |= x.guard;
    for (unsigned l = 0; l < fl->width; l++)
        s->offs[l] += x.offs[l] * t->times;
}

// Can more be said of what the factor is made of?
static bool is_sum(const struct search *s, const struct kir_value *v) {
    struct affine_term own;
    if (is_opaque(s->runs->fl, v))
        return false;
    struct affine_form x = affine_form_of(s->runs->affine, v, &own);
    return !affine_is_own(&x, v) || column(s->runs->fl, v->def) >= 0;
}

// Takes from the sum what is known of a term. False: it is one of values that are sums themselves.
static bool take(struct search *s, const struct affine_term *t) {
    enum { MOST_TIMES = 1 << 24 };
    const struct kir_value *v = t->factor[0];
    struct shape x = flow_use(s->runs->fl, v, s->at);
    bool near = t->times < MOST_TIMES && t->times > -MOST_TIMES;
    if (!t->factor[1] && x.kind == SHAPE_OFFSETS && near) {
        add_offsets(s, t, x);
        return true;
    }
    if (!t->factor[1] && x.kind == SHAPE_VARYING && near && is_sum(s, v))
        return false;
    for (unsigned m = 0; m < AFFINE_FACTORS && t->factor[m]; m++)
        s->lanes = fewer(s->lanes, alike_at(s->runs, t->factor[m], s->at, &s->guess));
    return true;
}

static void take_all(struct search *s) {
    unsigned n = 0;
    for (unsigned k = 0; k < s->left.n; k++)
        if (!take(s, &s->left.term[k]))
            s->left.term[n++] = s->left.term[k];
    s->left.n = (uint8_t)n;
}

// Puts what the first term is made of in its place.
static bool open(struct search *s) {
    struct affine_term *t = &s->left.term[0];
    const struct kir_value *v = t->factor[0];
    int in_row = column(s->runs->fl, v->def);
    s->exact &= v->type == KIR_B64;
    if (in_row < 0) {
        struct affine_term own;
        struct affine_form x = affine_form_of(s->runs->affine, v, &own);
        return affine_open(&s->left, 0, 0, &x);
    }
    s->guess = true;
    t->factor[0] = v->def->ops[in_row];
    return kir_type_bits(v->type) == kir_type_bits(t->factor[0]->type);
}

struct lane_run lane_run(const struct lane_runs *r, const struct kir_value *v,
                         const struct kir_block *at, int64_t stride) {
    enum { MOST_OPENED = 32 };
    const struct flow *fl = r->fl;
    struct search s = {r, at, affine_value(v), .lanes = fl->width, .exact = true};
    if (fl->width == 1 || fl->width > 32 || kir_type_bits(v->type) != 64)
        return (struct lane_run){1, true, false};
    take_all(&s);
    for (unsigned k = 0; s.left.n && s.lanes > 1; k++) {
        if (k == MOST_OPENED || !open(&s))
            return (struct lane_run){1, s.exact && !s.guess, s.guess};
        take_all(&s);
    }
    unsigned n = s.lanes > 1 ? fewer(s.lanes, run_of(fl, s.offs, stride)) : 1;
    return (struct lane_run){n, s.exact && !s.guess, s.guess};
}
