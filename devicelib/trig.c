// Sine, cosine, tangent, and sine and cosine of multiples of pi.
//
// Sine and cosine reduce by multiples of pi, not of pi/2: one polynomial on [-pi/2, pi/2] serves
// all lanes, where two on a half of that would have to be evaluated both and selected from.
#include "trig.h"
#include "libdevice.h"

double __nv_sin(double x) {
    return sin_reduced(reduce_sin(x));
}

double __nv_cos(double x) {
    return sin_reduced(reduce_cos(x));
}

void __nv_sincos(double x, double *sine, double *cosine) {
    *sine = __nv_sin(x);
    *cosine = __nv_cos(x);
}

// tan(x) = tan(r) or -1/tan(r), with r as a pair of doubles.
double __nv_tan(double x) {
    double rounded = fma_d(x, TWO_OVER_PI, ROUNDER);
    double q = add_rn(rounded, -ROUNDER);
    double a = fma_d(q, -PIO2_A, x);
    double r = fma_d(q, -PIO2_B, a);
    double low = fma_d(q, -PIO2_C, fma_d(q, -PIO2_B, add_rn(a, -r)));
    u32 odd = (u32)bits_d(rounded) & 1;
    if (RARELY(fabs_d(x) > REDUCTION_LIMIT)) {
        odd = __kd_large_quadrant(x) & 1;
        r = __kd_large_remainder(x);
        low = 0.0;
    }
    double z = r * r;
    // The low part counts as much as tan' = 1 + tan^2 says, near enough.
    double rest = fma_d(r * z, poly_tan(z), fma_d(low, z, low));
    double t = add_rn(r, rest);
    double t_low = add_rn(add_rn(r, -t), rest);
    double inverse = div_rn(-1.0, t);
    double correction = fma_d(inverse, t, 1.0) + inverse * t_low;
    double cotangent = fma_d(inverse, correction, inverse);
    return odd ? cotangent : x == 0.0 ? x : t;
}

// r = x - round(x) is exact; sin(pi r) follows without reduction.
INLINE double sinpi_reduced(double r, u64 sign) {
    double z = r * r;
    double s = fma_d(r, 0x1.921fb54442d18p+1, r * fma_d(z, poly_sinpi(z), 0x1.1a62633145c07p-53));
    return from_bits_d(bits_d(s) ^ sign);
}

// From here on every double is an even integer.
#define ALL_EVEN 0x1p53

double __nv_sinpi(double x) {
    double q = __builtin_rint(x);
    double r = __builtin_copysign(x - q, x);
    r = fabs_d(x - q) == 0.0 ? r : x - q;
    double half = 0.5 * q;
    u64 sign = __builtin_rint(half) != half ? 1ull << 63 : 0;
    // A zero keeps the sign of x.
    sign = r == 0.0 ? 0 : sign;
    double result = sinpi_reduced(r, sign);
    return fabs_d(x) < INFINITY_D ? result : NAN_D;
}

// cos(pi x) = sin(pi (1/2 - |x|)) for |x| <= 1 after taking the nearest even number away.
double __nv_cospi(double x) {
    double even = 2.0 * __builtin_rint(0.5 * x);
    double r = 0.5 - fabs_d(x - even);
    r = fabs_d(x) >= ALL_EVEN ? 0.5 : r;
    double result = sinpi_reduced(r, 0);
    return fabs_d(x) < INFINITY_D ? result : NAN_D;
}

void __nv_sincospi(double x, double *sine, double *cosine) {
    *sine = __nv_sinpi(x);
    *cosine = __nv_cospi(x);
}

// The same in float.
typedef struct {
    float t;
    u32 sign;
} half_turn_f;

INLINE half_turn_f reduce_large_f(float x, u32 turn) {
    half_turn h = reduce_large((double)x, turn);
    return (half_turn_f){(float)h.t, (u32)(h.sign >> 32)};
}

INLINE float subtract_pi_f(float q, float x) {
    float t = fma_f(q, -0x1.921fb4p+1f, x);
    t = fma_f(q, -0x1.4442d0p-23f, t);
    return fma_f(q, -0x1.846988p-47f, t);
}

INLINE float sin_reduced_f(half_turn_f h) {
    float z = h.t * h.t;
    float s = fma_f(h.t * z, poly_sinf(z), h.t);
    return from_bits_f(bits_f(s) ^ h.sign);
}

float __nv_sinf(float x) {
    float rounded = fma_f(x, 0x1.45f306p-2f, ROUNDER_F);
    float q = add_rnf(rounded, -ROUNDER_F);
    half_turn_f h = {subtract_pi_f(q, x), bits_f(rounded) << 31};
    if (RARELY(fabs_f(x) > REDUCTION_LIMIT_F))
        h = reduce_large_f(x, 0);
    return sin_reduced_f(h);
}

float __nv_cosf(float x) {
    float rounded = add_rnf(fma_f(x, 0x1.45f306p-2f, -0.5f), ROUNDER_F);
    float q = add_rnf(rounded, -ROUNDER_F) + 0.5f;
    half_turn_f h = {subtract_pi_f(q, x), ~bits_f(rounded) << 31};
    if (RARELY(fabs_f(x) > REDUCTION_LIMIT_F))
        h = reduce_large_f(x, 1);
    return sin_reduced_f(h);
}

void __nv_sincosf(float x, float *sine, float *cosine) {
    *sine = __nv_sinf(x);
    *cosine = __nv_cosf(x);
}

float __nv_tanf(float x) {
    return (float)__nv_tan(x);
}

INLINE float sinpi_reduced_f(float r, u32 sign) {
    float z = r * r;
    float s = fma_f(r, 0x1.921fb6p+1f, r * fma_f(z, poly_sinpif(z), -0x1.777a5cp-24f));
    return from_bits_f(bits_f(s) ^ sign);
}

float __nv_sinpif(float x) {
    float q = __builtin_rintf(x);
    float r = x - q;
    r = r == 0.0f ? __builtin_copysignf(r, x) : r;
    float half = 0.5f * q;
    u32 sign = __builtin_rintf(half) != half && r != 0.0f ? 1u << 31 : 0;
    float result = sinpi_reduced_f(r, sign);
    return fabs_f(x) < INFINITY_F ? result : NAN_F;
}

float __nv_cospif(float x) {
    float even = 2.0f * __builtin_rintf(0.5f * x);
    float r = 0.5f - fabs_f(x - even);
    r = fabs_f(x) >= 0x1p24f ? 0.5f : r;
    float result = sinpi_reduced_f(r, 0);
    return fabs_f(x) < INFINITY_F ? result : NAN_F;
}

void __nv_sincospif(float x, float *sine, float *cosine) {
    *sine = __nv_sinpif(x);
    *cosine = __nv_cospif(x);
}
