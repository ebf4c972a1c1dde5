#include "passes/analysis/lane_step.h"

enum { MAX_DEPTH = 12, MOST_VALUES = 100, MOST_TIMES = 1 << 24 };

struct search {
    const struct flow *fl;
    unsigned left; // values that may still be looked at
    const struct kir_value
        *phi; // taken to have the step `assumed` while its operands are looked at
    struct lane_step assumed;
};

// Of v as block `at` sees it.
static bool find(struct search *k, struct kir_value *v, const struct kir_block *at, unsigned depth,
                 struct lane_step *s);

static bool is_constant_step(const struct flow *fl, const struct shape *x, struct lane_step *s) {
    for (unsigned l = 1; l < fl->width; l++)
        if (x->offs[l] != x->offs[0] + (int64_t)l * (x->offs[1] - x->offs[0]))
            return false;
    *s = (struct lane_step){.times = x->offs[1] - x->offs[0]};
    return true;
}

static bool times(struct lane_step *s, int64_t c) {
    return !__builtin_mul_overflow(s->times, c, &s->times) && s->times < MOST_TIMES &&
           s->times > -MOST_TIMES;
}

static bool sum(const struct lane_step *x, const struct lane_step *y, int sign,
                struct lane_step *s) {
    if (x->times && y->times && (x->by != y->by || x->narrow != y->narrow))
        return false;
    *s = x->times ? *x : *y;
    return !__builtin_add_overflow(x->times, sign * y->times, &s->times);
}

static bool set_factor(struct lane_step *s, struct kir_value *u) {
    if (s->by || s->narrow)
        return false;
    s->by = u;
    return true;
}

static bool product(struct search *k, const struct kir_inst *i, unsigned depth,
                    struct lane_step *s) {
    struct kir_value *x = i->ops[0], *y = i->ops[1];
    uint64_t c;
    if (flow_use(k->fl, y, i->block).kind != SHAPE_UNIFORM) {
        struct kir_value *t = x;
        x = y;
        y = t;
    }
    if (flow_use(k->fl, y, i->block).kind != SHAPE_UNIFORM || !find(k, x, i->block, depth, s))
        return false;
    return !s->times ||
           (flow_const(y, &c) ? times(s, isa_type_bits(i->ty) == 32 ? (int32_t)c : (int64_t)c)
                              : set_factor(s, y));
}

static bool of_phi(struct search *k, struct kir_value *v, unsigned depth, struct lane_step *s) {
    const struct kir_inst *i = v->def;
    if (k->phi || k->fl->join[i->block->id])
        return false;
    for (uint32_t n = 0; n < i->nops; n++) {
        struct lane_step first;
        k->phi = NULL;
        // The one that comes from outside the loop says what the others have to be.
        if (!find(k, i->ops[n], i->block->preds.data[n], depth, &first))
            continue;
        k->phi = v;
        k->assumed = first;
        bool all = true;
        for (uint32_t o = 0; o < i->nops && all; o++) {
            struct lane_step x;
            all = find(k, i->ops[o], i->block->preds.data[o], depth, &x) &&
                  x.times == first.times &&
                  (!x.times || (x.by == first.by && x.narrow == first.narrow));
        }
        k->phi = NULL;
        *s = first;
        return all;
    }
    return false;
}

// Operations modulo the power of two that their numbers have.
static bool is_modular(const struct kir_inst *i) {
    unsigned bits = isa_type_bits(i->ty);
    return (bits == 32 || bits == 64) && !isa_type_is_float(i->ty) && !i->mods.sat && !i->mods.cc &&
           i->nres == 1 && kir_type_bits(i->res[0]->type) == bits && i->ty != ISA_U16X2 &&
           i->ty != ISA_S16X2;
}

// The extension of v, 32 bits wide.
static bool extend(struct search *k, struct kir_value *v, const struct kir_block *at,
                   bool is_signed, unsigned depth, struct lane_step *s) {
    if (v->type != KIR_B32 || !find(k, v, at, depth, s))
        return false;
    if (!s->times || !s->by)
        return !s->times;
    if (s->narrow)
        return false;
    s->narrow = v;
    s->narrow_times = s->times;
    s->narrow_signed = is_signed;
    return true;
}

