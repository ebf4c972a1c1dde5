// The fast intrinsics of the guide's section 17.2, on PTX's approximate instructions.
#include "libdevice.h"

#define LOG2_E 0x1.715476p+0f
#define LOG2_10 0x1.a934f0p+1f
#define LN_2 0x1.62e430p-1f
#define LOG10_2 0x1.344136p-2f

INLINE float approx_exp2(float a) {
    return FTZ ? __nvvm_ex2_approx_ftz_f(a) : __nvvm_ex2_approx_f(a);
}

INLINE float approx_log2(float a) {
    return FTZ ? __nvvm_lg2_approx_ftz_f(a) : __nvvm_lg2_approx_f(a);
}

#ifdef __NVPTX__
INLINE float tanh_approx(float a) {
    float r;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
#else
#define tanh_approx __nv_tanhf
#endif

float __nv_fast_expf(float a) {
    return approx_exp2(a * LOG2_E);
}

float __nv_fast_exp10f(float a) {
    return approx_exp2(a * LOG2_10);
}

float __nv_fast_log2f(float a) {
    return approx_log2(a);
}

float __nv_fast_logf(float a) {
    return approx_log2(a) * LN_2;
}

float __nv_fast_log10f(float a) {
    return approx_log2(a) * LOG10_2;
}

float __nv_fast_powf(float a, float b) {
    return approx_exp2(b * approx_log2(a));
}

float __nv_fast_sinf(float a) {
    return FTZ ? __nvvm_sin_approx_ftz_f(a) : __nvvm_sin_approx_f(a);
}

float __nv_fast_cosf(float a) {
    return FTZ ? __nvvm_cos_approx_ftz_f(a) : __nvvm_cos_approx_f(a);
}

void __nv_fast_sincosf(float a, float *sine, float *cosine) {
    *sine = __nv_fast_sinf(a);
    *cosine = __nv_fast_cosf(a);
}

float __nv_fast_fdividef(float a, float b) {
    return FTZ ? __nvvm_div_approx_ftz_f(a, b) : __nvvm_div_approx_f(a, b);
}

float __nv_fast_tanf(float a) {
    return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a));
}

float __nv_saturatef(float a) {
    return FTZ ? __nvvm_saturate_ftz_f(a) : __nvvm_saturate_f(a);
}

double __nv_rcp64h(double a) {
    return __nvvm_rcp_approx_ftz_d(a);
}

// tanh.approx exists from sm_75 on.
float __nv_fast_tanhf(float a) {
    if (ARCHITECTURE < 750)
        return __nv_tanhf(a);
    return tanh_approx(a);
}
