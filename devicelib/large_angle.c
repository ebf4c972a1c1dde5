// Payne and Hanek's reduction: the fraction of x * 2/pi from those digits of 2/pi that matter.
#include "trig.h"

// 2/pi in binary after 64 zero bits, so that small exponents need no case of their own.
static const u64 two_over_pi[] = {
    0,
    0xa2f9836e4e441529ull,
    0xfc2757d1f534ddc0ull,
    0xdb6295993c439041ull,
    0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull,
    0xfe1deb1cb129a73eull,
    0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull,
    0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull,
    0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full,
    0x6d367ecf27cb09b7ull,
    0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull,
    0x6bfb5fb11f8d5d08ull,
    0x56033046fc7b6babull,
};

// 64 bits of 2/pi from the given bit on.
INLINE u64 digits(int bit) {
    int word = bit >> 6, shift = bit & 63;
    u64 high = two_over_pi[word] << shift;
    return shift ? high | two_over_pi[word + 1] >> (64 - shift) : high;
}

typedef struct {
    u64 high, low; // |x| * 2/pi modulo 4, the binary point two bits below the top
} turns;

INLINE turns reduce(double x) {
    u64 bits = bits_d(x) & 0x7fffffffffffffffull;
    int exponent = (int)(bits >> 52);
    // An infinity must not read outside of the table; its result is replaced by the caller.
    exponent = exponent > 2046 ? 2046 : exponent;
    u64 significand = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    // Digits above this one make whole turns only.
    int first = exponent - 1075 - 2 + 64;
    u64 a = digits(first), b = digits(first + 64), c = digits(first + 128);
    u64 low = significand * b;
    u64 carry_in = __nvvm_mulhi_ull(significand, c);
    u64 high = significand * a + __nvvm_mulhi_ull(significand, b);
    u64 sum = low + carry_in;
    return (turns){high + (sum < low), sum};
}

u32 NOINLINE __kd_large_quadrant(double x) {
    turns t = reduce(x);
    u32 quadrant = (u32)(t.high >> 62) + (u32)(t.high >> 61 & 1);
    return (bits_d(x) >> 63 ? 0u - quadrant : quadrant) & 3;
}

double NOINLINE __kd_large_remainder(double x) {
    turns t = reduce(x);
    // The fraction of a quarter turn as a signed number in [-1/2, 1/2).
    u64 high = t.high << 2 | t.low >> 62, low = t.low << 2;
    int negative = (int)(high >> 63);
    high = negative ? ~high : high;
    low = negative ? ~low : low;
    // Move the leading one to the top: a fraction near zero keeps all its digits.
    int zeros = high ? __builtin_clzll(high) : 63;
    u64 digits = zeros ? high << zeros | low >> (64 - zeros) : high;
    double fraction = (double)(digits >> 11);
    double rest = (double)(digits & 2047);
    double r = fma_d(fraction, PIO2_A, fma_d(fraction, PIO2_B, rest * (PIO2_A * 0x1p-11)));
    r *= from_bits_d((u64)(1023 - 53 - zeros) << 52);
    double signed_r = negative != (int)(bits_d(x) >> 63) ? -r : r;
    return fabs_d(x) < INFINITY_D ? signed_r : NAN_D;
}

u64 NOINLINE __kd_large_turns_f(float x) {
    u32 bits = bits_f(x);
    u32 significand = bits << 8 | 0x80000000u;
    int first = (int)(bits >> 23 & 0xff) - 127 - 31 - 2 + 64; // as above
    u64 ab = digits(first), c = digits(first + 64) >> 32;
    u64 t = ((u64)(significand * (u32)(ab >> 32)) << 32) + (u64)significand * (u32)ab +
            (significand * c >> 32);
    return bits >> 31 ? 0 - t : t;
}
