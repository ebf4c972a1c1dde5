#include "passes/affine/affine.h"

#include "isa/ops/arith.h"
#include "isa/ops/logic.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "passes/affine/sum.h"
#include "passes/analysis/alignment.h"

// ---- forms of values ---------------------------------------------------------------------------

// A value that is its own form stands in the table as one term that is not there.
static bool is_own(const struct affine_form *x) {
    return x->n == 1 && !x->term;
}

static const struct affine_form OWN = {.n = 1};

static bool is_number(const struct kir_value *v) {
    return v->type == KIR_B32 || v->type == KIR_B64;
}

static int64_t number_of(const struct kir_value *v, int64_t bits) {
    return v->type == KIR_B32 ? (int32_t)(uint32_t)bits : bits;
}

struct affine_form affine_form_of(const struct affine *f, const struct kir_value *v,
                                  struct affine_term *own) {
    if (v->kind == KIR_VALUE_CONST && is_number(v))
        return (struct affine_form){.constant = number_of(v, (int64_t)v->bits.u64[0])};
    struct affine_form x = v->kind == KIR_VALUE_INST ? f->form[v->id] : OWN;
    if (is_own(&x)) {
        *own = (struct affine_term){.times = 1, .factor = {v, NULL}};
        x.term = own;
    }
    return x;
}

bool affine_is_own(const struct affine_form *x, const struct kir_value *v) {
    return x->n == 1 && !x->constant && x->term->times == 1 && x->term->factor[0] == v &&
           !x->term->factor[1];
}

const struct kir_value *affine_base(const struct affine *f, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST ? f->base[v->id] : NULL;
}

// ---- of instructions ---------------------------------------------------------------------------

// The sum of an operand of i. What another loop makes stands for itself.
static struct affine_sum operand(const struct affine *f, const struct kir_inst *i,
                                 const struct kir_value *v) {
    struct affine_term own;
    struct number_range r = number_range_of(f->range, v);
    if (is_number(v) && r.known && r.lo == r.hi)
        return affine_constant(number_of(v, r.lo));
    if (v->kind == KIR_VALUE_INST && f->cfg->loop[v->def->block->id] != f->cfg->loop[i->block->id])
        return affine_value(v);
    struct affine_form x = affine_form_of(f, v, &own);
    return affine_sum_of(&x);
}

// Without the terms that are too many: the two as they stand.
static struct affine_sum add(const struct affine_sum *x, const struct kir_value *v,
                             const struct affine_sum *y, const struct kir_value *w, int sign) {
    struct affine_sum s = *x, own = affine_value(w);
    if (affine_add(&s, y, sign) || affine_add(&s, &own, sign))
        return s;
    s = affine_value(v);
    affine_add(&s, &own, sign);
    return s;
}

// The same. v, w: the two as they stand.
static struct affine_sum multiply(const struct affine_sum *x, const struct affine_sum *v,
                                  const struct affine_sum *y, const struct affine_sum *w) {
    struct affine_sum s = *x;
    if (affine_multiply(&s, y) || affine_multiply(&s, w))
        return s;
    s = *v;
    if (!affine_multiply(&s, y))
        affine_multiply(&s, w);
    return s;
}

struct interval {
    int64_t lo, hi;
};

static struct interval numbers_of(const struct affine *f, const struct kir_value *v,
                                  bool by_zeros) {
    enum isa_type t = v->type == KIR_B64 ? ISA_S64 : by_zeros ? ISA_U32 : ISA_S32;
    struct number_range r = number_range_as(number_range_of(f->range, v), t);
    if (r.known)
        return (struct interval){r.lo, r.hi};
    return t == ISA_S32   ? (struct interval){INT32_MIN, INT32_MAX}
           : t == ISA_U32 ? (struct interval){0, UINT32_MAX}
                          : (struct interval){INT64_MIN, INT64_MAX};
}

// False: some number is beyond 64 bits.
static bool times(struct interval *x, struct interval y) {
    int64_t p[4];
    if (__builtin_mul_overflow(x->lo, y.lo, &p[0]) || __builtin_mul_overflow(x->lo, y.hi, &p[1]) ||
        __builtin_mul_overflow(x->hi, y.lo, &p[2]) || __builtin_mul_overflow(x->hi, y.hi, &p[3]))
        return false;
    *x = (struct interval){p[0], p[0]};
    for (unsigned k = 1; k < 4; k++) {
        x->lo = p[k] < x->lo ? p[k] : x->lo;
        x->hi = p[k] > x->hi ? p[k] : x->hi;
    }
    return true;
}

