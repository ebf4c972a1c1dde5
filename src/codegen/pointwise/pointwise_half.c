// f16 and bf16: conversion to float and back, and arithmetic by way of float with one rounding.
#include "codegen/pointwise/pointwise_internal.h"
#include "isa/ops/floats.h"

// x86-64-v3 and up have vcvtph2ps and vcvtps2ph; v2 would call a library.
static bool has_f16c(const struct em *e) {
    return e->p->target->halves;
}

val v_float_to_small(const struct em *e, val f, unsigned exp_bits, unsigned man_bits,
                     unsigned limit) {
    unsigned cut = 23 - man_bits;
    int bias = (1 << (exp_bits - 1)) - 1;
    val bits = v_bits(e, f), mag = v_andi(e, bits, 0x7fffffff);
    // Normal numbers: rebias, add half a unit (less one if even), shift.
    val odd = v_andi(e, v_lshri(e, mag, cut), 1);
    val normal = v_addi(e, mag, ((uint64_t)(bias - 127) << 23) + (1u << (cut - 1)) - 1);
    normal = v_lshri(e, v_add(e, normal, odd), cut);
    // The others: adding a number whose last bit is the format's smallest step rounds to it.
    uint64_t magic = (uint64_t)(127 + 1 - bias + (int)cut) << 23;
    val sum = v_fadd(e, v_float(e, mag), v_float(e, k_int(e, 32, magic)));
    val subnormal = v_sub(e, v_bits(e, sum), k_int(e, 32, magic));
    val r = v_sel(e, v_icmpi(e, LLVMIntULT, mag, (uint64_t)(128 - bias) << 23), subnormal, normal);
    // From twice the range on even the shifted exponent is too large.
    val big = v_icmpi(e, LLVMIntUGE, mag, (uint64_t)(bias + 2 + 127) << 23);
    r = v_call2(e, "llvm.umin", r, k_int(e, 32, limit));
    r = v_sel(e, big, k_int(e, 32, limit), r);
    val sign = v_shli(e, v_lshri(e, bits, 31), exp_bits + man_bits);
    return v_trunc(e, v_or(e, r, sign), 16);
}

static val float_to_half_nearest(const struct em *e, val f) {
    if (!has_f16c(e))
        return v_float_to_small(e, f, 5, 10, 0x7c00);
    return LLVMBuildBitCast(e->b, LLVMBuildFPTrunc(e->b, f, v_flt(e, 16), ""), v_int(e, 16), "");
}

val v_float_to_half(const struct em *e, val f, unsigned mode) {
    val h = float_to_half_nearest(e, f);
    if (!rnd_is_nearest(mode)) {
        val back = v_half_to_float(e, h);
        h = rnd_step(e, h, v_fcmp(e, LLVMRealOLT, back, f), v_fcmp(e, LLVMRealOGT, back, f), mode);
    }
    return v_sel(e, v_is_nan(e, f), k_int(e, 16, 0x7fff), h);
}

// The magnitude cut to its upper half, and one more where the mode and what was cut off say so.
val v_float_to_bfloat(const struct em *e, val f, unsigned mode) {
    val bits = v_bits(e, f), up;
    if (rnd_is_nearest(mode)) {
        val odd = v_andi(e, v_lshri(e, bits, 16), 1);
        up = v_addi(e, odd, 0x7fff);
    } else if (mode == ISA_RND_RZ) {
        up = k_int(e, 32, 0);
    } else { // away from zero on one side
        val negative = v_ashri(e, bits, 31);
        up = v_andi(e, mode == ISA_RND_RM ? negative : v_not(e, negative), 0xffff);
    }
    val h = v_trunc(e, v_lshri(e, v_add(e, bits, up), 16), 16);
    return v_sel(e, v_is_nan(e, f), k_int(e, 16, 0x7fff), h);
}

// a op b (op c) of f16 as floats, so that rounding to f16 is the only rounding that matters: the
// float has 24 >= 2 * 11 + 2 bits, which makes a second rounding harmless for sums; products are
// exact; fma is rounded to odd.
static val half_result(const struct em *e, const val x[3]) {
    switch (e->i->op) {
    case ISA_OP_ADD:
        return v_fadd(e, x[0], x[1]);
    case ISA_OP_SUB:
        return v_fsub(e, x[0], x[1]);
    case ISA_OP_MUL:
        return v_fmul(e, x[0], x[1]);
    default:
        return rnd_sum_to_odd(e, v_fmul(e, x[0], x[1]), x[2]);
    }
}

// bf16: sums as above. Products have 16 bits: where float cannot hold them, above 2^128 or below
// 2^-135, rounding to bf16 has one outcome. fma needs double, as its product counts in full.
static val bfloat_result(const struct em *e, const val x[3]) {
    switch (e->i->op) {
    case ISA_OP_ADD:
        return v_fadd(e, x[0], x[1]);
    case ISA_OP_SUB:
        return v_fsub(e, x[0], x[1]);
    case ISA_OP_MUL:
        return v_fmul(e, x[0], x[1]);
    default: {
        val p = v_fmul(e, v_fext(e, x[0]), v_fext(e, x[1]));
        return rnd_narrow(e, rnd_sum_to_odd(e, p, v_fext(e, x[2])), RND_ODD);
    }
    }
}

// .ftz looks at the result rounded to eleven bits, whatever the exponent: from the middle between
// the last number below 2^-14 and 2^-14 on it is not tiny. Down there r is exact, or rounded to
// odd.
static val flush_half_result(const struct em *e, val r) {
    val tiny = v_fcmp(e, LLVMRealOLT, v_fabs(e, r), k_flt(e, 32, 0x1.ffep-15));
    val bits = v_bits(e, r);
    return v_float(e, v_sel(e, tiny, v_andi(e, bits, 0x80000000), bits));
}

// A factor that a tensor copy filled in for what lies outside its tensor.
static val is_outside(const struct em *e, unsigned operand) {
    return v_icmpi(e, LLVMIntEQ, v_andi(e, op_int(e, operand, 16, false), 0x7fff), 0x7ff7);
}

bool pw_half_arith(const struct em *e) {
    enum isa_type t = e->i->ty;
    isa_op op = e->i->op;
    val x[3] = {NULL};
    if (op != ISA_OP_ADD && op != ISA_OP_SUB && op != ISA_OP_MUL && op != ISA_OP_FMA)
        return pw_unknown(e, "this type");
    for (unsigned k = 0; k < e->i->nops; k++)
        x[k] = op_number(e, k, t);
    val r = t == ISA_F16 ? half_result(e, x) : bfloat_result(e, x);
    if (e->i->mods.ftz && t == ISA_F16)
        r = flush_half_result(e, r);
    if (e->i->mods.sat)
        r = v_saturate(e, r);
    val h = t == ISA_F16 ? v_float_to_half(e, r, ISA_RND_RN) : v_float_to_bfloat(e, r, ISA_RND_RN);
    if (e->i->mods.relu) // negative numbers, and -0, give 0; NaN stays
        h = v_call2(e, "llvm.smax", h, k_int(e, 16, 0));
    if (e->i->mods.oob)
        h = v_sel(e, v_or(e, is_outside(e, 0), is_outside(e, 1)), k_int(e, 16, 0), h);
    res_int(e, 0, h, false);
    return true;
}
