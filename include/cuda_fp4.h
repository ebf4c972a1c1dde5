// 4-bit floating-point numbers, two in a byte: conversions and types. The same bits on host and
// device.
//
// What is too large becomes the greatest number; NaN does, too, without its sign.
#ifndef __CUDA_FP4_H__
#define __CUDA_FP4_H__

#if defined(__cplusplus)

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"

#include "kudzu/small_floats.h"

#define __CUDA_FP4_TYPES_EXIST__

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;

typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

namespace kudzu {

KUDZU_SMALL small_format fp4_format(__nv_fp4_interpretation_t kind) {
    (void)kind;
    return e2m1();
}

} // namespace kudzu

// ---- Conversions
// ----------------------------------------------------------------------------------

KUDZU_SMALL __nv_fp4_storage_t __nv_cvt_double_to_fp4(const double x,
                                                      const __nv_fp4_interpretation_t kind,
                                                      const enum cudaRoundMode rounding) {
    return (__nv_fp4_storage_t)kudzu::small_code(x, kudzu::fp4_format(kind),
                                                 kudzu::rounding_of(rounding), true);
}
KUDZU_SMALL __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(const double2 x,
                                                           const __nv_fp4_interpretation_t kind,
                                                           const enum cudaRoundMode rounding) {
    return (__nv_fp4x2_storage_t)(__nv_cvt_double_to_fp4(x.x, kind, rounding) |
                                  __nv_cvt_double_to_fp4(x.y, kind, rounding) << 4);
}
KUDZU_SMALL __nv_fp4_storage_t __nv_cvt_float_to_fp4(const float x,
                                                     const __nv_fp4_interpretation_t kind,
                                                     const enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp4(x, kind, rounding);
}
KUDZU_SMALL __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(const __half_raw x,
                                                       const __nv_fp4_interpretation_t kind,
                                                       const enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp4(__half2float(x), kind, rounding);
}
KUDZU_SMALL __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(const __nv_bfloat16_raw x,
                                                           const __nv_fp4_interpretation_t kind,
                                                           const enum cudaRoundMode rounding) {
    return __nv_cvt_double_to_fp4(__bfloat162float(x), kind, rounding);
}
KUDZU_SMALL __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(const float2 x,
                                                          const __nv_fp4_interpretation_t kind,
                                                          const enum cudaRoundMode rounding) {
    return __nv_cvt_double2_to_fp4x2(make_double2(x.x, x.y), kind, rounding);
}
KUDZU_SMALL __nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(const __half2_raw x,
                                                            const __nv_fp4_interpretation_t kind,
                                                            const enum cudaRoundMode rounding) {
    return __nv_cvt_float2_to_fp4x2(__half22float2(x), kind, rounding);
}
KUDZU_SMALL __nv_fp4x2_storage_t
__nv_cvt_bfloat16raw2_to_fp4x2(const __nv_bfloat162_raw x, const __nv_fp4_interpretation_t kind,
                               const enum cudaRoundMode rounding) {
    return __nv_cvt_float2_to_fp4x2(__bfloat1622float2(x), kind, rounding);
}
KUDZU_SMALL __half_raw __nv_cvt_fp4_to_halfraw(const __nv_fp4_storage_t x,
                                               const __nv_fp4_interpretation_t kind) {
    return kudzu::raw_half(kudzu::small_to_half(x, kudzu::fp4_format(kind)));
}
KUDZU_SMALL __half2_raw __nv_cvt_fp4x2_to_halfraw2(const __nv_fp4x2_storage_t x,
                                                   const __nv_fp4_interpretation_t kind) {
    __half2_raw r;
    r.x = kudzu::small_to_half(x & 0xfu, kudzu::fp4_format(kind));
    r.y = kudzu::small_to_half((unsigned int)x >> 4, kudzu::fp4_format(kind));
    return r;
}

// ---- Types
// ----------------------------------------------------------------------------------------
#if __cplusplus >= 201103L

#define KUDZU_E2M1(x) __nv_cvt_double_to_fp4(x, __NV_E2M1, cudaRoundNearest)
KUDZU_SMALL_TYPE(__nv_fp4_e2m1, __nv_fp4_storage_t, kudzu::e2m1, KUDZU_E2M1)
KUDZU_SMALL_PAIR(__nv_fp4x2_e2m1, __nv_fp4x2_storage_t, 4, kudzu::e2m1, KUDZU_E2M1)
KUDZU_SMALL_QUAD(__nv_fp4x4_e2m1, __nv_fp4x4_storage_t, __nv_fp4x2_e2m1, 4)
#undef KUDZU_E2M1
#endif

#endif
#endif
