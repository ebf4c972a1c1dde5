// Numbers of 8, 6 and 4 bits: rounding to them and widening from them in integer arithmetic, the
// same on host and device, and the types that cuda_fp8.h, cuda_fp6.h and cuda_fp4.h make of them, which
// include what it needs before: lists of dependencies have one path of each header then.
#ifndef KUDZU_SMALL_FLOATS_H
#define KUDZU_SMALL_FLOATS_H

#ifndef __CUDA_BF16_H__
#include "../cuda_bf16.h"
#endif
#ifndef __CUDA_FP16_H__
#include "../cuda_fp16.h"
#endif
#ifndef __DEVICE_TYPES_H__
#include "../device_types.h"
#endif

namespace kudzu {

#define KUDZU_SMALL static __inline__ __host__ __device__

// `digits` fraction bits, a bias, the code of the greatest number, those of NaN and of what is too
// large when it does not become the greatest number, and the sign's.
struct small_format {
    int digits, bias;
    unsigned int largest, nan, overflow, sign;
};

KUDZU_SMALL small_format e4m3() {
    small_format f = {3, 7, 0x7e, 0x7f, 0x7f, 0x80};
    return f;
}
KUDZU_SMALL small_format e5m2() {
    small_format f = {2, 15, 0x7b, 0x7f, 0x7c, 0x80};
    return f;
}
// These have neither NaN nor infinity: NaN becomes the greatest number.
KUDZU_SMALL small_format e2m3() {
    small_format f = {3, 1, 0x1f, 0x1f, 0x1f, 0x20};
    return f;
}
KUDZU_SMALL small_format e3m2() {
    small_format f = {2, 3, 0x1f, 0x1f, 0x1f, 0x20};
    return f;
}
KUDZU_SMALL small_format e2m1() {
    small_format f = {1, 1, 0x7, 0x7, 0x7, 0x8};
    return f;
}

KUDZU_SMALL half_rounding rounding_of(enum cudaRoundMode mode) {
    return mode == cudaRoundZero     ? round_zero
           : mode == cudaRoundPosInf ? round_up
           : mode == cudaRoundMinInf ? round_down
                                     : round_nearest;
}

// The code of the number nearest to `value` in the given direction.
KUDZU_SMALL unsigned int small_code(double value, small_format f, half_rounding mode,
                                    bool saturate) {
    unsigned long long bits = double_bits(value);
    bool negative = bits >> 63 != 0;
    unsigned int sign = negative ? f.sign : 0u;
    int exponent = (int)(bits >> 52 & 2047) - 1023, lowest = 1 - f.bias;
    int highest = (int)(f.largest >> f.digits) - f.bias;
    if (exponent == 1024 && (bits << 12) != 0)
        return f.nan;
    if (exponent > highest)
        return sign | (saturate ? f.largest : f.overflow);
    // As in narrow(): the significand at the top of 64 bits, and what of it is kept.
    unsigned long long digits = exponent == -1023 ? (bits << 12) >> 1 : bits << 11 | 1ull << 63;
    int below = exponent < lowest ? lowest - exponent : 0;
    int dropped = 63 - f.digits + below;
    unsigned long long kept = dropped < 64 ? digits >> dropped : 0;
    unsigned long long rest = dropped < 64    ? digits << (64 - dropped)
                              : dropped == 64 ? digits
                                              : digits != 0;
    unsigned int base = below ? 0u : (unsigned int)(exponent - lowest) << f.digits;
    unsigned int code = base + (unsigned int)kept + rounds_away(mode, negative, rest, kept & 1);
    if (code > f.largest)
        code = saturate ? f.largest : f.overflow;
    return sign | code;
}

// Exact, but for the bits of NaN, of which there is one.
KUDZU_SMALL unsigned short small_to_half(unsigned int code, small_format f) {
    unsigned int size = code & (f.sign - 1), sign = code & f.sign ? 0x8000u : 0u;
    if (size > f.largest)
        return (unsigned short)(f.overflow != f.nan && size == f.overflow ? sign | 0x7c00u
                                                                          : 0x7fffu);
    unsigned int exponent = size >> f.digits, digits = size & ((1u << f.digits) - 1);
    if (exponent == 0) {
        if (digits == 0 || f.bias == 15) // half's own numbers near zero
            return (unsigned short)(sign | digits << (10 - f.digits));
        for (exponent = 1; !(digits >> f.digits); exponent--)
            digits <<= 1;
        digits &= (1u << f.digits) - 1;
    }
    return (unsigned short)(sign + ((exponent + (unsigned int)(15 - f.bias)) << 10) +
                            (digits << (10 - f.digits)));
}

KUDZU_SMALL __half_raw raw_half(unsigned short bits) {
    __half_raw r;
    r.x = bits;
    return r;
}
KUDZU_SMALL float small_to_float(unsigned int code, small_format f) {
    return half_value(small_to_half(code, f));
}

} // namespace kudzu

