// The scaled complementary error function, on which the others of its family stand.
#pragma once
#include "exp.h"

// exp(x^2) erfc(x) for x >= 0 (not infinite) and NaN. The quotient t = (x - 4)/(x + 4) gets a
// correction, because the result depends on it more than once.
INLINE double erfcx_positive(double x) {
    double inverse = div_rn(1.0, x + 4.0);
    double t = (x - 4.0) * inverse;
    t = fma_d(inverse, fma_d(-t, x, fma_d(-4.0, t + 1.0, x)), t);
    return div_rn(0.5 * poly_erfcx(t), x + 0.5);
}

// What exp(x^2) erfc(x) = (1 + p(t)) / (1 + 2x) is made of: t = (x - 2)/(x + 2) and unit/(1 + 2x),
// with one division for both. For x >= 0 in units of unit, a power of two: x + unit and its inverse
// must be between 2^-50 and 2^50.
typedef struct {
    float t, scale;
} erfcx_parts_f;

INLINE erfcx_parts_f erfcx_split_f(float x, float unit) {
    float above = x + 2.0f * unit, slope = fma_f(2.0f, x, unit);
    float inverse = reciprocal_f(above * slope);
    float per_above = slope * inverse;
    float t = (x - 2.0f * unit) * per_above;
    float scale = above * inverse;
    // Both are corrected: where the result is just below one, its units are small.
    t = fma_f(per_above, fma_f(-t, x, fma_f(-2.0f * unit, t + 1.0f, x)), t);
    scale = fma_f(scale, fma_f(-2.0f * x, scale, fma_f(-unit, scale, 1.0f)), scale);
    return (erfcx_parts_f){t, scale};
}

// The same for 0 <= x < 10.7 and NaN, in a shorter polynomial.
INLINE float erfcx_short_f(float x) {
    erfcx_parts_f s = erfcx_split_f(x, 1.0f);
    return fma_f(poly_erfcf(s.t), s.scale, s.scale);
}
