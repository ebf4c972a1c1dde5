// Integer division and remainder. No instruction here can fault. Scalars, 64-bit numbers: the
// divisor that the machine sees is never zero, and never -1 with the most negative dividend.
// Vectors of 16 and 32 bits: division in floating point, exact after truncation; lanes with a zero
// divisor hold anything until their result is put in at the end.
#include "codegen/pointwise_internal.h"

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
    if (e->p->level == KD_LEVEL_X86_64_V2 || e->p->level == KD_LEVEL_X86_64_V3) {
        val t = v_fadd(e, v_call1(e, "llvm.trunc", d), k_flt(e, 64, 0x1p52));
        return v_trunc(e, v_bits(e, t), 32);
    }
    return v_fptoui(e, d, 32);
}

// Vectors of 32-bit numbers. All are exact doubles; if n/d is no integer, it lies at least 1/d
// from the next one, and rounding to 53 bits moves it by at most n/d * 2^-53 < 2^-21 / d.
static val quotient32(const struct em *e, val n, val d, bool s) {
    if (!s)
        return double_to_u32(e, v_fdiv(e, u32_to_double(e, n), u32_to_double(e, d)));
    val q = v_fptosi(e, v_fdiv(e, v_sitofp(e, n, 64), v_sitofp(e, d, 64)), 32);
    // The most negative number by -1 is outside the conversion's range.
    return v_sel(e, v_icmpi(e, LLVMIntEQ, d, UINT64_MAX), v_neg(e, n), q);
}

static struct division divide(const struct em *e, val n, val d, bool s, bool by_constant) {
    unsigned w = v_width(n);
    val q;
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
