// Quad precision (IEEE binary128) on integers, for machines whose arithmetic ends at double.
//
// A quad is its bits. Arithmetic takes it apart into a significand with its leading one in bit 127,
// which leaves 15 bits below the format's 113, and puts it together with one rounding to nearest,
// ties to even. Subnormal numbers are kept. A NaN that an operation gives is always the same one.
#pragma once
#include "../device.h"

typedef unsigned __int128 u128;
typedef __int128 i128;
typedef u128 quad;

#define QUAD(hi, lo) ((quad)(hi) << 64 | (u64)(lo))
#define QUAD_SIGN ((quad)1 << 127)
#define QUAD_ABS (QUAD_SIGN - 1)
#define QUAD_INF QUAD(0x7fff000000000000, 0)
#define QUAD_NAN QUAD(0x7fff800000000000, 0)
#define QUAD_ONE QUAD(0x3fff000000000000, 0)
#define QUAD_PI QUAD(0x4000921fb54442d1, 0x8469898cc51701b8)
#define QUAD_HALF_PI QUAD(0x3fff921fb54442d1, 0x8469898cc51701b8)
#define QUAD_FRACTION_BITS 112
#define QUAD_BIAS 16383
#define QUAD_MAX_EXPONENT 16383
#define QUAD_MIN_EXPONENT (-16382)

// (-1)^sign * significand / 2^127 * 2^exponent. Zero has the significand 0.
struct parts {
    u128 significand;
    i32 exponent;
    u32 sign;
};

INLINE u64 high64(u128 a) {
    return (u64)(a >> 64);
}

INLINE u64 low64(u128 a) {
    return (u64)a;
}

INLINE u64 mul_high64(u64 a, u64 b) {
    return high64((u128)a * b);
}

// Leading zeros of a number that is not 0.
INLINE i32 leading_zeros128(u128 a) {
    return high64(a) ? __builtin_clzll(high64(a)) : 64 + __builtin_clzll(low64(a) | 1);
}

// a >> n for any n >= 0.
INLINE u128 shift_right128(u128 a, i32 n) {
    return n > 127 ? 0 : a >> n;
}

INLINE u128 shift_left128(u128 a, i32 n) {
    return n > 127 ? 0 : a << n;
}

// Whether a >> n loses a one.
INLINE u32 loses_ones(u128 a, i32 n) {
    return n > 127 ? a != 0 : (a & (((u128)1 << n) - 1)) != 0;
}

INLINE u32 sign_of(quad x) {
    return (u32)(x >> 127);
}

INLINE quad with_sign(quad magnitude, u32 sign) {
    return magnitude | (quad)sign << 127;
}

INLINE i32 exponent_field(quad x) {
    return (i32)(high64(x) >> 48 & 0x7fff);
}

INLINE int is_nan_q(quad x) {
    return (x & QUAD_ABS) > QUAD_INF;
}

INLINE int is_inf_q(quad x) {
    return (x & QUAD_ABS) == QUAD_INF;
}

// Neither infinite nor NaN.
INLINE int is_finite_q(quad x) {
    return (x & QUAD_ABS) < QUAD_INF;
}

INLINE int is_zero_q(quad x) {
    return (x & QUAD_ABS) == 0;
}

// Of a finite number.
INLINE struct parts parts_of(quad x) {
    i32 field = exponent_field(x);
    u128 fraction = x & (((u128)1 << QUAD_FRACTION_BITS) - 1);
    struct parts p = {fraction << 15 | QUAD_SIGN, field - QUAD_BIAS, sign_of(x)};
    if (!field) {
        i32 shift = leading_zeros128(fraction);
        p.significand = fraction ? fraction << shift : 0;
        p.exponent = QUAD_MIN_EXPONENT + 15 - shift;
    }
    return p;
}

// The quad nearest to the number; rest: something below the significand's last bit is left over,
// less than one of it. The significand has its leading one in bit 127 or is 0.
INLINE quad round_quad(u32 sign, i32 exponent, u128 significand, u32 rest) {
    i32 below = QUAD_MIN_EXPONENT - exponent;
    i32 base = exponent - QUAD_MIN_EXPONENT;
    if (below > 0) {
        rest |= loses_ones(significand, below);
        significand = shift_right128(significand, below);
        base = 0;
    }
    u128 kept = significand >> 15;
    u32 cut = (u32)significand & 0x7fff;
    kept += cut > 0x4000 || (cut == 0x4000 && (rest || (kept & 1)));
    quad result = exponent > QUAD_MAX_EXPONENT ? QUAD_INF : ((quad)base << 112) + kept;
    if (!significand)
        result = 0;
    return with_sign(result > QUAD_INF ? QUAD_INF : result, sign);
}

// A 256-bit number.
struct u256 {
    u128 hi, lo;
};

