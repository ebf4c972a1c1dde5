// Rounding modes without touching the machine's: an operation is rounded to nearest, compared
// with the exact result, and moved by one unit in the last place where the mode wants the other
// neighbour. Overflow and underflow come out right by themselves: infinity and zero are
// neighbours of the largest and the smallest number.
#include "codegen/pointwise/pointwise_internal.h"
#include "isa/ops/arith.h"
#include "isa/ops/floats.h"

bool rnd_is_nearest(unsigned mode) {
    return mode == ISA_RND_NONE || mode == ISA_RND_RN;
}

// The sign of x in every bit, and bit 0 set: 1 or -1.
static val unit_of_sign(const struct em *e, val bits) {
    unsigned w = v_width(bits);
    return v_or(e, v_ashri(e, bits, w - 1), k_int(e, w, 1));
}

// Magnitude one less where cond holds.
static val toward_zero(const struct em *e, val bits, val below, val above) {
    unsigned w = v_width(bits);
    val negative = v_icmpi(e, LLVMIntSLT, bits, 0);
    return v_sub(e, bits, v_zext(e, v_sel(e, negative, below, above), w));
}

val rnd_step(const struct em *e, val r, val below, val above, unsigned mode) {
    val bits = v_bits(e, r), out;
    unsigned w = v_width(bits);
    bool was_float = LLVMTypeOf(bits) != LLVMTypeOf(r);
    if (mode == ISA_RND_RM)
        out = v_sel(e, above, v_sub(e, bits, unit_of_sign(e, bits)), bits);
    else if (mode == ISA_RND_RP)
        out = v_sel(e, below, v_add(e, bits, unit_of_sign(e, bits)), bits);
    else if (mode == ISA_RND_RZ)
        out = toward_zero(e, bits, below, above);
    else if (mode == RND_ODD)
        out = v_or(e, toward_zero(e, bits, below, above), v_zext(e, v_or(e, below, above), w));
    else
        out = bits;
    return was_float ? v_float(e, out) : out;
}

// x - r has err's sign.
static val step_by_error(const struct em *e, val r, val err, unsigned mode) {
    val zero = k_flt(e, v_width(err), 0);
    return rnd_step(e, r, v_fcmp(e, LLVMRealOGT, err, zero), v_fcmp(e, LLVMRealOLT, err, zero),
                    mode);
}

static val step_to(const struct em *e, val r, val exact, unsigned mode) {
    val wide = v_fext(e, r);
    return rnd_step(e, r, v_fcmp(e, LLVMRealOLT, wide, exact), v_fcmp(e, LLVMRealOGT, wide, exact),
                    mode);
}

val rnd_narrow(const struct em *e, val d, unsigned mode) {
    val r = v_fcut(e, d);
    return rnd_is_nearest(mode) ? r : step_to(e, r, d, mode);
}

// a + b - s, for s = a + b rounded to nearest: exact, or NaN when an operand is no number, or
// infinite with the right sign when the sum overflows. (Dekker: the larger operand comes first.)
static val sum_error(const struct em *e, val a, val b, val s) {
    val swap = v_fcmp(e, LLVMRealOLT, v_fabs(e, a), v_fabs(e, b));
    val big = v_sel(e, swap, b, a), small = v_sel(e, swap, a, b);
    return v_fsub(e, small, v_fsub(e, s, big));
}

val rnd_sum_to_odd(const struct em *e, val a, val b) {
    val s = v_fadd(e, a, b);
    return step_by_error(e, s, sum_error(e, a, b, s), RND_ODD);
}

static val sign_of(const struct em *e, val bits) {
    unsigned w = v_width(bits);
    return v_andi(e, bits, UINT64_C(1) << (w - 1));
}

// A sum that is exactly zero is -0 in mode .rm, unless both numbers are +0.
static val zero_sum(const struct em *e, val r, val is_zero, val a_bits, val b_bits, unsigned mode) {
    if (mode != ISA_RND_RM)
        return r;
    val bits = v_bits(e, r);
    return v_float(e, v_sel(e, is_zero, v_or(e, bits, sign_of(e, v_or(e, a_bits, b_bits))), bits));
}

