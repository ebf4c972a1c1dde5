// Rounding to integers in floating-point and integer form.
#include "libdevice.h"

float __nv_ceilf(float a) {
    return __builtin_ceilf(a);
}

double __nv_ceil(double a) {
    return __builtin_ceil(a);
}

float __nv_floorf(float a) {
    return __builtin_floorf(a);
}

double __nv_floor(double a) {
    return __builtin_floor(a);
}

float __nv_truncf(float a) {
    return __builtin_truncf(a);
}

double __nv_trunc(double a) {
    return __builtin_trunc(a);
}

float __nv_rintf(float a) {
    return __builtin_rintf(a);
}

double __nv_rint(double a) {
    return __builtin_rint(a);
}

float __nv_nearbyintf(float a) {
    return __builtin_rintf(a);
}

double __nv_nearbyint(double a) {
    return __builtin_rint(a);
}

// Half-way cases go away from zero: the fraction that truncation drops decides, and it is exact.
float __nv_roundf(float a) {
    float t = __builtin_truncf(a);
    float up = fabs_f(a - t) >= 0.5f ? 1.0f : 0.0f;
    return __builtin_copysignf(fabs_f(t) + up, a);
}

double __nv_round(double a) {
    double t = __builtin_trunc(a);
    double up = fabs_d(a - t) >= 0.5 ? 1.0 : 0.0;
    return __builtin_copysign(fabs_d(t) + up, a);
}

i64 __nv_llrintf(float a) {
    return __nv_float2ll_rn(a);
}

i64 __nv_llrint(double a) {
    return __nv_double2ll_rn(a);
}

i64 __nv_llroundf(float a) {
    return __nv_float2ll_rz(__nv_roundf(a));
}

i64 __nv_llround(double a) {
    return __nv_double2ll_rz(__nv_round(a));
}

float __nv_modff(float a, float *whole) {
    float t = __builtin_truncf(a);
    *whole = t;
    float fraction = a - t;
    // inf - inf is NaN, and the fraction of an infinity is zero.
    return __builtin_copysignf(fabs_f(a) == INFINITY_F ? 0.0f : fraction, a);
}

double __nv_modf(double a, double *whole) {
    double t = __builtin_trunc(a);
    *whole = t;
    double fraction = a - t;
    return __builtin_copysign(fabs_d(a) == INFINITY_D ? 0.0 : fraction, a);
}
