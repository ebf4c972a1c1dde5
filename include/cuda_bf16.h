// bfloat16: the types nv_bfloat16 and nv_bfloat162, conversions, arithmetic, comparisons and math
// functions. As in cuda_fp16.h, the host has all but the math functions, shuffles and atomics.
//
// Arithmetic goes through float, which is wide enough for one correct rounding; fma goes through
// double, rounded to odd.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#if defined(__cplusplus)

#include "cuda_fp16.h"

#pragma push_macro("HD")
#pragma push_macro("D")
#undef HD
#undef D
#define HD static __inline__ __host__ __device__
#define D static __inline__ __device__

#define __CUDA_BF16_TYPES_EXIST__

typedef struct __align__(2) {
    unsigned short x;
} __nv_bfloat16_raw;

typedef struct __align__(4) {
    unsigned short x, y;
} __nv_bfloat162_raw;

namespace kudzu {

// A float's upper half, rounded to nearest even.
HD unsigned short bfloat_bits(float x) {
    unsigned int bits;
    memcpy(&bits, &x, 4);
    unsigned int rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    return (unsigned short)(x != x ? 0x7fffu : rounded);
}

} // namespace kudzu

struct __align__(2) __nv_bfloat16 {
  protected:
    unsigned short __x;

  public:
    __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {
    }
    __host__ __device__ __nv_bfloat16 &operator=(const __nv_bfloat16_raw &r) {
        __x = r.x;
        return *this;
    }
    __host__ __device__ operator __nv_bfloat16_raw() const {
        __nv_bfloat16_raw r;
        r.x = __x;
        return r;
    }
    // What other threads write is read and written through volatile pointers.
    __host__ __device__ volatile __nv_bfloat16 &operator=(const __nv_bfloat16_raw &r) volatile {
        __x = r.x;
        return *this;
    }
    __host__ __device__ volatile __nv_bfloat16 &
    operator=(const volatile __nv_bfloat16_raw &r) volatile {
        __x = r.x;
        return *this;
    }
    __host__ __device__ operator __nv_bfloat16_raw() const volatile {
        __nv_bfloat16_raw r;
        r.x = __x;
        return r;
    }
    __host__ __device__ unsigned short kudzu_bits() const {
        return __x;
    }
    __host__ __device__ explicit __nv_bfloat16(const __half &h)
        : __x(kudzu::bfloat_bits(kudzu::half_value(h.kudzu_bits()))) {
    }
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
    __host__ __device__ __nv_bfloat16(float f) : __x(kudzu::bfloat_bits(f)) {
    }
#define KUDZU_FROM_NUMBER(T, wide)                                                                 \
    __host__ __device__ __nv_bfloat16(T v)                                                         \
        : __x(kudzu::bf16_from(kudzu::to_odd((wide)v), kudzu::round_nearest)) {                    \
    }
    KUDZU_FROM_NUMBER(double, double)
    KUDZU_FROM_NUMBER(short, int)
    KUDZU_FROM_NUMBER(unsigned short, unsigned int)
    KUDZU_FROM_NUMBER(int, int)
    KUDZU_FROM_NUMBER(unsigned int, unsigned int)
    KUDZU_FROM_NUMBER(long, long long)
    KUDZU_FROM_NUMBER(unsigned long, unsigned long long)
    KUDZU_FROM_NUMBER(long long, long long)
    KUDZU_FROM_NUMBER(unsigned long long, unsigned long long)
#undef KUDZU_FROM_NUMBER
#define KUDZU_TO_INTEGER(T)                                                                        \
    __host__ __device__ operator T() const {                                                       \
        return (T)kudzu::nearest_integer(kudzu::widen_bf16(__x), kudzu::round_zero, 8 * sizeof(T), \
                                         (T) - 1 < (T)1);                                          \
    }
    KUDZU_TO_INTEGER(signed char)
    KUDZU_TO_INTEGER(unsigned char)
    KUDZU_TO_INTEGER(char)
    KUDZU_TO_INTEGER(short)
    KUDZU_TO_INTEGER(unsigned short)
    KUDZU_TO_INTEGER(int)
    KUDZU_TO_INTEGER(unsigned int)
    KUDZU_TO_INTEGER(long)
    KUDZU_TO_INTEGER(unsigned long)
    KUDZU_TO_INTEGER(long long)
    KUDZU_TO_INTEGER(unsigned long long)
#undef KUDZU_TO_INTEGER
    __host__ __device__ operator float() const {
        return kudzu::widen_bf16(__x);
    }
    __host__ __device__ operator bool() const {
        return (__x & 0x7fffu) != 0;
    }
#endif
};

struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
        : x((__nv_bfloat16_raw){a.kudzu_bits()}), y((__nv_bfloat16_raw){b.kudzu_bits()}) {
    }
    // Both halves alike.
    __host__ __device__ explicit __nv_bfloat162(const __nv_bfloat16 &a)
        : x((__nv_bfloat16_raw){a.kudzu_bits()}), y((__nv_bfloat16_raw){a.kudzu_bits()}) {
    }
    __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &r)
        : x((__nv_bfloat16_raw){r.x}), y((__nv_bfloat16_raw){r.y}) {
    }
    __host__ __device__ operator __nv_bfloat162_raw() const {
        return (__nv_bfloat162_raw){x.kudzu_bits(), y.kudzu_bits()};
    }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// ---- Bits and conversions -----------------------------------------------------------------

