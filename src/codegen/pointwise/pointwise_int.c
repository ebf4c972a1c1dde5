// Integer arithmetic: add, sub, mul, mad and their carries, 24-bit forms, min, max, abs, neg,
// sad and the dot products.
#include "codegen/pointwise/pointwise_internal.h"
#include "isa/ops/arith.h"
#include "isa/ops/bits.h"
#include "isa/ops/integer.h"

struct carried {
    val sum, carry; // carry: i1
};

// a + b + c for a carry c (NULL: none), and the carry out.
static struct carried add_carry(const struct em *e, val a, val b, val c) {
    val s = v_add(e, a, b), out = v_icmp(e, LLVMIntULT, s, a);
    if (!c)
        return (struct carried){s, out};
    val t = v_add(e, s, v_zext(e, c, v_width(a)));
    return (struct carried){t, v_or(e, out, v_icmp(e, LLVMIntULT, t, s))};
}

// a - b less the borrow that carry c tells of (clear: borrow; NULL: none), and the carry out.
static struct carried sub_carry(const struct em *e, val a, val b, val c) {
    val s = v_sub(e, a, b), none = v_icmp(e, LLVMIntUGE, a, b);
    if (!c)
        return (struct carried){s, none};
    val w = v_zext(e, v_not(e, c), v_width(a)), t = v_sub(e, s, w);
    return (struct carried){t, v_and(e, none, v_icmp(e, LLVMIntUGE, s, w))};
}

static bool carried_result(const struct em *e, struct carried r) {
    res_typed(e, 0, r.sum, e->i->ty);
    if (e->i->mods.cc)
        res_pred(e, e->i->nres - 1, r.carry);
    return true;
}

bool pw_add_sub(const struct em *e) {
    enum isa_type t = e->i->ty;
    bool sub = e->i->op == ISA_OP_SUB || e->i->op == ISA_OP_SUBC;
    bool with_carry = e->i->op == ISA_OP_ADDC || e->i->op == ISA_OP_SUBC;
    val a = op_typed(e, 0, t), b = op_typed(e, 1, t);
    if (e->i->mods.sat) {
        bool s = isa_type_is_signed(t);
        res_typed(e, 0,
                  v_call2(e,
                          sub ? (s ? "llvm.ssub.sat" : "llvm.usub.sat")
                              : (s ? "llvm.sadd.sat" : "llvm.uadd.sat"),
                          a, b),
                  t);
        return true;
    }
    val c = with_carry ? op_pred(e, 2) : NULL;
    return carried_result(e, sub ? sub_carry(e, a, b, c) : add_carry(e, a, b, c));
}

// The high half of the 128-bit product, from 32-bit pieces; vectors have no wider multiplication.
static val high64_pieces(const struct em *e, val a, val b) {
    val al = v_andi(e, a, 0xffffffff), ah = v_lshri(e, a, 32);
    val bl = v_andi(e, b, 0xffffffff), bh = v_lshri(e, b, 32);
    val mid = v_add(e, v_mul(e, ah, bl), v_lshri(e, v_mul(e, al, bl), 32));
    val mid2 = v_add(e, v_mul(e, al, bh), v_andi(e, mid, 0xffffffff));
    return v_add(e, v_add(e, v_mul(e, ah, bh), v_lshri(e, mid, 32)), v_lshri(e, mid2, 32));
}

static val high64(const struct em *e, val a, val b, bool is_signed) {
    val h = high64_pieces(e, a, b);
    if (!is_signed)
        return h;
    h = v_sub(e, h, v_and(e, v_ashri(e, a, 63), b));
    return v_sub(e, h, v_and(e, v_ashri(e, b, 63), a));
}

static val product_high(const struct em *e, val a, val b, bool is_signed) {
    unsigned w = v_width(a);
    if (w == 64 && e->lanes > 1)
        return high64(e, a, b, is_signed);
    val p = v_mul(e, v_resize(e, a, 2 * w, is_signed), v_resize(e, b, 2 * w, is_signed));
    return v_trunc(e, v_lshri(e, p, w), w);
}

// Operands 0 and 1 multiplied: low or high half, or the whole of twice the width.
static val product(const struct em *e) {
    enum isa_type t = e->i->ty;
    unsigned w = isa_type_bits(t);
    bool s = isa_type_is_signed(t);
    val a = op_typed(e, 0, t), b = op_typed(e, 1, t);
    if (e->i->mods.half == ISA_HI)
        return product_high(e, a, b, s);
    if (e->i->mods.half == ISA_WIDE)
        return v_mul(e, v_resize(e, a, 2 * w, s), v_resize(e, b, 2 * w, s));
    return v_mul(e, a, b);
}

// Bits 31..0 or 47..16 of the product of two 24-bit numbers.
static val product24(const struct em *e) {
    bool s = isa_type_is_signed(e->i->ty);
    val a = v_shli(e, op_int(e, 0, 32, s), 8), b = v_shli(e, op_int(e, 1, 32, s), 8);
    a = s ? v_ashri(e, a, 8) : v_lshri(e, a, 8);
    b = s ? v_ashri(e, b, 8) : v_lshri(e, b, 8);
    if (e->i->mods.half != ISA_HI)
        return v_mul(e, a, b);
    val p = v_mul(e, v_resize(e, a, 64, s), v_resize(e, b, 64, s));
    return v_trunc(e, v_lshri(e, p, 16), 32);
}

