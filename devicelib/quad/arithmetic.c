// The operations that IEEE 754 wants rounded exactly.
#include "quad.h"

// a + b where one of them is infinite or NaN.
INLINE quad add_special(quad a, quad b) {
    if (is_nan_q(a) || is_nan_q(b) || (is_inf_q(a) && is_inf_q(b) && a != b))
        return QUAD_NAN;
    return is_inf_q(a) ? a : b;
}

quad __nv_fp128_add(quad a, quad b) {
    int swap = (a & QUAD_ABS) < (b & QUAD_ABS);
    quad larger = swap ? b : a, smaller = swap ? a : b;
    if (RARELY(!is_finite_q(larger)))
        return add_special(a, b);
    struct parts l = parts_of(larger), s = parts_of(smaller);
    i32 shift = l.exponent - s.exponent;
    u128 high = l.significand >> 1, low = s.significand >> 1; // room for a carry
    u32 rest = loses_ones(low, shift);
    low = shift_right128(low, shift);
    // What was lost of the smaller one is taken away as a whole unit, of which something is left.
    u128 sum = l.sign == s.sign ? high + low : high - low - rest;
    u32 sign = sum ? l.sign : l.sign & s.sign;
    i32 normal = sum ? leading_zeros128(sum) : 0;
    return round_quad(sign, l.exponent + 1 - normal, sum << normal, rest);
}

quad __nv_fp128_sub(quad a, quad b) {
    return __nv_fp128_add(a, b ^ QUAD_SIGN);
}

quad __nv_fp128_mul(quad a, quad b) {
    u32 sign = sign_of(a ^ b);
    if (RARELY(!is_finite_q(a) || !is_finite_q(b))) {
        if (is_nan_q(a) || is_nan_q(b) || is_zero_q(a) || is_zero_q(b))
            return QUAD_NAN;
        return with_sign(QUAD_INF, sign);
    }
    struct parts pa = parts_of(a), pb = parts_of(b);
    struct u256 product = mul128(pa.significand, pb.significand);
    i32 normal = !(product.hi >> 127);
    u128 significand = product.hi << normal | (normal ? product.lo >> 127 : 0);
    return round_quad(sign, pa.exponent + pb.exponent + 1 - normal, significand,
                      (product.lo << normal) != 0);
}

quad __nv_fp128_div(quad a, quad b) {
    u32 sign = sign_of(a ^ b);
    if (RARELY(!is_finite_q(a) || !is_finite_q(b) || is_zero_q(a) || is_zero_q(b))) {
        if (is_nan_q(a) || is_nan_q(b) || (is_inf_q(a) && is_inf_q(b)) ||
            (is_zero_q(a) && is_zero_q(b)))
            return QUAD_NAN;
        return with_sign(is_inf_q(a) || is_zero_q(b) ? QUAD_INF : 0, sign);
    }
    struct parts pa = parts_of(a), pb = parts_of(b);
    struct divisor d = divisor_of(pb.significand);
    u128 rest = pa.significand >> 15;
    u32 whole = rest >= d.value; // the quotient's first bit: it lies between 1/2 and 2
    if (whole)
        rest -= d.value;
    u128 quotient = divide_step(d, &rest);
    quotient = quotient << 57 | divide_step(d, &rest);
    quotient |= (u128)whole << 114;
    i32 normal = whole ? 13 : 14; // leading zeros
    return round_quad(sign, pa.exponent - pb.exponent - !whole, quotient << normal, rest != 0);
}

