// Exponentials: exp, exp2, exp10, expm1.
#include "exp.h"
#include "libdevice.h"

// Arguments whose result is zero are taken out before, and the zero put in after: an underflow
// would stop the vector unit for a hundred cycles.
INLINE double in_range(double x, double zero, double high) {
    x = x < zero ? 0.0 : x;
    return x > high ? high : x;
}

INLINE float in_range_f(float x, float zero, float high) {
    x = x < zero ? 0.0f : x;
    return x > high ? high : x;
}

#define EXP_ZERO (-745.2)
#define EXP2_ZERO (-1075.5)
#define EXP10_ZERO (-323.7)
#define EXPF_ZERO (-104.0f)
#define EXP2F_ZERO (-150.5f)
#define EXP10F_ZERO (-45.2f)

double __nv_exp(double x) {
    double r = exp_scaled(in_range(x, EXP_ZERO, EXP_HIGH), 0.0, 0);
    return x < EXP_ZERO ? 0.0 : r;
}

double __nv_exp2(double x) {
    double y = in_range(x, EXP2_ZERO, 1100.0);
    double rounded = add_rn(y, ROUNDER);
    double r = y - add_rn(rounded, -ROUNDER);
    r = scale(fma_d(r, poly_exp2(r), 1.0), rounded, 0);
    return x < EXP2_ZERO ? 0.0 : r;
}

#define LOG10_2_HI 0x1.34413509f79ffp-2
#define LOG10_2_LO (-0x1.9dc1da994fd20p-59)
#define LOG2_10 0x1.a934f0979a371p+1
#define LN10_HI 0x1.26bb1bbb55516p+1
#define LN10_LO (-0x1.f48ad494ea3e9p-53)

double __nv_exp10(double x) {
    double y = in_range(x, EXP10_ZERO, 320.0);
    double rounded = fma_d(y, LOG2_10, ROUNDER);
    double k = add_rn(rounded, -ROUNDER);
    double r = fma_d(k, -LOG10_2_LO, fma_d(k, -LOG10_2_HI, y));
    // r ln(10), with what its rounding leaves.
    double t = mul_rn(r, LN10_HI), low = fma_d(r, LN10_LO, fma_d(r, LN10_HI, -t));
    double p = t + fma_d(t * t, poly_exp(t), low);
    return x < EXP10_ZERO ? 0.0 : scale(1.0 + p, rounded, 0);
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
    exp_parts_f e = exp_split_f(in_range_f(x, EXPF_ZERO, EXPF_HIGH), -0.0f);
    float r = scale_f(1.0f + e.p, e.rounded, 0);
    exp_gpu_f g = exp_split_gpu_f(x, LOG2_E_HI_F, LOG2_E_LO_F, -0.0f);
    return on_cpu_or_gpu_f(x < EXPF_ZERO ? 0.0f : r, g.value * g.power);
}

float __nv_exp2f(float x) {
    float y = in_range_f(x, EXP2F_ZERO, 150.0f);
    float rounded = add_rnf(y, ROUNDER_F);
    float r = y - add_rnf(rounded, -ROUNDER_F);
    r = scale_f(fma_f(r, poly_exp2f(r), 1.0f), rounded, 0);
    return on_cpu_or_gpu_f(x < EXP2F_ZERO ? 0.0f : r, __nvvm_ex2_approx_f(x));
}

#define LOG2_10_LO_F 0x1.2f346ep-24f

float __nv_exp10f(float x) {
    float y = in_range_f(x, EXP10F_ZERO, 45.0f);
    float rounded = fma_f(y, 0x1.a934f0p+1f, ROUNDER_F);
    float k = add_rnf(rounded, -ROUNDER_F);
    float r = fma_f(k, -0x1.344136p-2f, y);
    r = fma_f(k, 0x1.ec10c0p-27f, r);
    r = scale_f(fma_f(r, poly_exp10f(r), 1.0f), rounded, 0);
    exp_gpu_f g = exp_split_gpu_f(x, 0x1.a934f0p+1f, LOG2_10_LO_F, -0.0f);
    return on_cpu_or_gpu_f(x < EXP10F_ZERO ? 0.0f : r, g.value * g.power);
}

// With half of 2^k throughout, which does not overflow. The sum of the large terms is kept exactly.
float __nv_expm1f(float x) {
    float y = bounded_f(x, -20.0f, 89.0f);
    float rounded = fma_f(y, 0x1.715476p+0f, ROUNDER_F);
    float k = add_rnf(rounded, -ROUNDER_F);
    float r = fma_f(k, -0x1.62e430p-1f, y);
    float low = k * 0x1.05c610p-29f;
    float rest = fma_f(r * r, poly_expf(r), fma_f(r, low, low));
    float power = from_bits_f((bits_f(rounded) << 23) + (126u << 23));
    float less_one = power - 0.5f;
    float sum = fma_f(power, r, less_one);
    float lost = fma_f(power, r, add_rnf(less_one, -sum));
    float result = 2.0f * add_rnf(sum, fma_f(power, rest, lost));
    return fabs_f(x) < 0x1p-25f ? x : result;
}