static bool is_wide(const struct kir_inst *i) {
    return (i->op == ISA_OP_MUL || i->op == ISA_OP_MAD) && i->mods.half == ISA_WIDE &&
           isa_type_bits(i->ty) == 32 && i->ops[1]->kind == KIR_VALUE_CONST;
}

static bool of_inst(struct search *k, struct kir_value *v, unsigned depth, struct lane_step *s) {
    const struct kir_inst *i = v->def;
    struct lane_step x, y;
    uint64_t c;
    bool is_signed = isa_type_is_signed(i->op == ISA_OP_CVT ? i->ty2 : i->ty);
    if (i->op == ISA_OP_PHI)
        return of_phi(k, v, depth, s);
    if (i->op == ISA_OP_CVT)
        return isa_type_bits(i->ty) == 64 && isa_type_bits(i->ty2) == 32 && !i->mods.sat &&
               !isa_type_is_float(i->ty) && !isa_type_is_float(i->ty2) &&
               extend(k, i->ops[0], i->block, is_signed, depth, s);
    if (is_wide(i)) {
        int64_t by = is_signed ? i->ops[1]->bits.s32 : (int64_t)i->ops[1]->bits.u32[0];
        if (!extend(k, i->ops[0], i->block, is_signed, depth, &x) || !times(&x, by))
            return false;
        y = (struct lane_step){0};
        return (i->op == ISA_OP_MUL || find(k, i->ops[2], i->block, depth, &y)) &&
               sum(&x, &y, 1, s);
    }
    if (!is_modular(i))
        return false;
    switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        return find(k, i->ops[0], i->block, depth, &x) && find(k, i->ops[1], i->block, depth, &y) &&
               sum(&x, &y, i->op == ISA_OP_ADD ? 1 : -1, s);
    case ISA_OP_MUL:
        return i->mods.half == ISA_LO && product(k, i, depth, s);
    case ISA_OP_MAD:
        return i->mods.half == ISA_LO && product(k, i, depth, &x) &&
               find(k, i->ops[2], i->block, depth, &y) && sum(&x, &y, 1, s);
    case ISA_OP_SHL:
        return flow_const(i->ops[1], &c) && c < 24 && find(k, i->ops[0], i->block, depth, s) &&
               times(s, 1LL << c);
    default:
        return false;
    }
}

// Lanes leave a divergent loop in different iterations.
static bool is_mixed(const struct flow *fl, const struct kir_value *v, const struct kir_block *at) {
    if (v->kind != KIR_VALUE_INST)
        return false;
    for (struct cfg_loop *l = fl->cfg->loop[v->def->block->id]; l; l = l->parent) {
        if (cfg_in_loop(l, fl->cfg->loop[at->id]))
            return false;
        if (fl->loop_divergent[l->index])
            return true;
    }
    return false;
}

static bool find(struct search *k, struct kir_value *v, const struct kir_block *at, unsigned depth,
                 struct lane_step *s) {
    struct shape x = flow_use(k->fl, v, at);
    *s = (struct lane_step){0};
    if (!k->left || is_mixed(k->fl, v, at))
        return false;
    k->left--;
    if (v == k->phi) {
        *s = k->assumed;
        return true;
    }
    if (x.kind == SHAPE_UNIFORM)
        return true;
    if (x.kind == SHAPE_OFFSETS && !x.guard && is_constant_step(k->fl, &x, s))
        return true;
    return v->kind == KIR_VALUE_INST && depth && (v->type == KIR_B64 || v->type == KIR_B32) &&
           of_inst(k, v, depth - 1, s);
}

bool lane_step(const struct flow *fl, struct kir_value *v, const struct kir_block *at,
               struct lane_step *s) {
    struct search k = {.fl = fl, .left = MOST_VALUES};
    return fl->width > 1 && find(&k, v, at, MAX_DEPTH, s) && s->by;
}
