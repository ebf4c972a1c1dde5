// Classification of floating-point values, signs, NaN construction.
#include "libdevice.h"

int __nv_isnanf(float a) {
    return is_nan_f(a);
}

int __nv_isnand(double a) {
    return is_nan_d(a);
}

int __nv_isinff(float a) {
    return fabs_f(a) == INFINITY_F;
}

int __nv_isinfd(double a) {
    return fabs_d(a) == INFINITY_D;
}

int __nv_finitef(float a) {
    return fabs_f(a) < INFINITY_F;
}

int __nv_isfinited(double a) {
    return fabs_d(a) < INFINITY_D;
}

int __nv_signbitf(float a) {
    return (int)(bits_f(a) >> 31);
}

int __nv_signbitd(double a) {
    return (int)(bits_d(a) >> 63);
}

// The tag is accepted and not encoded: every call gives the default quiet NaN.
float __nv_nanf(const signed char *tag) {
    return NAN_F;
}

double __nv_nan(const signed char *tag) {
    return NAN_D;
}

float __nv_fabsf(float a) {
    return fabs_f(a);
}

double __nv_fabs(double a) {
    return fabs_d(a);
}

// The instruction, whose first operand is the sign: of bits, too, the compiler makes abs and neg,
// which with -ftz lose subnormal numbers.
float __nv_copysignf(float a, float b) {
#ifdef __NVPTX__
    float r;
    __asm__("copysign.f32 %0, %1, %2;" : "=f"(r) : "f"(b), "f"(a));
    return r;
#else
    return __builtin_copysignf(a, b);
#endif
}

double __nv_copysign(double a, double b) {
    return __builtin_copysign(a, b);
}

float __nv_fminf(float a, float b) {
    return __builtin_fminf(a, b);
}

double __nv_fmin(double a, double b) {
    return __builtin_fmin(a, b);
}

float __nv_fmaxf(float a, float b) {
    return __builtin_fmaxf(a, b);
}

double __nv_fmax(double a, double b) {
    return __builtin_fmax(a, b);
}

float __nv_fdimf(float a, float b) {
    float difference = a - b;
    return a <= b ? 0.0f : difference;
}

double __nv_fdim(double a, double b) {
    double difference = a - b;
    return a <= b ? 0.0 : difference;
}

float __nv_fmaf(float a, float b, float c) {
    return fma_f(a, b, c);
}

double __nv_fma(double a, double b, double c) {
    return fma_d(a, b, c);
}
