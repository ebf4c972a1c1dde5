// What an instruction makes of its operands' shapes. A shape only ever moves from unknown to
// uniform to offsets to varying, so the passes of flow_analyse end.
#include "passes/flow/shape.h"

#include "ir/async.h"
#include "isa/ops/arith.h"
#include "isa/ops/bits.h"
#include "isa/ops/logic.h"
#include "isa/ops/move.h"
#include "isa/ops/tensor.h"
#include "isa/ops/warp.h"
#include "passes/flow/call_shapes.h"
#include "passes/flow/team.h"

enum { TZ_ZERO = 63 }; // of the constant zero

static const struct shape VARYING = {.kind = SHAPE_VARYING};

static struct shape uniform(int64_t lo, int64_t hi, unsigned tz) {
    return (struct shape){.kind = SHAPE_UNIFORM, .lo = lo, .hi = hi, .tz = (uint8_t)tz};
}

static struct shape uniform_any(void) {
    return uniform(INT64_MIN, INT64_MAX, 0);
}

static unsigned trailing_zeros(uint64_t x) {
    return x ? (unsigned)__builtin_ctzll(x) : TZ_ZERO;
}

static int64_t sign_extend(uint64_t x, unsigned bits) {
    return bits >= 64 ? (int64_t)x : (int64_t)(x << (64 - bits)) >> (64 - bits);
}

static void offs_range(const struct flow *fl, const int64_t *offs, int64_t *lo, int64_t *hi) {
    *lo = *hi = offs[0];
    for (unsigned k = 1; k < fl->width; k++) {
        if (offs[k] < *lo)
            *lo = offs[k];
        if (offs[k] > *hi)
            *hi = offs[k];
    }
}

static bool same_offs(const struct flow *fl, const int64_t *x, const int64_t *y) {
    for (unsigned k = 0; k < fl->width; k++)
        if (x[k] != y[k])
            return false;
    return true;
}

static int64_t *new_offs(struct flow *fl) {
    return arena_array(fl->arena, int64_t, fl->width);
}

// An offsets shape from a pattern; uniform when all offsets are 0, varying when they are large, or
// when they are 0 under a guard alone.
static struct shape offsets(struct flow *fl, const int64_t *offs, struct shape base) {
    int64_t lo, hi;
    offs_range(fl, offs, &lo, &hi);
    bool same = lo == 0 && hi == 0;
    if (lo < -(1LL << 30) || hi > (1LL << 30) || (same && base.guard))
        return VARYING;
    if (same) {
        base.kind = SHAPE_UNIFORM;
        base.offs = NULL;
        return base;
    }
    base.kind = SHAPE_OFFSETS;
    base.offs = offs;
    return base;
}

static void clamp_range(struct shape *s, unsigned bits) {
    int64_t max = bits >= 64 ? INT64_MAX : (1LL << (bits - 1)) - 1;
    if (s->lo < -max - 1 || s->hi > max || s->lo > s->hi)
        s->lo = bits >= 64 ? INT64_MIN : -max - 1, s->hi = max;
}

static bool add_ranges(struct shape *r, const struct shape *x, const struct shape *y, int sign) {
    int64_t ylo = sign > 0 ? y->lo : y->hi, yhi = sign > 0 ? y->hi : y->lo;
    bool bad = sign > 0 ? __builtin_add_overflow(x->lo, ylo, &r->lo) ||
                              __builtin_add_overflow(x->hi, yhi, &r->hi)
                        : __builtin_sub_overflow(x->lo, ylo, &r->lo) ||
                              __builtin_sub_overflow(x->hi, yhi, &r->hi);
    if (bad)
        r->lo = INT64_MIN, r->hi = INT64_MAX;
    return !bad;
}

static struct shape add(struct flow *fl, struct shape x, struct shape y, int sign, unsigned bits) {
    if (x.kind == SHAPE_VARYING || y.kind == SHAPE_VARYING)
        return VARYING;
    struct shape r = {.kind = SHAPE_UNIFORM, .guard = x.guard || y.guard};
    r.of_bits = x.of_bits || y.of_bits;
    r.tz = x.tz < y.tz ? x.tz : y.tz;
    add_ranges(&r, &x, &y, sign);
    clamp_range(&r, bits);
    if (x.kind == SHAPE_UNIFORM && y.kind == SHAPE_UNIFORM)
        return r;
    int64_t *offs = new_offs(fl);
    for (unsigned k = 0; k < fl->width; k++)
        offs[k] = (x.offs ? x.offs[k] : 0) + sign * (y.offs ? y.offs[k] : 0);
    return offsets(fl, offs, r);
}

static struct shape mul_const(struct flow *fl, struct shape x, int64_t c, unsigned bits) {
    if (x.kind == SHAPE_VARYING)
        return VARYING;
    struct shape r = x;
    unsigned tz = x.tz + trailing_zeros((uint64_t)c);
    r.tz = (uint8_t)(tz > TZ_ZERO ? TZ_ZERO : tz);
    int64_t a, b;
    if (__builtin_mul_overflow(x.lo, c, &a) || __builtin_mul_overflow(x.hi, c, &b))
        r.lo = INT64_MIN, r.hi = INT64_MAX;
    else
        r.lo = a < b ? a : b, r.hi = a < b ? b : a;
    clamp_range(&r, bits);
    if (x.kind == SHAPE_UNIFORM)
        return r;
    if (c > (1LL << 24) || c < -(1LL << 24))
        return VARYING;
    int64_t *offs = new_offs(fl);
    for (unsigned k = 0; k < fl->width; k++)
        offs[k] = x.offs[k] * c;
    return offsets(fl, offs, r);
}

