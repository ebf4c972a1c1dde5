// The 16-bit types on the host: every value widens to what the format says; narrowing gives the
// neighbour that the rounding mode asks for; fma rounds once.
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static int failures;

static void fail(const char *what, double x, unsigned got) {
    if (failures++ < 20)
        printf("FAIL %s: %a gave 0x%04x\n", what, x, got);
}

// A format's values from its definition.
struct format {
    const char *name;
    int digits, bias; // below the leading one; of the exponent
    kudzu::half_format kudzu;
    float (*widen)(unsigned short);
};

static double value(const format &f, unsigned bits) {
    int exponent = (int)((bits & 0x7fff) >> f.digits),
        digits = (int)(bits & ((1u << f.digits) - 1));
    int top = 0x7fff >> f.digits;
    double v = exponent == top ? (digits ? (double)NAN : (double)INFINITY)
               : exponent == 0 ? ldexp(digits, 1 - f.bias - f.digits)
                               : ldexp(digits + (1 << f.digits), exponent - f.bias - f.digits);
    return bits >> 15 ? -v : v;
}

static void check_widening(const format &f) {
    for (unsigned bits = 0; bits < 65536; bits++) {
        double expected = value(f, bits), got = f.widen((unsigned short)bits);
        if (isnan(expected) ? !isnan(got) : got != expected || signbit(got) != signbit(expected))
            fail(f.name, expected, bits);
    }
}

// The magnitude's bits that bracket |x|: the largest value not above it, and the next.
static unsigned below(const format &f, double x) {
    unsigned low = 0, high = 0x7fff >> f.digits << f.digits;
    while (low + 1 < high) {
        unsigned middle = (low + high) / 2;
        if (value(f, middle) <= x)
            low = middle;
        else
            high = middle;
    }
    return value(f, high) <= x ? high : low;
}

static unsigned expected_bits(const format &f, double x, kudzu::half_rounding mode) {
    unsigned sign = signbit(x) ? 0x8000 : 0, top = 0x7fffu >> f.digits << f.digits;
    unsigned low = below(f, fabs(x)), next = low + 1;
    if (low == top || value(f, low) == fabs(x))
        return sign | low;
    bool up = false;
    // The next value above the largest one counts as if the format went on.
    double above = next == top ? ldexp(1, (int)(top >> f.digits) - f.bias) : value(f, next);
    double to_low = fabs(x) - value(f, low), to_next = above - fabs(x);
    if (mode == kudzu::round_nearest)
        up = to_next < to_low || (to_next == to_low && (low & 1));
    if (mode == kudzu::round_up)
        up = !sign;
    if (mode == kudzu::round_down)
        up = sign != 0;
    return sign | (up ? next : low);
}

static uint64_t state = 1;

static uint64_t random_bits() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state ^ state >> 29;
}

static void check_narrowing(const format &f, double x) {
    for (int mode = 0; mode < 4; mode++) {
        unsigned got = kudzu::narrow(x, f.kudzu, (kudzu::half_rounding)mode);
        if (got != expected_bits(f, x, (kudzu::half_rounding)mode))
            fail(f.name, x, got);
    }
}

static void check_format(const format &f) {
    check_widening(f);
    for (unsigned bits = 0; bits + 1 < (0x7fffu >> f.digits << f.digits); bits += 7) {
        double middle = (value(f, bits) + value(f, bits + 1)) / 2;
        double points[] = {value(f, bits), middle, nextafter(middle, 0), nextafter(middle, 1e300)};
        for (double x : points) {
            check_narrowing(f, x);
            check_narrowing(f, -x);
        }
    }
    double extremes[] = {0.0,   65504,  65519.99, 65520,  65536,
                         1e300, 1e-300, 5e-324,   3.4e38, INFINITY};
    for (double x : extremes) {
        check_narrowing(f, x);
        check_narrowing(f, -x);
    }
}

// The sum with 64 digits has all of half's products and sums that matter, and most of bfloat16's.
template <typename H> static void check_fma(const format &f, H (*make)(unsigned short)) {
    for (int i = 0; i < 300000; i++) {
        H a = make((unsigned short)random_bits()), b = make((unsigned short)random_bits());
        H c = make((unsigned short)random_bits());
        long double product = (long double)(float)a * (float)b, sum = product + (float)c;
        // Only where the reference is exact.
        if (!isfinite((double)sum) || sum - product != (float)c || sum - (float)c != product ||
            (long double)(double)sum != sum)
            continue;
        H got = __hfma(a, b, c);
        unsigned bits;
        bits = expected_bits(f, (double)sum, kudzu::round_nearest);
        unsigned short got_bits;
        memcpy(&got_bits, &got, 2);
        if (got_bits != bits && sum != 0)
            fail("fma", (double)sum, got_bits);
    }
}

static __half make_half_bits(unsigned short u) {
    return __ushort_as_half(u);
}

static __nv_bfloat16 make_bfloat_bits(unsigned short u) {
    return __ushort_as_bfloat16(u);
}

static void check_operators() {
    half a = 1.5f, b = 2;
    half2 p(a, b);
    p = p * p + p;
    if ((float)p.x != 3.75f || (float)p.y != 6.0f || !(a < b) || a == b || (float)-a != -1.5f)
        fail("operators", (float)p.x, __half_as_ushort(p.y));
    if ((int)half(2.75f) != 2 || __half2int_rn(half(2.5f)) != 2 ||
        __half2int_ru(half(2.25f)) != 3 || __half2int_rd(half(-2.25f)) != -3 ||
        (unsigned)half(-1.0f) != 0)
        fail("integers", 2.75, 0);
    if ((float)__hmin(a, CUDART_NAN_FP16) != 1.5f || !__hisnan(__hmax_nan(a, CUDART_NAN_FP16)))
        fail("minimum", 1.5, 0);
}

int main() {
    const format formats[] = {{"fp16", 10, 15, kudzu::fp16_format(), kudzu::widen_fp16},
                              {"bf16", 7, 127, kudzu::bf16_format(), kudzu::widen_bf16}};
    for (const format &f : formats)
        check_format(f);
    check_fma<__half>(formats[0], make_half_bits);
    check_fma<__nv_bfloat16>(formats[1], make_bfloat_bits);
    check_operators();
    printf("%s\n", failures ? "failed" : "passed");
    return failures != 0;
}
