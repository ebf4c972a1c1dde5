// cvt and cvt.pack.
#include "codegen/pointwise/pointwise_internal.h"

// Integers are clamped by selects in these forms: maxps and minps give their second operand on
// NaN, and the backend knows the integer ones.
static val at_least(const struct em *e, val a, val lo) {
    return v_sel(e, v_fcmp(e, LLVMRealOGT, a, lo), a, lo);
}

static val at_most(const struct em *e, val a, val hi) {
    return v_sel(e, v_fcmp(e, LLVMRealOLT, a, hi), a, hi);
}

// ---- Integer to integer -------------------------------------------------------------------------

static val saturate_int(const struct em *e, val a, bool from_signed, unsigned bits,
                        bool to_signed) {
    unsigned w = v_width(a);
    uint64_t max = UINT64_MAX >> (64 - bits + to_signed);
    if (w > bits || (w == bits && to_signed && !from_signed))
        a = from_signed ? v_call2(e, "llvm.smin", a, k_int(e, w, max))
                        : v_call2(e, "llvm.umin", a, k_int(e, w, max));
    else if (w == bits && from_signed && !to_signed)
        return v_call2(e, "llvm.smax", a, k_int(e, w, 0));
    if (from_signed && !to_signed)
        a = v_call2(e, "llvm.smax", a, k_int(e, w, 0));
    else if (from_signed && w > bits)
        a = v_call2(e, "llvm.smax", a, k_int(e, w, ~max));
    return a;
}

static bool int_to_int(const struct em *e, enum isa_type to, enum isa_type from) {
    unsigned bits = isa_type_bits(to);
    bool s = isa_type_is_signed(from);
    val a = op_typed(e, 0, from);
    if (e->i->mods.sat)
        a = saturate_int(e, a, s, bits, isa_type_is_signed(to));
    res_typed(e, 0, v_resize(e, a, bits, s), to);
    return true;
}

// The operand as float or double. Here .ftz concerns f32 alone.
static val source(const struct em *e, enum isa_type from) {
    if (from == ISA_F16)
        return v_half_to_float(e, op_int(e, 0, 16, false));
    if (from == ISA_BF16)
        return v_bfloat_to_float(e, op_int(e, 0, 16, false));
    return op_number(e, 0, from);
}

// ---- Float to integer ---------------------------------------------------------------------------

// Rounded to an integral float; .rzi is what the conversion does by itself.
static val integral(const struct em *e, val x, bool converts) {
    switch (e->i->mods.rnd) {
    case ISA_RND_RNI:
        return v_call1(e, "llvm.roundeven", x);
    case ISA_RND_RMI:
        return v_call1(e, "llvm.floor", x);
    case ISA_RND_RPI:
        return v_call1(e, "llvm.ceil", x);
    case ISA_RND_RZI:
        return converts ? x : v_call1(e, "llvm.trunc", x);
    default:
        return x;
    }
}

static double power(unsigned n) {
    return n == 64 ? 0x1p64 : (double)(UINT64_C(1) << n);
}

static val nan_to(const struct em *e, val x, uint64_t nan, val y) {
    return v_sel(e, v_is_nan(e, x), k_int(e, v_width(y), nan), y);
}

// Both bounds are exact in x's format. The clamp makes the lower bound of a NaN.
static val to_int_bounded(const struct em *e, val x, unsigned bits, bool s, uint64_t nan) {
    unsigned w = v_width(x);
    double lo = s ? -power(bits - 1) : 0, hi = power(bits - s) - 1;
    val y = at_most(e, at_least(e, x, k_flt(e, w, lo)), k_flt(e, w, hi));
    y = !s && bits == 32 ? v_fptoui(e, y, 32) : v_fptosi(e, y, 32);
    return nan == (s ? UINT64_C(1) << (bits - 1) : 0) ? y : nan_to(e, x, nan, y);
}