static val is_zero(const struct em *e, val a) {
    return v_fcmp(e, LLVMRealOEQ, a, k_flt(e, v_width(a), 0));
}

// The NaN that f64 arithmetic makes where no operand is one has its sign set on hardware and on
// x86, and not on Arm, which makes it also of infinity times zero plus a NaN.
static val arm_nan(const struct em *e, const val x[3], val r) {
    val numbers = v_fcmp(e, LLVMRealORD, x[0], x[1] ? x[1] : x[0]);
    val made = v_and(e, v_is_nan(e, r), numbers);
    r = v_sel(e, made, v_float(e, k_int(e, 64, UINT64_C(0xfff8) << 48)), r);
    if (!x[2])
        return r;
    val quiet = v_or(e, v_bits(e, x[2]), k_int(e, 64, UINT64_C(1) << 51));
    return v_sel(e, v_and(e, numbers, v_is_nan(e, x[2])), v_float(e, quiet), r);
}

static val machine(const struct em *e, isa_op op, const val x[3]) {
    switch (op) {
    case ISA_OP_ADD:
        return v_fadd(e, x[0], x[1]);
    case ISA_OP_SUB:
        return v_fsub(e, x[0], x[1]);
    case ISA_OP_MUL:
        return v_fmul(e, x[0], x[1]);
    case ISA_OP_DIV:
        return v_fdiv(e, x[0], x[1]);
    case ISA_OP_SQRT:
        return v_sqrt(e, x[0]);
    default:
        return v_fma(e, x[0], x[1], x[2]);
    }
}

static val native(const struct em *e, isa_op op, const val x[3]) {
    val r = machine(e, op, x);
    return e->p->target->family == MACHINE_ARM && v_width(r) == 64 ? arm_nan(e, x, r) : r;
}

// ---- f32: the exact result, or its error, in double -------------------------------------------

// n / d - r has the sign of (n - r d) / d. r d has 48 bits, and the difference fits in 53.
static val quotient_error(const struct em *e, val n, val d, val r) {
    val rest = v_fsub(e, v_fext(e, n), v_fmul(e, v_fext(e, r), v_fext(e, d)));
    val flip = sign_of(e, v_bits(e, v_fext(e, d)));
    return v_float(e, v_xor(e, v_bits(e, rest), flip));
}

static val root_error(const struct em *e, val a, val r) {
    val wide = v_fext(e, r);
    return v_fsub(e, v_fext(e, a), v_fmul(e, wide, wide));
}

static val sum32(const struct em *e, val a, val b, unsigned mode) {
    val exact = rnd_sum_to_odd(e, v_fext(e, a), v_fext(e, b)), r = rnd_narrow(e, exact, mode);
    return zero_sum(e, r, is_zero(e, exact), v_bits(e, a), v_bits(e, b), mode);
}

static val arith32(const struct em *e, isa_op op, const val x[3], unsigned mode) {
    val r;
    switch (op) {
    case ISA_OP_DIV:
        r = v_fdiv(e, x[0], x[1]);
        return step_by_error(e, r, quotient_error(e, x[0], x[1], r), mode);
    case ISA_OP_SQRT:
        r = v_sqrt(e, x[0]);
        return step_by_error(e, r, root_error(e, x[0], r), mode);
    case ISA_OP_MUL:
        return rnd_narrow(e, v_fmul(e, v_fext(e, x[0]), v_fext(e, x[1])), mode);
    case ISA_OP_ADD:
        return sum32(e, x[0], x[1], mode);
    case ISA_OP_SUB:
        return sum32(e, x[0], v_fneg(e, x[1]), mode);
    default: {
        val p = v_fmul(e, v_fext(e, x[0]), v_fext(e, x[1]));
        val exact = rnd_sum_to_odd(e, p, v_fext(e, x[2]));
        r = rnd_narrow(e, exact, mode);
        val p_sign = v_xor(e, v_bits(e, x[0]), v_bits(e, x[1]));
        return zero_sum(e, r, is_zero(e, exact), p_sign, v_bits(e, x[2]), mode);
    }
    }
}