// Is a product ctaid.x * ntid.x, or of a number that is not larger?
static bool is_block_start(const struct flow *fl, const struct kir_inst *i) {
    for (int swap = 0; swap < 2; swap++) {
        const struct kir_value *t = i->ops[swap], *u = i->ops[1 - swap];
        if (t->kind != KIR_VALUE_INST || t->def->op != ISA_OP_SREG ||
            t->def->sreg < ISA_SREG_CTAID_X || t->def->sreg > ISA_SREG_CTAID_Z)
            continue;
        unsigned d = t->def->sreg - ISA_SREG_CTAID_X;
        uint64_t c = UINT64_MAX;
        bool is_ntid = u->kind == KIR_VALUE_INST && u->def->op == ISA_OP_SREG &&
                       u->def->sreg == ISA_SREG_NTID_X + d;
        if (is_ntid || (flow_const(u, &c) && fl->spec.ntid[d] && c <= fl->spec.ntid[d]))
            return true;
    }
    return false;
}

// The range of a product of two uniform values.
static struct shape mul_uniform(struct shape x, struct shape y, unsigned bits) {
    struct shape r = uniform_any();
    unsigned tz = x.tz + y.tz;
    r.tz = (uint8_t)(tz > TZ_ZERO ? TZ_ZERO : tz);
    int64_t p[4];
    bool bad =
        __builtin_mul_overflow(x.lo, y.lo, &p[0]) || __builtin_mul_overflow(x.lo, y.hi, &p[1]) ||
        __builtin_mul_overflow(x.hi, y.lo, &p[2]) || __builtin_mul_overflow(x.hi, y.hi, &p[3]);
    if (!bad) {
        r.lo = r.hi = p[0];
        for (int k = 1; k < 4; k++) {
            r.lo = p[k] < r.lo ? p[k] : r.lo;
            r.hi = p[k] > r.hi ? p[k] : r.hi;
        }
    }
    clamp_range(&r, bits);
    return r;
}

// Does no sum of base and offset wrap, as the base is a multiple of more than any offset?
static bool has_room(struct shape x, int64_t lo, int64_t hi) {
    return lo >= 0 && hi < 1LL << (x.tz > 31 ? 31 : x.tz);
}

// Is v of each group extended by itself? Else the first group's stands for all, a distance apart,
// and a guard has to speak for the whole team.
static bool each_group_alone(const struct flow *fl, const struct kir_value *v) {
    const struct flow *b = fl->before;
    bool known = v->kind == KIR_VALUE_INST && b && b->lag_state[v->id] != TEAM_UNKNOWN;
    return fl->team == 1 || (known && (b->lag_state[v->id] == TEAM_DIFFERS || !b->lag[v->id]));
}

struct shape shape_extended(const struct flow *fl, const struct kir_value *v, struct shape x,
                            bool is_signed) {
    if (x.kind == SHAPE_VARYING)
        return VARYING;
    int64_t lo = 0, hi = 0;
    if (x.kind == SHAPE_OFFSETS)
        offs_range(fl, x.offs, &lo, &hi);
    int64_t min = is_signed ? INT32_MIN : 0, max = INT32_MAX;
    bool proven = (x.lo + lo >= min && x.hi + hi <= max && x.lo >= min && x.hi <= max) ||
                  (each_group_alone(fl, v) && has_room(x, lo, hi));
    struct shape r = x;
    if (!is_signed && x.lo < 0)
        r.lo = 0, r.hi = UINT32_MAX;
    if (r.tz > 32 && r.tz != TZ_ZERO)
        r.tz = 32;
    if (x.kind == SHAPE_UNIFORM)
        return r;
    if (!proven)
        r.guard = true;
    return r;
}

// Bit operations with a constant act on base and offsets apart when the base's low bits are 0
// and the offsets fit in them.
static bool splits(const struct flow *fl, struct shape x, int64_t *top) {
    if (x.kind != SHAPE_OFFSETS || x.guard)
        return false;
    int64_t lo, hi;
    offs_range(fl, x.offs, &lo, &hi);
    unsigned tz = x.tz > 40 ? 40 : x.tz;
    *top = 1LL << tz;
    return lo >= 0 && hi < *top;
}

// The range of the base of x & c, c not negative: no more than what both leave, and a multiple of
// 2^tz. A base that can only be 0 is known.
static struct shape masked_base(struct shape x, int64_t c) {
    unsigned tz = trailing_zeros((uint64_t)c) > x.tz ? trailing_zeros((uint64_t)c) : x.tz;
    int64_t hi = x.lo >= 0 && x.hi < c ? x.hi : c;
    hi = tz >= TZ_ZERO ? 0 : hi >> tz << tz;
    return uniform(0, hi, hi ? tz : TZ_ZERO);
}

