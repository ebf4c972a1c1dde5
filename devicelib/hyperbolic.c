// Hyperbolic functions and their inverses.
#include "exp.h"
#include "libdevice.h"
#include "log.h"

// Beyond this cosh and sinh are infinite; e^x/2 is at least 2^-1 and at most 2^1026.
#define COSH_HIGH 712.0

// (e^x + e^-x)/2, with what rounding e^x leaves.
double __nv_cosh(double x) {
    dd half_exp = exp_pair(bounded(fabs_d(x), 0.0, COSH_HIGH), -1);
    return half_exp.hi + (half_exp.lo + div_rn(0.25, half_exp.hi));
}

// sinh = (e^x - e^-x)/2 loses nothing from 1 on; below there is a polynomial.
double __nv_sinh(double x) {
    double a = fabs_d(x);
    double half_exp = exp_scaled(bounded(a, 0.0, EXP_HIGH), 0.0, -1);
    double large = half_exp - div_rn(0.25, half_exp);
    double z = a * a;
    double small = fma_d(a * z, poly_sinh(z), a);
    return __builtin_copysign(a < 1.0 ? small : large, x);
}

double __nv_tanh(double x) {
    double a = fabs_d(x);
    // 1 - 2/(e^2a + 1), with what rounding the exponential and its sum leave.
    dd e = exp_pair(bounded(2.0 * a, 0.0, 64.0), 0);
    dd sum = fast_two_sum(e.hi, 1.0);
    double q = div_rn(2.0, sum.hi);
    double large = 1.0 - fma_d(-0.5 * q * q, sum.lo + e.lo, q);
    double z = a * a;
    double small = fma_d(a * z, poly_tanh(z), a);
    return __builtin_copysign(a < 0.55 ? small : large, x);
}

// asinh(x) = log1p(x + x^2/(1 + sqrt(1 + x^2)))
double __nv_asinh(double x) {
    double a = fabs_d(x);
    int huge = a > 0x1p28;
    double square = a * a;
    double near = __nv_log1p(a + div_rn(square, 1.0 + sqrt_rn(square + 1.0)));
    double far = __nv_log(a) + LN2_HI;
    return __builtin_copysign(huge ? far : near, x);
}

// acosh(x) = log1p(t + sqrt(2t + t^2)), t = x - 1
double __nv_acosh(double x) {
    double t = x - 1.0;
    double near = __nv_log1p(t + sqrt_rn(fma_d(t, t, 2.0 * t)));
    double far = __nv_log(x) + LN2_HI;
    double r = x > 0x1p28 ? far : near;
    return x < 1.0 ? NAN_D : r;
}

double __nv_atanh(double x) {
    double a = fabs_d(x);
    double r = 0.5 * __nv_log1p(div_rn(2.0 * a, 1.0 - a));
    return __builtin_copysign(r, x);
}

float __nv_coshf(float x) {
    float a = bounded_f(fabs_f(x), 0.0f, EXPF_HIGH);
    float half_exp = exp_scaled_f(a, -1);
    return half_exp + div_rnf(0.25f, half_exp);
}

float __nv_sinhf(float x) {
    float a = fabs_f(x);
    float half_exp = exp_scaled_f(bounded_f(a, 0.0f, EXPF_HIGH), -1);
    // Where the inverse no longer counts, it need not be right.
    float large = half_exp - 0.25f * reciprocal_f(bounded_f(half_exp, 0.0f, 0x1p60f));
    float z = a * a;
    float small = fma_f(a * z, poly_sinhf(z), a);
    return __builtin_copysignf(a < 1.0f ? small : large, x);
}

float __nv_tanhf(float x) {
    float a = fabs_f(x);
    float e = exp_scaled_f(bounded_f(2.0f * a, 0.0f, 32.0f), 0);
    float large = 1.0f - div_rnf(2.0f, e + 1.0f);
    float z = a * a;
    float small = fma_f(a * z, poly_tanhf(z), a);
    return __builtin_copysignf(a < 0.55f ? small : large, x);
}

float __nv_asinhf(float x) {
    float a = fabs_f(x);
    int huge = a > 0x1p28f;
    float square = a * a;
    float near = fma_f(square, reciprocal_f(1.0f + sqrt_rnf(square + 1.0f)), a);
    float r = log1p_finite_f(huge ? a : near, huge ? 1.0f : 0.0f);
    return a < INFINITY_F ? __builtin_copysignf(r, x) : x;
}

float __nv_acoshf(float x) {
    float t = x - 1.0f;
    int huge = x > 0x1p28f;
    float near = t + sqrt_rnf(fma_f(t, t, 2.0f * t));
    float r = log1p_finite_f(huge ? x : near, huge ? 1.0f : 0.0f);
    r = x == INFINITY_F ? x : r;
    return x < 1.0f ? NAN_F : r;
}

float __nv_atanhf(float x) {
    float a = fabs_f(x);
    float r = 0.5f * log1p_finite_f(2.0f * a * reciprocal_f(1.0f - a), 0.0f);
    r = a == 1.0f ? INFINITY_F : r;
    return a > 1.0f ? NAN_F : __builtin_copysignf(r, x);
}
