// Soft floating point against the host's: every rounding mode of f32 and f64 through fesetround,
// f16 through the compiler's _Float16, .ftz against the result in higher precision.
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "isa/fp.h"

static unsigned failures;
static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t random_bits(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

static const uint32_t edges32[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x00800001,
    0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x40490fdb, 0x3f000000, 0x4b800000, 0x4b7fffff, 0x33800000, 0x00000400,
};
static const uint64_t edges64[] = {
    0,
    1ull << 63,
    1,
    0x000fffffffffffff,
    0x0010000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fefffffffffffff,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x4340000000000000,
    0x3ca0000000000000,
};
enum { N32 = sizeof edges32 / 4, N64 = sizeof edges64 / 8 };

static uint32_t pick32(unsigned i) {
    if (i < N32)
        return edges32[i];
    uint32_t r = (uint32_t)random_bits();
    // Exponents near each other, so that additions cancel and divisions round.
    return i & 1 ? (r & 0x83ffffff) | 0x3c000000 : r;
}

static uint64_t pick64(unsigned i) {
    if (i < N64)
        return edges64[i];
    uint64_t r = random_bits();
    return i & 1 ? (r & 0x80ffffffffffffff) | 0x3f00000000000000 : r;
}

static float f32(uint64_t u) {
    uint32_t v = (uint32_t)u;
    float f;
    memcpy(&f, &v, 4);
    return f;
}

static double f64(uint64_t u) {
    double d;
    memcpy(&d, &u, 8);
    return d;
}

static uint64_t bits32(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return isnan(f) ? 0x7fffffff : u;
}

static uint64_t bits64(double d) {
    uint64_t u;
    memcpy(&u, &d, 8);
    return isnan(d) ? 0xfff8000000000000 : u;
}

static void expect(const char *what, unsigned rnd, uint64_t a, uint64_t b, uint64_t c, uint64_t got,
                   uint64_t want) {
    if (got == want)
        return;
    if (failures++ < 20)
        printf("%s rnd %u (%llx, %llx, %llx): %llx, expected %llx\n", what, rnd,
               (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
               (unsigned long long)got, (unsigned long long)want);
}

static const int host_mode[] = {
    [ISA_RND_RN] = FE_TONEAREST,
    [ISA_RND_RZ] = FE_TOWARDZERO,
    [ISA_RND_RM] = FE_DOWNWARD,
    [ISA_RND_RP] = FE_UPWARD,
};

// The host's result in a rounding mode; `volatile` keeps the operation between the two switches.
#define HOST(rnd, type, expr)                                                                      \
    ({                                                                                             \
        fesetround(host_mode[rnd]);                                                                \
        volatile type host_result = (expr);                                                        \
        fesetround(FE_TONEAREST);                                                                  \
        host_result;                                                                               \
    })

static void test32(unsigned rnd, uint32_t a, uint32_t b, uint32_t c) {
    struct isa_mods m = {.rnd = (uint8_t)rnd};
    volatile float x = f32(a), y = f32(b), z = f32(c);
    expect("add.f32", rnd, a, b, 0, fp_add(FP_F32, a, b, &m), bits32(HOST(rnd, float, x + y)));
    expect("sub.f32", rnd, a, b, 0, fp_sub(FP_F32, a, b, &m), bits32(HOST(rnd, float, x - y)));
    expect("mul.f32", rnd, a, b, 0, fp_mul(FP_F32, a, b, &m), bits32(HOST(rnd, float, x *y)));
    expect("div.f32", rnd, a, b, 0, fp_div(FP_F32, a, b, &m), bits32(HOST(rnd, float, x / y)));
    expect("sqrt.f32", rnd, a, 0, 0, fp_sqrt(FP_F32, a, &m), bits32(HOST(rnd, float, sqrtf(x))));
    expect("fma.f32", rnd, a, b, c, fp_fma(FP_F32, a, b, c, &m),
           bits32(HOST(rnd, float, fmaf(x, y, z))));
    expect("cvt.s64.f32", rnd, a, 0, 0, fabsf(x) < 0x1p62f ? fp_to_int(FP_F32, a, 64, true, &m) : 0,
           fabsf(x) < 0x1p62f ? (uint64_t)HOST(rnd, long long, llrintf(x)) : 0);
}

static void test64(unsigned rnd, uint64_t a, uint64_t b, uint64_t c) {
    struct isa_mods m = {.rnd = (uint8_t)rnd};
    volatile double x = f64(a), y = f64(b), z = f64(c);
    if (isnan(x) || isnan(y) || isnan(z))
        return;
    expect("add.f64", rnd, a, b, 0, fp_add(FP_F64, a, b, &m), bits64(HOST(rnd, double, x + y)));
    expect("mul.f64", rnd, a, b, 0, fp_mul(FP_F64, a, b, &m), bits64(HOST(rnd, double, x *y)));
    expect("div.f64", rnd, a, b, 0, fp_div(FP_F64, a, b, &m), bits64(HOST(rnd, double, x / y)));
    expect("sqrt.f64", rnd, a, 0, 0, fp_sqrt(FP_F64, a, &m), bits64(HOST(rnd, double, sqrt(x))));
    expect("fma.f64", rnd, a, b, c, fp_fma(FP_F64, a, b, c, &m),
           bits64(HOST(rnd, double, fma(x, y, z))));
    expect("cvt.f32.f64", rnd, a, 0, 0, fp_convert(FP_F32, FP_F64, a, &m),
           bits32(HOST(rnd, float, (float)x)));
    expect("cvt.f32.s64", rnd, a, 0, 0, fp_from_int(FP_F32, a, true, &m),
           bits32(HOST(rnd, float, (float)(long long)a)));
    expect("cvt.f64.u64", rnd, a, 0, 0, fp_from_int(FP_F64, a, false, &m),
           bits64(HOST(rnd, double, (double)a)));
}

// .ftz: the product decides, rounded with room below: 2^24 times larger. A double holds it exactly.
static void test_ftz32(uint32_t a, uint32_t b) {
    struct isa_mods m = {.ftz = true};
    double x = f32(a), y = f32(b);
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y))
        return;
    x = fabs(x) < 0x1p-126 ? copysign(0, x) : x;
    y = fabs(y) < 0x1p-126 ? copysign(0, y) : y;
    double p = x * y;
    float want = fabs((float)(p * 0x1p24)) < 0x1p-102 ? (float)copysign(0, p) : (float)p;
    expect("mul.ftz.f32", 0, a, b, 0, fp_mul(FP_F32, a, b, &m), bits32(want));
    double s = x + y; // exact where it can be subnormal
    want = fabs(s) < 0x1p-126 ? (float)copysign(0, s) : f32(bits32((float)x)) + (float)y;
    expect("add.ftz.f32", 0, a, b, 0, fp_add(FP_F32, a, b, &m), bits32(want));
}

