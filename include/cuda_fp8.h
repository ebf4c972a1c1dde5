// 8-bit floating-point numbers: conversions __nv_cvt_*, the types __nv_fp8_e4m3 and __nv_fp8_e5m2,
// pairs and quads of them, and powers of two, __nv_fp8_e8m0. The same bits on host and device.
//
// NaN becomes the one positive NaN, 0x7f, whatever its sign.
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#if defined(__cplusplus)

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"

#include "kudzu/small_floats.h"

#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

// What becomes of numbers that are too large: NaN (E4M3) or infinity (E5M2), or the greatest
// number.
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace kudzu {

KUDZU_SMALL small_format fp8_format(__nv_fp8_interpretation_t kind) {
    return kind == __NV_E4M3 ? e4m3() : e5m2();
}
KUDZU_SMALL unsigned short fp8_saturated(float x, float y, __nv_fp8_interpretation_t kind) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    unsigned short pair;
    if (kind == __NV_E4M3)
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(pair) : "f"(x), "f"(y));
    else
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;" : "=h"(pair) : "f"(x), "f"(y));
    return pair;
#else
    return (unsigned short)(small_code(x, fp8_format(kind), round_nearest, true) |
                            small_code(y, fp8_format(kind), round_nearest, true) << 8);
#endif
}

} // namespace kudzu

// ---- Conversions
// ----------------------------------------------------------------------------------

KUDZU_SMALL __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x,
                                                      const __nv_saturation_t saturate,
                                                      const __nv_fp8_interpretation_t kind) {
    return (__nv_fp8_storage_t)kudzu::small_code(x, kudzu::fp8_format(kind), kudzu::round_nearest,
                                                 saturate == __NV_SATFINITE);
}
KUDZU_SMALL __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(const double2 x,
                                                           const __nv_saturation_t saturate,
                                                           const __nv_fp8_interpretation_t kind) {
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) |
                                  __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}
KUDZU_SMALL __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x,
                                                          const __nv_saturation_t saturate,
                                                          const __nv_fp8_interpretation_t kind) {
    if (saturate == __NV_SATFINITE)
        return kudzu::fp8_saturated(x.x, x.y, kind);
    return __nv_cvt_double2_to_fp8x2(make_double2(x.x, x.y), saturate, kind);
}
KUDZU_SMALL __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x,
                                                     const __nv_saturation_t saturate,
                                                     const __nv_fp8_interpretation_t kind) {
    return (__nv_fp8_storage_t)__nv_cvt_float2_to_fp8x2(make_float2(x, 0.0f), saturate, kind);
}
KUDZU_SMALL __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x,
                                                       const __nv_saturation_t saturate,
                                                       const __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float_to_fp8(__half2float(x), saturate, kind);
}
KUDZU_SMALL __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2_raw x,
                                                            const __nv_saturation_t saturate,
                                                            const __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float2_to_fp8x2(__half22float2(x), saturate, kind);
}
KUDZU_SMALL __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x,
                                                           const __nv_saturation_t saturate,
                                                           const __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float_to_fp8(__bfloat162float(x), saturate, kind);
}
KUDZU_SMALL __nv_fp8x2_storage_t
__nv_cvt_bfloat16raw2_to_fp8x2(const __nv_bfloat162_raw x, const __nv_saturation_t saturate,
                               const __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(x), saturate, kind);
}
KUDZU_SMALL __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x,
                                               const __nv_fp8_interpretation_t kind) {
    return kudzu::raw_half(kudzu::small_to_half(x, kudzu::fp8_format(kind)));
}
KUDZU_SMALL __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x,
                                                   const __nv_fp8_interpretation_t kind) {
    __half2_raw r;
    r.x = kudzu::small_to_half(x & 0xffu, kudzu::fp8_format(kind));
    r.y = kudzu::small_to_half(x >> 8, kudzu::fp8_format(kind));
    return r;
}

// Powers of two: the code is the exponent plus 127, 0xff is NaN. The sign is not looked at. Rounded
// toward zero or, with cudaRoundPosInf, up.
KUDZU_SMALL __nv_fp8_storage_t __nv_cvt_double_to_e8m0(const double x,
                                                       const __nv_saturation_t saturate,
                                                       const enum cudaRoundMode rounding) {
    unsigned long long bits = kudzu::double_bits(x) & ~0ull >> 1;
    int exponent = (int)(bits >> 52) - 1023;
    bool more = (bits << 12) != 0;
    if (exponent == 1024 && more)
        return 0xff;
    int code = exponent + 127 + (rounding == cudaRoundPosInf && more);
    if (code < 0)
        return 0;
    return code <= 0xfe ? (__nv_fp8_storage_t)code : saturate == __NV_SATFINITE ? 0xfe : 0xff;
}
KUDZU_SMALL __nv_fp8_storage_t __nv_cvt_float_to_e8m0(const float x,
                                                      const __nv_saturation_t saturate,
                                                      const enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_e8m0(x, saturate, rounding);
}
KUDZU_SMALL __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(const __nv_bfloat16_raw x,
                                                            const __nv_saturation_t saturate,
                                                            const enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_e8m0(__bfloat162float(x), saturate, rounding);
}
KUDZU_SMALL __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(const double2 x,
                                                            const __nv_saturation_t saturate,
                                                            const enum cudaRoundMode rounding) {
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_e8m0(x.x, saturate, rounding) |
                                  __nv_cvt_double_to_e8m0(x.y, saturate, rounding) << 8);
}
KUDZU_SMALL __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(const float2 x,
                                                           const __nv_saturation_t saturate,
                                                           const enum cudaRoundMode rounding) {
    return __nv_cvt_double2_to_e8m0x2(make_double2(x.x, x.y), saturate, rounding);
}
KUDZU_SMALL __nv_fp8x2_storage_t
__nv_cvt_bfloat162raw_to_e8m0x2(const __nv_bfloat162_raw x, const __nv_saturation_t saturate,
                                const enum cudaRoundMode rounding) {
    return __nv_cvt_float2_to_e8m0x2(__bfloat1622float2(x), saturate, rounding);
}
KUDZU_SMALL __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t x) {
    __nv_bfloat16_raw r;
    r.x = (unsigned short)(x == 0xff ? 0x7fffu : x == 0 ? 0x40u : (unsigned int)x << 7);
    return r;
}
KUDZU_SMALL __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(const __nv_fp8x2_storage_t x) {
    __nv_bfloat162_raw r;
    r.x = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x;
    r.y = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x;
    return r;
}

