// Arithmetic of f32 and f64; min, max, abs, neg, copysign of all floats.
#include <math.h>

#include "codegen/pointwise/pointwise_internal.h"
#include "isa/ops/arith.h"
#include "isa/ops/floats.h"
#include "isa/ops/warp.h"

static const uint64_t sign32 = 0x80000000;

static val has_zero_exponent(const struct em *e, val r) {
    return v_icmpi(e, LLVMIntEQ, v_andi(e, v_bits(e, r), 0x7f800000), 0);
}

// .ftz flushes what is below 2^-126 after rounding with unbounded exponents. Products, sums of them
// and quotients are computed once more 2^24 times larger, where the format rounds them so. Where
// an operand overflows by that, the result cannot be tiny. Sums below 2^-126 are exact.
static val is_tiny(const struct em *e, isa_op op, const val x[3], val r) {
    if (op != ISA_OP_MUL && op != ISA_OP_FMA && op != ISA_OP_DIV)
        return has_zero_exponent(e, r);
    val up = k_flt(e, 32, 0x1p24);
    val large[3] = {v_fmul(e, x[0], up), x[1], x[2] ? v_fmul(e, x[2], up) : NULL};
    val scaled = rnd_arith(e, op, large, e->i->mods.rnd);
    return v_fcmp(e, LLVMRealOLT, v_fabs(e, scaled), k_flt(e, 32, 0x1p-102));
}

static val flushed(const struct em *e, isa_op op, const val x[3], val r) {
    val bits = v_bits(e, r);
    return v_float(e, v_sel(e, is_tiny(e, op, x, r), v_andi(e, bits, sign32), bits));
}

// A divisor as div.approx takes it: beyond 2^126 it is infinite.
static val approx_divisor(const struct em *e, val b) {
    val infinite =
        v_float(e, v_or(e, v_andi(e, v_bits(e, b), sign32), v_bits(e, k_flt(e, 32, INFINITY))));
    val far = v_fcmp(e, LLVMRealOGT, v_fabs(e, b), k_flt(e, 32, 0x1p126));
    return v_sel(e, far, infinite, b);
}

// The operation as rnd_arith knows it, with its operands.
static isa_op operation(const struct em *e, val x[3]) {
    enum isa_type t = e->i->ty;
    x[0] = op_number(e, 0, t);
    x[1] = e->i->nops > 1 ? op_number(e, 1, t) : NULL;
    x[2] = e->i->nops > 2 ? op_number(e, 2, t) : NULL;
    switch (e->i->op) {
    case ISA_OP_MAD:
        return ISA_OP_FMA;
    case ISA_OP_RCP:
        x[1] = x[0];
        x[0] = k_flt(e, v_width(x[0]), 1);
        return ISA_OP_DIV;
    case ISA_OP_DIV:
        if (t == ISA_F32 && e->i->mods.approx && !e->i->mods.full)
            x[1] = approx_divisor(e, x[1]);
        return ISA_OP_DIV;
    default:
        return e->i->op;
    }
}

bool pw_float_arith(const struct em *e) {
    const struct isa_mods *m = &e->i->mods;
    if (e->i->ty != ISA_F32 && e->i->ty != ISA_F64)
        return pw_unknown(e, "this type");
    if (m->approx && e->i->ty == ISA_F64)
        return pw_approx(e);
    val x[3];
    isa_op op = operation(e, x);
    val r = rnd_arith(e, op, x, m->rnd);
    if (m->ftz && e->i->ty == ISA_F32)
        r = flushed(e, op, x, r);
    res_flt(e, 0, m->sat ? v_saturate(e, r) : r);
    return true;
}

// ---- min, max -----------------------------------------------------------------------------------

// A NaN operand gives the other one; -0 is below +0: of equal numbers the signs are combined.
static val lesser(const struct em *e, val a, val b, bool max) {
    val less = v_fcmp(e, max ? LLVMRealOGT : LLVMRealOLT, b, a); // minps: a on NaN or equality
    val r = v_sel(e, less, b, a), ab = v_bits(e, a), bb = v_bits(e, b);
    val both = v_float(e, max ? v_and(e, ab, bb) : v_or(e, ab, bb));
    r = v_sel(e, v_fcmp(e, LLVMRealOEQ, a, b), both, r);
    return v_sel(e, v_is_nan(e, a), b, r);
}

// Is a NaN in v quiet? What LLVM takes for arithmetic is not asked: it leaves out products by one.
static bool is_quiet(const struct kir_value *v, unsigned steps) {
    if (v->kind == KIR_VALUE_CONST)
        return (v->bits.u32[0] & 0x7fffffff) <= 0x7f800000;
    if (v->kind != KIR_VALUE_INST || !steps--)
        return false;
    const struct kir_inst *i = v->def;
    switch (i->op) {
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return i->ty == ISA_F32;
    case ISA_OP_SHFL:
        return is_quiet(i->ops[0], steps);
    case ISA_OP_PHI:
        for (uint32_t k = 0; k < i->nops; k++)
            if (i->ops[k] != v && !is_quiet(i->ops[k], steps))
                return false;
        return true;
    default:
        return false;
    }
}

static val quiet(const struct em *e, unsigned k, val x) {
    enum { DEPTH = 4 };
    return is_quiet(e->i->ops[k], DEPTH) ? x : quieted(e, x);
}

