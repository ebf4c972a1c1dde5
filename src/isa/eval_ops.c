#include "isa/eval_ops.h"

#include <string.h>

#include "isa/bitops.h"

static const struct isa_mods plain;

uint64_t eval_approx(float (*approx)(float), enum fp_format f, uint64_t a,
                     const struct isa_mods *m) {
    uint32_t u = (uint32_t)fp_convert(FP_F32, f, a, &plain);
    if (m->ftz)
        u = (uint32_t)fp_flush(FP_F32, u);
    float x;
    memcpy(&x, &u, sizeof x);
    x = approx(x);
    memcpy(&u, &x, sizeof u);
    if (m->ftz)
        u = (uint32_t)fp_flush(FP_F32, u);
    return fp_is_nan(FP_F32, u) ? fp_nan(f) : fp_convert(f, FP_F32, u, &plain);
}

static const uint64_t HIGH_WORD = 0xffffffff00000000;

// The machine looks at the high word alone, also of a NaN, and makes NaNs of one kind.
static uint64_t high_word_of(uint64_t r) {
    return fp_is_nan(FP_F64, r) ? 0x7fffffff00000000 : r & HIGH_WORD;
}

uint64_t eval_rcp_approx_f64(uint64_t a, const struct isa_mods *m) {
    return high_word_of(fp_rcp(FP_F64, a & HIGH_WORD, m));
}

uint64_t eval_rsqrt_approx_f64(uint64_t a) {
    uint64_t x = fp_flush(FP_F64, a & HIGH_WORD);
    return high_word_of(fp_rcp(FP_F64, fp_sqrt(FP_F64, x, &plain), &plain));
}

bool eval_bool(bool r, uint64_t c, const struct isa_mods *m) {
    bool other = c & 1;
    switch (m->boolop) {
    case ISA_BOOL_AND:
        return r && other;
    case ISA_BOOL_OR:
        return r || other;
    case ISA_BOOL_XOR:
        return r != other;
    default:
        return r;
    }
}

uint64_t eval_set(bool value, enum isa_type ty) {
    if (!value)
        return 0;
    return isa_type_is_float(ty) ? fp_one(fp_format_of(ty)) : ~0ull;
}

void eval_setp_x2(enum isa_type ty, const struct isa_mods *m, const union isa_bits *src,
                  union isa_bits *dst, bool combine) {
    for (unsigned i = 0; i < 2; i++) {
        bool r = fp_compare(fp_format_of(ty), src[0].u16[i], src[1].u16[i], m);
        dst[i].u64[0] = combine ? eval_bool(r, src[2].u64[0], m) : r;
    }
}

void eval_set_mask_x2(enum isa_type ty, const struct isa_mods *m, const union isa_bits *src,
                      union isa_bits *dst, bool combine) {
    union isa_bits half[2] = {0};
    eval_setp_x2(ty, m, src, half, combine);
    dst[0] = (union isa_bits){
        .u64 = {(half[0].u64[0] ? 0xffff : 0) | (half[1].u64[0] ? 0xffff0000u : 0)}};
}

bool eval_not_negative_f32(uint64_t c, const struct isa_mods *m) {
    struct isa_mods ge = {.cmp = ISA_CMP_GE, .ftz = m->ftz};
    return fp_compare(FP_F32, c, 0, &ge);
}

void eval_lop3_bool(const struct isa_mods *m, const union isa_bits *src, union isa_bits *dst) {
    uint32_t d = (uint32_t)bit_lop3(src[0].u32[0], src[1].u32[0], src[2].u32[0], src[3].u32[0]);
    dst[0].u64[0] = d;
    dst[1].u64[0] = eval_bool(d != 0, src[4].u64[0], m);
}

// How far numbers of a format lie apart in a register.
static unsigned packed_bits(enum fp_format f) {
    return f == FP_E2M1 ? 4 : f == FP_F16 || f == FP_BF16 ? 16 : 8;
}

uint64_t eval_cvt_pair(enum fp_format f, const union isa_bits *src, const struct isa_mods *m) {
    unsigned bits = packed_bits(f);
    uint64_t high = fp_convert(f, FP_F32, src[0].u32[0], m);
    uint64_t low = fp_convert(f, FP_F32, src[1].u32[0], m);
    return high << bits | low;
}

