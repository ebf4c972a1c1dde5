#define _GNU_SOURCE
#include "reference.h"
#include "libdevice.h"

#include <math.h>
#include <quadmath.h>

static quad ref_rsqrt(quad x) {
    return 1 / sqrtq(x);
}

static quad ref_rcbrt(quad x) {
    return 1 / cbrtq(x);
}

static quad ref_exp10(quad x) {
    // 10^x as 10^n 10^f, so that integers come out exact.
    if (!finiteq(x) || fabsq(x) > 5000)
        return x > 0 ? HUGE_VALQ : x < 0 ? 0 : x;
    quad n = rintq(x);
    return powq(10, n) * expq((x - n) * M_LN10q);
}

static quad ref_sinpi(quad x) {
    if (!finiteq(x))
        return nanq("");
    quad r = x - 2 * rintq(x / 2);
    // sin(pi r) through the nearer of the zeros; a zero keeps the sign of x.
    quad folded = r > 0.5Q ? 1 - r : r < -0.5Q ? -1 - r : r;
    return folded == 0 ? copysignq(0, x) : sinq(M_PIq * folded);
}

static quad ref_cospi(quad x) {
    if (!finiteq(x))
        return nanq("");
    quad r = fabsq(x - 2 * rintq(x / 2));
    return r == 0.5Q ? 0 : sinq(M_PIq * (0.5Q - r));
}

// For floats only, in double.
static double quick_exp10(double x) {
    return exp10(x);
}

static double quick_rsqrt(double x) {
    return 1 / sqrt(x);
}

static double quick_rcbrt(double x) {
    return 1 / cbrt(x);
}

static double quick_sinpi(double x) {
    double r = remainder(x, 2);
    double folded = r > 0.5 ? 1 - r : r < -0.5 ? -1 - r : r;
    return folded == 0 ? copysign(0, x) : sin(M_PI * folded);
}

static double quick_cospi(double x) {
    double r = fabs(remainder(x, 2));
    return r == 0.5 ? 0 : sin(M_PI * (0.5 - r));
}

static quad ref_erfcx(quad x) {
    if (x > 60) {
        quad total = 0, term = 1;
        for (int k = 1; k < 14; k++) {
            total += term;
            term *= -(2 * k - 1) / (2 * x * x);
        }
        return total / (x * sqrtq(M_PIq));
    }
    return x < -30 ? HUGE_VALQ : expq(x * x) * erfcq(x);
}

static quad ref_normcdf(quad x) {
    return erfcq(-x * M_SQRT1_2q) / 2;
}

// The root of erfc(r) = x by Newton's method on log(erfc), from any start r > 0; x <= 1.
static quad erfc_root(quad x) {
    quad r = sqrtq(-logq(x));
    for (int i = 0; i < 60; i++) {
        quad e = ref_erfcx(r);
        quad step = (logq(e) - r * r - logq(x)) * e * sqrtq(M_PIq) / 2;
        r += step;
        if (fabsq(step) <= 1e-32Q * fabsq(r))
            break;
    }
    return r;
}

// The root of erf(r) = x, |x| <= 1/2.
static quad erf_root(quad x) {
    quad r = x * sqrtq(M_PIq) / 2;
    for (int i = 0; i < 12 && x != 0; i++)
        r -= (erfq(r) - x) * expq(r * r) * sqrtq(M_PIq) / 2;
    return r;
}

static quad ref_erfinv(quad x) {
    quad a = fabsq(x);
    if (!(a < 1))
        return a == 1 ? copysignq(HUGE_VALQ, x) : nanq("");
    return a < 0.5Q ? erf_root(x) : copysignq(erfc_root(1 - a), x);
}

static quad ref_erfcinv(quad x) {
    if (!(x >= 0 && x <= 2))
        return nanq("");
    if (x == 0 || x == 2)
        return x == 0 ? HUGE_VALQ : -HUGE_VALQ;
    if (x > 0.5Q && x < 1.5Q)
        return erf_root(1 - x);
    return x < 1 ? erfc_root(x) : -erfc_root(2 - x);
}

static quad ref_normcdfinv(quad x) {
    return -M_SQRT2q * ref_erfcinv(2 * x);
}