// ---- f64: the error's sign, from numbers scaled so that nothing can over- or underflow ---------

struct scaled {
    val mantissa; // 1 <= |m| < 2, the number's sign
    val exponent; // i64
    val regular;  // i1: finite and not zero; else the others mean nothing
};

static val power_of_two(const struct em *e, val exponent) {
    return v_float(e, v_shli(e, v_addi(e, exponent, 1023), 52));
}

static struct scaled scale(const struct em *e, val x) {
    val tiny = v_fcmp(e, LLVMRealOLT, v_fabs(e, x), k_flt(e, 64, 0x1p-1022));
    val normal = v_bits(e, v_sel(e, tiny, v_fmul(e, x, k_flt(e, 64, 0x1p54)), x));
    val field = v_andi(e, v_lshri(e, normal, 52), 0x7ff);
    val bias = v_sel(e, tiny, k_int(e, 64, 1023 + 54), k_int(e, 64, 1023));
    val m = v_or(e, v_andi(e, normal, 0x800fffffffffffff), k_int(e, 64, UINT64_C(1023) << 52));
    val mag = v_andi(e, v_bits(e, x), INT64_MAX);
    val regular = v_icmpi(e, LLVMIntULT, v_addi(e, mag, -UINT64_C(1)), 0x7fefffffffffffff);
    return (struct scaled){v_float(e, m), v_sub(e, field, bias), regular};
}

static val clamp1000(const struct em *e, val n) {
    n = v_call2(e, "llvm.smin", n, k_int(e, 64, 1000));
    return v_call2(e, "llvm.smax", n, k_int(e, 64, (uint64_t)-1000));
}

// r * 2^-n, exact for an r near 2^n; in two steps, as n reaches twice the range of exponents. An n
// that is cut off goes with an r of zero or infinity.
static val scale_down(const struct em *e, val r, val n) {
    val half = v_ashri(e, n, 1), rest = v_sub(e, n, half);
    r = v_fmul(e, r, power_of_two(e, v_neg(e, clamp1000(e, half))));
    return v_fmul(e, r, power_of_two(e, v_neg(e, clamp1000(e, rest))));
}

static val product_error64(const struct em *e, val a, val b, val r) {
    struct scaled x = scale(e, a), y = scale(e, b);
    val down = scale_down(e, r, v_add(e, x.exponent, y.exponent));
    val err = v_fma(e, x.mantissa, y.mantissa, v_fneg(e, down));
    return v_sel(e, v_and(e, x.regular, y.regular), err, k_flt(e, 64, 0));
}

static val quotient_error64(const struct em *e, val a, val b, val r) {
    struct scaled x = scale(e, a), y = scale(e, b);
    val down = scale_down(e, r, v_sub(e, x.exponent, y.exponent));
    val rest = v_fma(e, v_fneg(e, down), y.mantissa, x.mantissa);
    val err = v_float(e, v_xor(e, v_bits(e, rest), sign_of(e, v_bits(e, b))));
    return v_sel(e, v_and(e, x.regular, y.regular), err, k_flt(e, 64, 0));
}

static val root_error64(const struct em *e, val a, val r) {
    struct scaled x = scale(e, a);
    val odd = v_andi(e, x.exponent, 1);
    val m = v_fmul(e, x.mantissa, power_of_two(e, odd)); // 1 <= m < 4, even exponent
    val half = v_ashri(e, x.exponent, 1);
    val down = v_fmul(e, r, power_of_two(e, v_neg(e, half)));
    val err = v_fma(e, v_fneg(e, down), down, m);
    return v_sel(e, x.regular, err, k_flt(e, 64, 0));
}

// One of the numbers of an expansion, grown by x: *x becomes the sum, the result the exact rest.
static val grow(const struct em *e, val part, val *x) {
    val s = v_fadd(e, *x, part), err = sum_error(e, *x, part, s);
    *x = s;
    return err;
}

