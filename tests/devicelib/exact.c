// The functions whose results are exact, against the host's libm and plain definitions.
#include "libdevice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

static u64 state = 1;

static u64 random_bits(void) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    u64 z = (state ^ state >> 31) * 0x94d049bb133111ebull;
    return z ^ z >> 29;
}

// Values of all magnitudes, often special, often near each other.
static double random_d(void) {
    static const double special[] = {0.0,
                                     1.0,
                                     0.5,
                                     1.5,
                                     2.5,
                                     3.0,
                                     0x1p-1074,
                                     0x1p-1022,
                                     0x1p52,
                                     0x1p53,
                                     0x1.fffffffffffffp1023,
                                     INFINITY,
                                     NAN,
                                     7.0,
                                     0x1p63};
    u64 r = random_bits();
    double sign = r & 1 ? -1.0 : 1.0;
    if (r % 5 == 0)
        return sign * special[r / 8 % (sizeof special / sizeof *special)];
    if (r % 5 == 1)
        return sign * ldexp((double)(r >> 40), (int)(r >> 8 & 31) - 16);
    return from_bits_d(random_bits());
}

static float random_f(void) {
    static const float special[] = {0.0f,
                                    1.0f,
                                    0.5f,
                                    1.5f,
                                    2.5f,
                                    3.0f,
                                    0x1p-149f,
                                    0x1p-126f,
                                    0x1p23f,
                                    0x1p24f,
                                    0x1.fffffep127f,
                                    INFINITY,
                                    NAN,
                                    7.0f};
    u64 r = random_bits();
    float sign = r & 1 ? -1.0f : 1.0f;
    if (r % 5 == 0)
        return sign * special[r / 8 % (sizeof special / sizeof *special)];
    if (r % 5 == 1)
        return sign * ldexpf((float)(r >> 50), (int)(r >> 8 & 31) - 16);
    return from_bits_f((u32)random_bits());
}

static void fail(const char *name, double a, double b, double got, double expected) {
    if (failures++ < 30)
        printf("FAIL %s(%a, %a) = %a, expected %a\n", name, a, b, got, expected);
}

static void same(const char *name, double a, double b, double got, double expected) {
    int equal = got == expected && signbit(got) == signbit(expected);
    if (!equal && !(isnan(got) && isnan(expected)))
        fail(name, a, b, got, expected);
}

static double signed_zero(double result, double x) {
    return result == 0.0 ? copysign(0.0, x) : result;
}

