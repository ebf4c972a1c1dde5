// Half precision: the types half and half2, conversions, arithmetic, comparisons and math
// functions. On the host everything but the math functions, shuffles and atomics is there too, also
// for compilers that know nothing of CUDA.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#if defined(__cplusplus)

#include "cuda_runtime.h"
#include "kudzu/half_conversions.h"

#pragma push_macro("HD")
#pragma push_macro("D")
#undef HD
#undef D
#define HD static __inline__ __host__ __device__
#define D static __inline__ __device__

#define __CUDA_FP16_TYPES_EXIST__

typedef struct __align__(2) {
    unsigned short x;
} __half_raw;

typedef struct __align__(4) {
    unsigned short x, y;
} __half2_raw;

// On devices from sm_53 on, and where the compiler has the type at all, half arithmetic is native.
#if defined(__CUDA__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
#define KUDZU_NATIVE_HALF 1
#else
#define KUDZU_NATIVE_HALF 0
#endif

namespace kudzu {

HD unsigned short half_bits(float x) {
#if KUDZU_NATIVE_HALF
    return __builtin_bit_cast(unsigned short, (_Float16)x);
#else
    return narrow(x, fp16_format(), round_nearest);
#endif
}

HD float half_value(unsigned short h) {
#if KUDZU_NATIVE_HALF
    return (float)__builtin_bit_cast(_Float16, h);
#else
    return widen_fp16(h);
#endif
}

} // namespace kudzu

struct __nv_bfloat16;

struct __align__(2) __half {
  protected:
    unsigned short __x;

