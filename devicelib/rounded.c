// Arithmetic with an explicit rounding mode, one PTX instruction each.
#include "libdevice.h"

// Whatever -ftz says. The compiler makes fma of the builtin for rn, and of that fma.ftz.
#ifdef __NVPTX__
#define FMA_IEEE(nvvm, a, b, c)                                                                    \
    ({                                                                                             \
        float r;                                                                                   \
        __asm__("fma." #nvvm ".f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));           \
        r;                                                                                         \
    })
#else
#define FMA_IEEE(nvvm, a, b, c) __nvvm_fma_##nvvm##_f(a, b, c)
#endif

// NVVM names the modes as PTX does: rm is towards minus infinity (rd), rp towards plus infinity.
#define ARITHMETIC(mode, nvvm)                                                                     \
    double __nv_dadd_##mode(double a, double b) {                                                  \
        return __nvvm_add_##nvvm##_d(a, b);                                                        \
    }                                                                                              \
    double __nv_dsub_##mode(double a, double b) {                                                  \
        return __nvvm_add_##nvvm##_d(a, -b);                                                       \
    }                                                                                              \
    double __nv_dmul_##mode(double a, double b) {                                                  \
        return __nvvm_mul_##nvvm##_d(a, b);                                                        \
    }                                                                                              \
    double __nv_ddiv_##mode(double a, double b) {                                                  \
        return __nvvm_div_##nvvm##_d(a, b);                                                        \
    }                                                                                              \
    double __nv_drcp_##mode(double a) {                                                            \
        return __nvvm_rcp_##nvvm##_d(a);                                                           \
    }                                                                                              \
    double __nv_dsqrt_##mode(double a) {                                                           \
        return __nvvm_sqrt_##nvvm##_d(a);                                                          \
    }                                                                                              \
    double __nv_fma_##mode(double a, double b, double c) {                                         \
        return __nvvm_fma_##nvvm##_d(a, b, c);                                                     \
    }                                                                                              \
    float __nv_fadd_##mode(float a, float b) {                                                     \
        return FTZ ? __nvvm_add_##nvvm##_ftz_f(a, b) : __nvvm_add_##nvvm##_f(a, b);                \
    }                                                                                              \
    float __nv_fsub_##mode(float a, float b) {                                                     \
        return FTZ ? __nvvm_add_##nvvm##_ftz_f(a, -b) : __nvvm_add_##nvvm##_f(a, -b);              \
    }                                                                                              \
    float __nv_fmul_##mode(float a, float b) {                                                     \
        return FTZ ? __nvvm_mul_##nvvm##_ftz_f(a, b) : __nvvm_mul_##nvvm##_f(a, b);                \
    }                                                                                              \
    float __nv_fdiv_##mode(float a, float b) {                                                     \
        return FTZ ? __nvvm_div_##nvvm##_ftz_f(a, b) : __nvvm_div_##nvvm##_f(a, b);                \
    }                                                                                              \
    float __nv_frcp_##mode(float a) {                                                              \
        return FTZ ? __nvvm_rcp_##nvvm##_ftz_f(a) : __nvvm_rcp_##nvvm##_f(a);                      \
    }                                                                                              \
    float __nv_fsqrt_##mode(float a) {                                                             \
        return FTZ ? __nvvm_sqrt_##nvvm##_ftz_f(a) : __nvvm_sqrt_##nvvm##_f(a);                    \
    }                                                                                              \
    float __nv_fmaf_##mode(float a, float b, float c) {                                            \
        return FTZ ? __nvvm_fma_##nvvm##_ftz_f(a, b, c) : __nvvm_fma_##nvvm##_f(a, b, c);          \
    }                                                                                              \
    float __nv_fmaf_ieee_##mode(float a, float b, float c) {                                       \
        return FMA_IEEE(nvvm, a, b, c);                                                            \
    }

ARITHMETIC(rn, rn)
ARITHMETIC(rz, rz)
ARITHMETIC(ru, rp)
ARITHMETIC(rd, rm)
