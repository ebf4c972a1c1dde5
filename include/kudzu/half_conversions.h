// Numbers of 16 bits: rounding from double and widening to float, in integer arithmetic, for host
// compilers without such types and for the rounding modes that have no instruction.
#ifndef KUDZU_HALF_CONVERSIONS_H
#define KUDZU_HALF_CONVERSIONS_H

#include "host_defines.h"
#include <string.h>

namespace kudzu {

enum half_rounding { round_nearest, round_zero, round_up, round_down };

#define KUDZU_HALF static __inline__ __host__ __device__

// A 16-bit format: `significant` bits with the hidden one, exponents from `lowest` to `highest`.
struct half_format {
    int significant, lowest, highest;
};

KUDZU_HALF half_format fp16_format() {
    half_format f = {11, -14, 15};
    return f;
}

KUDZU_HALF half_format bf16_format() {
    half_format f = {8, -126, 127};
    return f;
}

KUDZU_HALF unsigned long long double_bits(double value) {
    unsigned long long bits;
    memcpy(&bits, &value, 8);
    return bits;
}

// Whether the magnitude goes up to the next number, given what was cut off in units of 2^-64 of the
// last place kept, and whether the last digit kept is odd.
KUDZU_HALF bool rounds_away(half_rounding mode, bool negative, unsigned long long rest, bool odd) {
    switch (mode) {
    case round_nearest:
        return rest > 1ull << 63 || (rest == 1ull << 63 && odd);
    case round_up:
        return rest != 0 && !negative;
    case round_down:
        return rest != 0 && negative;
    default:
        return false;
    }
}

// The bits of the number nearest to `value` in the direction given by `mode`.
KUDZU_HALF unsigned short narrow(double value, half_format f, half_rounding mode) {
    unsigned long long bits = double_bits(value);
    bool negative = bits >> 63 != 0;
    unsigned int sign = negative ? 0x8000u : 0u;
    int field = f.significant - 1;
    unsigned int infinity = (unsigned int)(f.highest - f.lowest + 2) << field;
    int exponent = (int)(bits >> 52 & 2047) - 1023;
    if (exponent == 1024)
        return (unsigned short)((bits << 12) != 0 ? 0x7fffu : sign | infinity);
    // The significand at the top of 64 bits; numbers below double's normal ones are far too small
    // to be anything but the rest of a rounding.
    unsigned long long digits = exponent == -1023 ? (bits << 12) >> 1 : bits << 11 | 1ull << 63;
    int below = exponent < f.lowest ? f.lowest - exponent : 0;
    int dropped = 64 - f.significant + below;
    unsigned long long kept, rest;
    if (dropped < 64) {
        kept = digits >> dropped;
        rest = digits << (64 - dropped);
    } else {
        kept = 0;
        rest = dropped == 64 ? digits : digits != 0;
    }
    // Exponent and significand are added, so that a carry goes from the one into the other.
    unsigned int base = below ? 0u : (unsigned int)(exponent - f.lowest) << field;
    unsigned int result = base + (unsigned int)kept + rounds_away(mode, negative, rest, kept & 1);
    if (exponent > f.highest || result >= infinity) {
        bool to_infinity = mode == round_nearest || (mode == round_up && !negative) ||
                           (mode == round_down && negative);
        result = to_infinity ? infinity : infinity - 1;
    }
    return (unsigned short)(sign | result);
}

// Exact.
KUDZU_HALF float widen_fp16(unsigned short h) {
    unsigned int sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, digits = h & 1023;
    float value;
    unsigned int bits;
    if (exponent == 31) {
        bits = sign | 0x7f800000u | digits << 13;
    } else if (exponent == 0) {
        value = (float)digits / 16777216.0f;
        memcpy(&bits, &value, 4);
        bits |= sign;
    } else {
        bits = sign | (exponent + 112) << 23 | digits << 13;
    }
    memcpy(&value, &bits, 4);
    return value;
}

KUDZU_HALF float widen_bf16(unsigned short h) {
    unsigned int bits = (unsigned int)h << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

// a * b + c of 16-bit numbers, rounded to double in such a way that rounding the result once more
// to 16 bits rounds correctly: where the sum is not exact, its last digit is made odd.
KUDZU_HALF double fused_to_odd(double a, double b, double c) {
    double product = a * b; // exact
    double sum = product + c;
    double part = sum - product;
    double error = (product - (sum - part)) + (c - part);
    unsigned long long bits = double_bits(sum);
    if (!(error != 0.0) || error - error != 0.0 || (bits & 1))
        return sum;
    bits += (error > 0.0) == (sum > 0.0) ? 1ull : ~0ull;
    memcpy(&sum, &bits, 8);
    return sum;
}

// The integer next to x in the given direction, of `width` bits: what does not fit becomes the
// nearest that does. NaN gives 0, but 2^63 for 64 bits, as the instructions do.
KUDZU_HALF unsigned long long nearest_integer(double x, half_rounding mode, int width, bool sign) {
    if (x != x)
        return width == 64 ? 1ull << 63 : 0;
    double whole = mode == round_nearest ? __builtin_rint(x)
                   : mode == round_up    ? __builtin_ceil(x)
                   : mode == round_down  ? __builtin_floor(x)
                                         : __builtin_trunc(x);
    double limit = (sign ? 0.5 : 1.0) * (width == 64 ? 0x1p64 : (double)(1ull << width));
    if (whole >= limit)
        return ~0ull >> (64 - width + (sign ? 1 : 0));
    if (!sign)
        return whole <= 0 ? 0 : (unsigned long long)whole;
    return (unsigned long long)(long long)(whole < -limit ? -limit : whole);
}

// An integer as a double that rounds to few bits as the integer itself does: what the double cannot
// hold is gathered in its last digit.
KUDZU_HALF double sticky_double(unsigned long long i) {
    return (double)(i >> 53 ? (i & ~0xfffull) | ((i & 0xfff) != 0 ? 0x800 : 0) : i);
}
KUDZU_HALF double sticky_double(long long i) {
    return i < 0 ? -sticky_double(0 - (unsigned long long)i) : sticky_double((unsigned long long)i);
}

#undef KUDZU_HALF

} // namespace kudzu

// The functions that convert integers to the type H and back: TO_FLOAT(h) widens, FROM_WIDE(double,
// mode) rounds.
#define KUDZU_HALF_INTEGER_MODE(H, half, TO_FLOAT, FROM_WIDE, name, T, wide, suffix, mode)         \
    HD H __##name##2##half##_##suffix(T i) {                                                       \
        return FROM_WIDE(kudzu::sticky_double((wide)i), kudzu::mode);                              \
    }                                                                                              \
    HD T __##half##2##name##_##suffix(H h) {                                                       \
        return (T)kudzu::nearest_integer(TO_FLOAT(h), kudzu::mode, 8 * sizeof(T), (T) - 1 < (T)1); \
    }
