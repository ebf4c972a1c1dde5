// The error function, its complements and inverses, and the normal distribution.
#include "error.h"
#include "libdevice.h"
#include "log.h"

// A polynomial below 1; from there on 1 - erfc(x), which has no cancellation to fear, with a
// polynomial for the logarithm of erfc(x).
double __nv_erf(double x) {
    double a = fabs_d(x);
    double b = bounded(a, 0.0, 6.0);
    double large = 1.0 - exp_scaled(-fma_d(b, poly_erf_large(b), b), 0.0, 0);
    double small = fma_d(a, poly_erf(a * a), a);
    return __builtin_copysign(a < 1.0 ? small : large, x);
}

double __nv_erfc(double x) {
    double a = bounded(fabs_d(x), 0.0, 27.5);
    double r = erfcx_positive(a) * exp_minus_square(a, 0);
    return x < 0.0 ? 2.0 - r : r;
}

// erfcx(-x) = 2 exp(x^2) - erfcx(x)
double __nv_erfcx(double x) {
    double a = fabs_d(x);
    double r = a == INFINITY_D ? 0.0 : erfcx_positive(a);
    double b = bounded(a, 0.0, 27.5);
    dd square = two_product(b, b);
    double reflected = exp_scaled(square.hi, square.lo, 1) - r;
    return x < 0.0 ? reflected : r;
}

// erfinv where s = sqrt(-log(1 - x^2)) is at least 2.5.
INLINE double erfinv_tail(double s) {
    if (s < 4.0)
        return poly_erfinv_tail_1(s - 3.25);
    if (s < 8.5)
        return poly_erfinv_tail_2(s - 6.25);
    return s * poly_erfinv_tail_3(log_finite(s) - 2.72);
}

// erfinv(x) for |x| < 1, given 1 - x^2 as well.
INLINE double erfinv_from(double x, double complement) {
    double w = -log_finite(complement);
    double r = x * poly_erfinv_centre(w - 3.125);
    if (RARELY(w >= 6.25))
        r = __builtin_copysign(erfinv_tail(sqrt_rn(w)), x);
    return r;
}

double __nv_erfinv(double x) {
    double complement = fma_d(-x, x, 1.0);
    double r = erfinv_from(x, complement);
    r = complement == 0.0 ? __builtin_copysign(INFINITY_D, x) : r;
    return complement >= 0.0 ? r : NAN_D;
}

double __nv_erfcinv(double x) {
    double r = erfinv_from(1.0 - x, x * (2.0 - x));
    r = x == 0.0 ? INFINITY_D : r;
    r = x == 2.0 ? -INFINITY_D : r;
    return x >= 0.0 && x <= 2.0 ? r : NAN_D;
}

// erfc(a/sqrt(2))/2 for a = |x|: erfcx forgives the rounding of a/sqrt(2), exp would not.
double __nv_normcdf(double x) {
    double a = bounded(fabs_d(x), 0.0, 39.0);
    dd square = two_product(a, a);
    double e = exp_scaled(-0.5 * square.hi, -0.5 * square.lo, -1);
    double r = erfcx_positive(a * 0x1.6a09e667f3bcdp-1) * e;
    return x > 0.0 ? 1.0 - r : r;
}

double __nv_normcdfinv(double x) {
    return -0x1.6a09e667f3bcdp+0 * __nv_erfcinv(2.0 * x);
}

float __nv_erff(float x) {
    float a = bounded_f(fabs_f(x), 0.0f, 4.0f);
    float small = fma_f(a, poly_erff_small(a * a), a);
    float large = 1.0f - exp_scaled_f(-fma_f(a, poly_erff_large(a), a), 0);
    return __builtin_copysignf(a < 1.0f ? small : large, x);
}

// From ERFCF_ZERO on erfc(x) rounds to zero; such arguments are taken out before, because an
// underflow is slow in vectors.
#define ERFCF_ZERO 10.06f

float __nv_erfcf(float x) {
    float a = fabs_f(x);
    int far = a > ERFCF_ZERO;
    a = far ? 0.0f : a;
    float square = mul_rnf(a, a);
    float r = exp_product_f(erfcx_short_f(a), -square, fma_f(-a, a, square), 0);
    r = far ? 0.0f : r;
    return x < 0.0f ? 2.0f - r : r;
}

float __nv_erfcxf(float x) {
    float a = fabs_f(x);
    int large = a > 0x1p30f;
    float unit = large ? 0x1p-80f : 1.0f;
    erfcx_parts_f s = erfcx_split_f(a * unit, unit);
    float r = fma_f(poly_erfcxf(s.t), s.scale, s.scale) * unit;
    r = a == INFINITY_F ? 0.0f : r;
    float b = bounded_f(a, 0.0f, 9.5f);
    float square = mul_rnf(b, b);
    float reflected = exp_product_f(1.0f, square, fma_f(b, b, -square), 1) - r;
    return x < 0.0f ? reflected : r;
}

// erfinv(x) for |x| < 1, given 1 - x^2 as well.
INLINE float erfinv_from_f(float x, float complement) {
    float w = -log_finite_f(complement);
    float r = x * poly_erfinvf_centre(w - 3.125f);
    if (RARELY(w >= 6.25f)) {
        float s = sqrt_rnf(w);
        r = __builtin_copysignf(s * poly_erfinvf_tail(reciprocal_f(s) - 0.25f), x);
    }
    return r;
}

float __nv_erfinvf(float x) {
    float complement = fma_f(-x, x, 1.0f);
    float r = erfinv_from_f(x, complement);
    r = complement == 0.0f ? __builtin_copysignf(INFINITY_F, x) : r;
    return complement >= 0.0f ? r : NAN_F;
}

float __nv_erfcinvf(float x) {
    float r = erfinv_from_f(1.0f - x, x * (2.0f - x));
    r = x == 0.0f ? INFINITY_F : r;
    r = x == 2.0f ? -INFINITY_F : r;
    return x >= 0.0f && x <= 2.0f ? r : NAN_F;
}

// From here on the left tail rounds to zero.
#define NORMCDFF_ZERO 14.2f

float __nv_normcdff(float x) {
    float a = fabs_f(x);
    int far = a > NORMCDFF_ZERO;
    a = far ? 0.0f : a;
    float square = mul_rnf(a, a);
    float factor = erfcx_short_f(a * 0x1.6a09e6p-1f);
    float r = exp_product_f(factor, -0.5f * square, -0.5f * fma_f(a, a, -square), -1);
    r = far ? 0.0f : r;
    return x > 0.0f ? 1.0f - r : r;
}

float __nv_normcdfinvf(float x) {
    return -0x1.6a09e6p+0f * __nv_erfcinvf(2.0f * x);
}
