// Exponentials: exp, exp2, exp10, expm1.
#include "exp.h"
#include "libdevice.h"

double __nv_exp(double x) {
    return exp_scaled(bounded(x, EXP_LOW, EXP_HIGH), 0.0, 0);
}

double __nv_exp2(double x) {
    x = bounded(x, -1100.0, 1100.0);
    double rounded = add_rn(x, ROUNDER);
    double r = x - add_rn(rounded, -ROUNDER);
    return scale(fma_d(r, poly_exp2(r), 1.0), rounded, 0);
}

#define LOG10_2_HI 0x1.34413509f79ffp-2
#define LOG10_2_LO (-0x1.9dc1da994fd20p-59)
#define LOG2_10 0x1.a934f0979a371p+1

double __nv_exp10(double x) {
    x = bounded(x, -340.0, 320.0);
    double rounded = fma_d(x, LOG2_10, ROUNDER);
    double k = add_rn(rounded, -ROUNDER);
    double r = fma_d(k, -LOG10_2_HI, x);
    r = fma_d(k, -LOG10_2_LO, r);
    return scale(fma_d(r, poly_exp10(r), 1.0), rounded, 0);
}

// exp(x) - 1 = (2^k - 1) + 2^k r + 2^k r^2 p(r): the sum of the two large terms is kept exactly.
// One power of two is held back where 2^k itself would overflow.
double __nv_expm1(double x) {
    double y = bounded(x, -60.0, 709.9);
    double rounded = fma_d(y, LOG2_E, ROUNDER);
    double k = add_rn(rounded, -ROUNDER);
    double first = fma_d(k, -LN2_HI, y);
    double r = fma_d(k, -LN2_LO, first);
    double low = fma_d(k, -LN2_LO, add_rn(first, -r));
    int top = k > 1023.0;
    u64 one = top ? 1022ull << 52 : 1023ull << 52;
    double power = from_bits_d((bits_d(rounded) << 52) + one);
    dd sum = two_sum(power - (top ? 0.5 : 1.0), power * r);
    double rest = fma_d(r * r, poly_exp(r), fma_d(r, low, low));
    double result = add_rn(sum.hi, fma_d(power, rest, sum.lo)) * (top ? 2.0 : 1.0);
    return x == 0.0 ? x : result;
}

float __nv_expf(float x) {
    return exp_scaled_f(bounded_f(x, EXPF_LOW, EXPF_HIGH), 0);
}

float __nv_exp2f(float x) {
    x = bounded_f(x, -170.0f, 150.0f);
    float rounded = add_rnf(x, ROUNDER_F);
    float r = x - add_rnf(rounded, -ROUNDER_F);
    return scale_f(fma_f(r, poly_exp2f(r), 1.0f), rounded, 0);
}

float __nv_exp10f(float x) {
    x = bounded_f(x, -50.0f, 45.0f);
    float rounded = fma_f(x, 0x1.a934f0p+1f, ROUNDER_F);
    float k = add_rnf(rounded, -ROUNDER_F);
    float r = fma_f(k, -0x1.344136p-2f, x);
    r = fma_f(k, 0x1.ec10c0p-27f, r);
    return scale_f(fma_f(r, poly_exp10f(r), 1.0f), rounded, 0);
}

float __nv_expm1f(float x) {
    return (float)__nv_expm1(x);
}