static struct shape logic_const(struct flow *fl, isa_op op, struct shape x, uint64_t c,
                                unsigned bits) {
    int64_t sc = sign_extend(c, bits);
    if (x.kind == SHAPE_UNIFORM) {
        if (op == ISA_OP_AND && sc >= 0)
            return masked_base(x, sc);
        return uniform(bits >= 64 ? INT64_MIN : -(1LL << (bits - 1)),
                       bits >= 64 ? INT64_MAX : (1LL << (bits - 1)) - 1, 0);
    }
    int64_t top;
    if (!splits(fl, x, &top))
        return VARYING;
    int64_t *offs = new_offs(fl);
    int64_t low = (int64_t)(c & (uint64_t)(top - 1));
    for (unsigned k = 0; k < fl->width; k++)
        offs[k] = op == ISA_OP_AND  ? x.offs[k] & low
                  : op == ISA_OP_OR ? x.offs[k] | low
                                    : x.offs[k] ^ low;
    struct shape r = uniform(INT64_MIN, INT64_MAX, x.tz > 40 ? 40 : x.tz);
    clamp_range(&r, bits);
    if (op == ISA_OP_AND && sc >= 0)
        r = masked_base(x, sc);
    else if (op != ISA_OP_AND && x.tz >= TZ_ZERO && sc >= 0 && sc < top)
        r = uniform(0, 0, TZ_ZERO);
    return offsets(fl, offs, r);
}

// Of two values whose lanes differ in low bits that neither base has, lanes and bases apart.
static struct shape logic_offsets(struct flow *fl, isa_op op, struct shape x, struct shape y,
                                  unsigned bits) {
    int64_t top_x, top_y;
    if (!splits(fl, x, &top_x) || !splits(fl, y, &top_y))
        return VARYING;
    unsigned tz = x.tz < y.tz ? x.tz : y.tz;
    int64_t top = top_x < top_y ? top_x : top_y, *offs = new_offs(fl);
    if (shape_low_bits(fl, &x) > top || shape_low_bits(fl, &y) > top)
        return VARYING;
    for (unsigned k = 0; k < fl->width; k++)
        offs[k] = op == ISA_OP_AND  ? x.offs[k] & y.offs[k]
                  : op == ISA_OP_OR ? x.offs[k] | y.offs[k]
                                    : x.offs[k] ^ y.offs[k];
    struct shape r = uniform(tz >= TZ_ZERO ? 0 : INT64_MIN, tz >= TZ_ZERO ? 0 : INT64_MAX, tz);
    clamp_range(&r, bits);
    return offsets(fl, offs, r);
}

int64_t shape_low_bits(const struct flow *fl, const struct shape *x) {
    int64_t lo, hi, top = 1;
    offs_range(fl, x->offs, &lo, &hi);
    while (top <= hi)
        top *= 2;
    return top;
}

// Bit operations with a uniform value that only the launch knows. Where it is a multiple of what
// the offsets fit in, or and xor change the base alone; where all those low bits are set, so does
// and. A guard asks: indices of the kind i ^ distance and i & (size - 1).
static struct shape logic_uniform(struct flow *fl, isa_op op, struct shape x, struct shape y,
                                  unsigned bits) {
    int64_t top;
    if (!splits(fl, x, &top) || y.kind != SHAPE_UNIFORM || bits < 32)
        return VARYING;
    struct shape r = {.kind = SHAPE_OFFSETS, .offs = x.offs};
    bool is_and = op == ISA_OP_AND;
    r.tz = is_and || x.tz < y.tz ? x.tz : y.tz;
    r.guard = is_and || 1LL << (y.tz > 40 ? 40 : y.tz) < shape_low_bits(fl, &x);
    r.of_bits = r.guard;
    r.lo = is_and && x.lo >= 0 ? 0 : INT64_MIN;
    r.hi = is_and && x.lo >= 0 ? x.hi : INT64_MAX;
    clamp_range(&r, bits);
    return r;
}

static struct shape shift_right(struct flow *fl, struct shape x, uint64_t s, bool is_signed,
                                unsigned bits) {
    if (s >= bits)
        return x.kind == SHAPE_UNIFORM ? uniform_any() : VARYING;
    struct shape r = {.kind = SHAPE_UNIFORM};
    r.tz = x.tz >= TZ_ZERO ? TZ_ZERO : (uint8_t)(x.tz > s ? x.tz - s : 0);
    bool non_negative = x.lo >= 0;
    r.lo = non_negative ? x.lo >> s : bits >= 64 ? INT64_MIN : -(1LL << (bits - 1));
    r.hi = non_negative ? x.hi >> s : bits >= 64 ? INT64_MAX : (1LL << (bits - 1)) - 1;
    if (x.kind == SHAPE_UNIFORM)
        return r;
    int64_t top;
    if (!splits(fl, x, &top))
        return VARYING;
    int64_t *offs = new_offs(fl);
    for (unsigned k = 0; k < fl->width; k++)
        offs[k] = x.offs[k] >> s;
    return offsets(fl, offs, r);
}