// Conversions to integers toward zero, within the limits; NaN gives 0.
#define KUDZU_SMALL_INTEGER(T)                                                                     \
    __host__ __device__ explicit operator T() const {                                              \
        return (T)kudzu::nearest_integer(float(*this), kudzu::round_zero, 8 * sizeof(T),           \
                                         (T) - 1 < (T)1);                                          \
    }

// A type of one number. ENCODE(x) makes the code of a double, FORMAT() tells the format.
#define KUDZU_SMALL_TYPE(name, storage, FORMAT, ENCODE)                                            \
    struct name {                                                                                  \
        storage __x;                                                                               \
        name() = default;                                                                          \
        __host__ __device__ explicit name(__half v) : __x(ENCODE((double)__half2float(v))) {       \
        }                                                                                          \
        __host__ __device__ explicit name(__nv_bfloat16 v)                                         \
            : __x(ENCODE((double)__bfloat162float(v))) {                                           \
        }                                                                                          \
        KUDZU_SMALL_FROM(name, double, ENCODE)                                                     \
        KUDZU_SMALL_FROM(name, float, ENCODE)                                                      \
        KUDZU_SMALL_FROM(name, short, ENCODE)                                                      \
        KUDZU_SMALL_FROM(name, unsigned short, ENCODE)                                             \
        KUDZU_SMALL_FROM(name, int, ENCODE)                                                        \
        KUDZU_SMALL_FROM(name, unsigned int, ENCODE)                                               \
        KUDZU_SMALL_FROM(name, long, ENCODE)                                                       \
        KUDZU_SMALL_FROM(name, unsigned long, ENCODE)                                              \
        KUDZU_SMALL_FROM(name, long long, ENCODE)                                                  \
        KUDZU_SMALL_FROM(name, unsigned long long, ENCODE)                                         \
        __host__ __device__ explicit operator __half() const {                                     \
            return __ushort_as_half(kudzu::small_to_half(__x, FORMAT()));                          \
        }                                                                                          \
        __host__ __device__ explicit operator float() const {                                      \
            return kudzu::small_to_float(__x, FORMAT());                                           \
        }                                                                                          \
        __host__ __device__ explicit operator double() const {                                     \
            return (double)kudzu::small_to_float(__x, FORMAT());                                   \
        }                                                                                          \
        __host__ __device__ explicit operator __nv_bfloat16() const {                              \
            return __float2bfloat16_rn(kudzu::small_to_float(__x, FORMAT()));                      \
        }                                                                                          \
        __host__ __device__ explicit operator bool() const {                                       \
            return (__x & (FORMAT().sign - 1)) != 0;                                               \
        }                                                                                          \
        KUDZU_SMALL_INTEGER(char)                                                                  \
        KUDZU_SMALL_INTEGER(signed char)                                                           \
        KUDZU_SMALL_INTEGER(unsigned char)                                                         \
        KUDZU_SMALL_INTEGER(short)                                                                 \
        KUDZU_SMALL_INTEGER(unsigned short)                                                        \
        KUDZU_SMALL_INTEGER(int)                                                                   \
        KUDZU_SMALL_INTEGER(unsigned int)                                                          \
        KUDZU_SMALL_INTEGER(long)                                                                  \
        KUDZU_SMALL_INTEGER(long long)                                                             \
        KUDZU_SMALL_INTEGER(unsigned long)                                                         \
        KUDZU_SMALL_INTEGER(unsigned long long)                                                    \
    };
