// What gives integers, parts of numbers, and choices between numbers.
#include "quad.h"

enum direction { TO_ZERO, DOWN, UP, TO_EVEN, AWAY };

INLINE quad integral(quad x, enum direction direction) {
    i32 exponent = exponent_field(x) - QUAD_BIAS;
    u32 sign = sign_of(x);
    quad magnitude = x & QUAD_ABS;
    if (exponent >= QUAD_FRACTION_BITS)
        return is_nan_q(x) ? QUAD_NAN : x;
    if (exponent < 0) {
        quad half = QUAD(0x3ffe000000000000, 0);
        int one = 0;
        if (direction == DOWN)
            one = sign && magnitude;
        if (direction == UP)
            one = !sign && magnitude;
        if (direction == TO_EVEN)
            one = magnitude > half;
        if (direction == AWAY)
            one = magnitude >= half;
        return with_sign(one ? QUAD_ONE : 0, sign);
    }
    quad unit = (quad)1 << (QUAD_FRACTION_BITS - exponent), below = unit - 1;
    quad cut = magnitude & below, kept = magnitude & ~below;
    int up = 0;
    if (direction == DOWN)
        up = sign && cut;
    if (direction == UP)
        up = !sign && cut;
    if (direction == TO_EVEN)
        // At exponent 0 the last kept bit is the hidden one, which is a one.
        up = cut > unit >> 1 || (cut == unit >> 1 && (!exponent || (kept & unit)));
    if (direction == AWAY)
        up = cut >= unit >> 1;
    return with_sign(kept + (up ? unit : 0), sign);
}

quad __nv_fp128_floor(quad x) {
    return integral(x, DOWN);
}

quad __nv_fp128_ceil(quad x) {
    return integral(x, UP);
}

quad __nv_fp128_trunc(quad x) {
    return integral(x, TO_ZERO);
}

quad __nv_fp128_round(quad x) {
    return integral(x, AWAY);
}

quad __nv_fp128_rint(quad x) {
    return integral(x, TO_EVEN);
}

quad __nv_fp128_fabs(quad x) {
    return x & QUAD_ABS;
}

quad __nv_fp128_copysign(quad x, quad y) {
    return (x & QUAD_ABS) | (y & QUAD_SIGN);
}

// In the order of the numbers, -0 before +0.
INLINE int precedes(quad a, quad b) {
    i128 x = sign_of(a) ? ~(i128)(a & QUAD_ABS) : (i128)a;
    i128 y = sign_of(b) ? ~(i128)(b & QUAD_ABS) : (i128)b;
    return x < y;
}

quad __nv_fp128_fmax(quad x, quad y) {
    if (is_nan_q(x) || is_nan_q(y))
        return is_nan_q(x) ? is_nan_q(y) ? QUAD_NAN : y : x;
    return precedes(x, y) ? y : x;
}

quad __nv_fp128_fmin(quad x, quad y) {
    if (is_nan_q(x) || is_nan_q(y))
        return is_nan_q(x) ? is_nan_q(y) ? QUAD_NAN : y : x;
    return precedes(x, y) ? x : y;
}

quad __nv_fp128_fdim(quad x, quad y) {
    if (is_nan_q(x) || is_nan_q(y))
        return QUAD_NAN;
    return __kudzu_quad_order(x, y) == 2 ? __nv_fp128_sub(x, y) : 0;
}

quad __nv_fp128_frexp(quad x, i32 *exponent) {
    *exponent = 0;
    if (is_nan_q(x))
        return QUAD_NAN;
    if (is_inf_q(x) || is_zero_q(x))
        return x;
    struct parts p = parts_of(x);
    *exponent = p.exponent + 1;
    return round_quad(p.sign, -1, p.significand, 0);
}

quad __nv_fp128_modf(quad x, quad *whole) {
    *whole = __nv_fp128_trunc(x);
    if (is_nan_q(x))
        return QUAD_NAN;
    if (is_inf_q(x))
        return x & QUAD_SIGN;
    return (__nv_fp128_sub(x, *whole) & QUAD_ABS) | (x & QUAD_SIGN);
}

quad __nv_fp128_ldexp(quad x, i32 exponent) {
    if (is_nan_q(x))
        return QUAD_NAN;
    if (is_inf_q(x) || is_zero_q(x))
        return x;
    struct parts p = parts_of(x);
    i32 bound = exponent > 40000 ? 40000 : exponent < -40000 ? -40000 : exponent;
    return round_quad(p.sign, p.exponent + bound, p.significand, 0);
}

i32 __nv_fp128_ilogb(quad x) {
    if (is_inf_q(x))
        return 0x7fffffff;
    if (is_zero_q(x) || is_nan_q(x))
        return -0x7fffffff - 1;
    return parts_of(x).exponent;
}

i32 __nv_fp128_isnan(quad x) {
    return is_nan_q(x);
}

i32 __nv_fp128_isunordered(quad x, quad y) {
    return is_nan_q(x) || is_nan_q(y);
}