// Has every lane of x zeros where every lane of y has bits? Then or and xor of them are a sum, of
// the bases as of the lanes.
static bool fills_gap(const struct flow *fl, const struct shape *x, const struct shape *y) {
    if (x->kind == SHAPE_VARYING || y->kind == SHAPE_VARYING || x->guard || y->guard || y->lo < 0)
        return false;
    unsigned zeros = x->tz;
    for (unsigned k = 0; k < fl->width && x->offs; k++) {
        unsigned n = trailing_zeros((uint64_t)x->offs[k]);
        zeros = n < zeros ? n : zeros;
    }
    int64_t hi = y->tz >= TZ_ZERO ? 0
                 : y->tz < 40     ? y->hi >> y->tz << y->tz
                                  : y->hi,
            lo = 0, top = 0;
    if (y->offs)
        offs_range(fl, y->offs, &lo, &top);
    return zeros < 40 && lo >= 0 && hi <= INT32_MAX && hi + top < 1LL << zeros;
}

// x and bits that no lane of it has, nor the base: emission leaves such a base alone.
static struct shape with_bits(struct flow *fl, struct shape x, int64_t c) {
    int64_t *offs = new_offs(fl);
    for (unsigned k = 0; k < fl->width; k++)
        offs[k] = x.offs[k] + c;
    return offsets(fl, offs, x);
}

// x of the first lane. Of x with a guard the base is that lane's, whether or not the guard holds.
static struct shape first_lane(const struct shape *x, unsigned bits) {
    struct shape r = uniform_any();
    if (x->kind == SHAPE_UNIFORM)
        r = *x;
    if (x->kind == SHAPE_OFFSETS && !x->guard &&
        !__builtin_add_overflow(x->lo, x->offs[0], &r.lo) &&
        !__builtin_add_overflow(x->hi, x->offs[0], &r.hi) && !x->offs[0])
        r.tz = x->tz;
    if (bits)
        clamp_range(&r, bits);
    return r;
}

// How far each lane is from the first one: x - group.first x. Without a guard that is known.
static bool is_from_first(const struct kir_inst *i, const struct shape *x) {
    const struct kir_value *first = i->ops[1];
    return i->op == ISA_OP_SUB && x->kind == SHAPE_OFFSETS && !x->guard &&
           first->kind == KIR_VALUE_INST && first->def->op == ISA_OP_GROUP_FIRST &&
           first->def->ops[0] == i->ops[0];
}

static struct shape from_first(struct flow *fl, const struct shape *x) {
    int64_t *offs = new_offs(fl);
    for (unsigned k = 0; k < fl->width; k++)
        offs[k] = x->offs[k] - x->offs[0];
    return offsets(fl, offs, uniform(0, 0, TZ_ZERO));
}

static unsigned int_bits(enum isa_type t) {
    return isa_type_is_float(t) || t == ISA_U16X2 || t == ISA_S16X2 ? 0 : isa_type_bits(t);
}

// In another window: offsets and alignment are what they were.
static struct shape moved(struct shape x) {
    x.lo = INT64_MIN;
    x.hi = INT64_MAX;
    return x;
}

