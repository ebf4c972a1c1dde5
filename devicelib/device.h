// What every file of the device library starts from: NVVM's builtins, build switches that are only
// known where the library is linked, and bit casts.
//
// The same sources compile for the device (nvptx64) and, for the proof of their error bounds, for
// the host, where tests/devicelib/host_builtins.h stands in for the NVVM builtins.
//
// Rules for the code that includes this:
// - It must not rely on contraction of a*b+c, nor be hurt by it: user code is usually compiled
//   with contraction allowed in the whole module. fma is written out. Where a sum or product must
//   be rounded on its own (error-free transformations), use mul_rn, add_rn and their f variants.
// - Main paths have no branches that differ between lanes; rare cases are patched by selects, or
//   stand behind a branch that is usually taken by no lane.
// - No tables in memory on main paths: coefficients are immediates.
#pragma once

#ifdef __NVPTX__
// The build renames the function to __nvvm_reflect after optimisation, so that its value is chosen
// where the library is linked and not while the library is built.
extern unsigned __kd_reflect(const char *name) __attribute__((const, nothrow));
#define FTZ __kd_reflect("__CUDA_FTZ")
#define ARCHITECTURE __kd_reflect("__CUDA_ARCH")
#define bitreverse32 __builtin_bitreverse32
#define bitreverse64 __builtin_bitreverse64
#else
#include "host_builtins.h"
#define FTZ 0
#define ARCHITECTURE 900
#endif

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#define RARELY(x) __builtin_expect(!!(x), 0)

#define INFINITY_D __builtin_inf()
#define INFINITY_F __builtin_inff()
#define NAN_D __builtin_nan("")
#define NAN_F __builtin_nanf("")

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;

INLINE u32 bits_f(float x) {
    u32 u;
    __builtin_memcpy(&u, &x, 4);
    return u;
}

INLINE float from_bits_f(u32 u) {
    float x;
    __builtin_memcpy(&x, &u, 4);
    return x;
}

INLINE u64 bits_d(double x) {
    u64 u;
    __builtin_memcpy(&u, &x, 8);
    return u;
}

INLINE double from_bits_d(u64 u) {
    double x;
    __builtin_memcpy(&x, &u, 8);
    return x;
}

INLINE u32 hi_word(double x) {
    return (u32)(bits_d(x) >> 32);
}

INLINE float fabs_f(float x) {
    return __builtin_fabsf(x);
}

INLINE double fabs_d(double x) {
    return __builtin_fabs(x);
}

INLINE float fma_f(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}

INLINE double fma_d(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

// Products and sums that no compiler fuses.
INLINE double mul_rn(double a, double b) {
    return __nvvm_mul_rn_d(a, b);
}

INLINE double add_rn(double a, double b) {
    return __nvvm_add_rn_d(a, b);
}

INLINE float mul_rnf(float a, float b) {
    return __nvvm_mul_rn_f(a, b);
}

INLINE float add_rnf(float a, float b) {
    return __nvvm_add_rn_f(a, b);
}

// Division and square root that stay correctly rounded under -prec-div=false, -prec-sqrt=false.
INLINE double div_rn(double a, double b) {
    return __nvvm_div_rn_d(a, b);
}

INLINE double sqrt_rn(double a) {
    return __nvvm_sqrt_rn_d(a);
}

INLINE float div_rnf(float a, float b) {
    return __nvvm_div_rn_f(a, b);
}

INLINE float sqrt_rnf(float a) {
    return __nvvm_sqrt_rn_f(a);
}

// 1/a to half a unit and a little, without the division's slow path, for 2^-125 < |a| < 2^125: the
// approximate instruction and a step of Newton's.
INLINE float reciprocal_f(float a) {
    float r = __nvvm_rcp_approx_ftz_f(a);
    return fma_f(fma_f(-a, r, 1.0f), r, r);
}

// `cpu` on kudzu's CPU device and `gpu` on an NVIDIA GPU, for what a GPU has an instruction for and
// a vector unit has not; the other one is dropped where PTX is compiled. Both keep the function's
// bound.
INLINE float on_cpu_or_gpu_f(float cpu, float gpu) {
#ifdef __NVPTX__
    float r;
    __asm__("{\n\t.reg .b32 %%kudzu_cpu;\n\t.reg .pred %%is_cpu;\n\tmov.b32 %%kudzu_cpu, 0;"
            "\n\tsetp.ne.b32 %%is_cpu, %%kudzu_cpu, 0;\n\tselp.f32 %0, %1, %2, %%is_cpu;\n\t}"
            : "=f"(r)
            : "f"(cpu), "f"(gpu));
    return r;
#else
    (void)gpu;
    return cpu;
#endif
}

INLINE int is_nan_d(double x) {
    return x != x;
}

INLINE int is_nan_f(float x) {
    return x != x;
}
