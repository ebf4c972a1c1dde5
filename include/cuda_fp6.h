// 6-bit floating-point numbers, each in the lower bits of a byte: conversions and types. The same
// bits on host and device.
//
// What is too large becomes the greatest number; NaN does, too, without its sign.
#ifndef __CUDA_FP6_H__
#define __CUDA_FP6_H__

#if defined(__cplusplus)

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"

#include "kudzu/small_floats.h"

#define __CUDA_FP6_TYPES_EXIST__

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;

typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

namespace kudzu {

KUDZU_SMALL small_format fp6_format(__nv_fp6_interpretation_t kind) {
    return kind == __NV_E2M3 ? e2m3() : e3m2();
}

} // namespace kudzu

// ---- Conversions
// ----------------------------------------------------------------------------------

KUDZU_SMALL __nv_fp6_storage_t __nv_cvt_double_to_fp6(const double x,
                                                      const __nv_fp6_interpretation_t kind,
                                                      const enum cudaRoundMode rounding) {
    return (__nv_fp6_storage_t)kudzu::small_code(x, kudzu::fp6_format(kind),
                                                 kudzu::rounding_of(rounding), true);
}
KUDZU_SMALL __nv_fp6x2_storage_t __nv_cvt_double2_to_fp6x2(const double2 x,
                                                           const __nv_fp6_interpretation_t kind,
                                                           const enum cudaRoundMode rounding) {
    return (__nv_fp6x2_storage_t)(__nv_cvt_double_to_fp6(x.x, kind, rounding) |
                                  __nv_cvt_double_to_fp6(x.y, kind, rounding) << 8);
}
KUDZU_SMALL __nv_fp6_storage_t __nv_cvt_float_to_fp6(const float x,
                                                     const __nv_fp6_interpretation_t kind,
                                                     const enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp6(x, kind, rounding);
}
KUDZU_SMALL __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(const __half_raw x,
                                                       const __nv_fp6_interpretation_t kind,
                                                       const enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp6(__half2float(x), kind, rounding);
}
KUDZU_SMALL __nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(const __nv_bfloat16_raw x,
                                                           const __nv_fp6_interpretation_t kind,
                                                           const enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp6(__bfloat162float(x), kind, rounding);
}
KUDZU_SMALL __nv_fp6x2_storage_t __nv_cvt_float2_to_fp6x2(const float2 x,
                                                          const __nv_fp6_interpretation_t kind,
                                                          const enum cudaRoundMode rounding) {
    return __nv_cvt_double2_to_fp6x2(make_double2(x.x, x.y), kind, rounding);
}
KUDZU_SMALL __nv_fp6x2_storage_t __nv_cvt_halfraw2_to_fp6x2(const __half2_raw x,
                                                            const __nv_fp6_interpretation_t kind,
                                                            const enum cudaRoundMode rounding) {
    return __nv_cvt_float2_to_fp6x2(__half22float2(x), kind, rounding);
}
KUDZU_SMALL __nv_fp6x2_storage_t
__nv_cvt_bfloat16raw2_to_fp6x2(const __nv_bfloat162_raw x, const __nv_fp6_interpretation_t kind,
                               const enum cudaRoundMode rounding) {
    return __nv_cvt_float2_to_fp6x2(__bfloat1622float2(x), kind, rounding);
}
KUDZU_SMALL __half_raw __nv_cvt_fp6_to_halfraw(const __nv_fp6_storage_t x,
                                               const __nv_fp6_interpretation_t kind) {
    return kudzu::raw_half(kudzu::small_to_half(x, kudzu::fp6_format(kind)));
}
KUDZU_SMALL __half2_raw __nv_cvt_fp6x2_to_halfraw2(const __nv_fp6x2_storage_t x,
                                                   const __nv_fp6_interpretation_t kind) {
    __half2_raw r;
    r.x = kudzu::small_to_half(x & 0xffu, kudzu::fp6_format(kind));
    r.y = kudzu::small_to_half((unsigned int)x >> 8, kudzu::fp6_format(kind));
    return r;
}

// ---- Types
// ----------------------------------------------------------------------------------------
#if __cplusplus >= 201103L

#define KUDZU_E2M3(x) __nv_cvt_double_to_fp6(x, __NV_E2M3, cudaRoundNearest)
KUDZU_SMALL_TYPE(__nv_fp6_e2m3, __nv_fp6_storage_t, kudzu::e2m3, KUDZU_E2M3)
KUDZU_SMALL_PAIR(__nv_fp6x2_e2m3, __nv_fp6x2_storage_t, 8, kudzu::e2m3, KUDZU_E2M3)
KUDZU_SMALL_QUAD(__nv_fp6x4_e2m3, __nv_fp6x4_storage_t, __nv_fp6x2_e2m3, 8)
#undef KUDZU_E2M3
#define KUDZU_E3M2(x) __nv_cvt_double_to_fp6(x, __NV_E3M2, cudaRoundNearest)
KUDZU_SMALL_TYPE(__nv_fp6_e3m2, __nv_fp6_storage_t, kudzu::e3m2, KUDZU_E3M2)
KUDZU_SMALL_PAIR(__nv_fp6x2_e3m2, __nv_fp6x2_storage_t, 8, kudzu::e3m2, KUDZU_E3M2)
KUDZU_SMALL_QUAD(__nv_fp6x4_e3m2, __nv_fp6x4_storage_t, __nv_fp6x2_e3m2, 8)
#undef KUDZU_E3M2
#endif

#endif
#endif