// Pointwise instructions on integers that keep offsets; anything else is uniform or varying by
// its operands.
static struct shape integer(struct flow *fl, const struct kir_inst *i, const struct shape *x) {
    unsigned bits = int_bits(i->ty);
    uint64_t c = 0;
    bool narrow = kir_type_bits(i->res[0]->type) != bits;
    for (uint32_t k = 0; k < i->nops; k++)
        narrow |= kir_type_bits(i->ops[k]->type) != bits;
    switch (i->op) {
    case ISA_OP_MOV:
        return x[0];
    case ISA_OP_GROUP_FIRST:
        return first_lane(&x[0], bits);
    case ISA_OP_GROUP_ALL:
    case ISA_OP_GROUP_FEW:
    case ISA_OP_GROUP_LANE:
        return uniform_any();
    case ISA_OP_GROUP_LOWEST:
        return fl->width == 1 ? x[0] : VARYING;
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        if (!bits || narrow || i->mods.sat || i->nres > 1)
            break;
        if (is_from_first(i, &x[0]))
            return from_first(fl, &x[0]);
        return add(fl, x[0], x[1], i->op == ISA_OP_ADD ? 1 : -1, bits);
    case ISA_OP_MUL:
    case ISA_OP_MAD: {
        if (!bits || i->nres > 1 || i->mods.half == ISA_HI || i->mods.sat || bits < 32)
            break;
        struct shape p;
        bool wide = i->mods.half == ISA_WIDE;
        unsigned out = wide ? bits * 2 : bits;
        if (wide && bits != 32)
            break;
        struct shape a = x[0], b = x[1];
        const struct kir_value *va = i->ops[0], *vb = i->ops[1];
        if (b.kind != SHAPE_UNIFORM && a.kind == SHAPE_UNIFORM) {
            struct shape t = a;
            a = b, b = t;
            va = vb;
            vb = i->ops[0];
        }
        if (b.kind != SHAPE_UNIFORM)
            break;
        if (wide) {
            a = shape_extended(fl, va, a, isa_type_is_signed(i->ty));
            b = shape_extended(fl, vb, b, isa_type_is_signed(i->ty));
        }
        if (flow_const(vb, &c))
            p = mul_const(fl, a,
                          wide && !isa_type_is_signed(i->ty) ? (int64_t)(uint32_t)c
                                                             : sign_extend(c, bits),
                          out);
        else if (b.lo == b.hi)
            p = mul_const(fl, a, b.lo, out);
        else if (a.kind == SHAPE_UNIFORM)
            p = mul_uniform(a, b, out);
        else
            break;
        if ((fl->spec.flags & KD_SPEC_SMALL_GRID) && is_block_start(fl, i))
            p.lo = 0, p.hi = 1LL << 30;
        return i->op == ISA_OP_MUL ? p : add(fl, p, x[2], 1, out);
    }
    case ISA_OP_SHL:
        if (!bits || !flow_const(i->ops[1], &c) || c >= bits ||
            kir_type_bits(i->res[0]->type) != bits || kir_type_bits(i->ops[0]->type) != bits ||
            c >= 40)
            break;
        return mul_const(fl, x[0], 1LL << c, bits);
    case ISA_OP_SHR:
        if (!bits || !flow_const(i->ops[1], &c) || kir_type_bits(i->ops[0]->type) != bits ||
            kir_type_bits(i->res[0]->type) != bits)
            break;
        return shift_right(fl, x[0], c, isa_type_is_signed(i->ty), bits);
    case ISA_OP_BFE: { // as LLVM writes a shift and a mask
        uint64_t n;
        if (!bits || isa_type_is_signed(i->ty) || !flow_const(i->ops[1], &c) || c >= bits ||
            !flow_const(i->ops[2], &n) || !n || n >= bits)
            break;
        return logic_const(fl, ISA_OP_AND, shift_right(fl, x[0], c, false, bits), (1ULL << n) - 1,
                           bits);
    }
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
        if (!bits || bits < 16 || narrow)
            break;
        for (unsigned k = 0; k < 2; k++)
            if (flow_const(i->ops[1 - k], &c)) {
                struct shape r = logic_const(fl, i->op, x[k], c, bits);
                if (r.kind == SHAPE_VARYING && i->op != ISA_OP_AND && x[k].kind == SHAPE_OFFSETS &&
                    fills_gap(fl, &x[k], &x[1 - k]))
                    r = with_bits(fl, x[k], (int64_t)c);
                return r;
            }
        if (i->op != ISA_OP_AND && (fills_gap(fl, &x[0], &x[1]) || fills_gap(fl, &x[1], &x[0])))
            return add(fl, x[0], x[1], 1, bits);
        if (x[0].kind == SHAPE_OFFSETS && x[1].kind == SHAPE_OFFSETS)
            return logic_offsets(fl, i->op, x[0], x[1], bits);
        if (x[0].kind == SHAPE_OFFSETS)
            return logic_uniform(fl, i->op, x[0], x[1], bits);
        if (x[1].kind == SHAPE_OFFSETS)
            return logic_uniform(fl, i->op, x[1], x[0], bits);
        break;
    case ISA_OP_CVT: {
        unsigned from = int_bits(i->ty2);
        if (!bits || !from || i->mods.sat)
            break;
        unsigned src = kir_type_bits(i->ops[0]->type), dst = kir_type_bits(i->res[0]->type);
        if (from == 32 && src == 32 && bits == 64)
            return shape_extended(fl, i->ops[0], x[0], isa_type_is_signed(i->ty2));
        if (bits == from && src == bits && dst == bits)
            return x[0];
        if (src == 64 && (bits == 32 ? from == 64 && dst == 32 : bits == 64 && from == 32)) {
            // Modulo 2^32 base and offsets hold whether or not the guard does.
            struct shape r = x[0];
            if (r.of_bits)
                break;
            clamp_range(&r, 32);
            r.guard = false;
            if (bits == 32)
                return r;
            r = shape_extended(fl, i->ops[0], r, isa_type_is_signed(i->ty2));
            r.guard |= r.kind == SHAPE_OFFSETS;
            return r;
        }
        break;
    }
    case ISA_OP_CVTA:
        // Each thread's local memory lies elsewhere.
        if (i->mods.space == ISA_SPACE_LOCAL)
            return fl->width == 1 ? uniform_any() : VARYING;
        if (i->mods.space == ISA_SPACE_CLUSTER) // no sum: see abi/generated_code.h
            break;
        return moved(x[0]);
    case ISA_OP_SELP:
        if (x[2].kind == SHAPE_UNIFORM && x[0].kind == SHAPE_OFFSETS &&
            x[1].kind == SHAPE_OFFSETS && !x[0].guard && !x[1].guard &&
            same_offs(fl, x[0].offs, x[1].offs)) {
            struct shape r = x[0];
            r.lo = INT64_MIN, r.hi = INT64_MAX;
            clamp_range(&r, kir_type_bits(i->res[0]->type));
            r.tz = x[0].tz < x[1].tz ? x[0].tz : x[1].tz;
            return r;
        }
        break;
    default:
        break;
    }
    bool all_uniform = true;
    for (uint32_t k = 0; k < i->nops; k++)
        all_uniform &= x[k].kind == SHAPE_UNIFORM;
    return all_uniform ? uniform_any() : VARYING;
}