// The upper bound, 2^n - 1, is not: it is put in afterwards. What the conversion makes of numbers
// that are too large is not used.
static val to_int_unbounded(const struct em *e, val x, unsigned bits, bool s, uint64_t nan) {
    unsigned w = v_width(x);
    uint64_t max = UINT64_MAX >> (64 - bits + s);
    val y = at_least(e, x, k_flt(e, w, s ? -power(bits - 1) : 0));
    y = s ? v_fptosi(e, y, bits) : v_fptoui(e, y, bits);
    y = v_sel(e, v_fcmp(e, LLVMRealOGE, x, k_flt(e, w, power(bits - s))), k_int(e, bits, max), y);
    // The lower bound is what the clamp has made of a NaN.
    uint64_t low = s ? UINT64_C(1) << (bits - 1) : 0;
    return nan == low ? y : nan_to(e, x, nan, y);
}

static bool float_to_int(const struct em *e, enum isa_type to, enum isa_type from) {
    unsigned bits = isa_type_bits(to);
    bool s = isa_type_is_signed(to);
    val x = integral(e, source(e, from), true), y;
    uint64_t nan = from == ISA_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
    if (bits == 64) {
        x = v_width(x) == 64 ? x : v_fext(e, x);
        y = to_int_unbounded(e, x, 64, s, nan);
    } else if (bits == 32 && v_width(x) == 32) {
        y = to_int_unbounded(e, x, 32, s, nan);
    } else {
        y = to_int_bounded(e, x, bits, s, nan);
    }
    res_typed(e, 0, v_resize(e, y, bits, s), to);
    return true;
}

// ---- Integer to float ---------------------------------------------------------------------------

// A 64-bit integer to float or double by another mode than nearest: the magnitude is cut to what
// the format holds, converted exactly, and moved up by one unit where the mode says so.
static val long_to_float(const struct em *e, val a, bool s, unsigned bits, unsigned mode) {
    val no = LLVMConstNull(LLVMInt1TypeInContext(e->p->ctx));
    val sign = s ? v_ashri(e, a, 63) : k_int(e, 64, 0), mag = v_sub(e, v_xor(e, a, sign), sign);
    val excess = v_call2(e, "llvm.usub.sat", k_int(e, 64, bits == 32 ? 40 : 11),
                         v_call2(e, "llvm.ctlz", mag, no));
    val cut = v_shl(e, v_lshr(e, mag, excess), excess);
    val inexact = v_icmp(e, LLVMIntNE, cut, mag), f = v_bits(e, v_uitofp(e, cut, bits));
    val up = v_resize(e, inexact, bits, false), negative = v_resize(e, sign, bits, true);
    if (mode == RND_ODD)
        f = v_or(e, f, up);
    else if (mode == ISA_RND_RP)
        f = v_add(e, f, v_and(e, up, v_not(e, negative)));
    else if (mode == ISA_RND_RM)
        f = v_add(e, f, v_and(e, up, negative));
    return v_float(e, v_or(e, f, v_shli(e, negative, bits - 1)));
}

static val int_to_number(const struct em *e, val a, bool s, unsigned bits, unsigned mode) {
    unsigned w = v_width(a);
    if (w < 32)
        a = v_resize(e, a, 32, s);
    bool exact = bits == 64 ? w <= 32 : w <= 16;
    if (exact || rnd_is_nearest(mode))
        return s || w < 32 ? v_sitofp(e, a, bits) : v_uitofp(e, a, bits);
    if (w == 64)
        return long_to_float(e, a, s, bits, mode);
    return rnd_narrow(e, s ? v_sitofp(e, a, 64) : v_uitofp(e, a, 64), mode);
}

static bool int_to_float(const struct em *e, enum isa_type to, enum isa_type from) {
    const struct isa_mods *m = &e->i->mods;
    bool s = isa_type_is_signed(from);
    val a = op_typed(e, 0, from);
    // To f16 by way of f32: an integer that f32 rounds is far beyond f16's range.
    unsigned bits = to == ISA_F64 ? 64 : 32;
    unsigned mode = to == ISA_F16 ? ISA_RND_RN : to == ISA_BF16 ? RND_ODD : m->rnd;
    val f = int_to_number(e, a, s, bits, mode);
    if (m->sat)
        f = v_saturate(e, f);
    if (to == ISA_F16)
        res_int(e, 0, v_float_to_half(e, f, m->rnd), false);
    else if (to == ISA_BF16)
        res_int(e, 0, v_float_to_bfloat(e, f, m->rnd), false);
    else
        res_flt(e, 0, f);
    return true;
}

