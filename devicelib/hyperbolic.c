// Hyperbolic functions and their inverses.
#include "exp.h"
#include "libdevice.h"
#include "log.h"

double __nv_cosh(double x) {
    double a = bounded(fabs_d(x), 0.0, EXP_HIGH);
    double half_exp = exp_scaled(a, 0.0, -1);
    return half_exp + div_rn(0.25, half_exp);
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
    double e = exp_scaled(bounded(2.0 * a, 0.0, 64.0), 0.0, 0);
    double large = 1.0 - div_rn(2.0, e + 1.0);
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
    return (float)__nv_sinh(x);
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
    return (float)__nv_asinh(x);
}

float __nv_acoshf(float x) {
    return (float)__nv_acosh(x);
}

float __nv_atanhf(float x) {
    return (float)__nv_atanh(x);
}
