// One pass over the function in the order of its layout: an operand's range is known before the
// instruction's, but for what a loop's header gets from the iteration before. That is any number;
// or, in the first iteration, what comes from outside.
#include "passes/analysis/thread_range.h"

#include "ir/eval.h"
#include "isa/ops/arith.h"
#include "isa/ops/logic.h"

enum { HAS_ANY = 1, HAS_FIRST = 2 };
#define WRAP (INT64_C(1) << 32)

static struct thread_range all_of(uint8_t type, bool pure) {
    struct thread_range r = {INT64_MIN, INT64_MAX, pure};
    if (type == KIR_B32)
        r.lo = INT32_MIN, r.hi = INT32_MAX;
    else if (type == KIR_PRED)
        r.lo = 0, r.hi = 1;
    return r;
}

static bool has_range(uint8_t type) {
    return type == KIR_B32 || type == KIR_B64 || type == KIR_PRED;
}

// lo to hi as numbers of 32 bits, which wrap.
static struct thread_range wrapped(int64_t lo, int64_t hi, bool pure) {
    int64_t length, least = (int32_t)lo;
    if (__builtin_sub_overflow(hi, lo, &length) || length >= WRAP || least + length > INT32_MAX)
        return all_of(KIR_B32, pure);
    return (struct thread_range){least, least + length, pure};
}

static struct thread_range of_const(const struct kir_value *v) {
    int64_t n = v->type == KIR_B32    ? (int32_t)v->bits.u64[0]
                : v->type == KIR_PRED ? (int64_t)(v->bits.u64[0] & 1)
                                      : (int64_t)v->bits.u64[0];
    return (struct thread_range){n, n, true};
}

struct thread_range thread_range(const struct thread_ranges *r, const struct kir_value *v) {
    if (!has_range(v->type))
        return (struct thread_range){INT64_MIN, INT64_MAX, v->kind == KIR_VALUE_CONST};
    if (v->kind == KIR_VALUE_CONST)
        return of_const(v);
    if (v->kind != KIR_VALUE_INST)
        return all_of(v->type, false);
    if (r->loop && (r->made[v->id] & HAS_FIRST) &&
        cfg_in_loop(r->loop, r->cfg->loop[v->def->block->id]))
        return r->first[v->id];
    return r->made[v->id] & HAS_ANY ? r->any[v->id] : all_of(v->type, false);
}

static struct thread_range join(struct thread_range x, struct thread_range y) {
    return (struct thread_range){x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi,
                                 x.pure && y.pure};
}

static bool is_header(const struct cfg *c, const struct kir_block *b) {
    return c->loop[b->id] && c->loop[b->id]->header == b;
}

static struct thread_range of_phi(const struct thread_ranges *r, const struct kir_inst *i) {
    const struct cfg *c = r->cfg;
    struct thread_range x = {INT64_MAX, INT64_MIN, true};
    bool header = is_header(c, i->block), entered = r->loop && r->loop->header == i->block;
    if (header && !entered)
        return all_of(i->res[0]->type, false);
    for (uint32_t k = 0; k < i->nops; k++)
        if (!entered || !cfg_in_loop(r->loop, c->loop[i->block->preds.data[k]->id]))
            x = join(x, thread_range(r, i->ops[k]));
    // Which way a thread has come is not known here.
    x.pure &= entered || i->nops == 1;
    return x.lo > x.hi ? all_of(i->res[0]->type, false) : x;
}

static struct thread_range of_sreg(const struct thread_ranges *r, const struct kir_inst *i) {
    enum { MOST_THREADS = 1024 };
    if (i->sreg == ISA_SREG_LANEID)
        return (struct thread_range){0, 31, true};
    if (i->sreg < ISA_SREG_TID_X || i->sreg > ISA_SREG_TID_Z)
        return all_of(i->res[0]->type, false);
    uint32_t n = r->ntid[i->sreg - ISA_SREG_TID_X];
    return (struct thread_range){0, (n ? n : MOST_THREADS) - 1, true};
}

static struct thread_range extended(struct thread_range x, bool is_signed) {
    if (is_signed || x.lo >= 0)
        return x;
    if (x.hi < 0)
        return (struct thread_range){x.lo + WRAP, x.hi + WRAP, x.pure};
    return (struct thread_range){0, WRAP - 1, x.pure};
}