// ---- Float to float -----------------------------------------------------------------------------

static val saturate_if(const struct em *e, val x) {
    return e->i->mods.sat ? v_saturate(e, x) : x;
}

static val quiet(const struct em *e, val d) {
    unsigned w = v_width(d);
    val bits = v_bits(e, d), made = v_or(e, bits, k_int(e, w, UINT64_C(1) << (w == 64 ? 51 : 22)));
    return v_sel(e, v_is_nan(e, d), v_float(e, made), d);
}

// .ftz looks at the number as it is rounded where exponents have no bound: 2^24 times larger.
static val narrow(const struct em *e, val d) {
    val r = rnd_narrow(e, d, e->i->mods.rnd);
    if (!e->i->mods.ftz)
        return r;
    val scaled = rnd_narrow(e, v_fmul(e, d, k_flt(e, 64, 0x1p24)), e->i->mods.rnd);
    val tiny = v_fcmp(e, LLVMRealOLT, v_fabs(e, scaled), k_flt(e, 32, 0x1p-102));
    val bits = v_bits(e, r);
    return v_float(e, v_sel(e, tiny, v_andi(e, bits, 0x80000000), bits));
}

// 16-bit result h: .satfinite makes infinity the largest number, .relu makes negative ones zero.
static val finish_half(const struct em *e, val h, unsigned inf) {
    if (e->i->mods.satfinite) {
        val infinite = v_icmpi(e, LLVMIntEQ, v_andi(e, h, 0x7fff), inf);
        h = v_sel(e, infinite, v_sub(e, h, k_int(e, 16, 1)), h);
    }
    return e->i->mods.relu ? v_call2(e, "llvm.smax", h, k_int(e, 16, 0)) : h;
}

// The sign and the upper payload bits of a double that is a NaN, quiet.
static val half_nan(const struct em *e, enum isa_type to, val bits) {
    unsigned mantissa = to == ISA_F16 ? 10 : 7;
    uint64_t payload = (UINT64_C(1) << mantissa) - 1, quiet = to == ISA_F16 ? 0x7e00 : 0x7fc0;
    val h = v_andi(e, v_lshri(e, bits, 52 - mantissa), payload);
    h = v_or(e, h, v_andi(e, v_lshri(e, bits, 48), 0x8000));
    return v_trunc(e, v_or(e, h, k_int(e, 64, quiet)), 16);
}

val v_to_half(const struct em *e, enum isa_type to, val x) {
    unsigned mode = e->i->mods.rnd;
    if (mode >= ISA_RND_RNI) // already integral: exact
        mode = ISA_RND_RN;
    x = saturate_if(e, x);
    val f = v_width(x) == 64 ? rnd_narrow(e, x, RND_ODD) : x;
    val h = to == ISA_F16 ? v_float_to_half(e, f, mode) : v_float_to_bfloat(e, f, mode);
    if (v_width(x) == 64)
        h = v_sel(e, v_is_nan(e, x), half_nan(e, to, v_bits(e, x)), h);
    return finish_half(e, h, to == ISA_F16 ? 0x7c00 : 0x7f80);
}

// .rna keeps a NaN's upper bits, less one unit with .satfinite.
static val tf32_nan(const struct em *e, val bits) {
    if (e->i->mods.rnd != ISA_RND_RNA)
        return k_int(e, 32, 0x7fffe000);
    bits = v_andi(e, bits, 0xffffe000);
    return e->i->mods.satfinite ? v_addi(e, bits, -UINT64_C(0x2000)) : bits;
}

// f32 with ten bits of mantissa, the others zero.
static bool to_tf32(const struct em *e, val x) {
    const struct isa_mods *m = &e->i->mods;
    val bits = v_bits(e, x), r = bits;
    if (m->rnd == ISA_RND_RNA)
        r = v_addi(e, bits, 0x1000);
    else if (m->rnd != ISA_RND_RZ)
        r = v_add(e, v_addi(e, bits, 0xfff), v_andi(e, v_lshri(e, bits, 13), 1));
    r = v_andi(e, r, 0xffffe000);
    if (m->satfinite) {
        val infinite = v_icmpi(e, LLVMIntEQ, v_andi(e, r, 0x7fffffff), 0x7f800000);
        r = v_sel(e, infinite, v_addi(e, r, -UINT64_C(0x2000)), r);
    }
    if (m->relu)
        r = v_call2(e, "llvm.smax", r, k_int(e, 32, 0));
    res_int(e, 0, v_sel(e, v_is_nan(e, x), tf32_nan(e, bits), r), false);
    return true;
}

