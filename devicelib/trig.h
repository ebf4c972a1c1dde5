// Argument reduction for trigonometric functions.
#pragma once
#include "coefficients.h"
#include "double_double.h"

#define ROUNDER 0x1.8p52
#define ROUNDER_F 0x1.8p23f

// Half of pi in three parts, each rounded down: so a zero keeps its sign through the reduction. The
// difference x - q * PIO2_A is exact for |q| < 2^21.
#define PIO2_A 0x1.921fb54442d18p+0
#define PIO2_B 0x1.1a62633145c06p-54
#define PIO2_C 0x1.c1cd129024e08p-107
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define ONE_OVER_PI 0x1.45f306dc9c883p-2

// Arguments up to this take three multiples of pi away; larger ones need 2/pi to many digits.
#define REDUCTION_LIMIT 0x1p20
#define REDUCTION_LIMIT_F 0x1p16f

// x = q * pi/2 + r, |r| <= pi/4, for any finite |x| >= 2^16; q modulo 4. For infinities and NaN the
// remainder is NaN. (Two functions, because one would have to return its results in memory.)
u32 __kd_large_quadrant(double x);
double __kd_large_remainder(double x);

// x * 2/pi modulo 4 in units of 2^-62, for finite |x| >= 2^16. It is too small by less than three
// of them; what is left of a float beyond a quarter turn has at least 2^32.
u64 __kd_large_turns_f(float x);

// An angle t in [-pi/2, pi/2] and a sign bit, such that the function in question is sin(t) with
// that sign.
typedef struct {
    double t;
    u64 sign;
} half_turn;

// For large |x|: sin(x + turn * pi/2).
INLINE half_turn reduce_large(double x, u32 turn) {
    u32 quadrant = __kd_large_quadrant(x) + turn;
    double r = __kd_large_remainder(x);
    // cos(r) = sin(pi/2 - |r|)
    double t = quadrant & 1 ? PIO2_A - (fabs_d(r) - PIO2_B) : r;
    return (half_turn){t, (u64)(quadrant & 2) << 62};
}

// sin(x) = sin(x - q pi) (-1)^q
INLINE half_turn reduce_sin(double x) {
    double rounded = fma_d(x, ONE_OVER_PI, ROUNDER);
    double q = 2.0 * add_rn(rounded, -ROUNDER);
    double t = fma_d(q, -PIO2_A, x);
    t = fma_d(q, -PIO2_B, t);
    t = fma_d(q, -PIO2_C, t);
    half_turn h = {t, bits_d(rounded) << 63};
    if (RARELY(fabs_d(x) > REDUCTION_LIMIT))
        h = reduce_large(x, 0);
    return h;
}

// cos(x) = sin(x - (2q + 1) pi/2) (-1)^(q + 1)
INLINE half_turn reduce_cos(double x) {
    double rounded = add_rn(fma_d(x, ONE_OVER_PI, -0.5), ROUNDER);
    double q = fma_d(2.0, add_rn(rounded, -ROUNDER), 1.0);
    double t = fma_d(q, -PIO2_A, x);
    t = fma_d(q, -PIO2_B, t);
    t = fma_d(q, -PIO2_C, t);
    half_turn h = {t, ~bits_d(rounded) << 63};
    if (RARELY(fabs_d(x) > REDUCTION_LIMIT))
        h = reduce_large(x, 1);
    return h;
}

// sin of a reduced angle, |t| <= pi/2, with its sign.
INLINE double sin_reduced(half_turn h) {
    double z = h.t * h.t;
    double s = fma_d(h.t * z, poly_sin(z), h.t);
    // The sum of two zeros would lose a sign.
    s = __builtin_copysign(s, h.t);
    return from_bits_d(bits_d(s) ^ h.sign);
}
