// Conversions between quad precision and the other types, and the order of two quads.
#include "quad.h"

quad __kudzu_quad_from_unsigned(u128 x) {
    i32 shift = x ? leading_zeros128(x) : 0;
    return round_quad(0, 127 - shift, x << shift, 0);
}

quad __kudzu_quad_from_signed(i128 x) {
    u128 magnitude = x < 0 ? -(u128)x : (u128)x;
    return __kudzu_quad_from_unsigned(magnitude) | (x < 0 ? QUAD_SIGN : 0);
}

quad __kudzu_quad_from_double(u64 bits) {
    u32 sign = (u32)(bits >> 63), field = (u32)(bits >> 52) & 0x7ff;
    u64 fraction = bits & 0xfffffffffffff;
    quad result = (quad)(field + QUAD_BIAS - 1023) << 112 | (quad)fraction << 60;
    if (RARELY(field == 0x7ff))
        result = fraction ? QUAD_NAN : QUAD_INF;
    if (RARELY(!field)) {
        i32 shift = __builtin_clzll(fraction | 1);
        u64 normal = fraction << shift << 1; // without the leading one
        result = (quad)(QUAD_BIAS - 1011 - shift) << 112 | (quad)normal << 48;
        result = fraction ? result : 0;
    }
    return with_sign(result, sign);
}

// The bits of a smaller format with so many bits of fraction and of exponent.
INLINE u64 narrow(quad x, i32 fraction_bits, i32 exponent_bits) {
    i32 bias = (1 << (exponent_bits - 1)) - 1;
    u64 infinity = (u64)(2 * bias + 1) << fraction_bits;
    u64 sign = (u64)sign_of(x) << (fraction_bits + exponent_bits);
    if (RARELY(!is_finite_q(x)))
        return is_nan_q(x) ? infinity | (u64)1 << (fraction_bits - 1) : infinity | sign;
    struct parts p = parts_of(x);
    i32 base = p.exponent + bias - 1;
    i32 cut = 127 - fraction_bits;
    if (base < 0) {
        cut = base < -100 ? 228 : cut - base;
        base = 0;
    }
    u64 kept = (u64)shift_right128(p.significand, cut);
    u128 lost = cut > 128 ? p.significand >> 1 : p.significand << (128 - cut);
    if (cut > 128)
        lost &= QUAD_ABS;
    u32 up = lost > QUAD_SIGN || (lost == QUAD_SIGN && (kept & 1));
    u64 result = ((u64)base << fraction_bits) + kept + up;
    if (base > 2 * bias || result > infinity)
        result = infinity;
    return (p.significand ? result : 0) | sign;
}

u64 __kudzu_quad_to_double(quad x) {
    return narrow(x, 52, 11);
}

u32 __kudzu_quad_to_float(quad x) {
    return (u32)narrow(x, 23, 8);
}

u16 __kudzu_quad_to_half(quad x) {
    return (u16)narrow(x, 10, 5);
}

u16 __kudzu_quad_to_bfloat16(quad x) {
    return (u16)narrow(x, 7, 8);
}

// The magnitude towards zero; what does not fit is all ones, and so is infinity.
INLINE u128 whole_magnitude(quad x) {
    i32 exponent = exponent_field(x) - QUAD_BIAS;
    if (exponent < 0)
        return 0;
    if (exponent > 127)
        return ~(u128)0;
    return parts_of(x).significand >> (127 - exponent);
}

// Towards zero, the nearest number of so many bits for what does not fit, 0 for NaN.
u128 __kudzu_quad_to_unsigned(quad x, i32 bits) {
    u128 most = ~(u128)0 >> (128 - bits), magnitude = whole_magnitude(x);
    if (is_nan_q(x) || sign_of(x))
        return 0;
    return magnitude > most ? most : magnitude;
}

i128 __kudzu_quad_to_signed(quad x, i32 bits) {
    u128 most = (~(u128)0 >> (128 - bits) >> 1) + sign_of(x), magnitude = whole_magnitude(x);
    if (is_nan_q(x))
        return 0;
    if (magnitude > most)
        magnitude = most;
    return (i128)(sign_of(x) ? -magnitude : magnitude);
}

// 1: equal, 2: a is larger, 4: b is larger, 8: one of them is NaN. So LLVM numbers what a
// comparison asks for.
u32 __kudzu_quad_order(quad a, quad b) {
    u32 zeros = !((a | b) & QUAD_ABS);
    // Signed integers in the order of the numbers.
    i128 x = sign_of(a) ? -(i128)(a & QUAD_ABS) : (i128)a;
    i128 y = sign_of(b) ? -(i128)(b & QUAD_ABS) : (i128)b;
    u32 order = zeros || x == y ? 1 : x > y ? 2 : 4;
    return is_nan_q(a) || is_nan_q(b) ? 8 : order;
}
