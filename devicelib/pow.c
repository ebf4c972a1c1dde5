// Powers.
#include "exp.h"
#include "libdevice.h"
#include "log.h"

INLINE int is_odd_d(double y) {
    double half = 0.5 * y;
    return __builtin_rint(y) == y && __builtin_rint(half) != half;
}

// What the magnitude's formula does not know: signs, and where pow is 1 or undefined.
INLINE double pow_special(double x, double y, double magnitude) {
    int integer = __builtin_rint(y) == y;
    double result = is_odd_d(y) ? __builtin_copysign(magnitude, x) : magnitude;
    result = x < 0.0 && x > -INFINITY_D && !integer ? NAN_D : result;
    result = is_nan_d(x) || is_nan_d(y) ? x + y : result;
    int one = x == 1.0 || y == 0.0 || (x == -1.0 && fabs_d(y) == INFINITY_D);
    return one ? 1.0 : result;
}

double __nv_pow(double x, double y) {
    double a = fabs_d(x);
    dd l = log_dd(a);
    int edge = a == 0.0 || a == INFINITY_D;
    double l_hi = a == 0.0 ? -INFINITY_D : edge ? INFINITY_D : l.hi;
    double e = mul_rn(y, l_hi);
    double low = fma_d(y, l.lo, fma_d(y, l.hi, -e));
    int outside = !(fabs_d(e) < EXP_HIGH);
    e = bounded(e, EXP_LOW, EXP_HIGH);
    return pow_special(x, y, exp_scaled(e, outside ? 0.0 : low, 0));
}

// In double: log2 and exp2 need no more than short polynomials there, and no error-free products.
float __nv_powf(float x, float y) {
    double a = fabs_d((double)x);
    split s = split_d(a);
    double f = s.m - 1.0;
    double l = fma_d(f, poly_log2_short(f), s.k);
    l = a == 0.0 ? -INFINITY_D : a == INFINITY_D ? INFINITY_D : l;
    double e = bounded((double)y * l, -200.0, 200.0);
    double rounded = add_rn(e, ROUNDER);
    double r = e - add_rn(rounded, -ROUNDER);
    double p = fma_d(r, poly_exp2_short(r), 1.0);
    double power = from_bits_d((bits_d(rounded) << 52) + (1023ull << 52));
    return (float)pow_special(x, y, p * power);
}

double __nv_powi(double x, int n) {
    return __nv_pow(x, n);
}

float __nv_powif(float x, int n) {
    // The exponent may not fit in a float; only its parity and its product with log2 count.
    double a = fabs_d((double)x);
    double magnitude = __nv_pow(a, n);
    return (float)((n & 1) ? __builtin_copysign(magnitude, (double)x) : magnitude);
}
