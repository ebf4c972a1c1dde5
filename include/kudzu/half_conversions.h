// Numbers of 16 bits: rounding from float, double and integers, widening to float, and integers
// from them. On the device by instructions, on the host in integer arithmetic, for compilers
// without such types.
#ifndef KUDZU_HALF_CONVERSIONS_H
#define KUDZU_HALF_CONVERSIONS_H

#ifndef __HOST_DEFINES_H__
#include "../host_defines.h"
#endif
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

#if defined(__CUDA__) && defined(__CUDA_ARCH__)

#define KUDZU_CONVERT(nearest, zero, up, down, types, to, out, from, x)                            \
    switch (mode) {                                                                                \
    case round_nearest:                                                                            \
        asm("cvt." nearest "." types " %0, %1;" : to(out) : from(x));                              \
        break;                                                                                     \
    case round_zero:                                                                               \
        asm("cvt." zero "." types " %0, %1;" : to(out) : from(x));                                 \
        break;                                                                                     \
    case round_up:                                                                                 \
        asm("cvt." up "." types " %0, %1;" : to(out) : from(x));                                   \
        break;                                                                                     \
    default:                                                                                       \
        asm("cvt." down "." types " %0, %1;" : to(out) : from(x));                                 \
        break;                                                                                     \
    }

KUDZU_HALF unsigned short fp16_from(float x, half_rounding mode) {
    unsigned short h;
    KUDZU_CONVERT("rn", "rz", "rp", "rm", "f16.f32", "=h", h, "f", x)
    return h;
}

KUDZU_HALF unsigned short fp16_from(double x) {
    unsigned short h;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(x));
    return h;
}

// A number as a float that rounds to few bits as the number itself does: where it is cut off, its
// last digit is made odd.
KUDZU_HALF float odd_unless(float cut, bool exact) {
    unsigned int bits;
    memcpy(&bits, &cut, 4);
    bits |= exact ? 0 : 1;
    memcpy(&cut, &bits, 4);
    return cut;
}

#define KUDZU_ODD(T, type, letter)                                                                 \
    KUDZU_HALF float to_odd(T x) {                                                                 \
        float cut;                                                                                 \
        T back;                                                                                    \
        asm("cvt.rz.f32." type " %0, %1;" : "=f"(cut) : letter(x));                                \
        asm("cvt.rzi." type ".f32 %0, %1;" : "=" letter(back) : "f"(cut));                         \
        return odd_unless(cut, back == x);                                                         \
    }
KUDZU_ODD(int, "s32", "r")
KUDZU_ODD(unsigned int, "u32", "r")
KUDZU_ODD(long long, "s64", "l")
KUDZU_ODD(unsigned long long, "u64", "l")
#undef KUDZU_ODD

KUDZU_HALF float to_odd(double x) {
    float cut;
    double back;
    asm("cvt.rz.f32.f64 %0, %1;" : "=f"(cut) : "d"(x));
    asm("cvt.f64.f32 %0, %1;" : "=d"(back) : "f"(cut));
    return odd_unless(cut, back == x);
}

// The integer next to x in the given direction, of `width` bits: what does not fit becomes the
// nearest that does. NaN gives 0, but 2^63 for 64 bits.
KUDZU_HALF unsigned long long nearest_integer(float x, half_rounding mode, int width, bool sign) {
    unsigned long long u;
    long long i;
    unsigned int narrow_u;
    int narrow_i;
    if (width == 64 && sign) {
        KUDZU_CONVERT("rni", "rzi", "rpi", "rmi", "s64.f32", "=l", i, "f", x)
        return (unsigned long long)i;
    }
    if (width == 64) {
        KUDZU_CONVERT("rni", "rzi", "rpi", "rmi", "u64.f32", "=l", u, "f", x)
        return u;
    }
    if (sign) {
        int limit = (int)(1u << (width - 1));
        KUDZU_CONVERT("rni", "rzi", "rpi", "rmi", "s32.f32", "=r", narrow_i, "f", x)
        if (width == 32)
            return (unsigned long long)(long long)narrow_i;
        narrow_i = narrow_i < -limit ? -limit : narrow_i > limit - 1 ? limit - 1 : narrow_i;
        return (unsigned long long)(long long)narrow_i;
    }
    KUDZU_CONVERT("rni", "rzi", "rpi", "rmi", "u32.f32", "=r", narrow_u, "f", x)
    unsigned int most = ~0u >> (32 - width);
    return narrow_u < most ? narrow_u : most;
}

