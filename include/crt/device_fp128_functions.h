// Quad precision in device code (guide 17.1, table 20), for compute capability 10.0 and later.
//
// Each function is within one unit in the last place of the correctly rounded result; those of the
// first two groups are exact or rounded to nearest, ties to even. NaN arguments give NaN unless the
// guide's C standard says otherwise (fmax, fmin, pow, hypot).
#ifndef KUDZU_CRT_DEVICE_FP128_FUNCTIONS_H
#define KUDZU_CRT_DEVICE_FP128_FUNCTIONS_H

#include "host_defines.h"

#if defined(__CUDACC__) && defined(__SIZEOF_FLOAT128__)

extern "C" {

// Operators of the language, as functions.
__device__ __float128 __nv_fp128_add(__float128 x, __float128 y);
__device__ __float128 __nv_fp128_sub(__float128 x, __float128 y);
__device__ __float128 __nv_fp128_mul(__float128 x, __float128 y);
__device__ __float128 __nv_fp128_div(__float128 x, __float128 y);
__device__ __float128 __nv_fp128_sqrt(__float128 x);
__device__ __float128 __nv_fp128_fma(__float128 x, __float128 y, __float128 z);

__device__ __float128 __nv_fp128_ceil(__float128 x);
__device__ __float128 __nv_fp128_trunc(__float128 x);
__device__ __float128 __nv_fp128_floor(__float128 x);
__device__ __float128 __nv_fp128_round(__float128 x);
__device__ __float128 __nv_fp128_rint(__float128 x);
__device__ __float128 __nv_fp128_fabs(__float128 x);
__device__ __float128 __nv_fp128_copysign(__float128 x, __float128 y);
__device__ __float128 __nv_fp128_fmax(__float128 x, __float128 y);
__device__ __float128 __nv_fp128_fmin(__float128 x, __float128 y);
__device__ __float128 __nv_fp128_fdim(__float128 x, __float128 y);
__device__ __float128 __nv_fp128_fmod(__float128 x, __float128 y);
__device__ __float128 __nv_fp128_remainder(__float128 x, __float128 y);
// The result lies in [0.5, 1): x is the result times two to the power of *nptr.
__device__ __float128 __nv_fp128_frexp(__float128 x, int *nptr);
// The fraction; *iptr becomes the whole part. Both have the sign of x.
__device__ __float128 __nv_fp128_modf(__float128 x, __float128 *iptr);
__device__ __float128 __nv_fp128_ldexp(__float128 x, int exp);
// INT_MIN for 0 and NaN, INT_MAX for infinity.
__device__ int __nv_fp128_ilogb(__float128 x);
__device__ int __nv_fp128_isnan(__float128 x);
__device__ int __nv_fp128_isunordered(__float128 x, __float128 y);

__device__ __float128 __nv_fp128_sin(__float128 x);
__device__ __float128 __nv_fp128_cos(__float128 x);
__device__ __float128 __nv_fp128_tan(__float128 x);
__device__ __float128 __nv_fp128_asin(__float128 x);
__device__ __float128 __nv_fp128_acos(__float128 x);
__device__ __float128 __nv_fp128_atan(__float128 x);
__device__ __float128 __nv_fp128_exp(__float128 x);
__device__ __float128 __nv_fp128_exp2(__float128 x);
__device__ __float128 __nv_fp128_exp10(__float128 x);
__device__ __float128 __nv_fp128_expm1(__float128 x);
__device__ __float128 __nv_fp128_log(__float128 x);
__device__ __float128 __nv_fp128_log2(__float128 x);
__device__ __float128 __nv_fp128_log10(__float128 x);
__device__ __float128 __nv_fp128_log1p(__float128 x);
__device__ __float128 __nv_fp128_pow(__float128 x, __float128 y);
__device__ __float128 __nv_fp128_sinh(__float128 x);
__device__ __float128 __nv_fp128_cosh(__float128 x);
__device__ __float128 __nv_fp128_tanh(__float128 x);
__device__ __float128 __nv_fp128_asinh(__float128 x);
__device__ __float128 __nv_fp128_acosh(__float128 x);
__device__ __float128 __nv_fp128_atanh(__float128 x);
__device__ __float128 __nv_fp128_hypot(__float128 x, __float128 y);
}

#endif
#endif
