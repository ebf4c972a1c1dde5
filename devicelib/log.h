// The logarithm's core: splitting a number into 2^k m, and log(m).
#pragma once
#include "coefficients.h"
#include "double_double.h"

#define LN2_HI 0x1.62e42fefa39efp-1
#define LN2_LO 0x1.abc9e3b39803fp-56

#define SQRT_HALF_BITS 0x3fe6a09e667f3bcdull
#define EXPONENT_BITS 0xfff0000000000000ull

typedef struct {
    double k;    // the exponent, an integer
    double m;    // in [sqrt(1/2), sqrt(2))
    double unit; // 2^-k, or 0 where that is subnormal; not scaled up for subnormal numbers
} split;

// x = 2^k m for finite x > 0; anything for other x.
INLINE split split_d(double x) {
    int subnormal = x < 0x1p-1022;
    double scaled = subnormal ? x * 0x1p54 : x;
    u64 bits = bits_d(scaled);
    u64 above = bits - SQRT_HALF_BITS;
    int k = (int)(u32)(above >> 32) >> 20;
    double unit = from_bits_d(0x3ff0000000000000ull - (above & EXPONENT_BITS));
    double m = from_bits_d(bits - (above & EXPONENT_BITS));
    return (split){(double)k - (subnormal ? 54.0 : 0.0), m, unit};
}

// log(1 + f) = f - half_square + rest for f in [sqrt(1/2) - 1, sqrt(2) - 1].
typedef struct {
    double half_square, rest;
} log_terms;

INLINE log_terms log_tail(double f) {
    double s = div_rn(f, 2.0 + f);
    double z = s * s;
    double half_square = 0.5 * f * f;
    return (log_terms){half_square, s * fma_d(z, poly_log(z), half_square)};
}

// What a logarithm is outside of its domain, given its value within.
INLINE double log_special(double x, double result) {
    result = x == INFINITY_D ? x : result;
    result = x < 0.0 ? NAN_D : result;
    result = x == 0.0 ? -INFINITY_D : result;
    return is_nan_d(x) ? x : result;
}

INLINE float log_special_f(float x, float result) {
    result = x == INFINITY_F ? x : result;
    result = x < 0.0f ? NAN_F : result;
    result = x == 0.0f ? -INFINITY_F : result;
    return is_nan_f(x) ? x : result;
}

// log(x) for finite x > 0.
INLINE double log_finite(double x) {
    split s = split_d(x);
    double f = s.m - 1.0;
    log_terms t = log_tail(f);
    return fma_d(s.k, LN2_HI, f - (t.half_square - fma_d(s.k, LN2_LO, t.rest)));
}

// log(1 + f) as hi + lo, in about 60 bits.
INLINE dd log_pair(double f) {
    log_terms t = log_tail(f);
    double hi = add_rn(f, -t.half_square);
    double lo = add_rn(add_rn(f, -hi), -t.half_square) + t.rest;
    return (dd){hi, lo};
}

// log(x) in about 66 bits for finite x > 0.
INLINE dd log_dd(double x) {
    split p = split_d(x);
    double f = p.m - 1.0;
    dd d = fast_two_sum(2.0, f);
    double reciprocal = div_rn(1.0, d.hi);
    double s_hi = mul_rn(f, reciprocal);
    double s_lo = fma_d(-s_hi, d.lo, fma_d(-s_hi, d.hi, f)) * reciprocal;
    // z = s^2; log(m) = 2s + s z (2/3 + z p(z))
    dd z = two_product(s_hi, s_hi);
    z.lo = fma_d(2.0 * s_hi, s_lo, z.lo);
    dd a = fast_two_sum(0x1.5555555555555p-1, mul_rn(z.hi, poly_log_long(z.hi)));
    a.lo = add_rn(a.lo, 0x1.5555555555555p-55);
    dd t = dd_multiply(z, a);
    dd st = dd_multiply((dd){s_hi, s_lo}, t);
    dd log_m = fast_two_sum(2.0 * s_hi, st.hi);
    log_m.lo = add_rn(log_m.lo, fma_d(2.0, s_lo, st.lo));
    // The high part of log(2) is short: its product with k is exact.
    dd sum = two_sum(p.k * 0x1.62e42fefa3800p-1, log_m.hi);
    double low = fma_d(p.k, 0x1.ef35793c76730p-45, log_m.lo);
    return fast_two_sum(sum.hi, add_rn(sum.lo, low));
}

// m in [2/3, 4/3) and k with x = 2^k m, for finite x > 0.
typedef struct {
    float k, m;
} split_float;

INLINE split_float split_f(float x) {
    int subnormal = x < 0x1p-126f;
    float scaled = subnormal ? x * 0x1p24f : x;
    u32 bits = bits_f(scaled);
    u32 exponent = (bits - 0x3f2aaaabu) & 0xff800000u;
    float k = fma_f((float)(int)exponent, 0x1p-23f, subnormal ? -24.0f : 0.0f);
    return (split_float){k, from_bits_f(bits - exponent)};
}

// log(1 + f)
INLINE float log_f(float f) {
    float p = fma_f(poly_logf(f), f, -0.5f);
    return fma_f(p, f * f, f);
}

// log(x) for finite x > 0.
INLINE float log_finite_f(float x) {
    split_float s = split_f(x);
    return fma_f(s.k, 0x1.62e430p-1f, log_f(s.m - 1.0f));
}

// log((1 + x) 2^n) for x > -1 where it is not infinite or NaN; n is 0 for all x below one. With k
// the exponent of 1 + x, 2^-k (1 + x) - 1 comes out with one rounding.
INLINE float log1p_finite_f(float x, float n) {
    u32 exponent = (bits_f(1.0f + x) - 0x3f2aaaabu) & 0xff800000u;
    float power = from_bits_f(0x40800000u - exponent); // 4 * 2^-k, which is not subnormal
    float less_one = fma_f(0.25f, power, -1.0f);
    float f = fma_f(0.25f * x, power, less_one);
    // What f was rounded by, which counts for k = 1, where log(m) takes away from log(2).
    float low = fma_f(0.25f * x, power, add_rnf(less_one, -f));
    float k = fma_f((float)(int)exponent, 0x1p-23f, n);
    float p = fma_f(poly_logf(f), f, -0.5f);
    float r = fma_f(k, 0x1.62e430p-1f, f + fma_f(p, f * f, low));
    return fabs_f(x) < 0x1p-25f ? x : r;
}
