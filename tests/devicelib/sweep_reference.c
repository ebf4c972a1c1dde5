#define _GNU_SOURCE
#include "sweep_reference.h"

#include <math.h>
#include <string.h>

#define REFERENCE(name, expression)                                                                \
    static void name##_values(const double *xs, const double *ys, double *r) {                     \
        for (int i = 0; i < SWEEP_BLOCK; i++) {                                                    \
            double x = xs[i];                                                                      \
            r[i] = expression;                                                                     \
        }                                                                                          \
    }
#define HALF_SQRT_PI 0.88622692545275801365
#define SQRT_1_2 0.70710678118654752440
#define SQRT_2_PI 2.50662827463100050242

// Beyond these bounds results are infinite or constant as floats, and vector functions slow.
static inline double bounded(double x, double bound) {
    return x > bound ? bound : x < -bound ? -bound : x;
}

#define PLAIN(f) REFERENCE(f, f(x))
#define BOUNDED(f, bound) REFERENCE(f, f(bounded(x, bound)))
BOUNDED(exp, 200)
BOUNDED(exp2, 300)
BOUNDED(exp10, 100)
BOUNDED(expm1, 200)
PLAIN(log)
PLAIN(log2)
PLAIN(log10)
PLAIN(log1p)
PLAIN(sin)
PLAIN(cos)
PLAIN(tan)
PLAIN(asin)
PLAIN(acos)
PLAIN(atan)
BOUNDED(sinh, 200)
BOUNDED(cosh, 200)
BOUNDED(tanh, 40)
PLAIN(asinh)
PLAIN(acosh)
PLAIN(atanh)
BOUNDED(erf, 20)
BOUNDED(erfc, 20)
PLAIN(cbrt)
PLAIN(sqrt)
REFERENCE(rcbrt, 1 / cbrt(x))
REFERENCE(rsqrt, 1 / sqrt(x))

// x less a multiple of two, exactly: floats from 2^24 on are even.
static inline double within_two(double x) {
    double far = fabs(x) >= 0x1p24 ? 0 : x;
    return far - 2 * rint(far / 2);
}

static inline double near_zero_of_sine(double x) {
    double r = within_two(x);
    return r > 0.5 ? 1 - r : r < -0.5 ? -1 - r : r;
}
REFERENCE(sinpi, sin(M_PI *near_zero_of_sine(x)))
REFERENCE(cospi, sin(M_PI * (0.5 - fabs(within_two(x)))))

// The asymptotic series beyond 10, where the terms used leave an error below 2^-40.
static inline double scaled_erfc(double x) {
    double far = x > 10 ? x : 10, near = x > 10 ? 10 : x < -10 ? -10 : x, z = -1 / (2 * far * far);
    double series = 1 + z * (1 + 3 * z * (1 + 5 * z * (1 + 7 * z * (1 + 9 * z * (1 + 11 * z)))));
    return x > 10 ? series / (far * 2 * HALF_SQRT_PI) : exp(near * near) * erfc(near);
}
REFERENCE(erfcx, scaled_erfc(x))
REFERENCE(normcdf, 0.5 * erfc(-bounded(x, 20) * SQRT_1_2))

// A step of Newton's method from the result under test, which squares its error: what is off by
// some units of float's last place comes out right to double's half.
REFERENCE(erfinv, ys[i] - (erf(ys[i]) - x) * HALF_SQRT_PI * exp(ys[i] * ys[i]))
REFERENCE(erfcinv, ys[i] + (erfc(ys[i]) - x) * HALF_SQRT_PI * exp(ys[i] * ys[i]))
REFERENCE(normcdfinv,
          ys[i] - (0.5 * erfc(-ys[i] * SQRT_1_2) - x) * SQRT_2_PI * exp(0.5 * ys[i] * ys[i]))

// The power series of the modified Bessel functions, whose terms all have one sign.
static double bessel_i(int n, double x) {
    double z = x * x / 4, term = n ? x / 2 : 1, sum = 0;
    for (int k = 1; k < 400 && fabs(term) > fabs(sum) * 1e-17; k++) {
        sum += term;
        term *= z / ((double)k * (k + n));
    }
    return sum;
}
REFERENCE(cyl_bessel_i0, fabs(x) > 95 ? HUGE_VAL : bessel_i(0, x))
REFERENCE(cyl_bessel_i1, x > 95 ? HUGE_VAL : x < -95 ? -HUGE_VAL : bessel_i(1, x))
REFERENCE(j0, j0(x))
REFERENCE(j1, j1(x))
REFERENCE(y0, y0(x))
REFERENCE(y1, y1(x))
REFERENCE(lgamma, lgamma(x))
REFERENCE(tgamma, tgamma(x))

#define ENTRY_OF(name, f) {name, f##_values, 1, 0}
#define ENTRY(f) ENTRY_OF(#f "f", f)
const sweep_reference sweep_references[] = {
    ENTRY(sqrt),
    ENTRY(rsqrt),
    ENTRY(cbrt),
    ENTRY(rcbrt),
    ENTRY(exp),
    ENTRY(exp2),
    ENTRY(exp10),
    ENTRY(expm1),
    ENTRY(log),
    ENTRY(log2),
    ENTRY(log10),
    ENTRY(log1p),
    ENTRY(sin),
    ENTRY(cos),
    ENTRY(tan),
    ENTRY_OF("sincos_sf", sin),
    ENTRY_OF("sincos_cf", cos),
    ENTRY_OF("sincospi_sf", sinpi),
    ENTRY_OF("sincospi_cf", cospi),
    ENTRY(sinpi),
    ENTRY(cospi),
    ENTRY(asin),
    ENTRY(acos),
    ENTRY(atan),
    ENTRY(sinh),
    ENTRY(cosh),
    ENTRY(tanh),
    ENTRY(asinh),
    ENTRY(acosh),
    ENTRY(atanh),
    ENTRY(erf),
    ENTRY(erfc),
    ENTRY(erfcx),
    ENTRY(normcdf),
    {"erfinvf", erfinv_values, -1, 1},
    {"erfcinvf", erfcinv_values, 0, 2},
    {"normcdfinvf", normcdfinv_values, 0, 1},
    ENTRY(cyl_bessel_i0),
    ENTRY(cyl_bessel_i1),
    ENTRY(j0),
    ENTRY(j1),
    ENTRY(y0),
    ENTRY(y1),
    ENTRY(tgamma),
    ENTRY(lgamma),
    {0},
};