// Is the sum one of the numbers of 32 bits, so that these are extended to it?
static bool fits(const struct affine *f, const struct affine_sum *s, bool is_signed) {
    struct interval all = {s->constant, s->constant};
    for (unsigned k = 0; k < s->n; k++) {
        struct interval x = {s->term[k].times, s->term[k].times};
        for (unsigned m = 0; m < AFFINE_FACTORS && s->term[k].factor[m]; m++)
            if (!times(&x, numbers_of(f, s->term[k].factor[m], s->term[k].by_zeros[m])))
                return false;
        if (__builtin_add_overflow(all.lo, x.lo, &all.lo) ||
            __builtin_add_overflow(all.hi, x.hi, &all.hi))
            return false;
    }
    return all.lo >= (is_signed ? INT32_MIN : 0) && all.hi <= (is_signed ? INT32_MAX : UINT32_MAX);
}

// An operand of 32 bits as a number of 64: its sum, where that does not wrap.
static struct affine_sum extended(const struct affine *f, const struct kir_inst *i,
                                  const struct kir_value *v, bool is_signed) {
    struct affine_sum s = operand(f, i, v);
    if (!s.n && !is_signed)
        s.constant = (uint32_t)s.constant;
    return fits(f, &s, is_signed) ? s : affine_extended(v, is_signed);
}

static bool is_integer(enum isa_type t, unsigned bits) {
    return !isa_type_is_float(t) && t != ISA_U16X2 && t != ISA_S16X2 && isa_type_bits(t) == bits;
}

static bool have_bits(const struct kir_inst *i, uint32_t from, uint32_t to, unsigned bits) {
    for (uint32_t k = from; k < to; k++)
        if (kir_type_bits(i->ops[k]->type) != bits || !is_number(i->ops[k]))
            return false;
    return true;
}

static bool product(const struct affine *f, const struct kir_inst *i, unsigned bits,
                    struct affine_sum *s) {
    bool wide = i->mods.half == ISA_WIDE, is_signed = isa_type_is_signed((enum isa_type)i->ty);
    if ((!wide && i->mods.half != ISA_LO) || (wide && bits != 64) ||
        !is_integer((enum isa_type)i->ty, wide ? 32 : bits) ||
        !have_bits(i, 0, 2, wide ? 32 : bits))
        return false;
    struct affine_sum x = wide ? extended(f, i, i->ops[0], is_signed) : operand(f, i, i->ops[0]);
    struct affine_sum y = wide ? extended(f, i, i->ops[1], is_signed) : operand(f, i, i->ops[1]);
    struct affine_sum v = affine_extended(i->ops[0], !wide || is_signed);
    struct affine_sum w = affine_extended(i->ops[1], !wide || is_signed);
    *s = multiply(&x, &v, &y, &w);
    return true;
}

// Do or and xor of x and y add them, as no bit is in both?
static bool are_apart(const struct affine *f, const struct kir_value *x, const struct kir_value *y,
                      unsigned bits) {
    enum { MOST = 30 };
    unsigned zeros = alignment_zeros(f->zeros, x);
    struct number_range r =
        number_range_as(number_range_of(f->range, y), bits == 32 ? ISA_U32 : ISA_U64);
    return r.known && r.lo >= 0 && r.hi < INT64_C(1) << (zeros < MOST ? zeros : MOST);
}

static bool converted(const struct affine *f, const struct kir_inst *i, unsigned bits,
                      struct affine_sum *s) {
    enum isa_type from = (enum isa_type)i->ty2;
    unsigned has = kir_type_bits(i->ops[0]->type);
    if (!is_integer((enum isa_type)i->ty, bits) || i->mods.sat || !is_number(i->ops[0]))
        return false;
    if (is_integer(from, 32) && bits == 64) {
        *s = extended(f, i, i->ops[0], isa_type_is_signed(from));
        return has == 32;
    }
    *s = operand(f, i, i->ops[0]);
    return is_integer(from, has) && bits <= has;
}

static bool moved(const struct affine *f, const struct kir_inst *i, struct affine_sum *s) {
    *s = operand(f, i, i->ops[0]);
    s->window |= i->mods.space == ISA_SPACE_SHARED || i->mods.space == ISA_SPACE_PARAM;
    return i->nops == 1 &&
           (s->window || i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_CONST);
}

