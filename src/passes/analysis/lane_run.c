#include "passes/analysis/lane_run.h"

#include "isa/ops/arith.h"
#include "isa/ops/logic.h"

enum { MAX_DEPTH = 12 };

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

// Lanes with one value: what is computed alike from values that are alike.
static unsigned alike(const struct flow *fl, const struct kir_value *v, const struct kir_block *at,
                      bool *guess, unsigned depth) {
    struct shape s = flow_use(fl, v, at);
    if (s.kind == SHAPE_UNIFORM)
        return fl->width;
    if (s.kind == SHAPE_OFFSETS && !s.guard)
        return run_of(fl, s.offs, 0);
    if (!depth || is_opaque(fl, v))
        return 1;
    if (is_row(fl, v->def)) {
        *guess = true;
        return fl->width;
    }
    unsigned n = fl->width;
    for (uint32_t k = 0; k < v->def->nops && n > 1; k++)
        n = fewer(n, alike(fl, v->def->ops[k], v->def->block, guess, depth - 1));
    return n;
}

// A sum that is being taken apart: constant offsets are added up, the other terms must be alike in
// the lanes of a run.
struct sum {
    int64_t offs[32];
    unsigned bits; // of the terms
    int64_t scale; // by which they count
    bool exact, guess;
};

static bool is_integer(enum isa_type t, unsigned bits) {
    return !isa_type_is_float(t) && t != ISA_U16X2 && t != ISA_S16X2 && isa_type_bits(t) == bits;
}

static bool adds(const struct kir_inst *i, isa_op op, unsigned bits) {
    return i->op == op && i->nops == 2 && i->nres == 1 && !i->mods.sat && is_integer(i->ty, bits) &&
           kir_type_bits(i->res[0]->type) == bits && kir_type_bits(i->ops[0]->type) == bits &&
           kir_type_bits(i->ops[1]->type) == bits;
}

// A product of factors that are alike, and a term.
static bool multiplies_and_adds(const struct kir_inst *i, unsigned bits) {
    return i->op == ISA_OP_MAD && i->nres == 1 && i->mods.half != ISA_HI && !i->mods.sat &&
           kir_type_bits(i->res[0]->type) == bits && kir_type_bits(i->ops[2]->type) == bits &&
           is_integer(i->ty, i->mods.half == ISA_WIDE ? bits / 2 : bits);
}

// Is v an index of 32 bits, extended, times a constant?
static bool widens(const struct kir_inst *i, int64_t *by) {
    uint64_t c = 1;
    bool wide_product = i->op == ISA_OP_MUL && i->mods.half == ISA_WIDE && is_integer(i->ty, 32) &&
                        flow_const(i->ops[1], &c) && c < 1 << 16;
    bool extension = i->op == ISA_OP_CVT && is_integer(i->ty, 64) && is_integer(i->ty2, 32);
    *by = (int64_t)c;
    return (wide_product || extension) && kir_type_bits(i->ops[0]->type) == 32;
}

static bool shifts(const struct kir_inst *i, unsigned bits, int64_t *by) {
    uint64_t c;
    if (i->op != ISA_OP_SHL || isa_type_bits(i->ty) != bits || !flow_const(i->ops[1], &c) ||
        c > 16 || kir_type_bits(i->res[0]->type) != bits || kir_type_bits(i->ops[0]->type) != bits)
        return false;
    *by = 1 << c;
    return true;
}

static unsigned terms(const struct flow *fl, const struct kir_value *v, const struct kir_block *at,
                      struct sum *s, unsigned depth);

static unsigned scaled(const struct flow *fl, const struct kir_inst *i, struct sum *s, int64_t by,
                       unsigned bits, unsigned depth) {
    int64_t scale = s->scale;
    unsigned old = s->bits;
    s->scale *= by;
    s->exact &= bits == old;
    s->bits = bits;
    unsigned n =
        scale < 1 << 16 && scale > -(1 << 16) ? terms(fl, i->ops[0], i->block, s, depth) : 1;
    s->scale = scale;
    s->bits = old;
    return n;
}

static unsigned terms_of_inst(const struct flow *fl, const struct kir_inst *i, struct sum *s,
                              unsigned depth) {
    struct kir_value *const *ops = i->ops;
    int64_t by;
    int in_row = column(fl, i);
    if (in_row >= 0 && kir_type_bits(i->res[0]->type) == s->bits &&
        kir_type_bits(ops[in_row]->type) == s->bits) {
        s->guess = true;
        return terms(fl, ops[in_row], i->block, s, depth);
    }
    if (adds(i, ISA_OP_SUB, s->bits)) {
        unsigned n = terms(fl, ops[0], i->block, s, depth);
        s->scale = -s->scale;
        n = fewer(n, terms(fl, ops[1], i->block, s, depth));
        s->scale = -s->scale;
        return n;
    }
    if (adds(i, ISA_OP_ADD, s->bits))
        return fewer(terms(fl, ops[0], i->block, s, depth), terms(fl, ops[1], i->block, s, depth));
    if (multiplies_and_adds(i, s->bits))
        return fewer(terms(fl, ops[2], i->block, s, depth),
                     fewer(alike(fl, ops[0], i->block, &s->guess, depth),
                           alike(fl, ops[1], i->block, &s->guess, depth)));
    if (shifts(i, s->bits, &by))
        return scaled(fl, i, s, by, s->bits, depth);
    if (s->bits == 64 && widens(i, &by))
        return scaled(fl, i, s, by, 32, depth);
    return alike(fl, i->res[0], i->block, &s->guess, depth);
}

static unsigned terms(const struct flow *fl, const struct kir_value *v, const struct kir_block *at,
                      struct sum *s, unsigned depth) {
    struct shape x = flow_use(fl, v, at);
    if (x.kind == SHAPE_UNIFORM)
        return fl->width;
    if (x.kind == SHAPE_OFFSETS) { // guarded ones hold most of the time
        s->guess |= x.guard;
        for (unsigned l = 0; l < fl->width; l++)
            s->offs[l] += x.offs[l] * s->scale;
        return fl->width;
    }
    if (x.kind != SHAPE_VARYING || !depth || is_opaque(fl, v))
        return alike(fl, v, at, &s->guess, depth);
    return terms_of_inst(fl, v->def, s, depth - 1);
}

struct lane_run lane_run(const struct flow *fl, const struct kir_value *v,
                         const struct kir_block *at, int64_t stride) {
    struct sum s = {.bits = kir_type_bits(v->type), .scale = 1, .exact = true};
    if (fl->width == 1 || fl->width > 32 || s.bits != 64)
        return (struct lane_run){1, true, false};
    unsigned n = terms(fl, v, at, &s, MAX_DEPTH);
    n = n > 1 ? fewer(n, run_of(fl, s.offs, stride)) : 1;
    return (struct lane_run){n, s.exact && !s.guess, s.guess};
}