  public:
    __half() = default;
    __host__ __device__ __half(const __half_raw &r) : __x(r.x) {
    }
    __host__ __device__ __half &operator=(const __half_raw &r) {
        __x = r.x;
        return *this;
    }
    __host__ __device__ operator __half_raw() const {
        __half_raw r;
        r.x = __x;
        return r;
    }
    // What other threads write is read and written through volatile pointers.
    __host__ __device__ volatile __half &operator=(const __half_raw &r) volatile {
        __x = r.x;
        return *this;
    }
    __host__ __device__ volatile __half &operator=(const volatile __half_raw &r) volatile {
        __x = r.x;
        return *this;
    }
    __host__ __device__ operator __half_raw() const volatile {
        __half_raw r;
        r.x = __x;
        return r;
    }
    __host__ __device__ unsigned short kudzu_bits() const {
        return __x;
    }
    // Defined in cuda_bf16.h.
    __host__ __device__ explicit __half(const __nv_bfloat16 &b);
#ifndef __CUDA_NO_HALF_CONVERSIONS__
    __host__ __device__ __half(float f) : __x(kudzu::half_bits(f)) {
    }
    __host__ __device__ __half(double d) : __x(kudzu::fp16_from(d)) {
    }
    __host__ __device__ __half(short i) : __x(kudzu::half_bits((float)i)) {
    }
    __host__ __device__ __half(unsigned short i) : __x(kudzu::half_bits((float)i)) {
    }
// An integer that float rounds is far beyond the numbers of this type.
#define KUDZU_FROM_INTEGER(T)                                                                      \
    __host__ __device__ __half(T i) : __x(kudzu::half_bits((float)(i))) {                          \
    }
    KUDZU_FROM_INTEGER(int)
    KUDZU_FROM_INTEGER(unsigned int)
    KUDZU_FROM_INTEGER(long)
    KUDZU_FROM_INTEGER(unsigned long)
    KUDZU_FROM_INTEGER(long long)
    KUDZU_FROM_INTEGER(unsigned long long)
#undef KUDZU_FROM_INTEGER
    __host__ __device__ operator float() const {
        return kudzu::half_value(__x);
    }
#define KUDZU_TO_INTEGER(T)                                                                        \
    __host__ __device__ operator T() const {                                                       \
        return (T)kudzu::nearest_integer(kudzu::half_value(__x), kudzu::round_zero, 8 * sizeof(T), \
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
    __host__ __device__ operator bool() const {
        return (__x & 0x7fffu) != 0;
    }
#endif
};

struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __host__ __device__ __half2(const __half &a, const __half &b)
        : x((__half_raw){a.kudzu_bits()}), y((__half_raw){b.kudzu_bits()}) {
    }
    // Both halves alike.
    __host__ __device__ explicit __half2(const __half &a)
        : x((__half_raw){a.kudzu_bits()}), y((__half_raw){a.kudzu_bits()}) {
    }
    __host__ __device__ __half2(const __half2_raw &r) : x((__half_raw){r.x}), y((__half_raw){r.y}) {
    }
    __host__ __device__ operator __half2_raw() const {
        return (__half2_raw){x.kudzu_bits(), y.kudzu_bits()};
    }
};

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;

// ---- Bits ---------------------------------------------------------------------------------

HD __half __ushort_as_half(unsigned short u) {
    return (__half_raw){u};
}
HD __half __short_as_half(short i) {
    return (__half_raw){(unsigned short)i};
}
HD unsigned short __half_as_ushort(__half h) {
    return h.kudzu_bits();
}
HD short __half_as_short(__half h) {
    return (short)h.kudzu_bits();
}

// ---- Conversions --------------------------------------------------------------------------

// What functions here hand to each other is raw: for clang each copy of a __half is a choice among
// all its constructors and conversions, which takes longer than what else a function costs.
#define KUDZU_BITS(u) ((__half_raw){(unsigned short)(u)})
#define KUDZU_TO(h) kudzu::half_value((h).kudzu_bits())
#define KUDZU_ROUNDED(x, mode) KUDZU_BITS(kudzu::fp16_from(x, mode))

HD float __half2float(__half h) {
    return KUDZU_TO(h);
}
HD __half __float2half_rn(float x) {
    return (__half_raw){kudzu::half_bits(x)};
}
HD __half __float2half(float x) {
    return (__half_raw){kudzu::half_bits(x)};
}
HD __half __float2half_rz(float x) {
    return KUDZU_ROUNDED(x, kudzu::round_zero);
}
HD __half __float2half_ru(float x) {
    return KUDZU_ROUNDED(x, kudzu::round_up);
}
HD __half __float2half_rd(float x) {
    return KUDZU_ROUNDED(x, kudzu::round_down);
}
HD __half __double2half(double x) {
    return KUDZU_BITS(kudzu::fp16_from(x));
}

KUDZU_HALF_INTEGERS(__half, half, KUDZU_TO, KUDZU_FP16_FROM)

HD __half2 __float2half2_rn(float x) {
    return (__half2_raw){kudzu::half_bits(x), kudzu::half_bits(x)};
}
HD __half2 __floats2half2_rn(float x, float y) {
    return (__half2_raw){kudzu::half_bits(x), kudzu::half_bits(y)};
}
HD __half2 __float22half2_rn(float2 v) {
    return (__half2_raw){kudzu::half_bits(v.x), kudzu::half_bits(v.y)};
}
HD float2 __half22float2(__half2 h) {
    float2 v;
    v.x = KUDZU_TO(h.x), v.y = KUDZU_TO(h.y);
    return v;
}
HD __half2 __half2half2(__half h) {
    return __half2(h, h);
}
HD __half2 make_half2(__half x, __half y) {
    return __half2(x, y);
}

// ---- What both 16-bit types have ----------------------------------------------------------

#if KUDZU_NATIVE_HALF
#define KUDZU_NATIVE(h) __builtin_bit_cast(_Float16, (h).kudzu_bits())
#define KUDZU_NATIVE_BITS(x) KUDZU_BITS(__builtin_bit_cast(unsigned short, x))
#define KUDZU_FUSED(a, b, c)                                                                       \
    KUDZU_NATIVE_BITS(__builtin_fmaf16(KUDZU_NATIVE(a), KUDZU_NATIVE(b), KUDZU_NATIVE(c)))
#define KUDZU_BINARY(op, a, b) KUDZU_NATIVE_BITS((_Float16)(KUDZU_NATIVE(a) op KUDZU_NATIVE(b)))
#define KUDZU_SEPARATE(name, op, a, b)                                                             \
    ({                                                                                             \
        unsigned short kudzu_r;                                                                    \
        asm(name ".rn.f16 %0, %1, %2;"                                                             \
            : "=h"(kudzu_r)                                                                        \
            : "h"((a).kudzu_bits()), "h"((b).kudzu_bits()));                                       \
        KUDZU_BITS(kudzu_r);                                                                       \
    })
#else
#define KUDZU_FUSED(a, b, c)                                                                       \
    KUDZU_BITS(kudzu::fp16_from(kudzu::fused_to_odd(KUDZU_TO(a), KUDZU_TO(b), KUDZU_TO(c))))
#define KUDZU_BINARY(op, a, b) KUDZU_FROM(KUDZU_TO(a) op KUDZU_TO(b))
#define KUDZU_SEPARATE(name, op, a, b) KUDZU_BINARY(op, a, b)
#endif
#define KUDZU_H __half
#define KUDZU_H2 __half2
#define KUDZU_RAW __half_raw
#define KUDZU_RAW2 __half2_raw
#define KUDZU_F(name) kudzu_fp16_##name
#define KUDZU_FROM(x) KUDZU_BITS(kudzu::half_bits(x))
#define KUDZU_VALUE(raw) kudzu::half_value((raw).x)
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
#undef KUDZU_FUSED
#undef KUDZU_BINARY
#undef KUDZU_SEPARATE
#undef KUDZU_NATIVE
#undef KUDZU_NATIVE_BITS
#undef KUDZU_ROUNDED

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

#pragma pop_macro("D")
#pragma pop_macro("HD")

#endif
#endif
