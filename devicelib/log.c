// Logarithms: log, log2, log10, log1p.
#include "log.h"
#include "libdevice.h"

double __nv_log(double x) {
    return log_special(x, log_finite(x));
}

// log(m) as a pair times the pair 1/log(base), plus k log(2)/log(base).
INLINE double log_base(double x, dd per_e, dd per_2) {
    split s = split_d(x);
    dd m = log_pair(s.m - 1.0);
    double low = fma_d(m.lo, per_e.hi, m.hi * per_e.lo);
    dd product = two_product(m.hi, per_e.hi);
    dd sum = two_sum(s.k * per_2.hi, product.hi);
    low = low + fma_d(s.k, per_2.lo, product.lo);
    return log_special(x, add_rn(sum.hi, add_rn(sum.lo, low)));
}

double __nv_log2(double x) {
    return log_base(x, (dd){0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}, (dd){1.0, 0.0});
}

// The high part of log10(2) is short: its product with an exponent is exact.
double __nv_log10(double x) {
    return log_base(x, (dd){0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57},
                    (dd){0x1.34413509f7800p-2, 0x1.fef311f12b358p-46});
}

// With u + c = 1 + x exactly and u = 2^k m: log1p(x) = k log(2) + log(m) + c/u. For k = 0 the
// argument is x itself, and no small x loses bits.
double __nv_log1p(double x) {
    double u = add_rn(1.0, x);
    dd sum = two_sum(1.0, x);
    split s = split_d(u);
    int near_one = s.k == 0.0;
    double f = near_one ? x : s.m - 1.0;
    double c = near_one || x > 0x1p60 ? 0.0 : sum.lo * s.unit;
    log_terms t = log_tail(f);
    double low = fma_d(s.k, LN2_LO, t.rest) + fma_d(-c, f, c);
    double result = fma_d(s.k, LN2_HI, f - (t.half_square - low));
    result = x == 0.0 ? x : result;
    return log_special(u, result);
}

float __nv_logf(float x) {
    return log_special_f(x, log_finite_f(x));
}

// k * per_2 + f * per_e + low, where the first product is exact.
INLINE float log_base_f(float k, float per_2, float f, float per_e, float low) {
    float product = mul_rnf(f, per_e);
    low = low + fma_f(f, per_e, -product);
    float whole = mul_rnf(k, per_2);
    float sum = add_rnf(whole, product);
    float rest = add_rnf(product, -add_rnf(sum, -whole));
    return add_rnf(sum, add_rnf(rest, low));
}

float __nv_log2f(float x) {
    split_float s = split_f(x);
    float f = s.m - 1.0f;
    float low = fma_f(f * f, poly_log2f(f), f * 0x1.4ae0c0p-26f);
    return log_special_f(x, log_base_f(s.k, 1.0f, f, 0x1.715476p+0f, low));
}

// The high part of log10(2) is short.
float __nv_log10f(float x) {
    split_float s = split_f(x);
    float f = s.m - 1.0f;
    float p = fma_f(poly_logf(f), f, -0.5f);
    float low = fma_f(f * f, p * 0x1.bcb7b2p-2f, f * -0x1.5b235ep-27f);
    low = fma_f(s.k, 0x1.3509f8p-18f, low);
    return log_special_f(x, log_base_f(s.k, 0x1.344p-2f, f, 0x1.bcb7b2p-2f, low));
}

float __nv_log1pf(float x) {
    return log_special_f(1.0f + x, log1p_finite_f(x, 0.0f));
}