uint64_t eval_cvt_halves_to_small(enum fp_format to, enum fp_format from, const union isa_bits *src,
                                  const struct isa_mods *m) {
    return fp_convert(to, from, src[0].u16[1], m) << packed_bits(to) |
           fp_convert(to, from, src[0].u16[0], m);
}

uint64_t eval_cvt_small_to_halves(enum fp_format f, const union isa_bits *src,
                                  const struct isa_mods *m) {
    uint64_t low = src[0].u16[0] & bit_low_mask(packed_bits(f));
    uint64_t high = src[0].u16[0] >> packed_bits(f) & bit_low_mask(packed_bits(f));
    return fp_convert(FP_F16, f, high, m) << 16 | fp_convert(FP_F16, f, low, m);
}

// The exponent of |x| as ue8m0, up to the next one where m->rnd says so and x is no power of two.
static uint64_t power_of(uint32_t x, const struct isa_mods *m) {
    uint32_t size = x & 0x7fffffff, limit = m->satfinite ? 0xfe : 0xff;
    if (size > 0x7f800000)
        return 0xff;
    uint32_t fraction = size & 0x7fffff, power = size >> 23;
    bool above = power ? fraction != 0 : fraction > 0x400000; // 2^-127 is subnormal
    power += m->rnd == ISA_RND_RP && above;
    return power < limit ? power : limit;
}

uint64_t eval_cvt_to_powers(const union isa_bits *src, const struct isa_mods *m) {
    return power_of(src[0].u32[0], m) << 8 | power_of(src[1].u32[0], m);
}

uint64_t eval_cvt_halves_to_powers(const union isa_bits *src, const struct isa_mods *m) {
    return power_of((uint32_t)src[0].u16[1] << 16, m) << 8 |
           power_of((uint32_t)src[0].u16[0] << 16, m);
}

static uint64_t bfloat_of_power(unsigned power) {
    return power == 0xff ? 0x7fff : power == 0 ? 0x40 : power << 7;
}

uint64_t eval_cvt_powers(const union isa_bits *src) {
    return bfloat_of_power(src[0].u8[1]) << 16 | bfloat_of_power(src[0].u8[0]);
}