#define KUDZU_BITS(u) ((__nv_bfloat16_raw){(unsigned short)(u)})
#define KUDZU_TO(h) kudzu::widen_bf16((h).kudzu_bits())
#define KUDZU_ROUNDED(x, mode) KUDZU_BITS(kudzu::bf16_from(x, mode))

HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) {
    return (__nv_bfloat16_raw){u};
}
HD __nv_bfloat16 __short_as_bfloat16(short i) {
    return (__nv_bfloat16_raw){(unsigned short)i};
}
HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) {
    return h.kudzu_bits();
}
HD short __bfloat16_as_short(__nv_bfloat16 h) {
    return (short)h.kudzu_bits();
}
HD float __bfloat162float(__nv_bfloat16 h) {
    return KUDZU_TO(h);
}
HD __nv_bfloat16 __float2bfloat16_rn(float x) {
    return (__nv_bfloat16_raw){kudzu::bfloat_bits(x)};
}
inline __host__ __device__ __half::__half(const __nv_bfloat16 &b)
    : __x(kudzu::half_bits(KUDZU_TO(b))) {
}
HD __nv_bfloat16 __float2bfloat16(float x) {
    return (__nv_bfloat16_raw){kudzu::bfloat_bits(x)};
}
HD __nv_bfloat16 __float2bfloat16_rz(float x) {
    return KUDZU_ROUNDED(x, kudzu::round_zero);
}
HD __nv_bfloat16 __float2bfloat16_ru(float x) {
    return KUDZU_ROUNDED(x, kudzu::round_up);
}
HD __nv_bfloat16 __float2bfloat16_rd(float x) {
    return KUDZU_ROUNDED(x, kudzu::round_down);
}
HD __nv_bfloat16 __double2bfloat16(double x) {
    return KUDZU_ROUNDED(kudzu::to_odd(x), kudzu::round_nearest);
}

KUDZU_HALF_INTEGERS(__nv_bfloat16, bfloat16, KUDZU_TO, KUDZU_BF16_FROM)

HD __nv_bfloat162 __float2bfloat162_rn(float x) {
    return (__nv_bfloat162_raw){kudzu::bfloat_bits(x), kudzu::bfloat_bits(x)};
}
HD __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
    return (__nv_bfloat162_raw){kudzu::bfloat_bits(x), kudzu::bfloat_bits(y)};
}
HD __nv_bfloat162 __float22bfloat162_rn(float2 v) {
    return (__nv_bfloat162_raw){kudzu::bfloat_bits(v.x), kudzu::bfloat_bits(v.y)};
}
HD float2 __bfloat1622float2(__nv_bfloat162 h) {
    float2 v;
    v.x = KUDZU_TO(h.x), v.y = KUDZU_TO(h.y);
    return v;
}
HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) {
    return __nv_bfloat162(h, h);
}
HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
    return __nv_bfloat162(x, y);
}
HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
    return __nv_bfloat162(x, y);
}
HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) {
    return (__nv_bfloat16_raw){a.x.kudzu_bits()};
}
HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) {
    return (__nv_bfloat16_raw){a.y.kudzu_bits()};
}
HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) {
    return __nv_bfloat162(a.x, a.x);
}
HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) {
    return __nv_bfloat162(a.y, a.y);
}
HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(a.x, b.x);
}
HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(a.y, b.y);
}

// ---- What both 16-bit types have ----------------------------------------------------------

#define KUDZU_H __nv_bfloat16
#define KUDZU_H2 __nv_bfloat162
#define KUDZU_RAW __nv_bfloat16_raw
#define KUDZU_RAW2 __nv_bfloat162_raw
#define KUDZU_F(name) kudzu_bf16_##name
#define KUDZU_FROM(x) KUDZU_BITS(kudzu::bfloat_bits(x))
#define KUDZU_VALUE(raw) kudzu::widen_bf16((raw).x)
#define KUDZU_FUSED(a, b, c)                                                                       \
    KUDZU_ROUNDED(kudzu::to_odd(kudzu::fused_to_odd(KUDZU_TO(a), KUDZU_TO(b), KUDZU_TO(c))),       \
                  kudzu::round_nearest)
#define KUDZU_BINARY(op, a, b) KUDZU_FROM(KUDZU_TO(a) op KUDZU_TO(b))
#define KUDZU_SEPARATE(name, op, a, b) KUDZU_BINARY(op, a, b)
#include "kudzu/half_functions.inc"
#undef KUDZU_H
#undef KUDZU_H2
#undef KUDZU_RAW
#undef KUDZU_RAW2
#undef KUDZU_F
#undef KUDZU_BITS
#undef KUDZU_FROM
#undef KUDZU_TO
#undef KUDZU_VALUE
#undef KUDZU_ROUNDED
#undef KUDZU_FUSED
#undef KUDZU_BINARY
#undef KUDZU_SEPARATE

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

#pragma pop_macro("D")
#pragma pop_macro("HD")

#endif
#endif
