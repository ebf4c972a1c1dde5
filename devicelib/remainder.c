// fmod, remainder, remquo: exact, by long division in integers.
//
// The quotient's bits are found eleven (float: eight) at a time, so that the loop takes one turn
// for most pairs; all lanes of a warp leave it together when the largest exponent gap is done.
#include "libdevice.h"

typedef struct {
    float remainder; // |a| - quotient * |b|, in [0, |b|)
    u32 quotient;    // its low bits
} division_f;

typedef struct {
    double remainder;
    u32 quotient;
} division_d;

INLINE int clamp_shift(int shift, int high) {
    return shift < high ? shift : high;
}

// The significand as an integer and the exponent that goes with it, for a finite value > 0.
INLINE u32 significand_f(float a, int *e) {
    int exponent = (int)(bits_f(a) >> 23);
    int subnormal = exponent == 0;
    *e = subnormal ? 1 : exponent;
    return (bits_f(a) & 0x7fffffu) | (subnormal ? 0u : 0x800000u);
}

INLINE u64 significand_d(double a, int *e) {
    int exponent = (int)(bits_d(a) >> 52);
    int subnormal = exponent == 0;
    *e = subnormal ? 1 : exponent;
    return (bits_d(a) & 0xfffffffffffffull) | (subnormal ? 0ull : 0x10000000000000ull);
}

// m * 2^(e - 1) in units of the smallest subnormal; m < 2^24 and the value fits.
INLINE float compose_f(u32 m, int e) {
    int lead = m ? __builtin_clz(m) - 8 : 0;
    int shift = clamp_shift(lead, e - 1);
    u32 scaled = m << shift;
    u32 exponent = scaled & 0x800000u ? (u32)(e - shift) : 0u;
    return from_bits_f(exponent << 23 | (scaled & 0x7fffffu));
}

INLINE double compose_d(u64 m, int e) {
    int lead = m ? __builtin_clzll(m) - 11 : 0;
    int shift = clamp_shift(lead, e - 1);
    u64 scaled = m << shift;
    u64 exponent = scaled & 0x10000000000000ull ? (u64)(e - shift) : 0ull;
    return from_bits_d(exponent << 52 | (scaled & 0xfffffffffffffull));
}

// For finite a >= 0 and b > 0.
INLINE division_f divide_f(float a, float b) {
    int ea, eb;
    u32 ma = significand_f(a, &ea), mb = significand_f(b, &eb);
    if (a < b)
        return (division_f){a, 0};
    // A subnormal divisor's significand is short; quotients below stay within 32 bits all the same,
    // because the remainder is less than it.
    u32 quotient = ma / mb;
    u32 rest = ma % mb;
    for (int gap = ea - eb; gap > 0;) {
        int step = clamp_shift(gap, 8);
        u32 dividend = rest << step;
        quotient = quotient << step | dividend / mb;
        rest = dividend % mb;
        gap -= step;
    }
    return (division_f){compose_f(rest, eb), quotient};
}

INLINE division_d divide_d(double a, double b) {
    int ea, eb;
    u64 ma = significand_d(a, &ea), mb = significand_d(b, &eb);
    if (a < b)
        return (division_d){a, 0};
    u64 quotient = ma / mb;
    u64 rest = ma % mb;
    for (int gap = ea - eb; gap > 0;) {
        int step = clamp_shift(gap, 11);
        u64 dividend = rest << step;
        quotient = quotient << step | dividend / mb;
        rest = dividend % mb;
        gap -= step;
    }
    return (division_d){compose_d(rest, eb), (u32)quotient};
}

// No remainder exists: a is infinite, b is zero, or one of them is NaN.
INLINE int undefined_f(float a, float b) {
    return !(fabs_f(a) < INFINITY_F) || b == 0.0f || is_nan_f(b);
}

INLINE int undefined_d(double a, double b) {
    return !(fabs_d(a) < INFINITY_D) || b == 0.0 || is_nan_d(b);
}

float __nv_fmodf(float a, float b) {
    if (RARELY(undefined_f(a, b)))
        return NAN_F;
    if (RARELY(fabs_f(b) == INFINITY_F))
        return a;
    return __builtin_copysignf(divide_f(fabs_f(a), fabs_f(b)).remainder, a);
}

double __nv_fmod(double a, double b) {
    if (RARELY(undefined_d(a, b)))
        return NAN_D;
    if (RARELY(fabs_d(b) == INFINITY_D))
        return a;
    return __builtin_copysign(divide_d(fabs_d(a), fabs_d(b)).remainder, a);
}

// The quotient rounded to nearest, ties to even: the remainder then lies in [-|b|/2, |b|/2].
INLINE division_f divide_nearest_f(float a, float b) {
    division_f d = divide_f(a, b);
    float other = b - d.remainder; // exact where it matters: see below
    // Comparing the remainder with what is missing to b decides without halving b. If the
    // subtraction rounds, then the remainder is far below half of b and the comparison is clear.
    int up = d.remainder > other || (d.remainder == other && (d.quotient & 1));
    return (division_f){up ? -other : d.remainder, d.quotient + (u32)up};
}

INLINE division_d divide_nearest_d(double a, double b) {
    division_d d = divide_d(a, b);
    double other = b - d.remainder;
    int up = d.remainder > other || (d.remainder == other && (d.quotient & 1));
    return (division_d){up ? -other : d.remainder, d.quotient + (u32)up};
}

float __nv_remquof(float a, float b, int *quotient) {
    *quotient = 0;
    if (RARELY(undefined_f(a, b)))
        return NAN_F;
    if (RARELY(fabs_f(b) == INFINITY_F))
        return a;
    division_f d = divide_nearest_f(fabs_f(a), fabs_f(b));
    int low = (int)(d.quotient & 7);
    *quotient = (bits_f(a) ^ bits_f(b)) >> 31 ? -low : low;
    return bits_f(a) >> 31 ? -d.remainder : d.remainder;
}

double __nv_remquo(double a, double b, int *quotient) {
    *quotient = 0;
    if (RARELY(undefined_d(a, b)))
        return NAN_D;
    if (RARELY(fabs_d(b) == INFINITY_D))
        return a;
    division_d d = divide_nearest_d(fabs_d(a), fabs_d(b));
    int low = (int)(d.quotient & 7);
    *quotient = (bits_d(a) ^ bits_d(b)) >> 63 ? -low : low;
    return bits_d(a) >> 63 ? -d.remainder : d.remainder;
}

float __nv_remainderf(float a, float b) {
    int quotient;
    return __nv_remquof(a, b, &quotient);
}

double __nv_remainder(double a, double b) {
    int quotient;
    return __nv_remquo(a, b, &quotient);
}