#undef KUDZU_CONVERT

#else

KUDZU_HALF unsigned short fp16_from(float x, half_rounding mode) {
    return narrow(x, fp16_format(), mode);
}

KUDZU_HALF unsigned short fp16_from(double x) {
    return narrow(x, fp16_format(), round_nearest);
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

// A number as a double that rounds to few bits as the number itself does: what the double cannot
// hold is gathered in its last digit.
KUDZU_HALF double to_odd(unsigned long long i) {
    return (double)(i >> 53 ? (i & ~0xfffull) | ((i & 0xfff) != 0 ? 0x800 : 0) : i);
}
KUDZU_HALF double to_odd(long long i) {
    return i < 0 ? -to_odd(0 - (unsigned long long)i) : to_odd((unsigned long long)i);
}
KUDZU_HALF double to_odd(int i) {
    return i;
}
KUDZU_HALF double to_odd(unsigned int i) {
    return i;
}
KUDZU_HALF double to_odd(double x) {
    return x;
}

KUDZU_HALF unsigned short bf16_from(double x, half_rounding mode) {
    return narrow(x, bf16_format(), mode);
}

#endif

KUDZU_HALF unsigned short bf16_from(float x, half_rounding mode) {
    unsigned int bits;
    memcpy(&bits, &x, 4);
    unsigned int beyond = 0;
    if (mode == round_nearest)
        beyond = 0x7fffu + (bits >> 16 & 1);
    else if (mode != round_zero && (mode == round_up) != (bits >> 31 != 0))
        beyond = 0xffffu;
    return (unsigned short)(x != x ? 0x7fffu : (bits + beyond) >> 16);
}

#undef KUDZU_HALF

} // namespace kudzu

// The functions that convert integers to the type H and back: TO_FLOAT(h) widens, FROM(i, mode)
// gives the bits of an integer of 32 or 64 bits.
#define KUDZU_HALF_INTEGER_MODE(H, half, TO_FLOAT, FROM, name, T, wide, suffix, mode)              \
    HD H __##name##2##half##_##suffix(T i) {                                                       \
        return KUDZU_BITS(FROM((wide)i, kudzu::mode));                                             \
    }                                                                                              \
    HD T __##half##2##name##_##suffix(H h) {                                                       \
        return (T)kudzu::nearest_integer(TO_FLOAT(h), kudzu::mode, 8 * sizeof(T), (T) - 1 < (T)1); \
    }
#define KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM, name, T, wide)                                 \
    KUDZU_HALF_INTEGER_MODE(H, half, TO_FLOAT, FROM, name, T, wide, rn, round_nearest)             \
    KUDZU_HALF_INTEGER_MODE(H, half, TO_FLOAT, FROM, name, T, wide, rz, round_zero)                \
    KUDZU_HALF_INTEGER_MODE(H, half, TO_FLOAT, FROM, name, T, wide, ru, round_up)                  \
    KUDZU_HALF_INTEGER_MODE(H, half, TO_FLOAT, FROM, name, T, wide, rd, round_down)
#define KUDZU_HALF_INTEGERS(H, half, TO_FLOAT, FROM)                                               \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM, short, short, int)                                 \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM, ushort, unsigned short, unsigned int)              \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM, int, int, int)                                     \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM, uint, unsigned int, unsigned int)                  \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM, ll, long long, long long)                          \
    KUDZU_HALF_INTEGER(H, half, TO_FLOAT, FROM, ull, unsigned long long, unsigned long long)       \
    HD signed char __##half##2char_rz(H h) {                                                       \
        return (signed char)kudzu::nearest_integer(TO_FLOAT(h), kudzu::round_zero, 8, true);       \
    }                                                                                              \
    HD unsigned char __##half##2uchar_rz(H h) {                                                    \
        return (unsigned char)kudzu::nearest_integer(TO_FLOAT(h), kudzu::round_zero, 8, false);    \
    }

#define KUDZU_FP16_FROM(i, mode) kudzu::fp16_from((float)(i), mode)
#define KUDZU_BF16_FROM(i, mode) kudzu::bf16_from(kudzu::to_odd(i), mode)

#endif
