// Arithmetic on numbers of 192 bits.
#include "wide.h"

NOINLINE struct wide add_w(struct wide a, struct wide b) {
    int swap = is_zero_w(a) ||
               (!is_zero_w(b) &&
                (a.exponent < b.exponent || (a.exponent == b.exponent && less_f192(a.m, b.m))));
    struct wide high = swap ? b : a, low = swap ? a : b;
    i32 shift = is_zero_w(low) ? 192 : high.exponent - low.exponent;
    struct fraction aligned = shift_right_f192(low.m, shift);
    if (high.sign != low.sign) {
        struct wide r = normal_w(sub_f192(high.m, aligned), high.exponent, high.sign);
        r.sign &= !is_zero_w(r);
        return r;
    }
    struct fraction sum = add_f192(high.m, aligned);
    if (less_f192(sum, high.m)) { // a carry out of the top
        sum = shift_right_f192(sum, 1);
        sum.word[2] |= (u64)1 << 63;
        high.exponent++;
    }
    struct wide r = {sum, high.exponent, high.sign};
    return r;
}

NOINLINE struct wide mul_w(struct wide a, struct wide b) {
    struct fraction m = mul_f192(a.m, b.m);
    i32 exponent = a.exponent + b.exponent + 1;
    if (!(m.word[2] >> 63)) {
        m = add_f192(m, m);
        exponent--;
    }
    struct wide r = {m, exponent, a.sign ^ b.sign};
    return r;
}

// 1, with 190 bits after the point.
INLINE struct fraction one_190(void) {
    return fraction3((u64)1 << 62, 0, 0);
}

INLINE struct fraction times4(struct fraction a) {
    a = add_f192(a, a);
    return add_f192(a, a);
}

// r + r * (1 - product) / 2^halve, all with 190 bits after the point, r below 4: a step of
// Newton's.
INLINE struct fraction newton_step(struct fraction r, struct fraction product, int halve) {
    int above = less_f192(one_190(), product);
    struct fraction error = above ? sub_f192(product, one_190()) : sub_f192(one_190(), product);
    struct fraction change = shift_right_f192(times4(mul_f192(r, error)), halve);
    return above ? sub_f192(r, change) : add_f192(r, change);
}

// Not by 0.
NOINLINE struct wide div_w(struct wide a, struct wide b) {
    // Of b's significand as a number in [1/2, 1).
    double first = div_rn(0x1p52, (double)(b.m.word[2] >> 11) * 0x1p-53);
    struct fraction r = fraction3((u64)first << 10, 0, 0);
    for (int i = 0; i < 2; i++)
        r = newton_step(r, mul_f192(b.m, r), 0);
    // 190 bits after the point: between 1/2 and 2.
    return normal_w(mul_f192(a.m, r), a.exponent - b.exponent + 1, a.sign ^ b.sign);
}

// Of a number that is not negative.
NOINLINE struct wide sqrt_w(struct wide a) {
    if (is_zero_w(a))
        return a;
    // a = m * 2^(2k), m in [1/4, 1)
    i32 even = !(a.exponent & 1);
    struct fraction m = even ? shift_right_f192(a.m, 1) : a.m;
    i32 half = (a.exponent + 1 + even) / 2;
    double first = div_rn(0x1p52, sqrt_rn((double)(m.word[2] >> 11) * 0x1p-53));
    struct fraction r = fraction3((u64)first << 10, 0, 0);
    for (int i = 0; i < 2; i++)
        r = newton_step(r, times4(mul_f192(mul_f192(m, r), r)), 1);
    // 190 bits after the point.
    return normal_w(mul_f192(m, r), half + 1, 0);
}
