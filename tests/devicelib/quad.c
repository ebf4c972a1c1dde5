// Quad precision of the device library against the host compiler's own and the C library's: what
// IEEE 754 wants exact bit for bit, conversions, and functions within 4 units of the C library's,
// which are not all within one of the truth (devicelib_quad_functions holds them to the guide's
// bound).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quad/quad.h"

typedef __float128 number;

// Of the C library, whose header declares them for some compilers only.
#define ONE(name) number name##f128(number)
#define TWO(name) number name##f128(number, number)
ONE(acos);
ONE(acosh);
ONE(asin);
ONE(asinh);
ONE(atan);
ONE(atanh);
ONE(ceil);
TWO(copysign);
ONE(cos);
ONE(cosh);
ONE(exp);
ONE(exp10);
ONE(exp2);
ONE(expm1);
ONE(fabs);
TWO(fdim);
ONE(floor);
number fmaf128(number, number, number);
TWO(fmax);
TWO(fmin);
TWO(fmod);
number frexpf128(number, int *);
TWO(hypot);
int ilogbf128(number);
number ldexpf128(number, int);
ONE(log);
ONE(log10);
ONE(log1p);
ONE(log2);
number modff128(number, number *);
TWO(pow);
TWO(remainder);
ONE(rint);
ONE(round);
ONE(sin);
ONE(sinh);
ONE(sqrt);
ONE(tan);
ONE(tanh);
ONE(trunc);

static u64 state = 0x9e3779b97f4a7c15;

static u64 draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

static quad bits_of(number x) {
    quad q;
    memcpy(&q, &x, 16);
    return q;
}

static number number_of(quad q) {
    number x;
    memcpy(&x, &q, 16);
    return x;
}

static const u64 specials[][2] = {
    {0, 0},
    {0, 1},
    {0x0000ffffffffffff, ~0ull},
    {0x0001000000000000, 0},
    {0x0001000000000000, 1},
    {0x3ffe000000000000, 0},
    {0x3ffeffffffffffff, ~0ull},
    {0x3fff000000000000, 0},
    {0x3fff000000000000, 1},
    {0x3fff800000000000, 0},
    {0x4000000000000000, 0},
    {0x4000921fb54442d1, 0x8469898cc51701b8},
    {0x4004000000000000, 0},
    {0x406effffffffffff, ~0ull},
    {0x406f000000000000, 0},
    {0x7ffeffffffffffff, ~0ull},
    {0x7ffe000000000000, 0},
    {0x7fff000000000000, 0},
    {0x7fff800000000000, 0},
};

// Of any exponent, or of one that is at most so far from 0; fractions of all bits, or of few.
static quad draw_quad(int spread) {
    u64 how = draw();
    if (how % 16 == 0) {
        const u64 *s = specials[draw() % (sizeof specials / sizeof *specials)];
        return QUAD(s[0], s[1]) | (quad)(how >> 63) << 127;
    }
    u64 field = draw() & 0x7fff;
    if (spread)
        field = QUAD_BIAS - spread + draw() % (2 * spread + 1);
    u128 fraction = QUAD(draw(), draw()) >> 16;
    if (how % 4 == 1)
        fraction = fraction >> (draw() % 112) << 60;
    if (how % 4 == 2)
        fraction &= fraction << (draw() % 112);
    fraction &= ((u128)1 << 112) - 1;
    return (quad)(how >> 63) << 127 | (quad)field << 112 | fraction;
}

static int same(quad a, quad b) {
    return a == b || (is_nan_q(a) && is_nan_q(b));
}

static int failures;

static void print(const char *label, quad q) {
    printf(" %s=%016llx%016llx", label, high64(q), low64(q));
}

static void expect(const char *name, quad got, quad wanted, quad a, quad b, quad c) {
    if (same(got, wanted))
        return;
    if (++failures > 20)
        exit(1);
    printf("%s:", name);
    print("a", a);
    print("b", b);
    print("c", c);
    print("got", got);
    print("wanted", wanted);
    printf("\n");
}

