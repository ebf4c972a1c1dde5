// The device language: built-in variables and functions. Host compilation sees all of it too,
// since it parses kernels and __host__ __device__ functions.
#ifndef KUDZU_DEVICE_LANGUAGE_H
#define KUDZU_DEVICE_LANGUAGE_H

#include "kudzu/builtin_variables.h"

// Guide 10.18.3; clang has it under the other name.
#define __assume(condition) __builtin_assume(condition)

// clang's headers ask for the toolkit's version. Of versions before 9.2 they expect the SIMD
// functions on packed bytes and halves (__vadd2 ...) in the device library, where kudzu has them.
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010

// The votes without a mask are kudzu's own (warp_functions.h): the instructions that clang's
// versions stand for are gone from compute capability 7.0 on.
#define __all __clang_vote_all
#define __any __clang_vote_any
#define __ballot __clang_vote_ballot
#include <__clang_cuda_libdevice_declares.h>
// Of the fast intrinsics (guide 17.2) that header lacks this one.
extern "C" __attribute__((device)) float __nv_fast_tanhf(float);

#include <__clang_cuda_device_functions.h>
#undef __all
#undef __any
#undef __ballot
// -prec-sqrt=false: the code generator would round correctly whatever it is told.
#if defined(__KUDZU_APPROXIMATE_SQRT)
#define sqrtf __kudzu_precise_sqrtf
#endif
// -use_fast_math: clang's header has fast forms of some functions; the others follow here.
#if defined(__CLANG_GPU_APPROX_TRANSCENDENTALS__)
#define expf __kudzu_precise_expf
#define exp10f __kudzu_precise_exp10f
#define log10f __kudzu_precise_log10f
#define powf __kudzu_precise_powf
#define tanf __kudzu_precise_tanf
#define tanhf __kudzu_precise_tanhf
#endif
// Of exponents beyond an int clang's versions forget that zeros, infinities and NaNs stay.
#define scalbln __kudzu_wide_scalbln
#define scalblnf __kudzu_wide_scalblnf
#include <__clang_cuda_math.h>
#undef scalbln
#undef scalblnf
static __inline__ __attribute__((device, always_inline)) double scalbln(double x, long n) {
    return scalbn(x, n > INT_MAX ? INT_MAX : n < INT_MIN ? INT_MIN : (int)n);
}
static __inline__ __attribute__((device, always_inline)) float scalblnf(float x, long n) {
    return scalbnf(x, n > INT_MAX ? INT_MAX : n < INT_MIN ? INT_MIN : (int)n);
}
// clang's header declares these two and defines neither.
static __inline__ __attribute__((device, always_inline)) double nan(const char *tag) {
    return __nv_nan((const signed char *)tag);
}
static __inline__ __attribute__((device, always_inline)) float nanf(const char *tag) {
    return __nv_nanf((const signed char *)tag);
}
#if defined(__KUDZU_APPROXIMATE_SQRT)
#undef sqrtf
static __inline__ __attribute__((device, always_inline)) float sqrtf(float x) {
    return __KUDZU_APPROXIMATE_SQRT(x);
}
#endif
#if defined(__CLANG_GPU_APPROX_TRANSCENDENTALS__)
#undef expf
#undef exp10f
#undef log10f
#undef powf
#undef tanf
#undef tanhf
static __inline__ __attribute__((device, always_inline)) float expf(float x) {
    return __nv_fast_expf(x);
}
static __inline__ __attribute__((device, always_inline)) float exp10f(float x) {
    return __nv_fast_exp10f(x);
}
static __inline__ __attribute__((device, always_inline)) float log10f(float x) {
    return __nv_fast_log10f(x);
}
static __inline__ __attribute__((device, always_inline)) float powf(float x, float y) {
    return __nv_fast_powf(x, y);
}
static __inline__ __attribute__((device, always_inline)) float tanf(float x) {
    return __nv_fast_tanf(x);
}
static __inline__ __attribute__((device, always_inline)) float tanhf(float x) {
    return __nv_fast_tanhf(x);
}
#endif

#pragma pop_macro("CUDA_VERSION")

#include "kudzu/memory_functions.h"

#include "kudzu/atomic_builtins.h"
#include "kudzu/atomic_functions.h"
#include "kudzu/cluster_functions.h"
#include "kudzu/device_launch.h"
#include "kudzu/dpx_functions.h"
#include "kudzu/graph_functions.h"
#include "kudzu/integer_functions.h"
#include "kudzu/math_overloads.h"
#include "kudzu/system_functions.h"
#include "kudzu/warp_functions.h"

// A float to an integer power is a double, as in the C++ library and under nvcc: clang's overloads
// for integers, of which one gives a float, take pointers instead, and the template for mixed types
// serves.
#define __iexp (*__iexp)
#include <__clang_cuda_cmath.h>
#undef __iexp
#include <__clang_cuda_complex_builtins.h>

// Device versions of operator new and delete.
#if !defined(__CUDACC_RTC__)
#include <new>
#endif

// Where the runtime library looks for the driver when nothing else says where it is.
#if defined(__KUDZU_LIBRARY_DIRECTORY) && !defined(__CUDA_ARCH__)
extern "C" __attribute__((weak, used)) const char __kudzu_library_directory[] =
    __KUDZU_LIBRARY_DIRECTORY;
#endif

#endif