// base + offset < c says the same for all offsets when base and c are multiples of 2^tz and the
// offsets are smaller: a comparison that all lanes agree on. The same holds for >=, and for
// <= and > with a constant one below a multiple.
static struct shape compare(struct flow *fl, const struct kir_inst *i, const struct shape *x) {
    unsigned bits = int_bits(i->ty);
    bool all_uniform = true;
    for (uint32_t k = 0; k < i->nops; k++)
        all_uniform &= x[k].kind == SHAPE_UNIFORM;
    if (all_uniform)
        return uniform_any();
    int64_t top;
    uint64_t c;
    bool below = i->mods.cmp == ISA_CMP_LT || i->mods.cmp == ISA_CMP_GE ||
                 i->mods.cmp == ISA_CMP_LO || i->mods.cmp == ISA_CMP_HS;
    bool past = i->mods.cmp == ISA_CMP_LE || i->mods.cmp == ISA_CMP_GT ||
                i->mods.cmp == ISA_CMP_LS || i->mods.cmp == ISA_CMP_HI;
    if (i->op != ISA_OP_SETP || i->nops != 2 || bits < 32 || i->mods.boolop ||
        kir_type_bits(i->ops[0]->type) != bits || kir_type_bits(i->ops[1]->type) != bits ||
        !splits(fl, x[0], &top) || x[1].kind != SHAPE_UNIFORM)
        return VARYING;
    if (below && x[1].tz >= x[0].tz)
        return uniform_any();
    if (past && flow_const(i->ops[1], &c) && (c + 1) % (uint64_t)top == 0)
        return uniform_any();
    return VARYING;
}

static struct shape of_tid(struct flow *fl, unsigned d) {
    const struct tid_form *t = &fl->tid[d];
    if (t->varying)
        return VARYING;
    struct shape r = uniform(0, t->zero ? 0 : t->max, t->zero ? TZ_ZERO : t->tz);
    return t->offs ? offsets(fl, t->offs, r) : r;
}

static struct shape of_sreg(struct flow *fl, const struct kir_inst *i) {
    unsigned s = i->sreg;
    if (s >= ISA_SREG_TID_X && s <= ISA_SREG_TID_Z)
        return of_tid(fl, s - ISA_SREG_TID_X);
    if (s >= ISA_SREG_NTID_X && s <= ISA_SREG_NTID_Z) {
        uint32_t n = fl->spec.ntid[s - ISA_SREG_NTID_X];
        bool one = (fl->spec.flags & KD_SPEC_1D) && s != ISA_SREG_NTID_X;
        if (one)
            n = 1;
        return n ? uniform(n, n, trailing_zeros(n)) : uniform(1, 1024, 0);
    }
    if (s >= ISA_SREG_CTAID_X && s <= ISA_SREG_NCTAID_Z)
        return uniform(0, INT32_MAX, 0);
    switch (s) {
    case ISA_SREG_LANEID: {
        // Lanes of one group are neighbours in a warp: base is t0 % 32.
        struct shape r = uniform(0, 32 - (int64_t)fl->width,
                                 fl->width == 32 ? TZ_ZERO : trailing_zeros(fl->width));
        return offsets(fl, fl->iota, r);
    }
    case ISA_SREG_WARPID:
    case ISA_SREG_NWARPID:
        return uniform(0, 64, 0);
    case ISA_SREG_LANEMASK_EQ:
    case ISA_SREG_LANEMASK_LE:
    case ISA_SREG_LANEMASK_LT:
    case ISA_SREG_LANEMASK_GE:
    case ISA_SREG_LANEMASK_GT:
        return fl->width == 1 ? uniform_any() : VARYING;
    default:
        return uniform_any();
    }
}

// A phi keeps a shape when all its operands agree on it; at a join only equal values agree.
static struct shape of_phi(struct flow *fl, const struct kir_inst *i) {
    struct shape r = {0};
    const struct kir_value *same = NULL;
    bool all_same = true;
    for (uint32_t k = 0; k < i->nops; k++) {
        const struct kir_value *v = i->ops[k];
        if (fl->cfg->pos[i->block->preds.data[k]->id] == UINT32_MAX || v == i->res[0])
            continue;
        uint64_t c1, c2;
        if (same && same != v && !(flow_const(same, &c1) && flow_const(v, &c2) && c1 == c2))
            all_same = false;
        same = v;
        struct shape s = flow_use(fl, v, i->block->preds.data[k]);
        if (s.kind == SHAPE_UNKNOWN || v->kind == KIR_VALUE_UNDEF)
            continue;
        if (r.kind == SHAPE_UNKNOWN) {
            r = s;
            continue;
        }
        if (r.kind == SHAPE_VARYING || s.kind == SHAPE_VARYING || r.kind != s.kind ||
            (r.kind == SHAPE_OFFSETS && !same_offs(fl, r.offs, s.offs)))
            return VARYING;
        r.guard |= s.guard;
        r.of_bits |= s.of_bits;
        r.tz = r.tz < s.tz ? r.tz : s.tz;
    }
    if (fl->join[i->block->id] && !all_same)
        return VARYING;
    if (i->nops > 1) {
        // Ranges do not converge quickly around loops: give them up.
        r.lo = INT64_MIN, r.hi = INT64_MAX;
        clamp_range(&r, kir_type_bits(i->res[0]->type));
    }
    return r;
}