static struct thread_range of_convert(const struct kir_inst *i, struct thread_range x) {
    enum isa_type to = (enum isa_type)i->ty, from = (enum isa_type)i->ty2;
    unsigned bits = isa_type_bits(to), old = isa_type_bits(from);
    if (isa_type_is_float(to) || isa_type_is_float(from) || i->mods.sat || bits < 32 || old < 32)
        return all_of(i->res[0]->type, x.pure);
    if (bits == 32)
        return wrapped(x.lo, x.hi, x.pure);
    return old == 32 ? extended(x, isa_type_is_signed(from)) : x;
}

static struct thread_range in_bits(unsigned bits, bool overflows, int64_t lo, int64_t hi,
                                   bool pure) {
    if (overflows)
        return all_of(bits == 32 ? KIR_B32 : KIR_B64, pure);
    return bits == 32 ? wrapped(lo, hi, pure) : (struct thread_range){lo, hi, pure};
}

static struct thread_range of_sum(unsigned bits, struct thread_range x, struct thread_range y) {
    int64_t lo, hi;
    bool over = __builtin_add_overflow(x.lo, y.lo, &lo);
    over |= __builtin_add_overflow(x.hi, y.hi, &hi);
    return in_bits(bits, over, lo, hi, x.pure && y.pure);
}

static struct thread_range of_difference(unsigned bits, struct thread_range x,
                                         struct thread_range y) {
    int64_t lo, hi;
    bool over = __builtin_sub_overflow(x.lo, y.hi, &lo);
    over |= __builtin_sub_overflow(x.hi, y.lo, &hi);
    return in_bits(bits, over, lo, hi, x.pure && y.pure);
}

static struct thread_range of_product(unsigned bits, struct thread_range x, struct thread_range y) {
    int64_t p[4], lo = INT64_MAX, hi = INT64_MIN;
    bool over = __builtin_mul_overflow(x.lo, y.lo, &p[0]);
    over |= __builtin_mul_overflow(x.lo, y.hi, &p[1]);
    over |= __builtin_mul_overflow(x.hi, y.lo, &p[2]);
    over |= __builtin_mul_overflow(x.hi, y.hi, &p[3]);
    for (unsigned k = 0; k < 4 && !over; k++) {
        lo = p[k] < lo ? p[k] : lo;
        hi = p[k] > hi ? p[k] : hi;
    }
    return in_bits(bits, over, lo, hi, x.pure && y.pure);
}

// MUL, and MAD, whose third operand is added.
static struct thread_range of_mul(const struct kir_inst *i, const struct thread_range *x) {
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    bool is_signed = isa_type_is_signed((enum isa_type)i->ty), wide = i->mods.half == ISA_WIDE;
    struct thread_range p;
    if (wide && bits == 32)
        p = of_product(64, extended(x[0], is_signed), extended(x[1], is_signed));
    else if (i->mods.half == ISA_LO)
        p = of_product(bits, x[0], x[1]);
    else
        return all_of(i->res[0]->type, x[0].pure && x[1].pure && (i->nops < 3 || x[2].pure));
    return i->op == ISA_OP_MAD ? of_sum(wide ? 64 : bits, p, x[2]) : p;
}

static struct thread_range of_shift(const struct kir_inst *i, struct thread_range x,
                                    struct thread_range by) {
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    bool pure = x.pure && by.pure;
    if (by.lo != by.hi || by.lo < 0 || by.lo >= bits)
        return all_of(i->res[0]->type, pure);
    struct thread_range power = {INT64_C(1) << by.lo, INT64_C(1) << by.lo, true};
    if (i->op == ISA_OP_SHL)
        return by.lo > 62 ? all_of(i->res[0]->type, pure) : of_product(bits, x, power);
    if (!isa_type_is_signed((enum isa_type)i->ty) && x.lo < 0)
        return all_of(i->res[0]->type, pure);
    return (struct thread_range){x.lo >> by.lo, x.hi >> by.lo, pure};
}

static struct thread_range of_bits(const struct kir_inst *i, struct thread_range x,
                                   struct thread_range y) {
    bool pure = x.pure && y.pure;
    if (i->op == ISA_OP_AND && (x.lo >= 0 || y.lo >= 0)) {
        int64_t most = x.lo < 0 ? y.hi : y.lo < 0 || x.hi < y.hi ? x.hi : y.hi;
        return (struct thread_range){0, most, pure};
    }
    if (i->op == ISA_OP_AND || x.lo < 0 || y.lo < 0)
        return all_of(i->res[0]->type, pure);
    int64_t most = x.hi | y.hi;
    for (unsigned n = 1; n < 64; n *= 2)
        most |= most >> n;
    int64_t least = i->op == ISA_OP_XOR ? 0 : x.lo > y.lo ? x.lo : y.lo;
    return (struct thread_range){least, most, pure};
}