INLINE int less256(struct u256 a, struct u256 b) {
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

// The root of significand / 2^126 (even: exponent) is found from the reciprocal of the root: double
// precision, one step of Newton's on 64-bit integers, one more for the root itself, and then it is
// made exact.
quad __nv_fp128_sqrt(quad a) {
    if (RARELY(is_zero_q(a) || is_nan_q(a) || sign_of(a) || is_inf_q(a))) {
        if (is_zero_q(a) || a == QUAD_INF)
            return a;
        return QUAD_NAN;
    }
    struct parts p = parts_of(a);
    i32 odd = p.exponent & 1;
    // 1/4 <= m < 1 as a fraction of 128 bits.
    u128 m = p.significand >> (odd ? 0 : 1);
    i32 exponent = (p.exponent - odd) / 2;
    double top = (double)high64(m) * 0x1p-64;
    // 1 < r <= 2 as a fraction of 62 bits.
    u64 r = (u64)(div_rn(1.0, sqrt_rn(top)) * 0x1p62);
    u64 half = mul_high64(high64(m), r);                     // m * r, 62 bits
    i64 error = (i64)(((u64)1 << 60) - mul_high64(half, r)); // 1 - m * r * r, 60 bits
    r += (u64)(i64)(((i128)error * (i128)r) >> 61);
    // root: m * r with 127 bits after the point.
    u128 root = (mul128(m, (u128)r << 64).hi << 1);
    u128 square = mul128(root, root).hi; // 126 bits after the point
    i128 missing = (i128)((m >> 2) - square);
    root += (u128)((missing * (i64)(r >> 8)) >> 54);
    // root has 127 bits after the point and is less than 1; 115 of them are kept.
    u128 kept = root >> 12;
    // kept^2 and m as numbers of 230 bits after the point.
    struct u256 exact = mul128(kept, kept);
    struct u256 wanted = {m >> 26, m << 102};
    if (less256(wanted, exact)) {
        kept--;
        exact = mul128(kept, kept);
    }
    struct u256 next = mul128(kept + 1, kept + 1);
    if (!less256(wanted, next)) {
        kept++;
        exact = next;
    }
    u32 rest = exact.hi != wanted.hi || exact.lo != wanted.lo;
    return round_quad(0, exponent, kept << 13, rest);
}

// a >> n, its last bit set where ones are lost.
INLINE struct u256 shift_right_rest(struct u256 a, i32 n) {
    struct u256 r = a;
    u32 rest;
    if (n > 255) {
        rest = (a.hi | a.lo) != 0;
        r.hi = r.lo = 0;
    } else if (n > 127) {
        rest = loses_ones(a.hi, n - 128) | (a.lo != 0);
        r.lo = a.hi >> (n - 128);
        r.hi = 0;
    } else if (n > 0) {
        rest = loses_ones(a.lo, n);
        r.lo = a.lo >> n | a.hi << (128 - n);
        r.hi = a.hi >> n;
    } else {
        rest = 0;
    }
    r.lo |= rest;
    return r;
}

INLINE struct u256 shift_left256(struct u256 a, i32 n) {
    struct u256 r = a;
    if (n > 127) {
        r.hi = a.lo << (n - 128);
        r.lo = 0;
    } else if (n > 0) {
        r.hi = a.hi << n | a.lo >> (128 - n);
        r.lo = a.lo << n;
    }
    return r;
}

quad __nv_fp128_fma(quad a, quad b, quad c) {
    u32 sign = sign_of(a ^ b);
    if (RARELY(!is_finite_q(a) || !is_finite_q(b) || !is_finite_q(c))) {
        quad product = __nv_fp128_mul(a, b);
        // A finite product is smaller than infinity, whatever it rounds to.
        return add_special(is_finite_q(a) && is_finite_q(b) ? 0 : product, c);
    }
    struct parts pa = parts_of(a), pb = parts_of(b), pc = parts_of(c);
    struct u256 product = mul128(pa.significand, pb.significand);
    i32 exponent = pa.exponent + pb.exponent + 1;
    int none = !product.hi && !product.lo;
    if (!none && !(product.hi >> 127)) {
        product = shift_left256(product, 1);
        exponent--;
    }
    if (none) // zero: the smallest of all
        exponent = -100000;
    i32 exponent_c = pc.significand ? pc.exponent : -100001;
    struct u256 addend = {pc.significand, 0};
    int swap = exponent_c > exponent || (exponent_c == exponent && less256(product, addend));
    struct u256 high = swap ? addend : product, low = swap ? product : addend;
    u32 high_sign = swap ? pc.sign : sign, low_sign = swap ? sign : pc.sign;
    i32 high_exponent = swap ? exponent_c : exponent;
    i32 shift = high_exponent - (swap ? exponent : exponent_c);
    // Both end at least 14 bits above the last one, which can hold what is lost.
    high = shift_right_rest(high, 1);
    low = shift_right_rest(low, shift + 1);
    struct u256 sum;
    if (high_sign == low_sign) {
        sum.lo = high.lo + low.lo;
        sum.hi = high.hi + low.hi + (sum.lo < high.lo);
    } else {
        sum.lo = high.lo - low.lo;
        sum.hi = high.hi - low.hi - (high.lo < low.lo);
    }
    if (!sum.hi && !sum.lo)
        return with_sign(0, high_sign & low_sign);
    i32 normal = sum.hi ? leading_zeros128(sum.hi) : 128 + leading_zeros128(sum.lo);
    sum = shift_left256(sum, normal);
    return round_quad(high_sign, high_exponent + 1 - normal, sum.hi, sum.lo != 0);
}