// Warp operations give every lane the same answer when their member mask is one for all.
static struct shape of_warp(struct flow *fl, const struct kir_inst *i, const struct shape *x) {
    uint64_t c;
    switch (i->op) {
    case ISA_OP_ACTIVEMASK:
        return uniform_any();
    case ISA_OP_VOTE:
    case ISA_OP_REDUX:
        return i->nops < 2 || x[1].kind == SHAPE_UNIFORM ? uniform_any() : VARYING;
    case ISA_OP_SHFL:
        if (i->mods.mode == ISA_SHFL_IDX && x[1].kind == SHAPE_UNIFORM &&
            flow_const(i->ops[2], &c) && c == 31)
            return uniform_any();
        return VARYING;
    default:
        return VARYING;
    }
}

static struct shape shared_address(const struct kir_inst *i) {
    int64_t at = (int64_t)i->sym->offset + i->offset;
    return uniform(at, at, trailing_zeros((uint64_t)at));
}

static struct shape of_call(const struct flow *fl, const struct kir_inst *i, unsigned result) {
    return fl->width == 1 || (fl->calls && call_result_uniform(fl, i, result)) ? uniform_any()
                                                                               : VARYING;
}

static struct shape of_param(const struct flow *fl, const struct kir_inst *i) {
    return fl->width == 1 || (fl->calls && fl->calls->params[fl->func->index][i->index])
               ? uniform_any()
               : VARYING;
}

static struct shape transfer(struct flow *fl, const struct kir_inst *i, unsigned result) {
    struct shape x[64];
    bool unknown = false, all_uniform = true;
    if (i->op == ISA_OP_PHI)
        return of_phi(fl, i);
    if (i->op == ISA_OP_CALL)
        return of_call(fl, i, result);
    if (i->nops > 64)
        return fl->width == 1 ? uniform_any() : VARYING;
    for (uint32_t k = 0; k < i->nops; k++) {
        x[k] = flow_use(fl, i->ops[k], i->block);
        unknown |= x[k].kind == SHAPE_UNKNOWN;
        all_uniform &= x[k].kind == SHAPE_UNIFORM;
    }
    if (unknown)
        return (struct shape){0};
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
        if (i->op == ISA_OP_SETP)
            return compare(fl, i, x);
        if (i->nres == 1 && i->op != ISA_OP_MOV_UNPACK && i->op != ISA_OP_MOV_PACK)
            return integer(fl, i, x);
        return all_uniform ? uniform_any() : VARYING;
    case ISA_CLASS_SOURCE:
        if (i->op == ISA_OP_SREG)
            return of_sreg(fl, i);
        if (i->op == ISA_OP_SYMADDR && i->flag && i->sym->space == ISA_SPACE_LOCAL)
            return fl->width == 1 ? uniform_any() : VARYING;
        if (i->op == ISA_OP_SYMADDR && i->sym->space == ISA_SPACE_SHARED && !i->sym->dynamic &&
            !i->flag)
            return shared_address(i);
        if (i->op == ISA_OP_SYMADDR)
            return uniform(0, INT64_MAX, i->sym->align ? trailing_zeros(i->sym->align) : 0);
        return of_param(fl, i);
    case ISA_CLASS_MEMORY:
        if (i->op == ISA_OP_LD && x[0].kind == SHAPE_UNIFORM &&
            (i->mods.space != ISA_SPACE_LOCAL || fl->width == 1))
            return uniform_any();
        if (fl->width == 1)
            return uniform_any();
        return VARYING;
    case ISA_CLASS_ASYNC:
        // All lanes that ask about one phase get one answer; each that arrives gets its own state.
        return fl->width == 1 || (all_uniform && !isa_op_info[i->op].side_effect) ||
                       (all_uniform && (kir_async_waits(i) || i->op == ISA_OP_TCGEN05_AT))
                   ? uniform_any()
                   : VARYING;
    case ISA_CLASS_CHECK:
        return fl->width == 1 || all_uniform ? uniform_any() : VARYING;
    case ISA_CLASS_WARP:
        return fl->width == 1 ? uniform_any() : of_warp(fl, i, x);
    case ISA_CLASS_BLOCK:
        return uniform_any();
    default:
        return VARYING;
    }
}

static bool differs(const struct flow *fl, struct shape x, struct shape y) {
    return x.kind != y.kind || x.guard != y.guard || x.of_bits != y.of_bits || x.tz != y.tz ||
           x.lo != y.lo || x.hi != y.hi ||
           (x.kind == SHAPE_OFFSETS && !same_offs(fl, x.offs, y.offs));
}

// Joins the new answer with the old one, so that a shape never moves back.
static struct shape widen(const struct flow *fl, struct shape old, struct shape now,
                          unsigned bits) {
    if (old.kind == SHAPE_UNKNOWN || now.kind == SHAPE_VARYING)
        return now;
    if (now.kind == SHAPE_UNKNOWN)
        return old;
    if (old.kind == SHAPE_VARYING || old.kind != now.kind ||
        (old.kind == SHAPE_OFFSETS && !same_offs(fl, old.offs, now.offs)))
        return VARYING;
    if (now.lo < old.lo || now.hi > old.hi) {
        now.lo = INT64_MIN, now.hi = INT64_MAX;
        clamp_range(&now, bits);
    } else {
        now.lo = old.lo, now.hi = old.hi;
    }
    now.guard |= old.guard;
    now.of_bits |= old.of_bits;
    now.tz = now.tz < old.tz ? now.tz : old.tz;
    return now;
}