static uint64_t bits16(_Float16 h) {
    uint16_t u;
    memcpy(&u, &h, 2);
    return h != h ? 0x7fff : u;
}

static _Float16 f16(uint64_t u) {
    uint16_t v = (uint16_t)u;
    _Float16 h;
    memcpy(&h, &v, 2);
    return h;
}

static void test16(uint16_t a, uint16_t b) {
    struct isa_mods m = {0};
    _Float16 x = f16(a), y = f16(b);
    expect("add.f16", 0, a, b, 0, fp_add(FP_F16, a, b, &m), bits16((_Float16)((double)x + y)));
    expect("mul.f16", 0, a, b, 0, fp_mul(FP_F16, a, b, &m), bits16((_Float16)((double)x * y)));
    expect("cvt.f32.f16", 0, a, 0, 0, fp_convert(FP_F32, FP_F16, a, &m), bits32((float)x));
    expect("cvt.f16.f32", 0, a, b, 0, fp_convert(FP_F16, FP_F32, (uint32_t)a << 16 | b, &m),
           bits16((_Float16)f32((uint32_t)a << 16 | b)));
}

// .ftz compares subnormal numbers as zeros in f32, as what they are in f64.
static void test_compare_ftz(void) {
    struct isa_mods m = {.cmp = ISA_CMP_EQ, .ftz = true};
    expect("setp.eq.ftz.f32", 0, 1, 0, 0, fp_compare(FP_F32, 1, 0, &m), true);
    expect("setp.eq.ftz.f64", 0, 1, 0, 0, fp_compare(FP_F64, 1, 0, &m), false);
}

int main(void) {
    test_compare_ftz();
    for (unsigned rnd = ISA_RND_RN; rnd <= ISA_RND_RP; rnd++) {
        for (unsigned i = 0; i < 40; i++)
            for (unsigned j = 0; j < 40; j++)
                for (unsigned k = 0; k < 24; k++)
                    test32(rnd, pick32(i), pick32(j), pick32(k));
        for (unsigned i = 0; i < 34; i++)
            for (unsigned j = 0; j < 34; j++)
                for (unsigned k = 0; k < 24; k++)
                    test64(rnd, pick64(i), pick64(j), pick64(k));
    }
    for (unsigned i = 0; i < 100000; i++) {
        test16((uint16_t)random_bits(), (uint16_t)random_bits());
        uint32_t a = pick32(i % 64), b = pick32(i / 64 % 64);
        test_ftz32(a, b);
        test_ftz32((a & 0x807fffff) | 0x1f800000, (b & 0x807fffff) | 0x20000000);
    }
    if (failures)
        printf("%u failures\n", failures);
    return failures != 0;
}
