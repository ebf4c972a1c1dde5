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

INLINE int is_odd_f(float y) {
    float half = 0.5f * y;
    return __builtin_rintf(y) == y && __builtin_rintf(half) != half;
}

INLINE float pow_special_f(float x, float y, float magnitude) {
    int integer = __builtin_rintf(y) == y;
    float result = is_odd_f(y) ? __builtin_copysignf(magnitude, x) : magnitude;
    result = x < 0.0f && x > -INFINITY_F && !integer ? NAN_F : result;
    result = is_nan_f(x) || is_nan_f(y) ? x + y : result;
    int one = x == 1.0f || y == 0.0f || (x == -1.0f && fabs_f(y) == INFINITY_F);
    return one ? 1.0f : result;
}

// A number as the unevaluated sum of two floats.
typedef struct {
    float hi, lo;
} pair_f;

// log2(a) in about 32 bits for finite a > 0, through log(m) = q + q^3 p(q^2), q = 2 f/(2 + f).
INLINE pair_f log2_pair_f(float a) {
    int subnormal = a < 0x1p-126f;
    u32 bits = bits_f(subnormal ? a * 0x1p24f : a);
    u32 exponent = (bits - 0x3f3504f3u) & 0xff800000u;
    float k = fma_f((float)(int)exponent, 0x1p-23f, subnormal ? -24.0f : 0.0f);
    float f = from_bits_f(bits - exponent) - 1.0f;
    float inverse = reciprocal_f(2.0f + f);
    float q = mul_rnf(2.0f * f, inverse);
    float q_low = inverse * fma_f(-q, f, 2.0f * add_rnf(f, -q));
    float z = q * q;
    float tail = fma_f(q * z, poly_logf_pair(z), fma_f(0.25f * q_low, z, q_low));
    float hi = mul_rnf(q, 0x1.715476p+0f);
    float low = fma_f(q, 0x1.715476p+0f, -hi);
    low = fma_f(tail, 0x1.715476p+0f, fma_f(q, 0x1.4ae0c0p-26f, low));
    float sum = add_rnf(k, hi);
    low = add_rnf(hi, -add_rnf(sum, -k)) + low;
    float whole = add_rnf(sum, low);
    return (pair_f){whole, add_rnf(low, -add_rnf(whole, -sum))};
}

float __nv_powf(float x, float y) {
    float a = fabs_f(x);
    pair_f l = log2_pair_f(a);
    float l_hi = a == 0.0f ? -INFINITY_F : a == INFINITY_F ? INFINITY_F : l.hi;
    float e = mul_rnf(y, l_hi);
    float low = fma_f(y, l.lo, fma_f(y, l.hi, -e));
    // A result of zero is put in after: an underflow is slow in vectors.
    int zero = e < -151.0f;
    low = fabs_f(e) < 151.0f ? low : 0.0f;
    e = zero ? 0.0f : e > 151.0f ? 151.0f : e;
    float rounded = add_rnf(e, ROUNDER_F);
    float r = add_rnf(e, -add_rnf(rounded, -ROUNDER_F)) + low;
    float fraction = on_cpu_or_gpu_f(fma_f(r, poly_exp2f(r), 1.0f), __nvvm_ex2_approx_ftz_f(r));
    float magnitude = scale_f(fraction, rounded, 0);
    return pow_special_f(x, y, zero ? 0.0f : magnitude);
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
