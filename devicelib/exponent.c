// Exponents: splitting, scaling, the neighbouring value.
#include "libdevice.h"

// 2^e for -126 <= e <= 127 and -1022 <= e <= 1023.
INLINE float pow2_f(int e) {
    return from_bits_f((u32)(e + 127) << 23);
}

INLINE double pow2_d(int e) {
    return from_bits_d((u64)(e + 1023) << 52);
}

// Instead of a number that compares equal to zero: with -ftz subnormal ones do.
INLINE float signed_zero_f(float a) {
    return from_bits_f(bits_f(a) & 0x80000000u);
}

INLINE int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

// Scaling happens in up to four exact steps and one that rounds. Downwards, steps of the same size
// could round twice; so the value is first moved far up where that is exact.
float __nv_ldexpf(float a, int e) {
    e = clamp(e, -400, 400);
    int subnormal = fabs_f(a) < 0x1p-126f;
    float x = subnormal ? a * 0x1p24f : a;
    e -= subnormal ? 24 : 0;
    // Now x is normal: put its exponent and e together before anything can be lost.
    int exponent = (int)(bits_f(x) >> 23 & 255);
    int target = clamp(exponent + e, -30, 256);
    // One exact step to a normal number, then one that may round or overflow.
    int low = clamp(target, 1, 254);
    float scaled = from_bits_f((bits_f(x) & 0x807fffffu) | (u32)low << 23);
    float result = scaled * pow2_f(target - low);
    return exponent == 255 ? a : x == 0.0f ? signed_zero_f(a) : result;
}

double __nv_ldexp(double a, int e) {
    e = clamp(e, -3000, 3000);
    int subnormal = fabs_d(a) < 0x1p-1022;
    double x = subnormal ? a * 0x1p54 : a;
    e -= subnormal ? 54 : 0;
    int exponent = (int)(hi_word(x) >> 20 & 2047);
    int target = clamp(exponent + e, -60, 2048);
    int low = clamp(target, 1, 2046);
    double scaled = from_bits_d((bits_d(x) & 0x800fffffffffffffull) | (u64)low << 52);
    double result = scaled * pow2_d(target - low);
    return exponent == 2047 || x == 0.0 ? a : result;
}

float __nv_scalbnf(float a, int e) {
    return __nv_ldexpf(a, e);
}

double __nv_scalbn(double a, int e) {
    return __nv_ldexp(a, e);
}

float __nv_frexpf(float a, int *e) {
    int subnormal = fabs_f(a) < 0x1p-126f;
    float x = subnormal ? a * 0x1p24f : a;
    int exponent = (int)(bits_f(x) >> 23 & 255);
    int special = exponent == 255 || x == 0.0f;
    *e = special ? 0 : exponent - 126 - (subnormal ? 24 : 0);
    float fraction = from_bits_f((bits_f(x) & 0x807fffffu) | 126u << 23);
    return exponent == 255 ? a : special ? signed_zero_f(a) : fraction;
}

double __nv_frexp(double a, int *e) {
    int subnormal = fabs_d(a) < 0x1p-1022;
    double x = subnormal ? a * 0x1p54 : a;
    int exponent = (int)(hi_word(x) >> 20 & 2047);
    int special = exponent == 2047 || x == 0.0;
    *e = special ? 0 : exponent - 1022 - (subnormal ? 54 : 0);
    double fraction = from_bits_d((bits_d(x) & 0x800fffffffffffffull) | 1022ull << 52);
    return special ? a : fraction;
}

// The exponent of a finite nonzero value.
INLINE int exponent_f(float a) {
    int subnormal = fabs_f(a) < 0x1p-126f;
    float x = subnormal ? a * 0x1p24f : a;
    return (int)(bits_f(x) >> 23 & 255) - 127 - (subnormal ? 24 : 0);
}

INLINE int exponent_d(double a) {
    int subnormal = fabs_d(a) < 0x1p-1022;
    double x = subnormal ? a * 0x1p54 : a;
    return (int)(hi_word(x) >> 20 & 2047) - 1023 - (subnormal ? 54 : 0);
}

float __nv_logbf(float a) {
    float r = (float)exponent_f(a);
    r = a == 0.0f ? -INFINITY_F : r;
    r = fabs_f(a) == INFINITY_F ? INFINITY_F : r;
    return is_nan_f(a) ? a : r;
}

double __nv_logb(double a) {
    double r = exponent_d(a);
    r = a == 0.0 ? -INFINITY_D : r;
    r = fabs_d(a) == INFINITY_D ? INFINITY_D : r;
    return is_nan_d(a) ? a : r;
}

// Zero and NaN give INT_MIN, infinities INT_MAX.
int __nv_ilogbf(float a) {
    int r = exponent_f(a);
    r = fabs_f(a) == INFINITY_F ? 0x7fffffff : r;
    return a == 0.0f || is_nan_f(a) ? (int)0x80000000 : r;
}

int __nv_ilogb(double a) {
    int r = exponent_d(a);
    r = fabs_d(a) == INFINITY_D ? 0x7fffffff : r;
    return a == 0.0 || is_nan_d(a) ? (int)0x80000000 : r;
}

// Floats of one sign are ordered as their bits are: the neighbour is one bit pattern away.
float __nv_nextafterf(float a, float b) {
    u32 bits = bits_f(a);
    u32 away = (a < b) == (a > 0.0f) ? 1u : 0xffffffffu;
    float neighbour = from_bits_f(bits + away);
    neighbour = a == 0.0f ? from_bits_f((bits_f(b) & 0x80000000u) | 1u) : neighbour;
    neighbour = a == b ? b : neighbour;
    return is_nan_f(a) || is_nan_f(b) ? a + b : neighbour;
}

double __nv_nextafter(double a, double b) {
    u64 bits = bits_d(a);
    u64 away = (a < b) == (a > 0.0) ? 1ull : ~0ull;
    double neighbour = from_bits_d(bits + away);
    neighbour = a == 0.0 ? from_bits_d((bits_d(b) & 0x8000000000000000ull) | 1ull) : neighbour;
    neighbour = a == b ? b : neighbour;
    return is_nan_d(a) || is_nan_d(b) ? a + b : neighbour;
}
