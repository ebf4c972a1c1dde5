// Exponential functions: x = n ln(2)/32 + r, and 2^(n/32) (1 + (e^r - 1)).
#include "tables.h"

// e^r - 1 for |r| < 1/64.
INLINE struct wide small_expm1(struct wide r) {
    struct fraction sum = series(exp_terms, 22, to_fraction(r), (int)r.sign);
    return mul_w(r, normal_w(sum, 0, 0));
}

// 2^(n/32) (1 + e)
INLINE struct wide grown(i32 n, struct wide e) {
    struct wide power = {exp2_table[n & 31], n >> 5, 0};
    return add_w(power, mul_w(power, e));
}

INLINE i32 nearest_int(double x) {
    return (i32)__builtin_rint(x);
}

struct reduced {
    i32 n;
    struct wide e;
};

INLINE struct reduced reduce(struct wide x) {
    i32 n = nearest_int(to_double_w(x) * 0x1.71547652b82fep+5);
    struct reduced r = {n, small_expm1(sub_w(x, mul_w(from_int(n), LN2_32ND)))};
    return r;
}

NOINLINE struct wide exp_w(struct wide x) {
    struct reduced r = reduce(x);
    return grown(r.n, r.e);
}

NOINLINE struct wide expm1_w(struct wide x) {
    struct reduced r = reduce(x);
    return r.n ? sub_w(grown(r.n, r.e), one_w()) : r.e;
}

// Beyond 2^15 the functions here overflow or vanish.
INLINE int is_extreme(quad x) {
    return exponent_field(x) >= QUAD_BIAS + 15;
}

INLINE quad extreme(quad x, quad below) {
    return is_nan_q(x) ? QUAD_NAN : sign_of(x) ? below : QUAD_INF;
}

quad __nv_fp128_exp(quad x) {
    if (RARELY(is_extreme(x)))
        return extreme(x, 0);
    return to_quad(exp_w(from_quad(x)));
}

quad __nv_fp128_exp2(quad x) {
    if (RARELY(is_extreme(x)))
        return extreme(x, 0);
    struct wide w = from_quad(x);
    i32 n = nearest_int(to_double_w(w) * 32);
    struct wide r = mul_w(sub_w(w, scaled_w(from_int(n), -5)), LN2);
    return to_quad(grown(n, small_expm1(r)));
}

quad __nv_fp128_exp10(quad x) {
    if (RARELY(is_extreme(x)))
        return extreme(x, 0);
    return to_quad(exp_w(mul_w(from_quad(x), LN10)));
}

quad __nv_fp128_expm1(quad x) {
    if (RARELY(is_extreme(x)))
        return extreme(x, QUAD_ONE | QUAD_SIGN);
    quad result = to_quad(expm1_w(from_quad(x)));
    return is_zero_q(x) ? x : result;
}
