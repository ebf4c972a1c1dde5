// Integer division and remainder. No instruction here can fault. Scalars, 64-bit numbers: the
// divisor that the machine sees is never zero, and never -1 with the most negative dividend.
// Vectors: division in floating point, exact after truncation, or corrected until it is; by a
// divisor that all lanes have, a product with its inverse, which is computed once. Lanes with a
// zero divisor hold anything until their result is put in at the end.
#include "codegen/pointwise/pointwise_internal.h"
#include "isa/ops/arith.h"

struct division {
    val q, r;
};

// The divisor with every lane that would trap made 1: n/1 is the wrapped INT_MIN / -1, with
// remainder 0; lanes with a zero divisor are replaced afterwards.
static val safe_divisor(const struct em *e, val n, val d, bool is_signed) {
    unsigned w = v_width(n);
    val bad = v_icmpi(e, LLVMIntEQ, d, 0);
    if (is_signed) {
        val min = v_icmpi(e, LLVMIntEQ, n, UINT64_C(1) << (w - 1));
        bad = v_or(e, bad, v_and(e, min, v_icmpi(e, LLVMIntEQ, d, UINT64_MAX)));
    }
    return v_sel(e, bad, k_int(e, w, 1), d);
}

// Vectors of 16-bit numbers. With |n|, |d| < 2^16 both are exact floats. If n/d is no integer, it
// lies at least 1/d from the next one, and rounding to 24 bits moves it by at most
// n/d * 2^-24 < 2^-8 / d: truncation gives the right integer. (If it is one, it is exact.)
static val quotient16(const struct em *e, val n, val d, bool s) {
    n = v_resize(e, n, 32, s);
    d = v_resize(e, d, 32, s);
    // Widened, even unsigned numbers are non-negative: the signed conversions serve both.
    val q = v_fdiv(e, v_sitofp(e, n, 32), v_sitofp(e, d, 32));
    return v_trunc(e, v_fptosi(e, q, 32), 16);
}

// Unsigned 32-bit numbers as doubles, and back: a double in [0, 2^32) that is an integer.
static val u32_to_double(const struct em *e, val a) {
    return v_uitofp(e, a, 64);
}

// Adding 2^52 puts the integer into the low mantissa bits; AVX2 and SSE have no instruction for
// the unsigned conversion.
static val double_to_u32(const struct em *e, val d) {
    if (!e->p->target->unsigned_doubles) {
        val t = v_fadd(e, v_call1(e, "llvm.trunc", d), k_flt(e, 64, 0x1p52));
        return v_trunc(e, v_bits(e, t), 32);
    }
    return v_fptoui(e, d, 32);
}

// What all lanes of operand k have, w bits of it; NULL: they may differ.
static val same_in_all_lanes(const struct em *e, unsigned k, unsigned w) {
    val v = e->src[k];
    if (!LLVMIsAShuffleVectorInst(v) || v_width(v) < w)
        return NULL;
    for (unsigned l = 0; l < LLVMGetNumMaskElements(v); l++)
        if (LLVMGetMaskValue(v, l))
            return NULL;
    val from = LLVMGetOperand(v, 0);
    if (!LLVMIsAInsertElementInst(from) || !LLVMIsAConstantInt(LLVMGetOperand(from, 2)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(from, 2)))
        return NULL;
    val x = LLVMGetOperand(from, 1);
    LLVMTypeRef t = LLVMIntTypeInContext(e->p->ctx, w);
    if (LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMIntegerTypeKind)
        return NULL;
    return LLVMTypeOf(x) == t ? x : LLVMBuildTrunc(e->b, x, t, "");
}

// 1 / d in every lane. `all`: d, where all lanes have it: then it is one division, outside of
// whatever loop does not change d.
static val inverse(const struct em *e, val d, val all, bool s) {
    if (!all)
        return v_fdiv(e, k_flt(e, 64, 1), s ? v_sitofp(e, d, 64) : v_uitofp(e, d, 64));
    struct em one = *e;
    one.lanes = 0;
    val r = v_fdiv(&one, k_flt(&one, 64, 1), s ? v_sitofp(&one, all, 64) : v_uitofp(&one, all, 64));
    val v = LLVMBuildInsertElement(e->b, LLVMGetPoison(v_flt(e, 64)), r,
                                   LLVMConstInt(LLVMInt32TypeInContext(e->p->ctx), 0, false), "");
    LLVMTypeRef mask = LLVMVectorType(LLVMInt32TypeInContext(e->p->ctx), e->lanes);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(v_flt(e, 64)), LLVMConstNull(mask), "");
}

// Vectors of 32-bit numbers by one divisor. (|n| + 1/2) / d lies at least 1/2d from any integer,
// and two roundings to 53 bits move it by at most 2^32 / d * 2^-52.
static val quotient32_by(const struct em *e, val n, val d, val all, bool s) {
    val x = s ? v_sitofp(e, n, 64) : u32_to_double(e, n), half = k_flt(e, 64, 0.5);
    if (s)
        half = v_call2(e, "llvm.copysign", half, x);
    val q = v_fmul(e, v_fadd(e, x, half), inverse(e, d, all, s));
    return s ? v_fptosi(e, q, 32) : double_to_u32(e, q);
}

