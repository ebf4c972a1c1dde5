// Angles: the one of j / 32 from a table, and a series for the rest.
#include "tables.h"

NOINLINE struct wide angle_w(struct wide y, struct wide x) {
    int swap = is_zero_w(x) ||
               (!is_zero_w(y) &&
                (y.exponent > x.exponent || (y.exponent == x.exponent && less_f192(x.m, y.m))));
    struct wide low = swap ? x : y, high = swap ? y : x;
    double ratio =
        to_double_w(scaled_w(low, -high.exponent)) / to_double_w(scaled_w(high, -high.exponent));
    i32 j = (i32)__builtin_rint(32 * ratio);
    struct wide c = scaled_w(from_int(j), -5);
    struct wide t = div_w(sub_w(low, mul_w(c, high)), add_w(high, mul_w(c, low)));
    struct fraction sum = series(odd_terms, 18, to_fraction(mul_w(t, t)), 1);
    struct wide angle = add_w(normal_w(atan_table[j], -1, 0), mul_w(t, normal_w(sum, 0, 0)));
    return swap ? sub_w(HALF_PI, angle) : angle;
}

// sqrt(1 - x * x) for |x| <= 1
INLINE struct wide other_side(struct wide x) {
    return sqrt_w(mul_w(add_w(one_w(), x), sub_w(one_w(), x)));
}

quad __nv_fp128_atan(quad x) {
    if (RARELY(is_nan_q(x) || is_zero_q(x)))
        return is_zero_q(x) ? x : QUAD_NAN;
    if (RARELY(is_inf_q(x)))
        return QUAD_HALF_PI | (x & QUAD_SIGN);
    struct wide angle = angle_w(from_quad(x & QUAD_ABS), one_w());
    return with_sign(to_quad(angle), sign_of(x));
}

quad __nv_fp128_asin(quad x) {
    if (RARELY(is_nan_q(x) || (x & QUAD_ABS) > QUAD_ONE))
        return QUAD_NAN;
    if (is_zero_q(x))
        return x;
    struct wide w = from_quad(x & QUAD_ABS);
    return with_sign(to_quad(angle_w(w, other_side(w))), sign_of(x));
}

quad __nv_fp128_acos(quad x) {
    if (RARELY(is_nan_q(x) || (x & QUAD_ABS) > QUAD_ONE))
        return QUAD_NAN;
    struct wide w = from_quad(x & QUAD_ABS);
    struct wide angle = angle_w(other_side(w), w);
    return to_quad(sign_of(x) ? sub_w(PI, angle) : angle);
}