static struct thread_range of_extreme(const struct kir_inst *i, struct thread_range x,
                                      struct thread_range y) {
    bool pure = x.pure && y.pure, least = i->op == ISA_OP_MIN;
    if (!isa_type_is_signed((enum isa_type)i->ty) && (x.lo < 0 || y.lo < 0))
        return all_of(i->res[0]->type, pure);
    return (struct thread_range){(x.lo < y.lo) == least ? x.lo : y.lo,
                                 (x.hi < y.hi) == least ? x.hi : y.hi, pure};
}

static struct thread_range of_quotient(const struct kir_inst *i, struct thread_range x,
                                       struct thread_range y) {
    bool pure = x.pure && y.pure;
    if (x.lo < 0 || y.lo != y.hi || y.lo <= 0)
        return all_of(i->res[0]->type, pure);
    if (i->op == ISA_OP_DIV)
        return (struct thread_range){x.lo / y.lo, x.hi / y.lo, pure};
    return x.hi < y.lo ? (struct thread_range){x.lo, x.hi, pure}
                       : (struct thread_range){0, y.lo - 1, pure};
}

// As unsigned numbers, when all have one sign.
static bool as_unsigned(struct thread_range *x, unsigned bits) {
    if (x->lo < 0 && x->hi >= 0)
        return false;
    if (x->lo < 0 && bits == 32) {
        *x = extended(*x, false);
        return true;
    }
    return x->lo >= 0; // greater ones of 64 bits are no number here
}

enum { FALSE_TOO = 1, TRUE_TOO = 2 };

static unsigned outcomes(unsigned cmp, struct thread_range x, struct thread_range y) {
    bool less = x.lo<y.hi, greater = x.hi> y.lo, equal = x.lo <= y.hi && y.lo <= x.hi;
    switch (cmp) {
    case ISA_CMP_EQ:
        return (equal ? TRUE_TOO : 0) | (less || greater ? FALSE_TOO : 0);
    case ISA_CMP_NE:
        return (less || greater ? TRUE_TOO : 0) | (equal ? FALSE_TOO : 0);
    case ISA_CMP_LT:
    case ISA_CMP_LO:
        return (less ? TRUE_TOO : 0) | (x.hi >= y.lo ? FALSE_TOO : 0);
    case ISA_CMP_LE:
    case ISA_CMP_LS:
        return (x.lo <= y.hi ? TRUE_TOO : 0) | (greater ? FALSE_TOO : 0);
    case ISA_CMP_GT:
    case ISA_CMP_HI:
        return (greater ? TRUE_TOO : 0) | (x.lo <= y.hi ? FALSE_TOO : 0);
    default:
        return (x.hi >= y.lo ? TRUE_TOO : 0) | (less ? FALSE_TOO : 0);
    }
}

static struct thread_range of_test(const struct kir_inst *i, unsigned result, struct thread_range x,
                                   struct thread_range y) {
    bool pure = x.pure && y.pure;
    enum isa_type ty = (enum isa_type)i->ty;
    unsigned bits = isa_type_bits(ty);
    bool is_signed = isa_type_is_signed(ty) && i->mods.cmp < ISA_CMP_LO;
    if (i->nops != 2 || i->mods.boolop || isa_type_is_float(ty) || i->mods.cmp > ISA_CMP_HS ||
        (bits != 32 && bits != 64))
        return all_of(KIR_PRED, pure && i->nops == 2);
    if (!is_signed && i->mods.cmp > ISA_CMP_NE && !(as_unsigned(&x, bits) && as_unsigned(&y, bits)))
        return all_of(KIR_PRED, pure);
    unsigned o = outcomes(i->mods.cmp, x, y);
    struct thread_range r = {!(o & FALSE_TOO), (o & TRUE_TOO) != 0, pure};
    return result ? (struct thread_range){!r.hi, !r.lo, pure} : r;
}

// Pointwise instructions whose operands are constants.
static bool of_constants(const struct kir_inst *i, unsigned result, const struct thread_range *x,
                         struct thread_range *out) {
    union isa_bits src[4] = {0}, dst[8] = {0};
    if (!kir_is_computable(i) || i->nops > 4 || i->nres > 8 || !i->nops)
        return false;
    for (uint32_t k = 0; k < i->nops; k++) {
        if (x[k].lo != x[k].hi || !has_range(i->ops[k]->type))
            return false;
        src[k].u64[0] = (uint64_t)x[k].lo;
        if (i->ops[k]->type == KIR_B32)
            src[k].u64[0] = (uint32_t)x[k].lo;
    }
    if (!kir_eval(i, src, dst))
        return false;
    struct kir_value c = {.kind = KIR_VALUE_CONST, .type = i->res[result]->type};
    c.bits = dst[result];
    *out = of_const(&c);
    for (uint32_t k = 0; k < i->nops; k++)
        out->pure &= x[k].pure;
    return true;
}

