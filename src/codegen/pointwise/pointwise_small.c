// cvt of several numbers in one register: f16, bf16 and those of 8, 6 and 4 bits.
#include "codegen/pointwise/pointwise_internal.h"

// A floating-point format of less than 32 bits.
struct format {
    unsigned exp_bits, man_bits;
    unsigned largest, nan; // codes; the first is also that of what is too large
    unsigned apart;        // bits from one number in a register to the next
};

static bool format_of(enum isa_type t, struct format *f) {
    switch (t) {
    case ISA_F16X2:
        *f = (struct format){5, 10, 0x7bff, 0x7fff, 16};
        return true;
    case ISA_BF16X2:
        *f = (struct format){8, 7, 0x7f7f, 0x7fff, 16};
        return true;
    case ISA_E4M3X2:
    case ISA_E4M3X4:
        *f = (struct format){4, 3, 0x7e, 0x7f, 8};
        return true;
    case ISA_E5M2X2:
    case ISA_E5M2X4:
        *f = (struct format){5, 2, 0x7b, 0x7f, 8};
        return true;
    case ISA_E2M3X2:
    case ISA_E2M3X4:
        *f = (struct format){2, 3, 0x1f, 0x1f, 8};
        return true;
    case ISA_E3M2X2:
    case ISA_E3M2X4:
        *f = (struct format){3, 2, 0x1f, 0x1f, 8};
        return true;
    case ISA_E2M1X2:
    case ISA_E2M1X4:
        *f = (struct format){2, 1, 0x7, 0x7, 4};
        return true;
    default:
        return false;
    }
}

bool pw_is_packed_number(enum isa_type t) {
    struct format f;
    return t == ISA_UE8M0X2 || t == ISA_S2F6X2 || format_of(t, &f);
}

static bool is_half(enum isa_type t) {
    return t == ISA_F16X2 || t == ISA_BF16X2;
}

// .relu and NaN, of a number that has been rounded: in the low bits of 16.
static val finish(const struct em *e, const struct format *f, val x, val r) {
    uint64_t sign = UINT64_C(1) << (f->exp_bits + f->man_bits);
    if (e->i->mods.relu)
        r = v_sel(e, v_icmpi(e, LLVMIntUGE, r, sign), k_int(e, 16, 0), r);
    return v_sel(e, v_is_nan(e, x), k_int(e, 16, f->nan), r);
}

// To the nearest; too large numbers are the largest one.
static val to_small(const struct em *e, const struct format *f, val x) {
    return finish(e, f, x, v_float_to_small(e, x, f->exp_bits, f->man_bits, f->largest));
}

// By the low `bits` bits of random: they are added to as many of those that are cut off. Below the
// least normal number more are cut off.
static val to_random(const struct em *e, const struct format *f, val x, val random, unsigned bits) {
    unsigned cut = 23 - f->man_bits, bias = (1u << (f->exp_bits - 1)) - 1, lowest = 128 - bias;
    bool has_infinity = is_half(e->i->ty) && !e->i->mods.satfinite;
    uint64_t limit = f->largest + has_infinity;
    val all = v_bits(e, x), mag = v_andi(e, all, 0x7fffffff);
    random = v_andi(e, random, (UINT64_C(1) << bits) - 1);
    val r = v_add(e, mag, v_shli(e, random, cut - bits));
    r = v_lshri(e, v_addi(e, r, -((uint64_t)(127 - bias) << 23)), cut);
    if (bias < 127) {
        val digits = v_or(e, v_andi(e, mag, 0x7fffff), k_int(e, 32, 0x800000));
        val shift = v_sub(e, k_int(e, 32, cut - bits + lowest), v_lshri(e, mag, 23));
        shift = v_call2(e, "llvm.umin", shift, k_int(e, 32, 31));
        val low = v_lshri(e, v_add(e, v_lshr(e, digits, shift), random), bits);
        r = v_sel(e, v_icmpi(e, LLVMIntULT, mag, (uint64_t)lowest << 23), low, r);
        // From twice the range on even the shifted exponent is too large.
        val big = v_icmpi(e, LLVMIntUGE, mag, (uint64_t)(bias + 2 + 127) << 23);
        r = v_sel(e, big, k_int(e, 32, limit), r);
    }
    r = v_call2(e, "llvm.umin", r, k_int(e, 32, limit));
    val sign = v_shli(e, v_lshri(e, all, 31), f->exp_bits + f->man_bits);
    return finish(e, f, x, v_trunc(e, v_or(e, r, sign), 16));
}