// False: the value is no sum.
static bool of_inst(const struct affine *f, const struct kir_inst *i, struct affine_sum *s) {
    unsigned bits = kir_type_bits(i->res[0]->type);
    struct affine_sum x, y;
    uint64_t c;
    if (i->op == ISA_OP_MOV && have_bits(i, 0, 1, bits)) {
        *s = operand(f, i, i->ops[0]);
        return true;
    }
    if (i->mods.sat || i->mods.cc || isa_type_is_float((enum isa_type)i->ty))
        return false;
    if (i->op == ISA_OP_CVTA)
        return moved(f, i, s);
    if (i->op == ISA_OP_CVT)
        return converted(f, i, bits, s);
    if (i->op == ISA_OP_MUL)
        return product(f, i, bits, s);
    if (i->op == ISA_OP_MAD) {
        if (!have_bits(i, 2, 3, bits) || !product(f, i, bits, &x))
            return false;
        y = operand(f, i, i->ops[2]);
        *s = x;
        return affine_add(s, &y, 1);
    }
    if (!is_integer((enum isa_type)i->ty, bits) || !have_bits(i, 0, 1, bits))
        return false;
    x = operand(f, i, i->ops[0]);
    switch (i->op) {
    case ISA_OP_NEG:
        *s = affine_constant(0);
        return affine_add(s, &x, -1);
    case ISA_OP_SHL:
        if (i->ops[1]->kind != KIR_VALUE_CONST || (c = i->ops[1]->bits.u64[0]) >= bits)
            return false;
        *s = affine_constant(0);
        return affine_add(s, &x, (int64_t)(UINT64_C(1) << c));
    case ISA_OP_OR:
    case ISA_OP_XOR:
        if (!have_bits(i, 1, 2, bits) || (!are_apart(f, i->ops[0], i->ops[1], bits) &&
                                          !are_apart(f, i->ops[1], i->ops[0], bits)))
            return false;
        y = operand(f, i, i->ops[1]);
        *s = add(&x, i->ops[0], &y, i->ops[1], 1);
        return true;
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        if (i->nops != 2 || !have_bits(i, 1, 2, bits))
            return false;
        y = operand(f, i, i->ops[1]);
        *s = add(&x, i->ops[0], &y, i->ops[1], i->op == ISA_OP_ADD ? 1 : -1);
        return true;
    default:
        return false;
    }
}

static struct affine_form form_of(struct arena *a, const struct affine *f,
                                  const struct kir_inst *i) {
    struct affine_sum s;
    if (i->nres != 1 || !is_number(i->res[0]) || isa_op_info[i->op].klass != ISA_CLASS_POINTWISE ||
        !of_inst(f, i, &s))
        return OWN;
    affine_reduce(&s, kir_type_bits(i->res[0]->type));
    struct affine_form x = {.constant = s.constant, .n = s.n, .window = s.window};
    if (s.n)
        x.term = arena_memdup(a, s.term, s.n * sizeof *s.term);
    return x;
}

// A pointer that is added once, as it is.
static const struct kir_value *base_of(const struct affine *f, const struct kir_inst *i,
                                       const struct affine_form *x) {
    const struct kir_value *found = NULL;
    if (i->op == ISA_OP_LD)
        return i->mods.space == ISA_SPACE_PARAM && isa_type_bits((enum isa_type)i->ty) == 64
                   ? i->res[0]
                   : NULL;
    for (unsigned k = 0; k < x->n && x->term && !found; k++)
        if (x->term[k].times == 1 && !x->term[k].factor[1])
            found = affine_base(f, x->term[k].factor[0]);
    return found;
}

struct affine *affine_find(struct arena *a, const struct cfg *c, const uint32_t ntid[3],
                           const uint8_t *zeros) {
    struct affine *f = arena_new(a, struct affine);
    uint32_t n = c->func->value_count + 1;
    *f = (struct affine){.cfg = c,
                         .form = arena_array(a, struct affine_form, n),
                         .range = number_ranges(a, c, ntid),
                         .zeros = zeros,
                         .base = arena_array(a, const struct kir_value *, n)};
    for (uint32_t k = 0; k < n; k++)
        f->form[k] = OWN;
    for (uint32_t p = 0; p < c->nblocks; p++)
        for (const struct kir_inst *i = c->order[p]->first; i; i = i->next) {
            if (!i->nres)
                continue;
            struct affine_form x = form_of(a, f, i);
            f->form[i->res[0]->id] = x;
            for (uint32_t r = 0; r < i->nres; r++)
                f->base[i->res[r]->id] = base_of(f, i, &x);
        }
    return f;
}