// Of f32, with a quiet NaN as the result where both are NaN.
static val lesser32(const struct em *e, val a, val b, bool max) {
    if (has_range(e))
        return range(e, quiet(e, 0, a), quiet(e, 1, b), max);
    val r = lesser(e, a, b, max);
    val nan = v_float(e, k_int(e, 32, 0x7fffffff));
    return has_embedded(e) ? v_sel(e, v_is_nan(e, r), nan, r) : r;
}

static val min_max(const struct em *e, val a, val b) {
    const struct isa_mods *m = &e->i->mods;
    unsigned w = v_width(a);
    if (m->xorsign_abs) {
        a = v_fabs(e, a);
        b = v_fabs(e, b);
    }
    bool max = e->i->op == ISA_OP_MAX;
    val r = e->i->ty == ISA_F32 ? lesser32(e, a, b, max) : lesser(e, a, b, max);
    if (m->nan) {
        val nan = v_fcmp(e, LLVMRealUNO, a, b);
        r = v_sel(e, nan, v_float(e, k_int(e, w, w == 32 ? 0x7fffffff : 0x7ff8000000000000)), r);
    }
    return r;
}

// The signs of both operands, exclusive or, put on r (which has none) unless it is NaN.
static val xor_signs(const struct em *e, val r, val nan, unsigned bits) {
    val s = v_xor(e, op_int(e, 0, bits, false), op_int(e, 1, bits, false));
    s = v_andi(e, s, UINT64_C(1) << (bits - 1));
    return v_sel(e, nan, r, v_or(e, r, s));
}

static bool min_max_half(const struct em *e) {
    enum isa_type t = e->i->ty;
    val r = min_max(e, op_number(e, 0, t), op_number(e, 1, t));
    // Every value is exact: any rounding serves.
    val h = t == ISA_F16 ? v_float_to_half(e, r, ISA_RND_RN) : v_float_to_bfloat(e, r, ISA_RND_RZ);
    if (e->i->mods.xorsign_abs)
        h = xor_signs(e, h, v_is_nan(e, r), 16);
    res_int(e, 0, h, false);
    return true;
}

// f64 keeps the payload of a NaN: of one operand's, when both are NaN; else the second's.
static val min_max64(const struct em *e, val a, val b) {
    val r = min_max(e, a, b), bad = v_is_nan(e, r);
    return v_sel(e, bad, v_float(e, v_or(e, v_bits(e, b), k_int(e, 64, UINT64_C(1) << 51))), r);
}

bool pw_float_min_max(const struct em *e) {
    enum isa_type t = e->i->ty;
    if (t == ISA_F16 || t == ISA_BF16)
        return min_max_half(e);
    if (t != ISA_F32 && t != ISA_F64)
        return pw_unknown(e, "this type");
    val a = op_number(e, 0, t), b = op_number(e, 1, t);
    val r = t == ISA_F64 ? min_max64(e, a, b) : min_max(e, a, b);
    if (e->i->mods.xorsign_abs)
        r = v_float(e, xor_signs(e, v_bits(e, r), v_is_nan(e, r), 32));
    res_flt(e, 0, r);
    return true;
}

// ---- Signs --------------------------------------------------------------------------------------

static val change_sign(const struct em *e, val bits) {
    uint64_t sign = UINT64_C(1) << (v_width(bits) - 1);
    return e->i->op == ISA_OP_ABS ? v_andi(e, bits, sign - 1)
                                  : v_xor(e, bits, k_int(e, v_width(bits), sign));
}

static val change_sign_half(const struct em *e, enum isa_type t) {
    val h = op_int(e, 0, 16, false), mag = v_andi(e, h, 0x7fff);
    val nan = v_icmpi(e, LLVMIntUGT, mag, t == ISA_F16 ? 0x7c00 : 0x7f80);
    if (e->i->mods.ftz) {
        val tiny = v_icmpi(e, LLVMIntULT, mag, t == ISA_F16 ? 0x0400 : 0x0080);
        h = v_sel(e, tiny, v_andi(e, h, 0x8000), h);
    }
    return v_sel(e, nan, k_int(e, 16, 0x7fff), change_sign(e, h));
}

static val change_sign_float(const struct em *e, val a) {
    return e->i->op == ISA_OP_ABS ? v_fabs(e, a) : v_fneg(e, a);
}

// A NaN keeps its sign, and becomes quiet.
static val change_sign64(const struct em *e, val a) {
    val quiet = v_or(e, v_bits(e, a), k_int(e, 64, UINT64_C(1) << 51));
    return v_sel(e, v_is_nan(e, a), v_float(e, quiet), change_sign_float(e, a));
}

bool pw_float_sign(const struct em *e) {
    enum isa_type t = e->i->ty;
    if (t == ISA_F16 || t == ISA_BF16)
        res_int(e, 0, change_sign_half(e, t), false);
    else if (t != ISA_F32 && t != ISA_F64)
        return pw_unknown(e, "this type");
    else if (t == ISA_F64)
        res_flt(e, 0, change_sign64(e, op_number(e, 0, t)));
    else
        res_flt(e, 0, change_sign_float(e, op_number(e, 0, t)));
    return true;
}

// The sign of a, the rest of b: bits, even of a NaN.
bool pw_copysign(const struct em *e) {
    unsigned w = isa_type_bits(e->i->ty);
    uint64_t sign = UINT64_C(1) << (w - 1);
    val s = v_andi(e, op_int(e, 0, w, false), sign),
        v = v_andi(e, op_int(e, 1, w, false), sign - 1);
    res_int(e, 0, v_or(e, s, v), false);
    return true;
}
