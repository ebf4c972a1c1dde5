// The exponential's core, for the functions that need more than exp(x) itself.
#pragma once
#include "coefficients.h"
#include "double_double.h"

#define LN2_HI 0x1.62e42fefa39efp-1
#define LN2_LO 0x1.abc9e3b39803fp-56
#define LOG2_E 0x1.71547652b82fep+0

// Adding this to a number below 2^51 (float: 2^22) rounds it to an integer, which then stands in
// the low bits of the sum: cheaper in SIMD than a conversion, and defined for NaN.
#define ROUNDER 0x1.8p52
#define ROUNDER_F 0x1.8p23f

// x between the given bounds; NaN stays NaN.
INLINE double bounded(double x, double low, double high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

INLINE float bounded_f(float x, float low, float high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

// p * 2^(k + n) with one rounding, for the integer k in the low bits of rounded = ROUNDER + k.
// p is about 1; k + n between -1150 and 1150. The power is applied in two steps, of which the first
// is exact, so that results at both ends of the range come out right.
INLINE double scale(double p, double rounded, int n) {
    int negative = rounded < ROUNDER;
    u64 away = negative ? (u64)(1023 + 128 + n) << 52 : (u64)(1023 - 128 + n) << 52;
    double power = from_bits_d((bits_d(rounded) << 52) + away);
    return p * power * (negative ? 0x1p-128 : 0x1p128);
}

INLINE float scale_f(float p, float rounded, int n) {
    int negative = rounded < ROUNDER_F;
    u32 away = negative ? (u32)(127 + 64 + n) << 23 : (u32)(127 - 64 + n) << 23;
    float power = from_bits_f((bits_f(rounded) << 23) + away);
    return p * power * (negative ? 0x1p-64f : 0x1p64f);
}

// Outside of these bounds exp(x) is 0 or infinite, also after multiplication by some powers of two.
#define EXP_LOW (-780.0)
#define EXP_HIGH 780.0

// exp(x + low) * 2^n for x within the bounds above or NaN, low far below one, n small.
INLINE double exp_scaled(double x, double low, int n) {
    double rounded = fma_d(x, LOG2_E, ROUNDER);
    double k = add_rn(rounded, -ROUNDER);
    double r = fma_d(k, -LN2_HI, x);
    r = fma_d(k, -LN2_LO, r) + low;
    double p = fma_d(r * r, poly_exp(r), r);
    return scale(1.0 + p, rounded, n);
}

// exp(x) * 2^n for x from 0 to 712 or NaN, n small, with what rounding it leaves.
INLINE dd exp_pair(double x, int n) {
    double rounded = fma_d(x, LOG2_E, ROUNDER);
    double k = add_rn(rounded, -ROUNDER);
    double r = fma_d(k, -LN2_LO, fma_d(k, -LN2_HI, x));
    dd p = fast_two_sum(1.0, fma_d(r * r, poly_exp(r), r));
    return (dd){scale(p.hi, rounded, n), scale(p.lo, rounded, n)};
}

// exp(-(x*x)) * 2^n without loss by rounding the square, |x| < 28 or NaN.
INLINE double exp_minus_square(double x, int n) {
    dd square = two_product(x, x);
    return exp_scaled(-square.hi, -square.lo, n);
}

// b^(x + low) = value * power on a GPU, whose ex2 needs the fraction alone: log2(b) = log_hi +
// log_lo, low log2(b) = log_low. The exponent is clamped to -126 to 126 by the saturation; what is
// beyond it stays in the fraction, so that value and power make zero, a subnormal number or
// infinity.
typedef struct {
    float value, power;
} exp_gpu_f;

INLINE exp_gpu_f exp_split_gpu_f(float x, float log_hi, float log_lo, float log_low) {
#ifdef __NVPTX__
    float part = __nvvm_saturate_f(fma_f(x, log_hi / 252.0f, 0.5f));
    // 2^23 + 2^22 + 1 + floor(x log2(b)) + 126: its low bits are the power's exponent.
    float whole = __nvvm_fma_rm_f(part, 252.0f, 0x1.8p23f + 1.0f);
    float k = add_rnf(whole, -(0x1.8p23f + 127.0f));
    float fraction = fma_f(x, log_lo, fma_f(x, log_hi, -k)) + log_low;
    return (exp_gpu_f){__nvvm_ex2_approx_ftz_f(fraction), from_bits_f(bits_f(whole) << 23)};
#else
    (void)log_lo;
    return (exp_gpu_f){fma_f(x, log_hi, log_low), 1.0f};
#endif
}

#define LOG2_E_HI_F 0x1.715476p+0f
#define LOG2_E_LO_F 0x1.4ae0c0p-26f

#define EXPF_HIGH 100.0f

// exp(x + low) = (1 + p) 2^k for x within the bounds above or NaN, low far below one; k in the
// low bits of rounded. The factors apart, for products with a result that is subnormal.
typedef struct {
    float p, rounded;
} exp_parts_f;

INLINE exp_parts_f exp_split_f(float x, float low) {
    float rounded = fma_f(x, 0x1.715476p+0f, ROUNDER_F);
    float k = add_rnf(rounded, -ROUNDER_F);
    float r = fma_f(k, -0x1.62e430p-1f, x);
    r = fma_f(k, 0x1.05c610p-29f, r) + low;
    return (exp_parts_f){fma_f(r * r, poly_expf(r), r), rounded};
}

// exp(x) * 2^n for x within the bounds above or NaN, n small, and 0 where x is negative.
INLINE float exp_scaled_f(float x, int n) {
    // Adding -0 changes nothing, and the compiler knows.
    exp_parts_f e = exp_split_f(x, -0.0f);
    exp_gpu_f g = exp_split_gpu_f(x, LOG2_E_HI_F, LOG2_E_LO_F, -0.0f);
    float power = from_bits_f(bits_f(g.power) + ((u32)n << 23));
    return on_cpu_or_gpu_f(scale_f(1.0f + e.p, e.rounded, n), g.value * power);
}

// factor * exp(x + low) * 2^n, rounded at the end, also where it is subnormal.
INLINE float exp_product_f(float factor, float x, float low, int n) {
    exp_parts_f e = exp_split_f(x, low);
    exp_gpu_f g = exp_split_gpu_f(x, LOG2_E_HI_F, LOG2_E_LO_F, low * LOG2_E_HI_F);
    float scaled = factor * from_bits_f((u32)(127 + n) << 23);
    return on_cpu_or_gpu_f(scale_f(fma_f(factor, e.p, factor), e.rounded, n),
                           scaled * g.value * g.power);
}
