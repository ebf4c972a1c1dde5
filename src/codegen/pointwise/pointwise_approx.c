// The approximate instructions: src/isa/approx.c operation by operation.
#include "codegen/pointwise/pointwise_internal.h"
#include "isa/approx.h"
#include "isa/ops/floats.h"

static val k(const struct em *e, float x) {
    return k_flt(e, 32, x);
}

// x < lo ? lo : x, then > hi: a NaN passes.
static val clamp(const struct em *e, val x, float lo, float hi) {
    x = v_sel(e, v_fcmp(e, LLVMRealOLT, x, k(e, lo)), k(e, lo), x);
    return v_sel(e, v_fcmp(e, LLVMRealOGT, x, k(e, hi)), k(e, hi), x);
}

// p = fma(x, p, c) for each further coefficient: c[0] is the highest.
static val horner(const struct em *e, val x, const float *c, unsigned n) {
    val p = v_fma(e, x, k(e, c[0]), k(e, c[1]));
    for (unsigned j = 2; j < n; j++)
        p = v_fma(e, x, p, k(e, c[j]));
    return p;
}

static val approx_rsqrt_of(const struct em *e, val x) {
    return v_fdiv(e, k(e, 1), v_sqrt(e, x));
}

// Sine of x + quadrant * pi/2.
static val sine(const struct em *e, val x, unsigned quadrant) {
    val t = v_fma(e, x, k(e, APPROX_TWO_OVER_PI), k(e, APPROX_ROUND));
    val q = v_addi(e, v_bits(e, t), quadrant);
    val n = v_fsub(e, t, k(e, APPROX_ROUND));
    val r = v_fma(e, n, k(e, -APPROX_PIO2_HI), x);
    r = v_fma(e, n, k(e, -APPROX_PIO2_LO), r);
    r = clamp(e, r, -APPROX_REDUCED_MAX, APPROX_REDUCED_MAX);
    val z = v_fmul(e, r, r);
    val s = horner(e, z, (const float[]){APPROX_SIN3, APPROX_SIN2, APPROX_SIN1, 1}, 4);
    s = v_fmul(e, r, s);
    val c = horner(e, z, (const float[]){APPROX_COS3, APPROX_COS2, APPROX_COS1, 1}, 4);
    val y = v_sel(e, v_icmpi(e, LLVMIntNE, v_andi(e, q, 1), 0), c, s);
    return v_float(e, v_xor(e, v_bits(e, y), v_shli(e, v_andi(e, q, 2), 30)));
}

static val exponential(const struct em *e, val x) {
    static const float c[] = {
        APPROX_EX2_6, APPROX_EX2_5, APPROX_EX2_4, APPROX_EX2_3, APPROX_EX2_2, APPROX_EX2_1, 1};
    x = clamp(e, x, APPROX_EX2_MIN, APPROX_EX2_MAX);
    val t = v_fadd(e, x, k(e, APPROX_ROUND));
    val whole = v_fsub(e, t, k(e, APPROX_ROUND));
    val p = horner(e, v_fsub(e, x, whole), c, 7);
    if (has_embedded(e))
        return times_power(e, p, whole);
    val n = v_sub(e, v_bits(e, t), v_bits(e, k(e, APPROX_ROUND)));
    val half = v_ashri(e, n, 1), rest = v_sub(e, n, half);
    val r = v_fmul(e, p, v_float(e, v_shli(e, v_addi(e, half, 127), 23)));
    return v_fmul(e, r, v_float(e, v_shli(e, v_addi(e, rest, 127), 23)));
}

static val logarithm(const struct em *e, val x) {
    static const float c[] = {APPROX_LG2_9, APPROX_LG2_8, APPROX_LG2_7, APPROX_LG2_6, APPROX_LG2_5,
                              APPROX_LG2_4, APPROX_LG2_3, APPROX_LG2_2, APPROX_LG2_1};
    val small = v_fcmp(e, LLVMRealOLT, x, k(e, 0x1p-126f));
    val v = v_bits(e, v_sel(e, small, v_fmul(e, x, k(e, 0x1p+23f)), x));
    val n = v_ashri(e, v_sub(e, v, k_int(e, 32, APPROX_SQRT_HALF_BITS)), 23);
    val f = v_fsub(e, v_float(e, v_sub(e, v, v_shli(e, n, 23))), k(e, 1));
    val p = horner(e, f, c, 9);
    n = v_sub(e, n, v_sel(e, small, k_int(e, 32, 23), k_int(e, 32, 0)));
    val r = v_fma(e, f, p, v_sitofp(e, n, 32)), inf = k(e, __builtin_inff());
    r = v_sel(e, v_fcmp(e, LLVMRealOEQ, x, inf), x, r);
    r = v_sel(e, v_fcmp(e, LLVMRealOEQ, x, k(e, 0)), k(e, -__builtin_inff()), r);
    val nan = v_float(e, k_int(e, 32, 0x7fffffff));
    return v_sel(e, v_fcmp(e, LLVMRealOGE, x, k(e, 0)), r, nan);
}