// The power series of the modified Bessel functions: all terms have one sign.
static quad bessel_i(int n, quad x) {
    quad z = x * x / 4, term = n ? x / 2 : 1, sum = 0;
    for (int k = 1; k < 3000 && term > sum * 1e-35Q; k++) {
        sum += term;
        term *= z / ((quad)k * (k + n));
    }
    return sum;
}

static quad ref_i0(quad x) {
    return isnanq(x) ? x : fabsq(x) > 720 ? HUGE_VALQ : bessel_i(0, fabsq(x));
}

static quad ref_i1(quad x) {
    quad a = fabsq(x);
    if (isnanq(x) || x == 0)
        return x;
    return copysignq(a > 720 ? HUGE_VALQ : bessel_i(1, a), x);
}

static quad ref_hypot(quad x, quad y) {
    return hypotq(x, y);
}

static quad ref_rhypot(quad x, quad y) {
    return 1 / hypotq(x, y);
}

static quad ref_lgamma(quad x) {
    return lgammaq(x);
}

// gamma has no limit at minus infinity nor at its poles.
static quad ref_tgamma(quad x) {
    if (x < 0 && rintq(x) == x)
        return nanq("");
    return x < -250 ? copysignq(0, fmodq(floorq(x), 2) == 0 ? 1 : -1) : tgammaq(x);
}

// Y in zero has the same limit for zeros of both signs, and no value below.
static quad ref_y0(quad x) {
    return x < 0 ? nanq("") : x == 0 ? -HUGE_VALQ : isinfq(x) ? 0 : y0q(x);
}

static quad ref_y1(quad x) {
    return x < 0 ? nanq("") : x == 0 ? -HUGE_VALQ : isinfq(x) ? 0 : y1q(x);
}

static quad ref_j0(quad x) {
    return isinfq(x) ? 0 : j0q(x);
}

static quad ref_j1(quad x) {
    return isinfq(x) ? (quad)0 : j1q(x);
}

#define STEPS(name, prefix, suffix, type)                                                          \
    static type name##_sin(type x) {                                                               \
        type s, c;                                                                                 \
        __nv_sincos##suffix(x, &s, &c);                                                            \
        return s;                                                                                  \
    }                                                                                              \
    static type name##_cos(type x) {                                                               \
        type s, c;                                                                                 \
        __nv_sincos##suffix(x, &s, &c);                                                            \
        return c;                                                                                  \
    }
STEPS(both_d, , , double)
STEPS(both_f, , f, float)
STEPS(half_turns_d, , pi, double)
STEPS(half_turns_f, , pif, float)

// Functions of more arguments, with all but two of them fixed.
static double norm3d_fixed(double x, double y) {
    return __nv_norm3d(x, 1.25, y);
}

static float norm3df_fixed(float x, float y) {
    return __nv_norm3df(x, 1.25f, y);
}

static quad ref_norm3d(quad x, quad y) {
    return hypotq(hypotq(x, 1.25Q), y);
}

static double rnorm3d_fixed(double x, double y) {
    return __nv_rnorm3d(x, 1.25, y);
}

static float rnorm3df_fixed(float x, float y) {
    return __nv_rnorm3df(x, 1.25f, y);
}

static quad ref_rnorm3d(quad x, quad y) {
    return 1 / ref_norm3d(x, y);
}

static double norm4d_fixed(double x, double y) {
    return __nv_norm4d(x, 1.25, -0.75, y);
}

static float norm4df_fixed(float x, float y) {
    return __nv_norm4df(x, 1.25f, -0.75f, y);
}

static quad ref_norm4d(quad x, quad y) {
    return hypotq(ref_norm3d(x, y), 0.75Q);
}

static double rnorm4d_fixed(double x, double y) {
    return __nv_rnorm4d(x, 1.25, -0.75, y);
}

static float rnorm4df_fixed(float x, float y) {
    return __nv_rnorm4df(x, 1.25f, -0.75f, y);
}

static quad ref_rnorm4d(quad x, quad y) {
    return 1 / ref_norm4d(x, y);
}

static double norm_fixed(double x, double y) {
    double a[5] = {x, 1.25, y, -0.75, 0.5};
    return __nv_norm(5, a);
}

static float normf_fixed(float x, float y) {
    float a[5] = {x, 1.25f, y, -0.75f, 0.5f};
    return __nv_normf(5, a);
}

static quad ref_norm(quad x, quad y) {
    return hypotq(ref_norm4d(x, y), 0.5Q);
}