bool pw_mul_mad(const struct em *e) {
    isa_op op = e->i->op;
    bool s = isa_type_is_signed(e->i->ty);
    val p = op == ISA_OP_MUL24 || op == ISA_OP_MAD24 ? product24(e) : product(e);
    if (op == ISA_OP_MUL || op == ISA_OP_MUL24) {
        res_int(e, 0, p, s);
        return true;
    }
    val c = op_int(e, 2, v_width(p), s);
    if (e->i->mods.sat) {
        res_int(e, 0, v_call2(e, "llvm.sadd.sat", p, c), s);
        return true;
    }
    return carried_result(e, add_carry(e, p, c, op == ISA_OP_MADC ? op_pred(e, 3) : NULL));
}

bool pw_min_max(const struct em *e) {
    enum isa_type t = e->i->ty;
    bool s = isa_type_is_signed(t), max = e->i->op == ISA_OP_MAX;
    const char *name = max ? (s ? "llvm.smax" : "llvm.umax") : (s ? "llvm.smin" : "llvm.umin");
    val r = v_call2(e, name, op_typed(e, 0, t), op_typed(e, 1, t));
    if (e->i->mods.relu)
        r = v_call2(e, "llvm.smax", r, k_int(e, v_width(r), 0));
    res_typed(e, 0, r, t);
    return true;
}

static val absolute(const struct em *e, val a) {
    return v_call2(e, "llvm.abs", a, LLVMConstNull(LLVMInt1TypeInContext(e->p->ctx)));
}

bool pw_abs_neg(const struct em *e) {
    val a = op_typed(e, 0, e->i->ty);
    res_typed(e, 0, e->i->op == ISA_OP_ABS ? absolute(e, a) : v_neg(e, a), e->i->ty);
    return true;
}

bool pw_sad(const struct em *e) {
    enum isa_type t = e->i->ty;
    bool s = isa_type_is_signed(t);
    val a = op_typed(e, 0, t), b = op_typed(e, 1, t);
    val hi = v_call2(e, s ? "llvm.smax" : "llvm.umax", a, b);
    val lo = v_call2(e, s ? "llvm.smin" : "llvm.umin", a, b);
    res_typed(e, 0, v_add(e, op_typed(e, 2, t), v_sub(e, hi, lo)), t);
    return true;
}

// `bits` bits of a from bit `pos` on, as a 32-bit number.
static val piece(const struct em *e, val a, unsigned pos, unsigned bits, bool is_signed) {
    val top = pos + bits < 32 ? v_shli(e, a, 32 - pos - bits) : a;
    return is_signed         ? v_ashri(e, top, 32 - bits)
           : pos + bits < 32 ? v_andi(e, v_lshri(e, a, pos), (1u << bits) - 1)
                             : v_lshri(e, a, pos);
}

// Bytes 0 and 2, or 1 and 3, of each lane as a pair of 16-bit numbers.
static val byte_pairs(const struct em *e, val a, bool upper, bool is_signed) {
    unsigned lanes = 2 * e->lanes;
    const struct em halves = {.p = e->p, .b = e->b, .lanes = lanes};
    val h = v_divided(e, a, v_int(&halves, 16));
    if (!upper)
        h = v_shli(&halves, h, 8);
    h = is_signed ? v_ashri(&halves, h, 8) : v_lshri(&halves, h, 8);
    return v_divided(e, h, v_int(e, 32));
}

static val dot4(const struct em *e, val a, val b, bool as, bool bs) {
    val even = pair_products(e, byte_pairs(e, a, false, as), byte_pairs(e, b, false, bs));
    val odd = pair_products(e, byte_pairs(e, a, true, as), byte_pairs(e, b, true, bs));
    return v_add(e, even, odd);
}

// dp4a: four 8-bit products; dp2a: two 16-bit numbers of a with two bytes of b's chosen half.
bool pw_dot(const struct em *e) {
    bool four = e->i->op == ISA_OP_DP4A;
    bool as = isa_type_is_signed(e->i->ty), bs = isa_type_is_signed(e->i->ty2);
    unsigned n = four ? 4 : 2, abits = four ? 8 : 16;
    unsigned first = !four && e->i->mods.half == ISA_HI ? 16 : 0;
    val a = op_int(e, 0, 32, false), b = op_int(e, 1, 32, false), sum = op_int(e, 2, 32, false);
    if (four && has_pair_products(e)) {
        res_int(e, 0, v_add(e, sum, dot4(e, a, b, as, bs)), as || bs);
        return true;
    }
    for (unsigned k = 0; k < n; k++)
        sum = v_add(e, sum,
                    v_mul(e, piece(e, a, k * abits, abits, as), piece(e, b, first + k * 8, 8, bs)));
    res_int(e, 0, sum, as || bs);
    return true;
}