// Vectors of 32-bit numbers. All are exact doubles; if n/d is no integer, it lies at least 1/d
// from the next one, and rounding to 53 bits moves it by at most n/d * 2^-53 < 2^-21 / d.
static val quotient32(const struct em *e, val n, val d, bool s) {
    val all = same_in_all_lanes(e, 1, 32), q;
    if (!s && !all)
        return double_to_u32(e, v_fdiv(e, u32_to_double(e, n), u32_to_double(e, d)));
    if (all)
        q = quotient32_by(e, n, d, all, s);
    else
        q = v_fptosi(e, v_fdiv(e, v_sitofp(e, n, 64), v_sitofp(e, d, 64)), 32);
    if (!s)
        return q;
    // The most negative number by -1 is outside the conversion's range.
    return v_sel(e, v_icmpi(e, LLVMIntEQ, d, UINT64_MAX), v_neg(e, n), q);
}

// Vectors of unsigned 64-bit numbers, where the machine converts them to double and back. The
// inverse is made too small by 2^-50 of it, more than all roundings together, so that quotients are
// never too large and what remains is never negative: after one round less than d + n * 2^-49
// remains, after the second less than 2 d.
static struct division divide64(const struct em *e, val n, val d, val inverse) {
    val small = v_fmul(e, inverse, k_flt(e, 64, 1 - 0x1p-50)), q = NULL, r = n;
    for (int round = 0; round < 2; round++) {
        val more = v_fptoui(e, v_fmul(e, v_uitofp(e, r, 64), small), 64);
        q = q ? v_add(e, q, more) : more;
        r = v_sub(e, r, v_mul(e, more, d));
    }
    val one_more = v_icmp(e, LLVMIntUGE, r, d);
    return (struct division){v_sel(e, one_more, v_addi(e, q, 1), q),
                             v_sel(e, one_more, v_sub(e, r, d), r)};
}

static val negated_if(const struct em *e, val negative, val x) {
    return v_sel(e, negative, v_neg(e, x), x);
}

static struct division divide64_signed(const struct em *e, val n, val d, val inverse) {
    val n_negative = v_icmpi(e, LLVMIntSLT, n, 0), d_negative = v_icmpi(e, LLVMIntSLT, d, 0);
    struct division v =
        divide64(e, negated_if(e, n_negative, n), negated_if(e, d_negative, d), inverse);
    return (struct division){negated_if(e, v_xor(e, n_negative, d_negative), v.q),
                             negated_if(e, n_negative, v.r)};
}

static struct division divide(const struct em *e, val n, val d, bool s, bool by_constant) {
    unsigned w = v_width(n);
    val q;
    if (!by_constant && e->lanes && w == 64 && e->p->target->mask_registers) {
        val r = inverse(e, d, same_in_all_lanes(e, 1, 64), s);
        return s ? divide64_signed(e, n, d, v_fabs(e, r)) : divide64(e, n, d, r);
    }
    if (by_constant) {
        q = s ? LLVMBuildSDiv(e->b, n, d, "") : LLVMBuildUDiv(e->b, n, d, "");
    } else if (!e->lanes || w == 64) {
        d = safe_divisor(e, n, d, s);
        q = s ? LLVMBuildSDiv(e->b, n, d, "") : LLVMBuildUDiv(e->b, n, d, "");
    } else {
        q = w == 16 ? quotient16(e, n, d, s) : quotient32(e, n, d, s);
    }
    return (struct division){q, v_sub(e, n, v_mul(e, q, d))};
}

// Division by a constant: LLVM has its own sequences for these.
static struct division divide_constant(const struct em *e, val n, uint64_t k, bool s) {
    unsigned w = v_width(n);
    uint64_t ones = UINT64_MAX >> (64 - w);
    k &= ones;
    if (s && k == ones)
        return (struct division){v_neg(e, n), k_int(e, w, 0)};
    return divide(e, n, k_int(e, w, k), s, true);
}

bool pw_div_rem(const struct em *e) {
    enum isa_type t = e->i->ty;
    unsigned w = isa_type_bits(t);
    bool s = isa_type_is_signed(t), rem = e->i->op == ISA_OP_REM;
    val n = op_typed(e, 0, t), d = op_typed(e, 1, t);
    uint64_t k;
    bool constant = op_const(e, 1, &k) && (k & (UINT64_MAX >> (64 - w)));
    struct division v = constant ? divide_constant(e, n, k, s) : divide(e, n, d, s, false);
    val r = rem ? v.r : v.q;
    if (!constant) // by zero: all ones, the remainder too
        r = v_sel(e, v_icmpi(e, LLVMIntEQ, d, 0), k_int(e, w, UINT64_MAX), r);
    res_typed(e, 0, r, t);
    return true;
}