INLINE struct u256 mul128(u128 a, u128 b) {
    u128 ll = (u128)low64(a) * low64(b), lh = (u128)low64(a) * high64(b);
    u128 hl = (u128)high64(a) * low64(b), hh = (u128)high64(a) * high64(b);
    u128 middle = (ll >> 64) + low64(lh) + low64(hl);
    struct u256 r = {hh + (lh >> 64) + (hl >> 64) + (middle >> 64), middle << 64 | low64(ll)};
    return r;
}

// Divides step by step (long division) by a significand with its leading one in bit 127: what is
// needed for quotients of 57 bits.
struct divisor {
    u128 value;     // of 113 bits: the significand >> 15
    u64 reciprocal; // 2^126 over its leading 64 bits, never too large, by at most 8 too small
};

INLINE struct divisor divisor_of(u128 significand) {
    u64 top = high64(significand);
    struct divisor d = {significand >> 15, 0};
    // 2^126 / top lies between 2^62 and 2^63.
    double first = div_rn(0x1p126, (double)top);
    u64 r = (u64)first;
    // One step of Newton's: 2^126 - top * r has the error to the first order.
    i128 error = ((i128)1 << 126) - (i128)((u128)top * r);
    r += (u64)(i64)(((error >> 32) * (i64)(r >> 31)) >> 63);
    d.reciprocal = r - 4;
    return d;
}

// The next 57 bits of the quotient: rest < divisor becomes rest * 2^57 mod divisor.
INLINE u64 divide_step(struct divisor d, u128 *rest) {
    u64 q = mul_high64(high64(*rest << 15), d.reciprocal) >> 5;
    u128 left = (*rest << 57) - q * d.value;
    if (left >= d.value) {
        left -= d.value;
        q++;
    }
    if (left >= d.value) {
        left -= d.value;
        q++;
    }
    *rest = left;
    return q;
}

// Arithmetic on quads (arithmetic.c), each rounded to nearest.
quad __nv_fp128_add(quad a, quad b);
quad __nv_fp128_sub(quad a, quad b);
quad __nv_fp128_mul(quad a, quad b);
quad __nv_fp128_div(quad a, quad b);
quad __nv_fp128_sqrt(quad a);
quad __nv_fp128_fma(quad a, quad b, quad c);

// Conversions (convert.c), which the compiler calls.
quad __kudzu_quad_from_signed(i128 x);
quad __kudzu_quad_from_unsigned(u128 x);
quad __kudzu_quad_from_double(u64 bits);
u64 __kudzu_quad_to_double(quad x);
u32 __kudzu_quad_to_float(quad x);
u16 __kudzu_quad_to_half(quad x);
u16 __kudzu_quad_to_bfloat16(quad x);
i128 __kudzu_quad_to_signed(quad x, i32 bits);
u128 __kudzu_quad_to_unsigned(quad x, i32 bits);
u32 __kudzu_quad_order(quad a, quad b);

// What is exact (round.c, remainder.c).
quad __nv_fp128_floor(quad x);
quad __nv_fp128_ceil(quad x);
quad __nv_fp128_trunc(quad x);
quad __nv_fp128_round(quad x);
quad __nv_fp128_rint(quad x);
quad __nv_fp128_fabs(quad x);
quad __nv_fp128_copysign(quad x, quad y);
quad __nv_fp128_fmax(quad x, quad y);
quad __nv_fp128_fmin(quad x, quad y);
quad __nv_fp128_fdim(quad x, quad y);
quad __nv_fp128_frexp(quad x, i32 *exponent);
quad __nv_fp128_modf(quad x, quad *whole);
quad __nv_fp128_ldexp(quad x, i32 exponent);
i32 __nv_fp128_ilogb(quad x);
i32 __nv_fp128_isnan(quad x);
i32 __nv_fp128_isunordered(quad x, quad y);
quad __nv_fp128_fmod(quad x, quad y);
quad __nv_fp128_remainder(quad x, quad y);

// Within one unit in the last place.
quad __nv_fp128_exp(quad x);
quad __nv_fp128_exp2(quad x);
quad __nv_fp128_exp10(quad x);
quad __nv_fp128_expm1(quad x);
quad __nv_fp128_log(quad x);
quad __nv_fp128_log2(quad x);
quad __nv_fp128_log10(quad x);
quad __nv_fp128_log1p(quad x);
quad __nv_fp128_pow(quad x, quad y);
quad __nv_fp128_sin(quad x);
quad __nv_fp128_cos(quad x);
quad __nv_fp128_tan(quad x);
quad __nv_fp128_asin(quad x);
quad __nv_fp128_acos(quad x);
quad __nv_fp128_atan(quad x);
quad __nv_fp128_sinh(quad x);
quad __nv_fp128_cosh(quad x);
quad __nv_fp128_tanh(quad x);
quad __nv_fp128_asinh(quad x);
quad __nv_fp128_acosh(quad x);
quad __nv_fp128_atanh(quad x);
quad __nv_fp128_hypot(quad x, quad y);