// numbers[0] is the highest.
static bool store(const struct em *e, const val *numbers, unsigned n, unsigned apart) {
    val d = v_zext(e, numbers[0], 32);
    for (unsigned k = 1; k < n; k++)
        d = v_or(e, v_shli(e, d, apart), v_zext(e, numbers[k], 32));
    res_int(e, 0, d, false);
    return true;
}

static bool from_random(const struct em *e, enum isa_type to) {
    enum { MOST = 4 };
    struct format f;
    unsigned n = e->i->mods.vec ? 4 : 2, bits = to == ISA_F16X2 ? 13 : 16;
    val r[MOST], random = op_int(e, n, 32, false);
    if (!format_of(to, &f) || e->i->nops != n + 1)
        return pw_unknown(e, "this conversion");
    if (to == ISA_E2M1X4) {
        val third = v_shli(e, v_andi(e, random, 0xff00), 8);
        val second = v_andi(e, v_lshri(e, random, 8), 0xff00);
        random = v_or(e, v_andi(e, random, 0xff0000ff), v_or(e, second, third));
    }
    // The upper half for the upper numbers; of four each other one has its bits in reverse order.
    val halves[2] = {v_lshri(e, random, 16), v_andi(e, random, 0xffff)};
    for (unsigned k = 0; k < n; k++) {
        val half = halves[k / (n / 2)];
        if (n == MOST && k % 2 == 0)
            half = v_lshri(e, v_call1(e, "llvm.bitreverse", half), 16);
        r[k] = to_random(e, &f, op_flt(e, k, 32), half, bits);
    }
    return store(e, r, n, f.apart);
}

// One small number as f16. e5m2 is the upper half of an f16; the others are put into a float's
// place, which makes them smaller by a power of two.
static val small_to_half(const struct em *e, enum isa_type from, const struct format *f, val h) {
    unsigned digits = f->exp_bits + f->man_bits;
    val mag = v_andi(e, h, (UINT64_C(1) << digits) - 1), r;
    val sign = v_shli(e, v_andi(e, v_lshri(e, h, digits), 1), 15);
    if (from == ISA_E5M2X2) {
        r = v_shli(e, mag, 8);
        r = v_sel(e, v_icmpi(e, LLVMIntUGT, r, 0x7c00), k_int(e, 16, 0x7fff), v_or(e, r, sign));
    } else {
        double scale = f->exp_bits == 4 ? 0x1p120 : f->exp_bits == 3 ? 0x1p124 : 0x1p126;
        val x = v_float(e, v_shli(e, v_zext(e, mag, 32), 23 - f->man_bits));
        r = v_or(e, v_float_to_half(e, v_fmul(e, x, k_flt(e, 32, scale)), ISA_RND_RN), sign);
        if (f->nan != f->largest)
            r = v_sel(e, v_icmpi(e, LLVMIntEQ, mag, f->nan), k_int(e, 16, 0x7fff), r);
    }
    return e->i->mods.relu ? v_call2(e, "llvm.smax", r, k_int(e, 16, 0)) : r;
}

// The exponent of |x|: as ue8m0 in the low eight bits of 16.
static val to_power(const struct em *e, val x) {
    const struct isa_mods *m = &e->i->mods;
    val size = v_andi(e, v_bits(e, x), 0x7fffffff), power = v_lshri(e, size, 23);
    if (m->rnd == ISA_RND_RP) { // 2^-127 is subnormal
        val above = v_lshri(e, v_addi(e, size, 0x7fffff), 23);
        val low = v_resize(e, v_icmpi(e, LLVMIntUGT, size, 0x400000), 32, false);
        power = v_sel(e, v_icmpi(e, LLVMIntULT, size, 0x800000), low, above);
    }
    power = v_call2(e, "llvm.umin", power, k_int(e, 32, m->satfinite ? 0xfe : 0xff));
    return v_trunc(e, v_sel(e, v_is_nan(e, x), k_int(e, 32, 0xff), power), 16);
}

static val power_to_bfloat(const struct em *e, val power) {
    val r = v_shli(e, power, 7);
    r = v_sel(e, v_icmpi(e, LLVMIntEQ, power, 0), k_int(e, 16, 0x40), r);
    return v_sel(e, v_icmpi(e, LLVMIntEQ, power, 0xff), k_int(e, 16, 0x7fff), r);
}

static val power_to_float(const struct em *e, val power) {
    return v_bfloat_to_float(e, power_to_bfloat(e, power));
}

