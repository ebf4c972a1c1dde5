// The gamma function and the logarithm of its absolute value.
#include "exp.h"
#include "libdevice.h"
#include "log.h"

// Up to here products, from here on Stirling's formula.
#define TGAMMA_LARGE 12.0
// The last factorial that a double holds is 22!.
#define TGAMMA_EXACT 23.0
#define LGAMMA_LARGE 8.0

// gamma(x) as a * b * b for 12 <= x <= 200: b stays finite where gamma overflows.
typedef struct {
    double a, b;
} gamma_factors;

INLINE gamma_factors stirling_factors(double x) {
    double inverse = div_rn(1.0, x);
    double correction = inverse * poly_stirling(inverse * inverse);
    double e = exp_scaled(-x, correction, 0);
    return (gamma_factors){0x1.40d931ff62706p+1 * e, __nv_pow(x, fma_d(0.5, x, -0.25))};
}

// With x = n + r, |r| <= 1/2: gamma(x) is gamma(1 + r) times or over factors r + k.
INLINE double gamma_by_products(double x) {
    double n = __builtin_rint(x);
    double r = x - n;
    double above = 1.0, below = fma_d(r, poly_rgamma_1(r), 1.0);
    for (double k = 1.0; k < n; k += 1.0)
        above *= r + k;
    for (double k = n; k <= 0.0; k += 1.0)
        below *= r + k;
    return div_rn(above, below);
}

double __nv_tgamma(double x) {
    double a = fabs_d(x);
    int pole = x < 0.0 && __builtin_rint(x) == x;
    double r;
    if (a < TGAMMA_LARGE || (x > 0.0 && x <= TGAMMA_EXACT && __builtin_rint(x) == x)) {
        r = gamma_by_products(x);
        r = x == 0.0 ? __builtin_copysign(INFINITY_D, x) : r;
    } else {
        gamma_factors f = stirling_factors(bounded(a, TGAMMA_LARGE, 200.0));
        double large = f.a * f.b * f.b;
        // gamma(x) gamma(-x) = -pi/(x sin(pi x))
        double reflected = div_rn(-0x1.921fb54442d18p+1, x * __nv_sinpi(x));
        reflected = div_rn(div_rn(reflected, f.b), f.a * f.b);
        r = x < 0.0 ? reflected : large;
    }
    return pole ? NAN_D : is_nan_d(x) ? x : r;
}

// -log(gamma(x)) by log1p around the zeros in 1 and 2, with factors taken off in between and below.
INLINE double lgamma_small(double x) {
    double product = 1.0;
    if (x < 0.5) {
        product = fabs_d(x);
        double r = x;
        return -(__nv_log1p(r * poly_lgamma_1(r)) + log_finite(product));
    }
    while (x >= 3.0) {
        x -= 1.0;
        product *= x;
    }
    int second = x >= 1.5;
    double r = x - (second ? 2.0 : 1.0);
    double q = r * (second ? poly_rgamma_2(r) : poly_lgamma_1(r));
    return log_finite(product) - __nv_log1p(q);
}

INLINE double lgamma_large(double x) {
    double inverse = div_rn(1.0, x);
    double correction = inverse * poly_stirling(inverse * inverse);
    return fma_d(x - 0.5, log_finite(x) - 1.0, 0x1.acfe390c97d69p-2 + correction);
}

INLINE double lgamma_positive(double x) {
    return x < LGAMMA_LARGE ? lgamma_small(x) : lgamma_large(x);
}

double __nv_lgamma(double x) {
    double a = fabs_d(x);
    // Around zero the direct formula holds on both sides.
    double r = lgamma_positive(x > -0.5 ? x : a);
    if (RARELY(x <= -0.5)) {
        double sine = fabs_d(__nv_sinpi(x));
        r = log_finite(div_rn(0x1.921fb54442d18p+1, a * sine)) - r;
    }
    int pole = x <= 0.0 && __builtin_rint(x) == x;
    r = pole || a == INFINITY_D ? INFINITY_D : r;
    return is_nan_d(x) ? x : r;
}

float __nv_tgammaf(float x) {
    return (float)__nv_tgamma(x);
}

float __nv_lgammaf(float x) {
    return (float)__nv_lgamma(x);
}
