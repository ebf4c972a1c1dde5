#include "passes/analysis/number_range.h"

#include "isa/ops/arith.h"
#include "isa/ops/logic.h"

// Numbers of 64 bits beyond this are not followed: sums of them stay far from where they wrap.
#define MOST (INT64_C(1) << 61)

static struct number_range unknown(void) {
    return (struct number_range){0};
}

static struct number_range from_to(int64_t lo, int64_t hi) {
    bool known = lo <= hi && lo >= -MOST && hi <= MOST;
    return known ? (struct number_range){true, false, lo, hi} : unknown();
}

static bool is_integer(enum isa_type t) {
    return t == ISA_B32 || t == ISA_U32 || t == ISA_S32 || t == ISA_B64 || t == ISA_U64 ||
           t == ISA_S64;
}

static bool is_signed(enum isa_type t) {
    return t == ISA_S32 || t == ISA_S64;
}

struct number_range number_range_as(struct number_range r, enum isa_type type) {
    int64_t two32 = INT64_C(1) << 32;
    if (!r.known || !is_integer(type))
        return unknown();
    if (isa_type_bits(type) == 64)
        return is_signed(type) || r.lo >= 0 ? r : unknown();
    int64_t least = is_signed(type) ? INT32_MIN : 0;
    int64_t turns = (r.lo - least) / two32 - (r.lo < least && (r.lo - least) % two32 != 0);
    r.lo -= turns * two32;
    r.hi -= turns * two32;
    return r.hi < least + two32 ? r : unknown();
}

struct number_range number_range_of(const struct number_range *ranges, const struct kir_value *v) {
    if (v->kind == KIR_VALUE_INST)
        return ranges[v->id];
    if (v->kind != KIR_VALUE_CONST)
        return unknown();
    if (v->type == KIR_B32)
        return from_to((int32_t)v->bits.u32[0], (int32_t)v->bits.u32[0]);
    int64_t n = (int64_t)v->bits.u64[0];
    return v->type == KIR_B64 ? from_to(n, n) : unknown();
}

bool number_range_decides(enum isa_cmp cmp, struct number_range x, struct number_range y,
                          bool *holds) {
    if (!x.known || !y.known)
        return false;
    bool never = false;
    *holds = false;
    switch (isa_cmp_ordered(cmp)) {
    case ISA_CMP_EQ:
        *holds = x.lo == x.hi && y.lo == y.hi && x.lo == y.lo;
        never = x.hi < y.lo || y.hi < x.lo;
        break;
    case ISA_CMP_NE:
        *holds = x.hi < y.lo || y.hi < x.lo;
        never = x.lo == x.hi && y.lo == y.hi && x.lo == y.lo;
        break;
    case ISA_CMP_LT:
        *holds = x.hi < y.lo;
        never = x.lo >= y.hi;
        break;
    case ISA_CMP_LE:
        *holds = x.hi <= y.lo;
        never = x.lo > y.hi;
        break;
    case ISA_CMP_GT:
        *holds = x.lo > y.hi;
        never = x.hi <= y.lo;
        break;
    case ISA_CMP_GE:
        *holds = x.lo >= y.hi;
        never = x.hi < y.lo;
        break;
    default:
        break;
    }
    return *holds || never;
}

// ---- instructions ------------------------------------------------------------------------------

static struct number_range sum(struct number_range x, struct number_range y) {
    return x.known && y.known ? from_to(x.lo + y.lo, x.hi + y.hi) : unknown();
}

static struct number_range negative(struct number_range x) {
    return x.known ? from_to(-x.hi, -x.lo) : unknown();
}

// By a number that is the same in all threads.
static struct number_range product(struct number_range x, struct number_range y) {
    int64_t a, b;
    if (x.known && x.lo == x.hi) {
        struct number_range other = y;
        y = x;
        x = other;
    }
    if (!x.known || !y.known || y.lo != y.hi || __builtin_mul_overflow(x.lo, y.lo, &a) ||
        __builtin_mul_overflow(x.hi, y.lo, &b))
        return unknown();
    return y.lo < 0 ? from_to(b, a) : from_to(a, b);
}

