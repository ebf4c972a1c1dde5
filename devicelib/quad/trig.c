// Sine, cosine and tangent. Arguments of any size lose their multiples of pi/2 exactly: of the
// product with 2/pi, only those bits of 2/pi are needed that give neither multiples of 4 nor what
// is too small to count.
#include "tables.h"

#define WORDS 7

struct quarter {
    u32 number;    // of quarter turns, modulo 4
    struct wide r; // what is left, at most pi/4 in size
};

// The low WORDS words of window * significand: 446 bits after the point, two before it.
INLINE void multiply(u64 *product, const u64 *window, u128 significand) {
    u64 carry = 0;
    for (int i = 0; i < WORDS; i++) {
        u128 p = (u128)window[i] * low64(significand) + carry;
        product[i] = low64(p);
        carry = high64(p);
    }
    carry = 0;
    for (int i = 1; i < WORDS; i++) {
        u128 p = (u128)window[i - 1] * high64(significand) + product[i] + carry;
        product[i] = low64(p);
        carry = high64(p);
    }
}

NOINLINE static struct quarter reduce(quad x) {
    struct parts p = parts_of(x);
    struct wide w = from_quad(x);
    struct quarter q = {0, w};
    if (p.exponent < -1) // below 1/2
        return q;
    // The window's first bit has the weight 2^-(exponent - 128); the table has 192 zeros before.
    i32 position = p.exponent - 129 + 192;
    u32 shift = (u32)position & 63;
    const u64 *first = two_over_pi + (position >> 6);
    u64 window[WORDS], product[WORDS];
    for (int i = 0; i < WORDS; i++)
        window[WORDS - 1 - i] = first[i] << shift | first[i + 1] >> 1 >> (63 - shift);
    multiply(product, window, p.significand);
    q.number = (u32)(product[WORDS - 1] >> 62);
    // The fraction, to the nearest integer.
    u64 above = product[WORDS - 1] << 2 >> 63;
    q.number += (u32)above;
    u64 carry = above;
    for (int i = 0; i < WORDS; i++) {
        u64 word = product[i] ^ -above;
        product[i] = word + carry;
        carry = carry && !product[i];
    }
    for (int i = WORDS - 1; i > 0; i--)
        product[i] = product[i] << 2 | product[i - 1] >> 62;
    // Of an x that is next to a multiple of pi/2, up to 130 bits are zeros.
    i32 exponent = -1;
    for (int k = 0; k < 3; k++) {
        int empty = !product[WORDS - 1];
        exponent -= empty ? 64 : 0;
        for (int i = WORDS - 1; i > 0; i--)
            product[i] = empty ? product[i - 1] : product[i];
    }
    u64 top = product[WORDS - 1];
    i32 normal = __builtin_clzll(top | 1);
    u64 m2 = top << normal | product[WORDS - 2] >> 1 >> (63 - normal);
    u64 m1 = product[WORDS - 2] << normal | product[WORDS - 3] >> 1 >> (63 - normal);
    u64 m0 = product[WORDS - 3] << normal | product[WORDS - 4] >> 1 >> (63 - normal);
    struct wide fraction = {fraction3(m2, m1, m0), exponent - normal, p.sign ^ (u32)above};
    q.r = mul_w(fraction, HALF_PI);
    if (p.sign)
        q.number = -q.number;
    return q;
}

INLINE struct wide sin_r(struct wide r) {
    return mul_w(r, normal_w(series(sin_terms, 23, to_fraction(mul_w(r, r)), 1), 0, 0));
}

INLINE struct wide cos_r(struct wide r) {
    return normal_w(series(cos_terms, 23, to_fraction(mul_w(r, r)), 1), 0, 0);
}

// The sine of so many quarter turns more.
INLINE quad sin_quarters(quad x, u32 more) {
    struct quarter q = reduce(x);
    u32 number = q.number + more;
    struct wide square = mul_w(q.r, q.r);
    const struct fraction *terms = number & 1 ? cos_terms : sin_terms;
    struct wide sum = normal_w(series(terms, 23, to_fraction(square), 1), 0, 0);
    struct wide sine = mul_w(q.r, sum);
    struct wide result = number & 1 ? sum : sine;
    result.sign ^= number >> 1 & 1;
    return to_quad(result);
}

quad __nv_fp128_sin(quad x) {
    if (RARELY(!is_finite_q(x) || is_zero_q(x)))
        return is_zero_q(x) ? x : QUAD_NAN;
    return sin_quarters(x, 0);
}

quad __nv_fp128_cos(quad x) {
    if (RARELY(!is_finite_q(x) || is_zero_q(x)))
        return is_zero_q(x) ? QUAD_ONE : QUAD_NAN;
    return sin_quarters(x, 1);
}

quad __nv_fp128_tan(quad x) {
    if (RARELY(!is_finite_q(x) || is_zero_q(x)))
        return is_zero_q(x) ? x : QUAD_NAN;
    struct quarter q = reduce(x);
    struct wide sine = sin_r(q.r), cosine = cos_r(q.r);
    u32 odd = q.number & 1;
    struct wide result = div_w(odd ? cosine : sine, odd ? sine : cosine);
    result.sign ^= odd;
    return to_quad(result);
}