static bool is_plain_integer(const struct kir_inst *i) {
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    return (bits == 32 || bits == 64) && !isa_type_is_float((enum isa_type)i->ty) && !i->mods.sat &&
           !i->mods.cc && !i->mods.vec && !i->mods.relu;
}

static struct thread_range of_operation(const struct kir_inst *i, unsigned result, bool pure,
                                        const struct thread_range *x) {
    struct thread_range r = all_of(i->res[result]->type, pure);
    if (has_range(i->res[result]->type) && of_constants(i, result, x, &r))
        return r;
    bool plain = is_plain_integer(i);
    switch (i->op) {
    case ISA_OP_MOV:
        return i->nops == 1 && i->ops[0]->type == i->res[0]->type ? x[0] : r;
    case ISA_OP_CVT:
        return i->nops == 1 ? of_convert(i, x[0]) : r;
    case ISA_OP_ADD:
        return plain ? of_sum(isa_type_bits((enum isa_type)i->ty), x[0], x[1]) : r;
    case ISA_OP_SUB:
        return plain ? of_difference(isa_type_bits((enum isa_type)i->ty), x[0], x[1]) : r;
    case ISA_OP_MUL:
    case ISA_OP_MAD:
        return plain ? of_mul(i, x) : r;
    case ISA_OP_SHL:
    case ISA_OP_SHR:
        return plain ? of_shift(i, x[0], x[1]) : r;
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
        return i->res[0]->type == KIR_PRED && i->op != ISA_OP_XOR
                   ? (i->op == ISA_OP_AND
                          ? (struct thread_range){x[0].lo & x[1].lo, x[0].hi & x[1].hi, pure}
                          : (struct thread_range){x[0].lo | x[1].lo, x[0].hi | x[1].hi, pure})
               : plain ? of_bits(i, x[0], x[1])
                       : r;
    case ISA_OP_NOT:
        return i->res[0]->type == KIR_PRED ? (struct thread_range){!x[0].hi, !x[0].lo, pure} : r;
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return plain && i->nops == 2 ? of_extreme(i, x[0], x[1]) : r;
    case ISA_OP_DIV:
    case ISA_OP_REM:
        return plain ? of_quotient(i, x[0], x[1]) : r;
    case ISA_OP_SETP:
        return of_test(i, result, x[0], x[1]);
    default:
        return r;
    }
}

static struct thread_range of_result(const struct thread_ranges *r, const struct kir_inst *i,
                                     unsigned result) {
    struct thread_range x[4];
    bool pure = true;
    if (i->op == ISA_OP_PHI)
        return of_phi(r, i);
    if (i->op == ISA_OP_SREG)
        return of_sreg(r, i);
    if (isa_op_info[i->op].klass != ISA_CLASS_POINTWISE || i->nops > 4)
        return all_of(i->res[result]->type, false);
    for (uint32_t k = 0; k < i->nops; k++) {
        x[k] = thread_range(r, i->ops[k]);
        pure &= x[k].pure;
    }
    return of_operation(i, result, pure, x);
}

static void make(struct thread_ranges *r, const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i; i = i->next)
        for (uint32_t k = 0; k < i->nres; k++) {
            uint32_t id = i->res[k]->id;
            struct thread_range x = of_result(r, i, k);
            *(r->loop ? &r->first[id] : &r->any[id]) = x;
            r->made[id] |= r->loop ? HAS_FIRST : HAS_ANY;
        }
}

struct thread_ranges thread_ranges_of(struct arena *a, const struct cfg *c, const uint32_t *ntid) {
    uint32_t n = c->func->value_count + 1;
    struct thread_ranges r = {.cfg = c, .ntid = ntid};
    r.any = arena_array(a, struct thread_range, n);
    r.first = arena_array(a, struct thread_range, n);
    r.made = arena_array(a, uint8_t, n);
    for (uint32_t p = 0; p < c->nblocks; p++)
        make(&r, c->order[p]);
    return r;
}

void thread_ranges_enter(struct thread_ranges *r, const struct cfg_loop *l) {
    // What was made of a loop around l is for that loop's first iteration alone.
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = r->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                r->made[i->res[k]->id] &= (uint8_t)~HAS_FIRST;
    r->loop = l;
    for (uint32_t p = l->first; p <= l->last; p++)
        make(r, r->cfg->order[p]);
}