// Number `k` of ue8m0x2 as an f32: every one is exact.
static float power_as_float(const union isa_bits *scales, unsigned k) {
    unsigned power = scales->u8[k];
    uint32_t u = power == 0xff ? 0x7fffffff : power == 0 ? 0x400000 : power << 23;
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

// Quotients by powers of two are exact in double precision. (Products of at most seven digits are
// in single precision, or too large for bf16.)
static uint64_t to_fixed(uint64_t x, enum fp_format f, double scale, const struct isa_mods *m) {
    double number;
    x = fp_convert(FP_F64, f, x, &plain);
    memcpy(&number, &x, sizeof number);
    number = number / scale * 64;
    memcpy(&x, &number, sizeof x);
    if (fp_is_nan(FP_F64, x)) // as the formats that have no NaN: the largest number
        return 127;
    if (m->relu && number < 0)
        return 0;
    return fp_to_int(FP_F64, x, 8, true, &(struct isa_mods){.rnd = ISA_RND_RNI}) & 0xff;
}

uint64_t eval_cvt_to_fixed(enum isa_type from, const union isa_bits *src,
                           const struct isa_mods *m) {
    bool floats = from == ISA_F32;
    const union isa_bits *scales = &src[floats ? 2 : 1];
    uint64_t d = 0;
    for (unsigned k = 0; k < 2; k++) { // k = 0: the lower number
        uint64_t x = floats ? src[1 - k].u32[0] : src[0].u16[k];
        double scale = m->scale ? (double)power_as_float(scales, k) : 1;
        d |= to_fixed(x, floats ? FP_F32 : FP_BF16, scale, m) << 8 * k;
    }
    return d;
}

uint64_t eval_cvt_scaled(enum isa_type from, const union isa_bits *src, const struct isa_mods *m) {
    uint64_t d = 0;
    for (unsigned k = 0; k < 2; k++) {
        float number;
        uint32_t u;
        if (from == ISA_S2F6X2) {
            number = (float)(int8_t)src[0].u8[k] / 64;
        } else {
            enum fp_format f = fp_format_of(from);
            unsigned bits = packed_bits(f);
            uint64_t x = src[0].u16[0] >> k * bits & bit_low_mask(bits);
            u = (uint32_t)fp_convert(FP_F32, f, x, &plain);
            memcpy(&number, &u, sizeof number);
        }
        if (m->scale)
            number *= power_as_float(&src[1], k);
        memcpy(&u, &number, sizeof u);
        d |= fp_convert(FP_BF16, FP_F32, u, m) << 16 * k;
    }
    return d;
}

uint64_t eval_cvt_random(enum isa_type ty, const union isa_bits *src, const struct isa_mods *m) {
    enum fp_format f = fp_format_of(ty);
    unsigned apart = packed_bits(f), n = m->vec ? 4 : 2, bits = f == FP_F16 ? 13 : 16;
    uint32_t random = src[n].u32[0];
    uint64_t d = 0;
    if (f == FP_E2M1) // its upper bytes are for the first two numbers
        random = (random & 0xff0000ff) | (random >> 8 & 0xff00) | (random & 0xff00) << 8;
    for (unsigned k = 0; k < n; k++) {
        uint32_t half = k < n / 2 ? random >> 16 : random & 0xffff;
        if (n == 4 && k % 2 == 0) // two numbers share 16 bits, the first has them in reverse order
            half = (uint32_t)bit_reverse(half, 16);
        d = d << apart | fp_convert_random(f, src[k].u32[0], half, bits, m);
    }
    return d;
}

void eval_cvt_pack(enum isa_type ty, const union isa_bits *src, union isa_bits *dst,
                   bool shift_in_c) {
    unsigned n = isa_type_bits(ty);
    bool is_signed = isa_type_is_signed(ty);
    uint64_t mask = bit_low_mask(n);
    uint64_t a = bit_saturate((uint64_t)(int64_t)src[0].s32, true, n, is_signed) & mask;
    uint64_t b = bit_saturate((uint64_t)(int64_t)src[1].s32, true, n, is_signed) & mask;
    uint64_t c = shift_in_c ? (uint64_t)src[2].u32[0] << (2 * n) : 0;
    dst[0].u64[0] = (c | a << n | b) & 0xffffffff;
}

void eval_cvt_pack_bits(unsigned format, const union isa_bits *src, union isa_bits *dst) {
    unsigned n = format & 127;
    bool is_signed = format & 128;
    uint64_t a = bit_saturate((uint64_t)(int64_t)src[0].s32, true, n, is_signed);
    uint64_t b = bit_saturate((uint64_t)(int64_t)src[1].s32, true, n, is_signed),
             mask = bit_low_mask(n);
    uint64_t d = (uint64_t)src[2].u32[0] << (2 * n) | (a & mask) << n | (b & mask);
    dst[0] = (union isa_bits){.u64 = {(uint32_t)d}};
}

static void store_bits(union isa_bits *dst, const void *from, unsigned bytes) {
    *dst = (union isa_bits){0};
    memcpy(dst, from, bytes);
}

void eval_mov(enum isa_type ty, const union isa_bits *src, union isa_bits *dst) {
    if (ty == ISA_PRED)
        *dst = (union isa_bits){.u64 = {src[0].u64[0] & 1}};
    else
        store_bits(dst, src, isa_type_bits(ty) / 8);
}

void eval_pack(enum isa_type ty, unsigned n, const union isa_bits *src, union isa_bits *dst) {
    unsigned bytes = isa_type_bits(ty) / 8 / (n ? n : 1);
    union isa_bits r = {0};
    for (unsigned i = 0; i < n; i++)
        memcpy(&r.u8[i * bytes], &src[i], bytes);
    *dst = r;
}

void eval_unpack(enum isa_type ty, unsigned n, const union isa_bits *src, union isa_bits *dst) {
    unsigned bytes = isa_type_bits(ty) / 8 / (n ? n : 1);
    for (unsigned i = 0; i < n; i++)
        store_bits(&dst[i], &src[0].u8[i * bytes], bytes);
}