bool shape_pass(struct flow *fl) {
    bool changed = false;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        for (struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            for (uint32_t r = 0; r < i->nres; r++) {
                struct shape *s = &fl->shape[i->res[r]->id];
                struct shape now =
                    widen(fl, *s, transfer(fl, i, r), kir_type_bits(i->res[r]->type));
                if (fl->width == 1 && now.kind == SHAPE_VARYING)
                    now = uniform_any(); // one lane: phis are not blended, nothing may diverge
                if (differs(fl, *s, now)) {
                    *s = now;
                    changed = true;
                }
            }
        }
    }
    return changed;
}

bool shape_settle(struct flow *fl) {
    bool changed = false;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (struct kir_inst *i = fl->cfg->order[p]->first; i && i->op == ISA_OP_PHI; i = i->next)
            if (fl->shape[i->res[0]->id].kind == SHAPE_UNKNOWN) {
                fl->shape[i->res[0]->id] = uniform_any();
                changed = true;
            }
    return changed;
}

static int64_t *pattern(struct flow *fl, int64_t div, int64_t mod) {
    int64_t *offs = new_offs(fl);
    for (unsigned k = 0; k < fl->width; k++) {
        offs[k] = div ? k / div : k;
        if (mod)
            offs[k] %= mod;
    }
    return offs;
}

static void tid_known(struct flow *fl) {
    int64_t w = fl->width, bx = fl->spec.ntid[0], by = fl->spec.ntid[1], bz = fl->spec.ntid[2];
    struct tid_form *x = &fl->tid[0], *y = &fl->tid[1], *z = &fl->tid[2];
    uint8_t log_w = (uint8_t)trailing_zeros((uint64_t)w);
    *x = *y = *z = (struct tid_form){.varying = true};
    int64_t last = bx % w ? bx - 1 : bx - w; // a row's last group begins there
    if (by == 1 && bz == 1)
        *x = (struct tid_form){.offs = fl->iota, .tz = log_w, .max = last};
    else if (bx % w == 0)
        *x = (struct tid_form){.mod = bx, .offs = fl->iota, .tz = log_w, .max = last};
    else if (w % bx == 0)
        *x = (struct tid_form){.zero = true, .offs = pattern(fl, 0, bx)};
    if (by == 1)
        *y = (struct tid_form){.zero = true};
    else if (bx % w == 0)
        *y = (struct tid_form){.div = bx, .mod = bz == 1 ? 0 : by, .max = by - 1};
    else if (w % bx == 0 && (bz == 1 || (bx * by) % w == 0))
        *y = (struct tid_form){.div = bx,
                               .mod = bz == 1 ? 0 : by,
                               .offs = pattern(fl, bx, 0),
                               .tz = (uint8_t)trailing_zeros((uint64_t)(w / bx)),
                               .max = by - 1};
    else if (w % (bx * by) == 0)
        *y = (struct tid_form){.zero = true, .offs = pattern(fl, bx, by)};
    if (bz == 1)
        *z = (struct tid_form){.zero = true};
    else if ((bx * by) % w == 0)
        *z = (struct tid_form){.div = bx * by, .max = bz - 1};
    else if (w % (bx * by) == 0)
        *z = (struct tid_form){.div = bx * by,
                               .offs = pattern(fl, bx * by, 0),
                               .tz = (uint8_t)trailing_zeros((uint64_t)(w / (bx * by))),
                               .max = bz - 1};
}

static void tid_unknown(struct flow *fl) {
    uint8_t log_w = (uint8_t)trailing_zeros(fl->width);
    bool one_d = fl->spec.flags & KD_SPEC_1D;
    bool rows = one_d || (fl->spec.flags & KD_SPEC_X_MULTIPLE_OF_32) || fl->width == 1;
    for (int d = 0; d < 3; d++)
        fl->tid[d] = (struct tid_form){.varying = true};
    if (!rows)
        return;
    fl->tid[0] =
        (struct tid_form){.mod = one_d ? 0 : -1, .offs = fl->iota, .tz = log_w, .max = 1023};
    fl->tid[1] = one_d ? (struct tid_form){.zero = true}
                       : (struct tid_form){.div = -1, .mod = -1, .max = 1023};
    fl->tid[2] = one_d ? (struct tid_form){.zero = true} : (struct tid_form){.div = -1, .max = 63};
}

void shape_init(struct flow *fl) {
    fl->iota = pattern(fl, 0, 0);
    if (fl->spec.ntid[0])
        tid_known(fl);
    else
        tid_unknown(fl);
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        for (struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            for (uint32_t k = 0; k < i->nops; k++) {
                const struct kir_value *v = i->ops[k];
                unsigned bits = kir_type_bits(v->type);
                if (v->kind == KIR_VALUE_CONST) {
                    int64_t c = sign_extend(v->bits.u64[0], bits < 64 ? bits : 64);
                    fl->shape[v->id] = uniform(c, c, trailing_zeros(v->bits.u64[0]));
                } else if (v->kind == KIR_VALUE_UNDEF) {
                    fl->shape[v->id] = uniform_any();
                }
            }
        }
    }
}