#define KUDZU_SMALL_FROM(name, T, ENCODE)                                                          \
    __host__ __device__ explicit name(T v) : __x(ENCODE((double)v)) {                              \
    }

// Two numbers in one word, `bits` apart.
#define KUDZU_SMALL_PAIR(name, storage, bits, FORMAT, ENCODE)                                      \
    struct name {                                                                                  \
        storage __x;                                                                               \
        name() = default;                                                                          \
        __host__ __device__ explicit name(float2 v)                                                \
            : __x((storage)(ENCODE((double)v.x) | ENCODE((double)v.y) << bits)) {                  \
        }                                                                                          \
        __host__ __device__ explicit name(double2 v)                                               \
            : __x((storage)(ENCODE(v.x) | ENCODE(v.y) << bits)) {                                  \
        }                                                                                          \
        __host__ __device__ explicit name(__half2 v) : name(__half22float2(v)) {                   \
        }                                                                                          \
        __host__ __device__ explicit name(__nv_bfloat162 v) : name(__bfloat1622float2(v)) {        \
        }                                                                                          \
        __host__ __device__ explicit operator __half2() const {                                    \
            const unsigned int mask = 2 * FORMAT().sign - 1;                                       \
            return __half2(__ushort_as_half(kudzu::small_to_half(__x & mask, FORMAT())),           \
                           __ushort_as_half(kudzu::small_to_half(__x >> bits & mask, FORMAT())));  \
        }                                                                                          \
        __host__ __device__ explicit operator float2() const {                                     \
            return __half22float2(__half2(*this));                                                 \
        }                                                                                          \
    };

// Four numbers in one word.
#define KUDZU_SMALL_QUAD(name, storage, pair, bits)                                                \
    struct name {                                                                                  \
        storage __x;                                                                               \
        name() = default;                                                                          \
        __host__ __device__ explicit name(__half2 low, __half2 high)                               \
            : __x((storage)(pair(low).__x | (storage)pair(high).__x << 2 * bits)) {                \
        }                                                                                          \
        __host__ __device__ explicit name(__nv_bfloat162 low, __nv_bfloat162 high)                 \
            : __x((storage)(pair(low).__x | (storage)pair(high).__x << 2 * bits)) {                \
        }                                                                                          \
        __host__ __device__ explicit name(float4 v)                                                \
            : __x((storage)(pair(make_float2(v.x, v.y)).__x |                                      \
                            (storage)pair(make_float2(v.z, v.w)).__x << 2 * bits)) {               \
        }                                                                                          \
        __host__ __device__ explicit name(double4 v)                                               \
            : __x((storage)(pair(make_double2(v.x, v.y)).__x |                                     \
                            (storage)pair(make_double2(v.z, v.w)).__x << 2 * bits)) {              \
        }                                                                                          \
        __host__ __device__ explicit name(double4_16a v)                                           \
            : __x((storage)(pair(make_double2(v.x, v.y)).__x |                                     \
                            (storage)pair(make_double2(v.z, v.w)).__x << 2 * bits)) {              \
        }                                                                                          \
        __host__ __device__ explicit name(double4_32a v)                                           \
            : __x((storage)(pair(make_double2(v.x, v.y)).__x |                                     \
                            (storage)pair(make_double2(v.z, v.w)).__x << 2 * bits)) {              \
        }                                                                                          \
        __host__ __device__ explicit operator float4() const {                                     \
            pair low, high;                                                                        \
            low.__x = (decltype(low.__x))__x;                                                      \
            high.__x = (decltype(high.__x))(__x >> 2 * bits);                                      \
            float2 a = float2(low), b = float2(high);                                              \
            return make_float4(a.x, a.y, b.x, b.y);                                                \
        }                                                                                          \
    };

#endif