static double powi_fixed(double x, double y) {
    return __nv_powi(x, __nv_double2int_rz(y));
}

static float powif_fixed(float x, float y) {
    return __nv_powif(x, __nv_float2int_rz(y));
}

static quad ref_powi(quad x, quad y) {
    quad n = isnanq(y) ? 0 : truncq(y);
    n = n > 2147483647 ? 2147483647 : n < -2147483648.0Q ? -2147483648.0Q : n;
    return powq(x, n);
}

#define ORDER(n)                                                                                   \
    static double jn_##n(double x) {                                                               \
        return __nv_jn(n, x);                                                                      \
    }                                                                                              \
    static float jnf_##n(float x) {                                                                \
        return __nv_jnf(n, x);                                                                     \
    }                                                                                              \
    static quad ref_jn_##n(quad x) {                                                               \
        return isinfq(x) ? 0 : jnq(n, x);                                                          \
    }                                                                                              \
    static double yn_##n(double x) {                                                               \
        return __nv_yn(n, x);                                                                      \
    }                                                                                              \
    static float ynf_##n(float x) {                                                                \
        return __nv_ynf(n, x);                                                                     \
    }                                                                                              \
    static quad ref_yn_##n(quad x) {                                                               \
        return x < 0 ? nanq("") : x == 0 ? -HUGE_VALQ : isinfq(x) ? 0 : ynq(n, x);                 \
    }                                                                                              \
    static int yn_unbounded_##n(double x) {                                                        \
        return fabs(x) <= 1.5 * n || fabs(x) > 1e15;                                               \
    }
ORDER(2)
ORDER(5)
ORDER(128)

// lgamma is bounded outside of an interval with zeros close to poles; the narrower one of float.
static int lgamma_unbounded(double x) {
    return x > -23.0001 && x < -2.2637;
}

// Far out the phase is a matter of the argument's reduction alone, which libquadmath does not do to
// the precision needed.
static int far_out(double x) {
    return fabs(x) > 1e15;
}