static val hyperbolic_tangent(const struct em *e, val x) {
    val c = clamp(e, x, -APPROX_TANH_MAX, APPROX_TANH_MAX);
    val z = v_fmul(e, c, c);
    val n = v_fma(e, z, v_fadd(e, z, k(e, 378)), k(e, 17325));
    n = v_fmul(e, c, v_fma(e, z, n, k(e, 135135)));
    val d = horner(e, z, (const float[]){28, 3150, 62370, 135135}, 4);
    return clamp(e, v_fdiv(e, n, d), -1, 1);
}

static val approximation(const struct em *e, val x) {
    switch (e->i->op) {
    case ISA_OP_RSQRT:
        return approx_rsqrt_of(e, x);
    case ISA_OP_SIN:
        return sine(e, x, 0);
    case ISA_OP_COS:
        return sine(e, x, 1);
    case ISA_OP_LG2:
        return logarithm(e, x);
    case ISA_OP_EX2:
        return exponential(e, x);
    default:
        return hyperbolic_tangent(e, x);
    }
}

static val high_word(const struct em *e, val d) {
    return v_float(e, v_andi(e, v_bits(e, d), 0xffffffff00000000));
}

static val flush64(const struct em *e, val d) {
    val bits = v_bits(e, d);
    val tiny = v_icmpi(e, LLVMIntEQ, v_andi(e, bits, UINT64_C(0x7ff) << 52), 0);
    return v_float(e, v_sel(e, tiny, v_andi(e, bits, UINT64_C(1) << 63), bits));
}

static val root64(const struct em *e, val a) {
    return rnd_arith(e, ISA_OP_SQRT, (const val[3]){a}, ISA_RND_RN);
}

// The f64 forms: from the high word alone, to the high word alone, flushed; but rsqrt without .ftz
// is two correctly rounded operations, and keeps a NaN's payload.
static bool approx64(const struct em *e) {
    val a = op_flt(e, 0, 64), one = k_flt(e, 64, 1), r;
    if (e->i->op == ISA_OP_RSQRT && !e->i->mods.ftz) {
        res_flt(e, 0, v_fdiv(e, one, root64(e, a)));
        return true;
    }
    val x = flush64(e, high_word(e, a));
    if (e->i->op == ISA_OP_RSQRT)
        r = v_fdiv(e, one, root64(e, x));
    else if (e->i->op == ISA_OP_RCP)
        r = flush64(e, v_fdiv(e, one, x));
    else
        return pw_unknown(e, "this type");
    val nan = v_float(e, k_int(e, 64, 0x7fffffff00000000));
    res_flt(e, 0, v_sel(e, v_is_nan(e, r), nan, high_word(e, r)));
    return true;
}

// bf16 and f16 go through f32; .ftz flushes its operand and result.
bool pw_approx(const struct em *e) {
    enum isa_type t = e->i->ty;
    if (t == ISA_F64)
        return approx64(e);
    if (t == ISA_F32) {
        val x = approximation(e, op_number(e, 0, t));
        res_flt(e, 0, e->i->mods.ftz ? v_flush(e, x) : x);
        return true;
    }
    if (t != ISA_F16 && t != ISA_BF16)
        return pw_unknown(e, "this type");
    val x = op_int(e, 0, 16, false);
    x = t == ISA_F16 ? v_half_to_float(e, x) : v_bfloat_to_float(e, x);
    x = approximation(e, e->i->mods.ftz ? v_flush(e, x) : x);
    if (e->i->mods.ftz)
        x = v_flush(e, x);
    res_int(e, 0,
            t == ISA_F16 ? v_float_to_half(e, x, ISA_RND_RN) : v_float_to_bfloat(e, x, ISA_RND_RN),
            false);
    return true;
}