// ---- Types: conversions to them give the greatest number for what is too large
// --------------------
#if __cplusplus >= 201103L

#define KUDZU_E4M3(x) __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E4M3)
#define KUDZU_E5M2(x) __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E5M2)
KUDZU_SMALL_TYPE(__nv_fp8_e4m3, __nv_fp8_storage_t, kudzu::e4m3, KUDZU_E4M3)
KUDZU_SMALL_TYPE(__nv_fp8_e5m2, __nv_fp8_storage_t, kudzu::e5m2, KUDZU_E5M2)
KUDZU_SMALL_PAIR(__nv_fp8x2_e4m3, __nv_fp8x2_storage_t, 8, kudzu::e4m3, KUDZU_E4M3)
KUDZU_SMALL_PAIR(__nv_fp8x2_e5m2, __nv_fp8x2_storage_t, 8, kudzu::e5m2, KUDZU_E5M2)
KUDZU_SMALL_QUAD(__nv_fp8x4_e4m3, __nv_fp8x4_storage_t, __nv_fp8x2_e4m3, 8)
KUDZU_SMALL_QUAD(__nv_fp8x4_e5m2, __nv_fp8x4_storage_t, __nv_fp8x2_e5m2, 8)
#undef KUDZU_E4M3
#undef KUDZU_E5M2

// Powers of two; what is converted to them is rounded up. None of them is zero.
#define KUDZU_E8M0(x) __nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)
struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    __host__ __device__ explicit __nv_fp8_e8m0(__half v) : __nv_fp8_e8m0((double)__half2float(v)) {
    }
    __host__ __device__ explicit __nv_fp8_e8m0(__nv_bfloat16 v)
        : __nv_fp8_e8m0((double)__bfloat162float(v)) {
    }
    KUDZU_SMALL_FROM(__nv_fp8_e8m0, double, KUDZU_E8M0)
    KUDZU_SMALL_FROM(__nv_fp8_e8m0, float, KUDZU_E8M0)
    KUDZU_SMALL_FROM(__nv_fp8_e8m0, short, KUDZU_E8M0)
    KUDZU_SMALL_FROM(__nv_fp8_e8m0, unsigned short, KUDZU_E8M0)
    KUDZU_SMALL_FROM(__nv_fp8_e8m0, int, KUDZU_E8M0)
    KUDZU_SMALL_FROM(__nv_fp8_e8m0, unsigned int, KUDZU_E8M0)
    KUDZU_SMALL_FROM(__nv_fp8_e8m0, long, KUDZU_E8M0)
    KUDZU_SMALL_FROM(__nv_fp8_e8m0, unsigned long, KUDZU_E8M0)
    KUDZU_SMALL_FROM(__nv_fp8_e8m0, long long, KUDZU_E8M0)
    KUDZU_SMALL_FROM(__nv_fp8_e8m0, unsigned long long, KUDZU_E8M0)
    __host__ __device__ explicit operator __nv_bfloat16() const {
        return __nv_cvt_e8m0_to_bf16raw(__x);
    }
    __host__ __device__ explicit operator __half() const {
        return __float2half_rn(float(*this));
    }
    __host__ __device__ explicit operator float() const {
        return __bfloat162float(__nv_cvt_e8m0_to_bf16raw(__x));
    }
    __host__ __device__ explicit operator double() const {
        return (double)float(*this);
    }
    __host__ __device__ explicit operator bool() const {
        return true;
    }
    KUDZU_SMALL_INTEGER(char)
    KUDZU_SMALL_INTEGER(signed char)
    KUDZU_SMALL_INTEGER(unsigned char)
    KUDZU_SMALL_INTEGER(short)
    KUDZU_SMALL_INTEGER(unsigned short)
    KUDZU_SMALL_INTEGER(int)
    KUDZU_SMALL_INTEGER(unsigned int)
    KUDZU_SMALL_INTEGER(long)
    KUDZU_SMALL_INTEGER(long long)
    KUDZU_SMALL_INTEGER(unsigned long)
    KUDZU_SMALL_INTEGER(unsigned long long)
};
#undef KUDZU_E8M0
#endif

#endif
#endif