static void arithmetic(int spread) {
    quad a = draw_quad(spread), b = draw_quad(spread), c = draw_quad(spread);
    if (draw() % 4 == 0)
        b = a ^ (quad)(draw() % 16) ^ (quad)(draw() & 1) << 127;
    if (draw() % 8 == 0)
        c = __nv_fp128_mul(a, b) ^ (quad)(draw() % 4) ^ QUAD_SIGN;
    // What becomes of a signalling NaN is not defined everywhere.
    const quad quiet = (quad)1 << 111;
    a |= is_nan_q(a) ? quiet : 0;
    b |= is_nan_q(b) ? quiet : 0;
    number x = number_of(a), y = number_of(b), z = number_of(c);
    expect("add", __nv_fp128_add(a, b), bits_of(x + y), a, b, 0);
    expect("sub", __nv_fp128_sub(a, b), bits_of(x - y), a, b, 0);
    expect("mul", __nv_fp128_mul(a, b), bits_of(x * y), a, b, 0);
    expect("div", __nv_fp128_div(a, b), bits_of(x / y), a, b, 0);
    expect("sqrt", __nv_fp128_sqrt(a), bits_of(sqrtf128(x)), a, 0, 0);
    expect("fma", __nv_fp128_fma(a, b, c), bits_of(fmaf128(x, y, z)), a, b, c);
    expect("fmod", __nv_fp128_fmod(a, b), bits_of(fmodf128(x, y)), a, b, 0);
    expect("remainder", __nv_fp128_remainder(a, b), bits_of(remainderf128(x, y)), a, b, 0);
    expect("fdim", __nv_fp128_fdim(a, b), bits_of(fdimf128(x, y)), a, b, 0);
    if (!(is_zero_q(a) && is_zero_q(b))) { // either zero may be the greater one
        expect("fmax", __nv_fp128_fmax(a, b), bits_of(fmaxf128(x, y)), a, b, 0);
        expect("fmin", __nv_fp128_fmin(a, b), bits_of(fminf128(x, y)), a, b, 0);
    }
    u32 order = (x == y) | (x > y) << 1 | (x < y) << 2 | (x != x || y != y) << 3;
    expect("order", __kudzu_quad_order(a, b), order, a, b, 0);
    expect("copysign", __nv_fp128_copysign(a, b), bits_of(copysignf128(x, y)), a, b, 0);
    expect("fabs", __nv_fp128_fabs(a), bits_of(fabsf128(x)), a, 0, 0);
    expect("isnan", (quad)__nv_fp128_isnan(a), x != x, a, 0, 0);
    expect("isunordered", (quad)__nv_fp128_isunordered(a, b), x != x || y != y, a, b, 0);
}

static void rounding(int spread) {
    quad a = draw_quad(spread), part;
    number x = number_of(a), y;
    expect("floor", __nv_fp128_floor(a), bits_of(floorf128(x)), a, 0, 0);
    expect("ceil", __nv_fp128_ceil(a), bits_of(ceilf128(x)), a, 0, 0);
    expect("trunc", __nv_fp128_trunc(a), bits_of(truncf128(x)), a, 0, 0);
    expect("round", __nv_fp128_round(a), bits_of(roundf128(x)), a, 0, 0);
    expect("rint", __nv_fp128_rint(a), bits_of(rintf128(x)), a, 0, 0);
    quad fraction = __nv_fp128_modf(a, &part);
    expect("modf", fraction, bits_of(modff128(x, &y)), a, 0, 0);
    expect("modf's whole", part, bits_of(y), a, 0, 0);
    int e, e2;
    quad m = __nv_fp128_frexp(a, &e);
    expect("frexp", m, bits_of(frexpf128(x, &e2)), a, 0, 0);
    if (is_finite_q(a)) {
        expect("frexp's exponent", (quad)(u32)e, (quad)(u32)e2, a, 0, 0);
        if (!is_zero_q(a))
            expect("ilogb", (quad)(u32)__nv_fp128_ilogb(a), (quad)(u32)ilogbf128(x), a, 0, 0);
    }
    int by = (int)(draw() % 40000) - 20000;
    expect("ldexp", __nv_fp128_ldexp(a, by), bits_of(ldexpf128(x, by)), a, (quad)(u32)by, 0);
}