#define ONE(name, ref, bound_d, bound_f, low, high, quick)                                         \
    {#name, __nv_##name, __nv_##name##f, ref, bound_d, bound_f, low, high, quick, 0, 0, 0, 0, 0}
#define TWO(name, ref, bound_d, bound_f, low, high)                                                \
    {#name, 0, 0, 0, bound_d, bound_f, low, high, 0, __nv_##name, __nv_##name##f, ref, 0, 0}

#define BESSEL_ORDER(n, low, high)                                                                 \
    {"jn_" #n, jn_##n, jnf_##n, ref_jn_##n, 0, 0, -high, high, 0, 0, 0, 0, far_out, 1e-320},       \
        {"yn_" #n, yn_##n, ynf_##n, ref_yn_##n,       0,     0, low, high, 0,                      \
         0,        0,      0,       yn_unbounded_##n, 1e-320}

const function functions[] = {
    ONE(sqrt, sqrtq, 0, 0, 0, 10, sqrt),
    ONE(rsqrt, ref_rsqrt, 1, 2, 0, 10, quick_rsqrt),
    ONE(cbrt, cbrtq, 1, 1, -10, 10, cbrt),
    ONE(rcbrt, ref_rcbrt, 1, 1, -10, 10, quick_rcbrt),
    TWO(hypot, ref_hypot, 2, 3, -10, 10),
    TWO(rhypot, ref_rhypot, 1, 2, -10, 10),
    {"norm3d", 0, 0, 0, 2, 3, -10, 10, 0, norm3d_fixed, norm3df_fixed, ref_norm3d, 0, 0},
    {"rnorm3d", 0, 0, 0, 1, 2, -10, 10, 0, rnorm3d_fixed, rnorm3df_fixed, ref_rnorm3d, 0, 0},
    {"norm4d", 0, 0, 0, 2, 3, -10, 10, 0, norm4d_fixed, norm4df_fixed, ref_norm4d, 0, 0},
    {"rnorm4d", 0, 0, 0, 1, 2, -10, 10, 0, rnorm4d_fixed, rnorm4df_fixed, ref_rnorm4d, 0, 0},
    {"norm", 0, 0, 0, 4, 4, -10, 10, 0, norm_fixed, normf_fixed, ref_norm, 0, 0},
    ONE(exp, expq, 1, 2, -20, 20, exp),
    ONE(exp2, exp2q, 1, 2, -20, 20, exp2),
    ONE(exp10, ref_exp10, 1, 2, -20, 20, quick_exp10),
    ONE(expm1, expm1q, 1, 1, -2, 2, expm1),
    ONE(log, logq, 1, 1, 0, 4, log),
    ONE(log2, log2q, 1, 1, 0, 4, log2),
    ONE(log10, log10q, 1, 2, 0, 4, log10),
    ONE(log1p, log1pq, 1, 1, -1, 3, log1p),
    ONE(sin, sinq, 2, 2, -10, 10, sin),
    ONE(cos, cosq, 2, 2, -10, 10, cos),
    ONE(tan, tanq, 2, 4, -10, 10, tan),
    {"sincos_s", both_d_sin, both_f_sin, sinq, 2, 2, -1e4, 1e4, sin, 0, 0, 0, 0, 0},
    {"sincos_c", both_d_cos, both_f_cos, cosq, 2, 2, -1e4, 1e4, cos, 0, 0, 0, 0, 0},
    {"sincospi_s", half_turns_d_sin, half_turns_f_sin, ref_sinpi, 2, 1, -3, 3, quick_sinpi, 0, 0, 0,
     0, 0},
    {"sincospi_c", half_turns_d_cos, half_turns_f_cos, ref_cospi, 2, 1, -3, 3, quick_cospi, 0, 0, 0,
     0, 0},
    ONE(sinpi, ref_sinpi, 2, 1, -3, 3, quick_sinpi),
    ONE(cospi, ref_cospi, 2, 1, -3, 3, quick_cospi),
    ONE(asin, asinq, 2, 2, -1, 1, asin),
    ONE(acos, acosq, 2, 2, -1, 1, acos),
    ONE(atan, atanq, 2, 2, -5, 5, atan),
    TWO(atan2, atan2q, 2, 3, -10, 10),
    ONE(sinh, sinhq, 2, 3, -3, 3, sinh),
    ONE(cosh, coshq, 1, 2, -3, 3, cosh),
    ONE(tanh, tanhq, 1, 2, -3, 3, tanh),
    ONE(asinh, asinhq, 3, 3, -5, 5, asinh),
    ONE(acosh, acoshq, 3, 4, 1, 5, acosh),
    ONE(atanh, atanhq, 2, 3, -1, 1, atanh),
    TWO(pow, powq, 2, 4, -10, 10),
    {"powi", 0, 0, 0, 2, 4, -10, 10, 0, powi_fixed, powif_fixed, ref_powi, 0, 0},
    ONE(erf, erfq, 2, 2, -4, 4, erf),
    ONE(erfc, erfcq, 5, 4, -4, 12, erfc),
    ONE(erfinv, ref_erfinv, 5, 2, -1, 1, 0),
    ONE(erfcinv, ref_erfcinv, 6, 4, 0, 2, 0),
    ONE(erfcx, ref_erfcx, 4, 4, -4, 20, 0),
    ONE(normcdf, ref_normcdf, 5, 5, -10, 5, 0),
    ONE(normcdfinv, ref_normcdfinv, 8, 5, 0, 1, 0),
    {"lgamma", __nv_lgamma, __nv_lgammaf, ref_lgamma, 4, 6, -5, 20, 0, 0, 0, 0, lgamma_unbounded,
     0},
    ONE(tgamma, ref_tgamma, 10, 5, -20, 40, 0),
    {"j0", __nv_j0, __nv_j0f, ref_j0, 7, 9, -12, 12, 0, 0, 0, 0, far_out, 8},
    {"j1", __nv_j1, __nv_j1f, ref_j1, 7, 9, -12, 12, 0, 0, 0, 0, far_out, 8},
    {"y0", __nv_y0, __nv_y0f, ref_y0, 7, 9, 0, 12, 0, 0, 0, 0, far_out, 8},
    {"y1", __nv_y1, __nv_y1f, ref_y1, 7, 9, 0, 12, 0, 0, 0, 0, far_out, 8},
    BESSEL_ORDER(2, 0, 30),
    BESSEL_ORDER(5, 0, 30),
    BESSEL_ORDER(128, 0, 400),
    ONE(cyl_bessel_i0, ref_i0, 6, 6, -20, 20, 0),
    ONE(cyl_bessel_i1, ref_i1, 6, 6, -20, 20, 0),
    {0},
};