// In units of 1/64, to the nearest, as a signed byte in the low bits of 16; NaN is the largest.
static val to_fixed(const struct em *e, val x) {
    x = v_fmul(e, x, k_flt(e, 32, 64));
    val low = k_flt(e, 32, e->i->mods.relu ? 0 : -128), high = k_flt(e, 32, 127);
    val r = v_sel(e, v_fcmp(e, LLVMRealOLT, x, low), low, x);
    r = v_sel(e, v_fcmp(e, LLVMRealOLE, r, high), r, high);
    r = v_trunc(e, v_fptosi(e, v_call1(e, "llvm.roundeven", r), 32), 16);
    return v_andi(e, r, 0xff);
}

static val fixed_to_float(const struct em *e, val byte) {
    val number = v_sitofp(e, v_resize(e, v_trunc(e, byte, 8), 32, true), 32);
    return v_fmul(e, number, k_flt(e, 32, 1.0 / 64));
}

// Number `k` of a register, 0 the lower one.
static val part(const struct em *e, val a, unsigned k, unsigned apart) {
    val x = k ? v_lshri(e, a, apart) : a;
    return v_trunc(e, v_andi(e, x, (UINT64_C(1) << apart) - 1), 16);
}

static val half_as_float(const struct em *e, enum isa_type t, val h) {
    return t == ISA_F16X2 ? v_half_to_float(e, h) : v_bfloat_to_float(e, h);
}

// Small numbers as bf16 and both kinds to fixed point, also times a power of two each.
static bool cvt_scaled(const struct em *e, enum isa_type to, enum isa_type from,
                       const struct format *g) {
    bool fixed = to == ISA_S2F6X2, from_floats = from == ISA_F32;
    val r[2], a = from_floats ? NULL : op_int(e, 0, 32, false);
    for (unsigned k = 0; k < 2; k++) {
        val x = from_floats ? op_number(e, k, ISA_F32) : part(e, a, 1 - k, g->apart);
        if (from == ISA_S2F6X2)
            x = fixed_to_float(e, x);
        else if (is_half(from))
            x = half_as_float(e, from, x);
        else if (!from_floats)
            x = v_half_to_float(e, small_to_half(e, from, g, x));
        if (e->i->mods.scale) {
            val power = part(e, op_int(e, from_floats ? 2 : 1, 32, false), 1 - k, 8);
            power = power_to_float(e, power);
            x = fixed ? v_fdiv(e, x, power) : v_fmul(e, x, power);
        }
        r[k] = fixed ? to_fixed(e, x) : v_to_half(e, ISA_BF16, x);
    }
    return store(e, r, 2, fixed ? 8 : 16);
}

bool pw_cvt_packed(const struct em *e) {
    enum isa_type to = e->i->ty, from = e->i->ty2;
    struct format f = {.apart = 8}, g = {.apart = 8};
    if (e->i->mods.rnd == ISA_RND_RS)
        return from_random(e, to);
    bool from_floats = from == ISA_F32 && e->i->nops == 2, powers = to == ISA_UE8M0X2;
    bool small = from == ISA_S2F6X2 || from == ISA_UE8M0X2 || format_of(from, &g);
    if (to == ISA_S2F6X2 ? from == ISA_F32 || from == ISA_BF16X2
                         : to == ISA_BF16X2 && small && !is_half(from) && from != ISA_UE8M0X2)
        return cvt_scaled(e, to, from, &g);
    bool known = (powers || format_of(to, &f)) && (from_floats || small);
    if (!known || (!from_floats && is_half(from) == is_half(to)))
        return pw_unknown(e, "this conversion");
    val r[2], a = from_floats ? NULL : op_int(e, 0, 32, false);
    for (unsigned k = 0; k < 2; k++) {
        val x = from_floats ? op_number(e, k, ISA_F32) : part(e, a, 1 - k, g.apart);
        if (is_half(from))
            x = half_as_float(e, from, x);
        if (from == ISA_UE8M0X2)
            r[k] = power_to_bfloat(e, x);
        else if (!from_floats && !is_half(from))
            r[k] = small_to_half(e, from, &g, x);
        else if (powers)
            r[k] = to_power(e, x);
        else if (is_half(to))
            r[k] = v_to_half(e, to == ISA_F16X2 ? ISA_F16 : ISA_BF16, x);
        else
            r[k] = to_small(e, &f, x);
    }
    return store(e, r, 2, f.apart);
}