static void conversions(int spread) {
    quad a = draw_quad(spread);
    number x = number_of(a);
    double d = (double)x;
    float f = (float)x;
    u64 db = __kudzu_quad_to_double(a), wanted_d;
    u32 fb = __kudzu_quad_to_float(a), wanted_f;
    memcpy(&wanted_d, &d, 8);
    memcpy(&wanted_f, &f, 4);
    if (!is_nan_q(a)) {
        expect("to double", db, wanted_d, a, 0, 0);
        expect("to float", fb, wanted_f, a, 0, 0);
    }
#ifdef __FLT16_MANT_DIG__
    _Float16 h = (_Float16)x;
    u16 wanted_h;
    memcpy(&wanted_h, &h, 2);
    if (!is_nan_q(a))
        expect("to half", __kudzu_quad_to_half(a), wanted_h, a, 0, 0);
#endif
    u64 raw = draw();
    if (draw() % 4 == 0)
        raw &= 0x800fffffffffffff;
    memcpy(&d, &raw, 8);
    expect("from double", __kudzu_quad_from_double(raw), bits_of((number)d), raw, 0, 0);
    u128 n = QUAD(draw(), draw()) >> (draw() % 128);
    if (draw() & 1)
        n = -n;
    expect("from unsigned", __kudzu_quad_from_unsigned(n), bits_of((number)n), n, 0, 0);
    expect("from signed", __kudzu_quad_from_signed((i128)n), bits_of((number)(i128)n), n, 0, 0);
    if (fabsf128(x) < 0x1p127Q)
        expect("to signed", (quad)__kudzu_quad_to_signed(a, 128), (quad)(i128)x, a, 0, 0);
    if (x > -1 && x < 0x1p127Q * 2)
        expect("to unsigned", __kudzu_quad_to_unsigned(a, 128), (quad)(u128)x, a, 0, 0);
    if (fabsf128(x) < 0x1p63Q)
        expect("to 64 bits", (quad)(i64)__kudzu_quad_to_signed(a, 64), (quad)(i64)x, a, 0, 0);
}

// In units of the wanted one's last place, which is at least the least subnormal number.
static u128 distance(quad a, quad b) {
    i128 x = sign_of(a) ? -(i128)(a & QUAD_ABS) : (i128)a;
    i128 y = sign_of(b) ? -(i128)(b & QUAD_ABS) : (i128)b;
    return x < y ? (u128)y - (u128)x : (u128)x - (u128)y;
}

struct function {
    const char *name;
    quad (*own)(quad);
    number (*reference)(number);
    int spread;
};

#define F(name, spread)                                                                            \
    { #name, __nv_fp128_##name, name##f128, spread }
static const struct function functions[] = {
    F(exp, 16),  F(exp2, 15), F(exp10, 13), F(expm1, 16), F(log, 0),    F(log, 3),    F(log2, 0),
    F(log2, 2),  F(log10, 0), F(log10, 3),  F(log1p, 0),  F(log1p, 12), F(sin, 20),   F(sin, 0),
    F(cos, 20),  F(cos, 0),   F(tan, 20),   F(tan, 0),    F(asin, 3),   F(asin, 0),   F(acos, 3),
    F(atan, 8),  F(atan, 0),  F(sinh, 14),  F(cosh, 14),  F(tanh, 8),   F(asinh, 20), F(asinh, 0),
    F(acosh, 4), F(acosh, 0), F(atanh, 8),
};

static void function(const struct function *f) {
    quad a = draw_quad(f->spread), got = f->own(a);
    quad wanted = bits_of(f->reference(number_of(a)));
    if (same(got, wanted) || (!is_nan_q(got) && !is_nan_q(wanted) && distance(got, wanted) <= 4))
        return;
    expect(f->name, got, wanted, a, 0, 0);
}

static void two_arguments(void) {
    quad a = draw_quad(6), b = draw_quad(9), got = __nv_fp128_pow(a, b);
    if (draw() % 4 == 0) {
        b = bits_of((number)((int)(draw() % 2001) - 1000));
        got = __nv_fp128_pow(a, b);
    }
    quad wanted = bits_of(powf128(number_of(a), number_of(b)));
    if (!same(got, wanted) && (is_nan_q(got) || is_nan_q(wanted) || distance(got, wanted) > 4))
        expect("pow", got, wanted, a, b, 0);
    b = draw_quad(6);
    got = __nv_fp128_hypot(a, b);
    wanted = bits_of(hypotf128(number_of(a), number_of(b)));
    if (!same(got, wanted) && (is_nan_q(got) || is_nan_q(wanted) || distance(got, wanted) > 4))
        expect("hypot", got, wanted, a, b, 0);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 20000;
    static const int spreads[] = {0, 3, 70, 120};
    for (int i = 0; i < rounds; i++) {
        int spread = spreads[i & 3];
        arithmetic(spread);
        rounding(spread);
        conversions(spread);
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
            if (i % 8 == 0)
                function(&functions[k]);
        if (i % 8 == 0)
            two_arguments();
    }
    printf("%d rounds, %d failures\n", rounds, failures);
    return failures != 0;
}