// The sign of hi + lo + c - r, as a number: the parts of the exact sum do not overlap, the last
// that is not zero decides (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997).
static val sum_sign(const struct em *e, val hi, val lo, val c, val r) {
    val x = c;
    val p0 = grow(e, lo, &x), p1 = grow(e, hi, &x), p2 = x;
    x = v_fneg(e, r);
    val q0 = grow(e, p0, &x), q1 = grow(e, p1, &x), q2 = grow(e, p2, &x);
    val s = v_sel(e, is_zero(e, q1), q0, q1);
    s = v_sel(e, is_zero(e, q2), s, q2);
    return v_sel(e, is_zero(e, x), s, x);
}

// a b + c - r. Exponents are relative to a b, which lies in 1..4 there. A c more than 2^600 times
// as large leaves r = c, so that a b alone is the error; a c that small decides no more than its
// sign, for which 2^-600 serves.
static val fma_error64(const struct em *e, val a, val b, val c, val r) {
    struct scaled x = scale(e, a), y = scale(e, b), z = scale(e, c);
    val n = v_add(e, x.exponent, y.exponent), d = v_sub(e, z.exponent, n);
    val far = v_icmpi(e, LLVMIntSGT, d, 600);
    d = v_call2(e, "llvm.smin", v_call2(e, "llvm.smax", d, k_int(e, 64, (uint64_t)-600)),
                k_int(e, 64, 600));
    val zc = v_sel(e, is_zero(e, c), k_flt(e, 64, 0), v_fmul(e, z.mantissa, power_of_two(e, d)));
    val hi = v_fmul(e, x.mantissa, y.mantissa);
    val lo = v_fma(e, x.mantissa, y.mantissa, v_fneg(e, hi));
    val err = sum_sign(e, hi, lo, zc, scale_down(e, r, n));
    err = v_sel(e, far, hi, err);
    val ok = v_and(e, x.regular, y.regular);
    ok = v_and(e, ok, v_or(e, z.regular, is_zero(e, c)));
    return v_sel(e, ok, err, k_flt(e, 64, 0));
}

static val arith64(const struct em *e, isa_op op, const val x[3], unsigned mode) {
    val r = native(e, op, x), err, b;
    switch (op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        b = op == ISA_OP_SUB ? v_fneg(e, x[1]) : x[1];
        r = step_by_error(e, r, sum_error(e, x[0], b, r), mode);
        return zero_sum(e, r, is_zero(e, r), v_bits(e, x[0]), v_bits(e, b), mode);
    case ISA_OP_MUL:
        return step_by_error(e, r, product_error64(e, x[0], x[1], r), mode);
    case ISA_OP_DIV:
        return step_by_error(e, r, quotient_error64(e, x[0], x[1], r), mode);
    case ISA_OP_SQRT:
        return step_by_error(e, r, root_error64(e, x[0], r), mode);
    default:
        err = fma_error64(e, x[0], x[1], x[2], r);
        val zero = v_and(e, is_zero(e, r), is_zero(e, err));
        val p_sign = v_xor(e, v_bits(e, x[0]), v_bits(e, x[1]));
        r = step_by_error(e, r, err, mode);
        return zero_sum(e, r, zero, p_sign, v_bits(e, x[2]), mode);
    }
}

val rnd_arith(const struct em *e, isa_op op, const val x[3], unsigned mode) {
    if (rnd_is_nearest(mode))
        return native(e, op, x);
    if (mode != RND_ODD && has_embedded(e))
        return embedded_arith(e, op, x, mode);
    return v_width(x[0]) == 32 ? arith32(e, op, x, mode) : arith64(e, op, x, mode);
}

// f32 without the instruction: the product is an exact double; the sum, rounded to odd, can be
// rounded again. f64: LLVM calls fma of the C library for each lane.
val v_fma(const struct em *e, val a, val b, val c) {
    if (e->p->target->fused || v_width(a) != 32)
        return v_call3(e, "llvm.fma", a, b, c);
    val p = v_fmul(e, v_fext(e, a), v_fext(e, b));
    return v_fcut(e, rnd_sum_to_odd(e, p, v_fext(e, c)));
}
