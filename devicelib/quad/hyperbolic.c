// Hyperbolic functions, their inverses, and the hypotenuse.
#include "tables.h"

INLINE int is_extreme(quad x) { // beyond 2^15
    return exponent_field(x) >= QUAD_BIAS + 15;
}

quad __nv_fp128_sinh(quad x) {
    if (RARELY(is_nan_q(x) || is_zero_q(x)))
        return is_zero_q(x) ? x : QUAD_NAN;
    if (RARELY(is_extreme(x)))
        return QUAD_INF | (x & QUAD_SIGN);
    struct wide e = expm1_w(from_quad(x & QUAD_ABS));
    struct wide sum = add_w(e, div_w(e, add_w(e, one_w())));
    return with_sign(to_quad(scaled_w(sum, -1)), sign_of(x));
}

quad __nv_fp128_cosh(quad x) {
    if (RARELY(is_extreme(x)))
        return is_nan_q(x) ? QUAD_NAN : QUAD_INF;
    struct wide e = exp_w(from_quad(x & QUAD_ABS));
    return to_quad(scaled_w(add_w(e, div_w(one_w(), e)), -1));
}

quad __nv_fp128_tanh(quad x) {
    if (RARELY(is_nan_q(x) || is_zero_q(x)))
        return is_zero_q(x) ? x : QUAD_NAN;
    if (exponent_field(x) >= QUAD_BIAS + 7) // 1 - 2^-369
        return QUAD_ONE | (x & QUAD_SIGN);
    struct wide e = expm1_w(scaled_w(from_quad(x & QUAD_ABS), 1));
    return with_sign(to_quad(div_w(e, add_w(e, from_int(2)))), sign_of(x));
}

// log1p(x + x^2 / (1 + sqrt(1 + x^2)))
quad __nv_fp128_asinh(quad x) {
    if (RARELY(!is_finite_q(x) || is_zero_q(x)))
        return is_nan_q(x) ? QUAD_NAN : x;
    struct wide w = from_quad(x & QUAD_ABS), square = mul_w(w, w);
    struct wide root = sqrt_w(add_w(one_w(), square));
    struct wide sum = add_w(w, div_w(square, add_w(one_w(), root)));
    return with_sign(to_quad(log1p_w(sum)), sign_of(x));
}

// With f = x - 1: log1p(f + sqrt(f (x + 1)))
quad __nv_fp128_acosh(quad x) {
    if (RARELY(is_nan_q(x) || sign_of(x) || x < QUAD_ONE))
        return QUAD_NAN;
    if (RARELY(is_inf_q(x)))
        return x;
    struct wide w = from_quad(x), f = sub_w(w, one_w());
    struct wide sum = add_w(f, sqrt_w(mul_w(f, add_w(w, one_w()))));
    return to_quad(log1p_w(sum));
}

// log1p(2x / (1 - x)) / 2
quad __nv_fp128_atanh(quad x) {
    quad magnitude = x & QUAD_ABS;
    if (RARELY(is_zero_q(x) || magnitude >= QUAD_ONE)) {
        if (is_zero_q(x))
            return x;
        return magnitude == QUAD_ONE ? QUAD_INF | (x & QUAD_SIGN) : QUAD_NAN;
    }
    struct wide w = from_quad(magnitude);
    struct wide y = scaled_w(div_w(w, sub_w(one_w(), w)), 1);
    return with_sign(to_quad(scaled_w(log1p_w(y), -1)), sign_of(x));
}

quad __nv_fp128_hypot(quad x, quad y) {
    if (RARELY(is_inf_q(x) || is_inf_q(y)))
        return QUAD_INF;
    if (RARELY(is_nan_q(x) || is_nan_q(y)))
        return QUAD_NAN;
    struct wide a = from_quad(x), b = from_quad(y);
    return to_quad(sqrt_w(add_w(mul_w(a, a), mul_w(b, b))));
}
