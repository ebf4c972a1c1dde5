// Numbers of 192 bits: 79 more than a quad has, so that what a function computes with them is still
// right when it is rounded once, at the end.
//
// Series are sums of fractions, integers of 192 bits; around them stand numbers with an exponent.
// Results are cut, not rounded: each operation is within 8 units of the last of its 192 bits.
#pragma once
#include "quad.h"

// The lowest word first.
struct fraction {
    u64 word[3];
};

// (-1)^sign * m / 2^191 * 2^exponent; m has its leading one in bit 191 or is 0. The exponent has no
// bounds: every function stays below 2^20.
struct wide {
    struct fraction m;
    i32 exponent;
    u32 sign;
};

INLINE int is_zero_w(struct wide a) {
    return !a.m.word[2];
}

INLINE struct fraction fraction3(u64 w2, u64 w1, u64 w0) {
    struct fraction r = {{w0, w1, w2}};
    return r;
}

INLINE struct fraction add_f192(struct fraction a, struct fraction b) {
    u128 s = (u128)a.word[0] + b.word[0];
    u128 t = (u128)a.word[1] + b.word[1] + (u64)(s >> 64);
    return fraction3(a.word[2] + b.word[2] + (u64)(t >> 64), (u64)t, (u64)s);
}

INLINE struct fraction sub_f192(struct fraction a, struct fraction b) {
    u128 s = (u128)a.word[0] - b.word[0];
    u128 t = (u128)a.word[1] - b.word[1] - ((u64)(s >> 64) & 1);
    return fraction3(a.word[2] - b.word[2] - ((u64)(t >> 64) & 1), (u64)t, (u64)s);
}

// Whether a < b.
INLINE int less_f192(struct fraction a, struct fraction b) {
    u128 s = (u128)a.word[0] - b.word[0];
    u128 t = (u128)a.word[1] - b.word[1] - ((u64)(s >> 64) & 1);
    u128 u = (u128)a.word[2] - b.word[2] - ((u64)(t >> 64) & 1);
    return (u64)(u >> 64) & 1;
}

// a * b / 2^192
INLINE struct fraction mul_f192(struct fraction a, struct fraction b) {
    u128 p22 = (u128)a.word[2] * b.word[2];
    u128 p21 = (u128)a.word[2] * b.word[1], p12 = (u128)a.word[1] * b.word[2];
    u128 low = (u128)mul_high64(a.word[2], b.word[0]) + mul_high64(a.word[0], b.word[2]) +
               mul_high64(a.word[1], b.word[1]) + low64(p21) + low64(p12);
    u128 high = p22 + high64(p21) + high64(p12) + high64(low);
    return fraction3(high64(high), low64(high), low64(low));
}

INLINE struct fraction shift_words_right(struct fraction a, i32 n) {
    u32 words = (u32)n >> 6;
    if (words == 1)
        a = fraction3(0, a.word[2], a.word[1]);
    if (words == 2)
        a = fraction3(0, 0, a.word[2]);
    if (words > 2)
        a = fraction3(0, 0, 0);
    return a;
}

// a >> n, n >= 0
INLINE struct fraction shift_right_f192(struct fraction a, i32 n) {
    a = shift_words_right(a, n);
    u32 bits = (u32)n & 63;
    // Twice, as a word is not shifted by 64.
    return fraction3(a.word[2] >> bits, a.word[1] >> bits | a.word[2] << 1 << (63 - bits),
                     a.word[0] >> bits | a.word[1] << 1 << (63 - bits));
}

// With its leading one in bit 191; m / 2^191 * 2^exponent stays the same number.
INLINE struct wide normal_w(struct fraction m, i32 exponent, u32 sign) {
    for (int i = 0; i < 2; i++)
        if (!m.word[2]) {
            m = fraction3(m.word[1], m.word[0], 0);
            exponent -= 64;
        }
    u32 shift = m.word[2] ? (u32)__builtin_clzll(m.word[2]) : 0;
    m = fraction3(m.word[2] << shift | m.word[1] >> 1 >> (63 - shift),
                  m.word[1] << shift | m.word[0] >> 1 >> (63 - shift), m.word[0] << shift);
    struct wide r = {m, exponent - (i32)shift, sign};
    return r;
}

INLINE struct wide from_quad(quad x) {
    struct parts p = parts_of(x);
    struct wide r = {fraction3(high64(p.significand), low64(p.significand), 0), p.exponent, p.sign};
    return r;
}

INLINE quad to_quad(struct wide a) {
    return round_quad(a.sign, a.exponent, (u128)a.m.word[2] << 64 | a.m.word[1], a.m.word[0] != 0);
}

// 53 bits or so of a number that is not too large for double.
INLINE double to_double_w(struct wide a) {
    if (is_zero_w(a) || a.exponent < -1000)
        return 0;
    double magnitude =
        (double)(a.m.word[2] >> 11) * 0x1p-52 * from_bits_d((u64)(a.exponent + 1023) << 52);
    return a.sign ? -magnitude : magnitude;
}

INLINE struct wide from_int(i32 n) {
    u32 magnitude = n < 0 ? -(u32)n : (u32)n;
    return normal_w(fraction3((u64)magnitude << 32, 0, 0), 31, n < 0);
}

INLINE struct wide one_w(void) {
    return from_int(1);
}

// n * 2^exponent
INLINE struct wide scaled_w(struct wide a, i32 exponent) {
    a.exponent += exponent;
    return a;
}

INLINE struct wide neg_w(struct wide a) {
    a.sign ^= 1;
    return a;
}

INLINE struct wide abs_w(struct wide a) {
    a.sign = 0;
    return a;
}

// A number below 1 as a fraction: 192 bits after the point.
INLINE struct fraction to_fraction(struct wide a) {
    return shift_right_f192(a.m, is_zero_w(a) ? 0 : -1 - a.exponent);
}

// c[0] + t (c[1] + t (c[2] ...)), or with -t for t, where t is a fraction below 1 and the sums stay
// positive and below 2. c and the result: 191 bits after the point.
INLINE struct fraction series(const struct fraction *c, int count, struct fraction t,
                              int negative) {
    struct fraction sum = c[count - 1];
    for (int i = count - 2; i >= 0; i--) {
        struct fraction product = mul_f192(sum, t);
        sum = negative ? sub_f192(c[i], product) : add_f192(c[i], product);
    }
    return sum;
}

// wide.c
struct wide add_w(struct wide a, struct wide b);
struct wide mul_w(struct wide a, struct wide b);
struct wide div_w(struct wide a, struct wide b);
struct wide sqrt_w(struct wide a);

INLINE struct wide sub_w(struct wide a, struct wide b) {
    return add_w(a, neg_w(b));
}

// e^x - 1 and e^x of a number below 2^20 (exp.c).
struct wide expm1_w(struct wide x);
struct wide exp_w(struct wide x);
// log(1 + f) for |f| < 1/128, log(x) for x > 0 that is not within the same distance of 1, or is
// known exactly (log.c); log1p of any number above -1.
struct wide log_w(struct wide x);
struct wide log1p_w(struct wide x);
// The angle of (x, y), both positive or 0, not both 0 (inverse_trig.c).
struct wide angle_w(struct wide y, struct wide x);