#define KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM_WIDE, name, T, wide)                            \
    KUDZU_HALF_INTEGER_MODE(H, half, TO_FLOAT, FROM_WIDE, name, T, wide, rn, round_nearest)        \
    KUDZU_HALF_INTEGER_MODE(H, half, TO_FLOAT, FROM_WIDE, name, T, wide, rz, round_zero)           \
    KUDZU_HALF_INTEGER_MODE(H, half, TO_FLOAT, FROM_WIDE, name, T, wide, ru, round_up)             \
    KUDZU_HALF_INTEGER_MODE(H, half, TO_FLOAT, FROM_WIDE, name, T, wide, rd, round_down)
#define KUDZU_HALF_INTEGERS(H, half, TO_FLOAT, FROM_WIDE)                                          \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM_WIDE, short, short, long long)                      \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM_WIDE, ushort, unsigned short, unsigned long long)   \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM_WIDE, int, int, long long)                          \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM_WIDE, uint, unsigned int, unsigned long long)       \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM_WIDE, ll, long long, long long)                     \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM_WIDE, ull, unsigned long long, unsigned long long)  \
    HD signed char __##half##2char_rz(H h) {                                                       \
        return (signed char)kudzu::nearest_integer(TO_FLOAT(h), kudzu::round_zero, 8, true);       \
    }                                                                                              \
    HD unsigned char __##half##2uchar_rz(H h) {                                                    \
        return (unsigned char)kudzu::nearest_integer(TO_FLOAT(h), kudzu::round_zero, 8, false);    \
    }

#endif
