// Logarithms: x = 2^k m with m around 1, and j / 128 near 1 / m.
#include "tables.h"

// log(1 + f) for |f| < 1/128: 2 atanh(f / (2 + f)).
NOINLINE static struct wide small_log1p(struct wide f) {
    struct wide s = div_w(f, add_w(f, from_int(2)));
    struct fraction sum = series(odd_terms, 14, to_fraction(mul_w(s, s)), 0);
    return scaled_w(mul_w(s, normal_w(sum, 0, 0)), 1);
}

NOINLINE struct wide log_w(struct wide x) {
    i32 k = x.exponent;
    struct wide m = {x.m, 0, 0};
    if (m.m.word[2] > 0xb504f333f9de6484) { // the root of 2
        k++;
        m.exponent = -1;
    }
    i32 j = (i32)__builtin_rint(128 / to_double_w(m));
    struct wide f = sub_w(mul_w(m, scaled_w(from_int(j), -7)), one_w());
    struct wide inverse = normal_w(log_table[j - 90], -1, j > 128);
    struct wide sum = add_w(small_log1p(f), inverse);
    return add_w(mul_w(from_int(k), LN2), sum);
}

NOINLINE struct wide log1p_w(struct wide x) {
    return is_zero_w(x) || x.exponent < -7 ? small_log1p(x) : log_w(add_w(x, one_w()));
}

// Whether log(x) is not a matter of computing: *result.
INLINE int is_special(quad x, quad *result) {
    if (is_zero_q(x))
        *result = QUAD_INF | QUAD_SIGN;
    else if (is_nan_q(x) || sign_of(x))
        *result = QUAD_NAN;
    else
        *result = QUAD_INF;
    return is_zero_q(x) || sign_of(x) || !is_finite_q(x);
}

quad __nv_fp128_log(quad x) {
    quad special;
    if (RARELY(is_special(x, &special)))
        return special;
    return to_quad(log_w(from_quad(x)));
}

quad __nv_fp128_log2(quad x) {
    quad special;
    if (RARELY(is_special(x, &special)))
        return special;
    return to_quad(mul_w(log_w(from_quad(x)), INVERSE_LN2));
}

quad __nv_fp128_log10(quad x) {
    quad special;
    if (RARELY(is_special(x, &special)))
        return special;
    return to_quad(mul_w(log_w(from_quad(x)), INVERSE_LN10));
}

quad __nv_fp128_log1p(quad x) {
    if (RARELY(is_nan_q(x) || is_zero_q(x)))
        return is_nan_q(x) ? QUAD_NAN : x;
    if (RARELY(sign_of(x) && (x & QUAD_ABS) >= QUAD_ONE))
        return (x & QUAD_ABS) == QUAD_ONE ? QUAD_INF | QUAD_SIGN : QUAD_NAN;
    if (RARELY(is_inf_q(x)))
        return x;
    return to_quad(log1p_w(from_quad(x)));
}

// 0: y is no integer, 1: an odd one, 2: an even one, as is infinity.
INLINE int kind_of_integer(quad y) {
    i32 exponent = exponent_field(y) - QUAD_BIAS;
    if (exponent < 0)
        return is_zero_q(y) ? 2 : 0;
    if (exponent > QUAD_FRACTION_BITS)
        return 2;
    quad unit = (quad)1 << (QUAD_FRACTION_BITS - exponent);
    if (y & (unit - 1))
        return 0;
    return !exponent || (y & unit) ? 1 : 2;
}

// As C's annex F has it.
quad __nv_fp128_pow(quad x, quad y) {
    quad magnitude = x & QUAD_ABS;
    int integer = kind_of_integer(y);
    u32 sign = sign_of(x) && integer == 1;
    if (x == QUAD_ONE || is_zero_q(y))
        return QUAD_ONE;
    if (is_nan_q(x) || is_nan_q(y))
        return QUAD_NAN;
    if (RARELY(is_inf_q(y))) {
        if (magnitude == QUAD_ONE)
            return QUAD_ONE;
        return (magnitude > QUAD_ONE) == !sign_of(y) ? QUAD_INF : 0;
    }
    if (RARELY(is_zero_q(x) || is_inf_q(x)))
        return with_sign(is_zero_q(x) == !sign_of(y) ? 0 : QUAD_INF, sign);
    if (sign_of(x) && !integer)
        return QUAD_NAN;
    struct wide product = mul_w(from_quad(y), log_w(from_quad(magnitude)));
    if (!is_zero_w(product) && product.exponent >= 15)
        return with_sign(product.sign ? 0 : QUAD_INF, sign);
    return to_quad(exp_w(product)) | (quad)sign << 127;
}
