// Sine, cosine, tangent, and sine and cosine of multiples of pi.
//
// Sine and cosine reduce by multiples of pi, not of pi/2: one polynomial on [-pi/2, pi/2] serves
// all lanes, where two on a half of that would have to be evaluated both and selected from.
#include "trig.h"
#include "libdevice.h"

double __nv_sin(double x) {
    return sin_reduced(reduce_sin(x));
}

// Below the square root of half a unit nothing is left of x^2/2, while the polynomial's own error
// shows.
double __nv_cos(double x) {
    double c = sin_reduced(reduce_cos(x));
    return fabs_d(x) <= 0x1p-27 ? 1.0 : c;
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

// sin(pi x) for x = n/2 + r, |r| <= 1/4: exact to here. Bit 0 of quadrant picks cosine, bit 1 the
// sign.
INLINE double sinpi_reduced(double r, u64 quadrant) {
    double z = r * r;
    double sine =
        fma_d(r, 0x1.921fb54442d18p+1, r * fma_d(z, poly_sinpi(z), 0x1.1a62633145c07p-53));
    double cosine = fma_d(z, poly_cospi(z), 1.0);
    double s = quadrant & 1 ? cosine : __builtin_copysign(sine, r);
    return from_bits_d(bits_d(s) ^ (quadrant >> 1 & 1) << 63);
}

double __nv_sinpi(double x) {
    double a = fabs_d(x);
    // Numbers from here on are even integers; halves of them would lose the rounder's precision.
    a = a >= 0x1p50 ? a - 2.0 * __builtin_trunc(0.5 * a) : a;
    double rounded = fma_d(2.0, a, ROUNDER);
    double r = fma_d(-0.5, add_rn(rounded, -ROUNDER), a);
    u64 quadrant = bits_d(rounded);
    double s = sinpi_reduced(r, quadrant);
    // A zero keeps the sign of x.
    u64 sign = bits_d(x) & 1ull << 63;
    s = s == 0.0 ? from_bits_d(sign) : from_bits_d(bits_d(s) ^ sign);
    return a < INFINITY_D ? s : NAN_D;
}

double __nv_cospi(double x) {
    double a = fabs_d(x);
    a = a >= 0x1p50 ? a - 2.0 * __builtin_trunc(0.5 * a) : a;
    double rounded = fma_d(2.0, a, ROUNDER);
    double r = fma_d(-0.5, add_rn(rounded, -ROUNDER), a);
    double s = sinpi_reduced(r, bits_d(rounded) + 1);
    s = s == 0.0 ? 0.0 : s;
    return a < INFINITY_D ? s : NAN_D;
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

// x = quadrant * pi/2 + r for large |x|.
typedef struct {
    u32 quadrant;
    double r;
} quarter_turn_f;

INLINE quarter_turn_f reduce_quarter_f(float x) {
    u64 turns = __kd_large_turns_f(x);
    double r = (double)(i64)(turns << 2) * (PIO2_A * 0x1p-64);
    return (quarter_turn_f){(u32)((turns + (1ull << 61)) >> 62),
                            fabs_f(x) < INFINITY_F ? r : NAN_D};
}

INLINE half_turn_f reduce_large_f(float x, u32 turn) {
    quarter_turn_f q = reduce_quarter_f(x);
    u32 quadrant = q.quadrant + turn;
    double t = quadrant & 1 ? PIO2_A - fabs_d(q.r) : q.r;
    return (half_turn_f){(float)t, (quadrant & 2) << 30};
}

INLINE float subtract_pi_f(float q, float x) {
    float t = fma_f(q, -0x1.921fb4p+1f, x);
    t = fma_f(q, -0x1.4442d0p-23f, t);
    return fma_f(q, -0x1.846988p-47f, t);
}

INLINE float sin_reduced_f(half_turn_f h) {
    float z = h.t * h.t;
    float s = __builtin_copysignf(fma_f(h.t * z, poly_sinf(z), h.t), h.t);
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
    float c = sin_reduced_f(h);
    return fabs_f(x) <= 0x1p-12f ? 1.0f : c;
}

void __nv_sincosf(float x, float *sine, float *cosine) {
    *sine = __nv_sinf(x);
    *cosine = __nv_cosf(x);
}

float __nv_tanf(float x) {
    float rounded = fma_f(x, 0x1.45f306p-1f, ROUNDER_F);
    float q = add_rnf(rounded, -ROUNDER_F);
    float a = fma_f(q, -0x1.921fb4p+0f, x);
    float r = fma_f(q, -0x1.4442d0p-24f, a);
    r = fma_f(q, -0x1.846988p-48f, r);
    // What r was rounded by; it matters, and the first difference is exact, where r is not small.
    float low = fma_f(q, -0x1.846988p-48f, fma_f(q, -0x1.4442d0p-24f, add_rnf(a, -r)));
    low = fabs_f(r) > 0x1p-6f ? low : 0.0f;
    u32 odd = bits_f(rounded) & 1;
    if (RARELY(fabs_f(x) > REDUCTION_LIMIT_F)) {
        quarter_turn_f q = reduce_quarter_f(x);
        odd = q.quadrant & 1;
        r = (float)q.r;
        low = (float)(q.r - (double)r);
    }
    float z = r * r;
    float t = r + fma_f(r * z, poly_tanf(z), fma_f(low, z, low));
    return odd ? -reciprocal_f(t) : x == 0.0f ? x : t;
}

INLINE float sinpi_reduced_f(float r, u32 quadrant) {
    float z = r * r;
    float sine = fma_f(r, 0x1.921fb6p+1f, r * fma_f(z, poly_sinpif(z), -0x1.777a5cp-24f));
    float cosine = fma_f(z, poly_cospif(z), 1.0f);
    float s = quadrant & 1 ? cosine : __builtin_copysignf(sine, r);
    return from_bits_f(bits_f(s) ^ (quadrant >> 1 & 1) << 31);
}

float __nv_sinpif(float x) {
    float a = fabs_f(x);
    a = a >= 0x1p21f ? a - 2.0f * __builtin_truncf(0.5f * a) : a;
    float rounded = fma_f(2.0f, a, ROUNDER_F);
    float r = fma_f(-0.5f, add_rnf(rounded, -ROUNDER_F), a);
    float s = sinpi_reduced_f(r, bits_f(rounded));
    u32 sign = bits_f(x) & 1u << 31;
    s = s == 0.0f ? from_bits_f(sign) : from_bits_f(bits_f(s) ^ sign);
    return a < INFINITY_F ? s : NAN_F;
}

float __nv_cospif(float x) {
    float a = fabs_f(x);
    a = a >= 0x1p21f ? a - 2.0f * __builtin_truncf(0.5f * a) : a;
    float rounded = fma_f(2.0f, a, ROUNDER_F);
    float r = fma_f(-0.5f, add_rnf(rounded, -ROUNDER_F), a);
    float s = sinpi_reduced_f(r, bits_f(rounded) + 1);
    s = s == 0.0f ? 0.0f : s;
    return a < INFINITY_F ? s : NAN_F;
}

void __nv_sincospif(float x, float *sine, float *cosine) {
    *sine = __nv_sinpif(x);
    *cosine = __nv_cospif(x);
}
