// Remainders: long division, 57 bits of the quotient at a time.
#include "quad.h"

// |x| mod |y| of finite numbers, y not 0; *odd: whether the quotient is. The result's significand
// is at y's exponent, so that it has up to 113 bits and no leading one of its own.
INLINE u128 modulo(struct parts x, struct parts y, u32 *odd) {
    struct divisor d = divisor_of(y.significand);
    u128 rest = x.significand >> 15;
    *odd = 0;
    if (rest >= d.value) {
        rest -= d.value;
        *odd = 1;
    }
    i32 left = x.exponent - y.exponent;
    while (left >= 57) {
        *odd = (u32)divide_step(d, &rest) & 1;
        left -= 57;
    }
    if (left > 0) { // the last bits of the quotient, by a step of which they are the upper ones
        u64 q = (u64)(mul_high64(high64(rest << 15), d.reciprocal) >> 5) >> (57 - left);
        rest = (rest << left) - q * d.value;
        for (int i = 0; i < 2; i++)
            if (rest >= d.value) {
                rest -= d.value;
                q++;
            }
        *odd = (u32)q & 1;
    }
    return rest;
}

INLINE quad from_rest(u32 sign, struct parts y, u128 rest) {
    if (!rest)
        return with_sign(0, sign);
    i32 shift = leading_zeros128(rest);
    return round_quad(sign, y.exponent + 15 - shift, rest << shift, 0);
}

INLINE int has_no_remainder(quad x, quad y) {
    return !is_finite_q(x) || is_nan_q(y) || is_zero_q(y);
}

quad __nv_fp128_fmod(quad x, quad y) {
    if (RARELY(has_no_remainder(x, y)))
        return QUAD_NAN;
    if ((x & QUAD_ABS) < (y & QUAD_ABS) || is_zero_q(x))
        return x;
    struct parts px = parts_of(x), py = parts_of(y);
    u32 odd;
    return from_rest(px.sign, py, modulo(px, py, &odd));
}

quad __nv_fp128_remainder(quad x, quad y) {
    if (RARELY(has_no_remainder(x, y)))
        return QUAD_NAN;
    if (is_inf_q(y) || is_zero_q(x))
        return x;
    struct parts px = parts_of(x), py = parts_of(y);
    u32 odd = 0;
    u128 value = py.significand >> 15, rest;
    i32 below = py.exponent - px.exponent;
    if (below > 1) // less than half of y
        return x;
    if (below == 1) { // half of y is between them
        u128 doubled = value << 1, whole = px.significand >> 15;
        if (whole <= value) // |x| <= |y| / 2, and the even quotient is 0
            return x;
        // |x| - |y|, in units of x's last bit.
        py.exponent--;
        return from_rest(!px.sign, py, doubled - whole);
    }
    rest = modulo(px, py, &odd);
    u128 twice = rest << 1;
    if (twice > value || (twice == value && odd))
        return from_rest(!px.sign, py, value - rest);
    return from_rest(px.sign, py, rest);
}