// Conversions that move bits: of a format to itself, and of bf16 to f32, of which it is a half.
static bool is_move(const struct kir_inst *i) {
    if (i->mods.sat || i->mods.ftz || i->mods.rnd >= ISA_RND_RNI)
        return false;
    return (i->ty == i->ty2 && (i->ty == ISA_F32 || i->ty == ISA_F64)) ||
           (i->ty == ISA_F32 && i->ty2 == ISA_BF16);
}

bool pw_keeps_nan(const struct kir_inst *i) {
    return i->op == ISA_OP_CVT && i->ty == ISA_F32 && (i->ty2 == ISA_F64 || is_move(i));
}

// f64 from another format. .ftz makes the NaN of f32 arithmetic of any.
static val widened(const struct em *e, val x) {
    val d = saturate_if(e, v_width(x) == 64 ? quiet(e, x) : v_fext(e, x));
    if (!e->i->mods.ftz || e->i->mods.sat || e->i->ty2 != ISA_F32)
        return d;
    return v_sel(e, v_is_nan(e, x), v_float(e, k_int(e, 64, 0x7fffffffe0000000)), d);
}

static bool float_to_float(const struct em *e, enum isa_type to, enum isa_type from) {
    if (is_move(e->i)) {
        val a = op_int(e, 0, isa_type_bits(from), false);
        res_int(e, 0, from == ISA_BF16 ? v_shli(e, v_zext(e, a, 32), 16) : a, false);
        return true;
    }
    // Subnormal f32 operands of conversions to f16 are never flushed.
    bool as_is = from == ISA_F32 && to == ISA_F16;
    val x = integral(e, as_is ? op_flt(e, 0, 32) : source(e, from), false);
    if (to == ISA_TF32 && from == ISA_F32)
        return to_tf32(e, x);
    if (to == ISA_F16 || to == ISA_BF16)
        res_int(e, 0, v_to_half(e, to, x), false);
    else if (to == ISA_F64)
        res_flt(e, 0, widened(e, x));
    else if (to != ISA_F32)
        return pw_unknown(e, "this type");
    else if (v_width(x) == 64)
        // Of what was widened before LLVM takes the number that it was, a signalling NaN, too.
        res_int(e, 0, saturate_if(e, quiet(e, narrow(e, x))), false);
    else
        res_flt(e, 0, saturate_if(e, e->i->mods.ftz ? v_flush(e, x) : x));
    return true;
}

bool pw_cvt(const struct em *e) {
    enum isa_type to = e->i->ty, from = e->i->ty2;
    if (isa_type_is_float(to))
        return isa_type_is_float(from) ? float_to_float(e, to, from) : int_to_float(e, to, from);
    return isa_type_is_float(from) ? float_to_int(e, to, from) : int_to_int(e, to, from);
}

// cvt.pack.sat: a and b side by side, b below; the 8-bit form shifts c in above them.
bool pw_cvt_pack(const struct em *e) {
    unsigned small = e->i->mods.mask; // less than a byte: bits, and 128 when signed
    unsigned bits = small ? small & 127 : isa_type_bits(e->i->ty);
    bool s = small ? small & 128 : isa_type_is_signed(e->i->ty);
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    val a = saturate_int(e, op_int(e, 0, 32, true), true, bits, s);
    val b = saturate_int(e, op_int(e, 1, 32, true), true, bits, s);
    val r = v_or(e, v_shli(e, v_andi(e, a, mask), bits), v_andi(e, b, mask));
    if (e->i->nops > 2)
        r = v_or(e, r, v_shli(e, op_int(e, 2, 32, false), 2 * bits));
    res_int(e, 0, r, false);
    return true;
}