static bool is_constant(struct number_range x, int64_t least, int64_t most) {
    return x.known && x.lo == x.hi && x.lo >= least && x.lo <= most;
}

static struct number_range shifted(const struct kir_inst *i, struct number_range x,
                                   struct number_range by) {
    enum isa_type t = (enum isa_type)i->ty;
    if (!is_constant(by, 0, (int64_t)isa_type_bits(t) - 1) || !x.known)
        return unknown();
    if (i->op == ISA_OP_SHL)
        return by.lo < 40 ? product(x, from_to(INT64_C(1) << by.lo, INT64_C(1) << by.lo))
                          : unknown();
    x = number_range_as(x, t);
    if (!x.known || (x.lo < 0 && !is_signed(t)))
        return unknown();
    return from_to(x.lo >> by.lo, x.hi >> by.lo);
}

// All ones up to the highest bit of x, which is not negative.
static int64_t all_bits(int64_t x) {
    return x ? (int64_t)(UINT64_MAX >> __builtin_clzll((uint64_t)x)) : 0;
}

static struct number_range combined(const struct kir_inst *i, struct number_range x,
                                    struct number_range y) {
    enum isa_type t = isa_type_bits((enum isa_type)i->ty) == 32 ? ISA_U32 : ISA_U64;
    x = number_range_as(x, t);
    y = number_range_as(y, t);
    if (i->op == ISA_OP_AND && x.known != y.known)
        return from_to(0, x.known ? x.hi : y.hi);
    if (!x.known || !y.known)
        return unknown();
    if (i->op == ISA_OP_AND)
        return from_to(0, x.hi < y.hi ? x.hi : y.hi);
    int64_t top = all_bits(x.hi | y.hi);
    int64_t low = i->op == ISA_OP_XOR ? 0 : x.lo > y.lo ? x.lo : y.lo;
    return from_to(low, top);
}

static struct number_range divided(const struct kir_inst *i, struct number_range x,
                                   struct number_range n) {
    if (!x.known || x.lo < 0 || !is_constant(n, 1, INT32_MAX))
        return unknown();
    if (i->op == ISA_OP_DIV)
        return from_to(x.lo / n.lo, x.hi / n.lo);
    return x.hi < n.lo ? x : from_to(0, n.lo - 1);
}

static struct number_range extreme(const struct kir_inst *i, struct number_range x,
                                   struct number_range y) {
    if (!x.known || !y.known)
        return unknown();
    if (i->op == ISA_OP_MIN)
        return from_to(x.lo < y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi);
    return from_to(x.lo > y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi);
}

static struct number_range either(struct number_range x, struct number_range y) {
    if (!x.known || !y.known)
        return unknown();
    return from_to(x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi);
}

static struct number_range of_sreg(const struct kir_inst *i, const uint32_t ntid[3]) {
    if (i->sreg >= ISA_SREG_TID_X && i->sreg <= ISA_SREG_TID_Z) {
        uint32_t n = ntid[i->sreg - ISA_SREG_TID_X];
        struct number_range r = from_to(0, n ? n - 1 : 1023);
        r.of_thread = true;
        return r;
    }
    if (i->sreg >= ISA_SREG_NTID_X && i->sreg <= ISA_SREG_NTID_Z) {
        uint32_t n = ntid[i->sreg - ISA_SREG_NTID_X];
        return n ? from_to(n, n) : from_to(1, 1024);
    }
    struct number_range lane = from_to(0, 31);
    lane.of_thread = true;
    return i->sreg == ISA_SREG_LANEID ? lane : unknown();
}