#define ONE(name)                                                                                  \
    same(#name, x, 0, __nv_##name(x), name(x));                                                    \
    same(#name "f", u, 0, __nv_##name##f(u), name##f(u))
#define TWO(name)                                                                                  \
    same(#name, x, y, __nv_##name(x, y), name(x, y));                                              \
    same(#name "f", u, v, __nv_##name##f(u, v), name##f(u, v))

static void check_floating(void) {
    double x = random_d(), y = random_d(), whole_d, expected_whole_d;
    float u = random_f(), v = random_f(), whole_f, expected_whole_f;
    ONE(ceil);
    ONE(floor);
    ONE(trunc);
    ONE(rint);
    ONE(nearbyint);
    ONE(round);
    ONE(fabs);
    ONE(logb);
    ONE(ilogb);
    TWO(fmod);
    // A remainder of zero has the sign of x; not every version of glibc gives it that.
    same("remainder", x, y, __nv_remainder(x, y), signed_zero(remainder(x, y), x));
    same("remainderf", u, v, __nv_remainderf(u, v), (float)signed_zero(remainderf(u, v), u));
    TWO(nextafter);
    TWO(fdim);
    TWO(copysign);
    int e = (int)(random_bits() % 5000) - 2500, f = (int)(random_bits() % 700) - 350;
    same("ldexp", x, e, __nv_ldexp(x, e), ldexp(x, e));
    same("ldexpf", u, f, __nv_ldexpf(u, f), ldexpf(u, f));
    int n = 0, expected_n = 0;
    same("frexp", x, 0, __nv_frexp(x, &n), frexp(x, &expected_n));
    if (isfinite(x))
        same("frexp's exponent", x, 0, n, expected_n);
    same("frexpf", u, 0, __nv_frexpf(u, &n), frexpf(u, &expected_n));
    if (isfinite(u))
        same("frexpf's exponent", u, 0, n, expected_n);
    same("modf", x, 0, __nv_modf(x, &whole_d), modf(x, &expected_whole_d));
    same("modf's whole", x, 0, whole_d, expected_whole_d);
    same("modff", u, 0, __nv_modff(u, &whole_f), modff(u, &expected_whole_f));
    same("modff's whole", u, 0, whole_f, expected_whole_f);
    same("remquo", x, y, __nv_remquo(x, y, &n), signed_zero(remquo(x, y, &expected_n), x));
    if (isfinite(x) && y != 0 && !isnan(y))
        same("remquo's quotient", x, y, n & 7, expected_n & 7);
    same("remquof", u, v, __nv_remquof(u, v, &n),
         (float)signed_zero(remquof(u, v, &expected_n), u));
    if (isfinite(u) && v != 0 && !isnan(v))
        same("remquof's quotient", u, v, n & 7, expected_n & 7);
    if (fabs(x) < 0x1p62) {
        same("llrint", x, 0, (double)__nv_llrint(x), (double)llrint(x));
        same("llround", x, 0, (double)__nv_llround(x), (double)llround(x));
    }
    same("frsqrt_rn", u, 0, __nv_frsqrt_rn(fabsf(u)), (float)(1.0L / sqrtl(fabsf(u))));
    same("isnan", x, 0, !!__nv_isnand(x), !!isnan(x));
    same("isinf", x, 0, !!__nv_isinfd(x), !!isinf(x));
    same("isfinite", u, 0, !!__nv_finitef(u), !!isfinite(u));
    same("signbit", u, 0, !!__nv_signbitf(u), !!signbit(u));
}

static void equal(const char *name, i64 got, i64 expected) {
    if (got != expected)
        fail(name, 0, 0, (double)got, (double)expected);
}

static void check_integers(void) {
    u32 a = (u32)random_bits() >> (random_bits() & 31), b = (u32)random_bits(),
        c = (u32)random_bits();
    u64 wide = random_bits() >> (random_bits() & 63);
    int leading = 0, first = 0, ones = 0;
    for (int i = 0; i < 32; i++)
        ones += (int)(a >> i & 1);
    while (leading < 32 && !(a >> (31 - leading) & 1))
        leading++;
    while (first < 32 && !(a >> first & 1))
        first++;
    equal("clz", __nv_clz((int)a), leading);
    equal("ffs", __nv_ffs((int)a), first == 32 ? 0 : first + 1);
    equal("popc", __nv_popc(a), ones);
    equal("clzll", __nv_clzll((i64)wide), wide ? 63 - (int)floorl(log2l((long double)wide)) : 64);
    equal("mulhi", __nv_mulhi((int)a, (int)b), (int)((i64)(int)a * (int)b >> 32));
    equal("hadd", __nv_hadd((int)a, (int)b), ((i64)(int)a + (int)b) >> 1);
    equal("rhadd", __nv_rhadd((int)a, (int)b), ((i64)(int)a + (int)b + 1) >> 1);
    equal("uhadd", (u32)__nv_uhadd(a, b), (i64)(((u64)a + b) >> 1));
    equal("urhadd", __nv_urhadd(a, b), (i64)(((u64)a + b + 1) >> 1));
    equal("sad", (u32)__nv_sad((int)a, (int)b, (int)c), (u32)(llabs((i64)(int)a - (int)b) + c));
    equal("usad", __nv_usad(a, b, c), (u32)(llabs((i64)a - (i64)b) + c));
    u8 bytes[8];
    for (int i = 0; i < 4; i++)
        bytes[i] = (u8)(a >> 8 * i), bytes[i + 4] = (u8)(b >> 8 * i);
    u32 picked = 0;
    for (int i = 0; i < 4; i++)
        picked |= (u32)bytes[c >> 4 * i & 7] << 8 * i;
    equal("byte_perm", (u32)__nv_byte_perm((int)a, (int)b, (int)c), picked);
}

// A few of the packed functions, byte by byte; they are all made of the same loop.
static void check_packed(void) {
    u32 a = (u32)random_bits(), b = (u32)random_bits(), sum = 0, clipped = 0, greater = 0, low = 0;
    u32 differences = 0;
    for (int i = 0; i < 4; i++) {
        int x = (int)(a >> 8 * i & 255), y = (int)(b >> 8 * i & 255);
        int sx = x > 127 ? x - 256 : x, sy = y > 127 ? y - 256 : y;
        int s = sx + sy > 127 ? 127 : sx + sy < -128 ? -128 : sx + sy;
        sum |= (u32)((x + y) & 255) << 8 * i;
        clipped |= (u32)(s & 255) << 8 * i;
        greater |= (x > y ? 255u : 0u) << 8 * i;
        low |= (u32)((sx < sy ? sx : sy) & 255) << 8 * i;
        differences += (u32)abs(x - y);
    }
    equal("vadd4", (u32)__nv_vadd4((int)a, (int)b), sum);
    equal("vaddss4", (u32)__nv_vaddss4((int)a, (int)b), clipped);
    equal("vcmpgtu4", (u32)__nv_vcmpgtu4((int)a, (int)b), greater);
    equal("vmins4", (u32)__nv_vmins4((int)a, (int)b), low);
    equal("vsadu4", (u32)__nv_vsadu4((int)a, (int)b), differences);
    equal("vavgs2", (u16)__nv_vavgs2(0x0000fffe, 0x0000ffff), 0xfffe);
    equal("vnegss2", (u32)__nv_vnegss2((int)0x80000001u), 0x7fffffff);
}

int main(void) {
    for (int i = 0; i < 300000; i++) {
        check_floating();
        check_integers();
        check_packed();
    }
    printf("%s\n", failures ? "failed" : "passed");
    return failures != 0;
}