// The numbers of a conversion's result are those of its operand, or these modulo 2^32.
static struct number_range converted(const struct kir_inst *i, struct number_range x) {
    enum isa_type to = (enum isa_type)i->ty, from = (enum isa_type)i->ty2;
    if (i->mods.sat || !is_integer(to) || !is_integer(from))
        return unknown();
    return isa_type_bits(to) > isa_type_bits(from) ? number_range_as(x, from) : x;
}

static struct number_range multiplied(const struct kir_inst *i, struct number_range x,
                                      struct number_range y) {
    enum isa_type t = (enum isa_type)i->ty;
    if (i->mods.half == ISA_WIDE && isa_type_bits(t) == 32)
        return product(number_range_as(x, t), number_range_as(y, t));
    return i->mods.half == ISA_LO ? product(x, y) : unknown();
}

static struct number_range of_phi(const struct kir_inst *i, const struct number_range *ranges) {
    struct number_range r = number_range_of(ranges, i->ops[0]);
    for (uint32_t k = 1; k < i->nops; k++)
        r = either(r, number_range_of(ranges, i->ops[k]));
    return r;
}

static struct number_range of_operands(const struct kir_inst *i, const struct number_range *o) {
    enum isa_type t = (enum isa_type)i->ty;
    if (!is_integer(t) || i->mods.sat || i->mods.cc)
        return unknown();
    switch (i->op) {
    case ISA_OP_MOV:
        return o[0];
    case ISA_OP_CVT:
        return converted(i, o[0]);
    case ISA_OP_ADD:
        return sum(o[0], o[1]);
    case ISA_OP_SUB:
        return sum(o[0], negative(o[1]));
    case ISA_OP_NEG:
        return negative(o[0]);
    case ISA_OP_MUL:
        return multiplied(i, o[0], o[1]);
    case ISA_OP_MAD:
        return sum(multiplied(i, o[0], o[1]), o[2]);
    case ISA_OP_SHL:
    case ISA_OP_SHR:
        return shifted(i, o[0], o[1]);
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
        return combined(i, o[0], o[1]);
    case ISA_OP_DIV:
    case ISA_OP_REM:
        return divided(i, number_range_as(o[0], t), number_range_as(o[1], t));
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return i->nops == 2 && !i->mods.relu
                   ? extreme(i, number_range_as(o[0], t), number_range_as(o[1], t))
                   : unknown();
    case ISA_OP_SELP:
        return either(o[0], o[1]);
    default:
        return unknown();
    }
}

static struct number_range of_inst(const struct kir_inst *i, const struct number_range *ranges,
                                   const uint32_t ntid[3]) {
    enum { MOST_OPERANDS = 3 };
    struct number_range o[MOST_OPERANDS];
    if (i->op == ISA_OP_SREG)
        return of_sreg(i, ntid);
    if (i->op == ISA_OP_PHI)
        return of_phi(i, ranges);
    if (isa_op_info[i->op].klass != ISA_CLASS_POINTWISE || i->nops > MOST_OPERANDS)
        return unknown();
    for (uint32_t k = 0; k < i->nops; k++)
        o[k] = number_range_of(ranges, i->ops[k]);
    return of_operands(i, o);
}

struct number_range *number_ranges(struct arena *a, const struct cfg *c, const uint32_t ntid[3]) {
    struct number_range *ranges = arena_array(a, struct number_range, c->func->value_count + 1);
    // What a loop's later iterations bring is not known yet when its header comes.
    for (uint32_t p = 0; p < c->nblocks; p++)
        for (const struct kir_inst *i = c->order[p]->first; i; i = i->next) {
            if (i->nres != 1)
                continue;
            unsigned bits = kir_type_bits(i->res[0]->type);
            struct number_range r = bits == 32 || bits == 64 ? of_inst(i, ranges, ntid) : unknown();
            for (uint32_t k = 0; k < i->nops; k++)
                r.of_thread |= number_range_of(ranges, i->ops[k]).of_thread;
            ranges[i->res[0]->id] = r;
        }
    return ranges;
}
