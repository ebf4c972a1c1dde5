// The functions that the device library provides, under the names that clang's CUDA headers call.
#pragma once
#include "device.h"

// Functions of one, two and three values that exist in double and, with an f at the end, in float.
#define BOTH1(name)                                                                                \
    double __nv_##name(double);                                                                    \
    float __nv_##name##f(float)
#define BOTH2(name)                                                                                \
    double __nv_##name(double, double);                                                            \
    float __nv_##name##f(float, float)
#define BOTH3(name)                                                                                \
    double __nv_##name(double, double, double);                                                    \
    float __nv_##name##f(float, float, float)
#define BOTH4(name)                                                                                \
    double __nv_##name(double, double, double, double);                                            \
    float __nv_##name##f(float, float, float, float)

// Math functions (guide, section 17.1).
BOTH1(acos);
BOTH1(acosh);
BOTH1(asin);
BOTH1(asinh);
BOTH1(atan);
BOTH2(atan2);
BOTH1(atanh);
BOTH1(cbrt);
BOTH1(ceil);
BOTH2(copysign);
BOTH1(cos);
BOTH1(cosh);
BOTH1(cospi);
BOTH1(erf);
BOTH1(erfc);
BOTH1(erfcinv);
BOTH1(erfcx);
BOTH1(erfinv);
BOTH1(exp);
BOTH1(exp10);
BOTH1(exp2);
BOTH1(expm1);
BOTH1(fabs);
BOTH2(fdim);
BOTH1(floor);
BOTH3(fma);
BOTH2(fmax);
BOTH2(fmin);
BOTH2(fmod);
BOTH2(hypot);
BOTH1(j0);
BOTH1(j1);
BOTH1(lgamma);
BOTH1(log);
BOTH1(log10);
BOTH1(log1p);
BOTH1(log2);
BOTH1(logb);
BOTH1(nearbyint);
BOTH2(nextafter);
BOTH3(norm3d);
BOTH4(norm4d);
BOTH1(normcdf);
BOTH1(normcdfinv);
BOTH2(pow);
BOTH1(rcbrt);
BOTH2(remainder);
BOTH2(rhypot);
BOTH1(rint);
BOTH3(rnorm3d);
BOTH4(rnorm4d);
BOTH1(round);
BOTH1(rsqrt);
BOTH1(sin);
BOTH1(sinh);
BOTH1(sinpi);
BOTH1(sqrt);
BOTH1(tan);
BOTH1(tanh);
BOTH1(tgamma);
BOTH1(trunc);
BOTH1(y0);
BOTH1(y1);

double __nv_cyl_bessel_i0(double);
float __nv_cyl_bessel_i0f(float);
double __nv_cyl_bessel_i1(double);
float __nv_cyl_bessel_i1f(float);
double __nv_jn(int, double);
float __nv_jnf(int, float);
double __nv_yn(int, double);
float __nv_ynf(int, float);

void __nv_sincos(double, double *, double *);
void __nv_sincosf(float, float *, float *);
void __nv_sincospi(double, double *, double *);
void __nv_sincospif(float, float *, float *);

double __nv_norm(int, const double *);
float __nv_normf(int, const float *);
double __nv_rnorm(int, const double *);
float __nv_rnormf(int, const float *);

double __nv_powi(double, int);
float __nv_powif(float, int);
double __nv_ldexp(double, int);
float __nv_ldexpf(float, int);
double __nv_scalbn(double, int);
float __nv_scalbnf(float, int);
double __nv_frexp(double, int *);
float __nv_frexpf(float, int *);
double __nv_modf(double, double *);
float __nv_modff(float, float *);
double __nv_remquo(double, double, int *);
float __nv_remquof(float, float, int *);

int __nv_ilogb(double);
int __nv_ilogbf(float);
i64 __nv_llrint(double);
i64 __nv_llrintf(float);
i64 __nv_llround(double);
i64 __nv_llroundf(float);

double __nv_nan(const signed char *);
float __nv_nanf(const signed char *);
int __nv_finitef(float);
int __nv_isfinited(double);
int __nv_isinfd(double);
int __nv_isinff(float);
int __nv_isnand(double);
int __nv_isnanf(float);
int __nv_signbitd(double);
int __nv_signbitf(float);

// Fast intrinsics (guide, section 17.2).
float __nv_fast_cosf(float);
float __nv_fast_exp10f(float);
float __nv_fast_expf(float);
float __nv_fast_fdividef(float, float);
float __nv_fast_log10f(float);
float __nv_fast_log2f(float);
float __nv_fast_logf(float);
float __nv_fast_powf(float, float);
void __nv_fast_sincosf(float, float *, float *);
float __nv_fast_sinf(float);
float __nv_fast_tanf(float);
float __nv_fast_tanhf(float);
float __nv_saturatef(float);
double __nv_rcp64h(double);
float __nv_frsqrt_rn(float);

// Integer intrinsics.
int __nv_abs(int);
i64 __nv_llabs(i64);
int __nv_min(int, int);
int __nv_max(int, int);
u32 __nv_umin(u32, u32);
u32 __nv_umax(u32, u32);
i64 __nv_llmin(i64, i64);
i64 __nv_llmax(i64, i64);
u64 __nv_ullmin(u64, u64);
u64 __nv_ullmax(u64, u64);
int __nv_brev(int);
i64 __nv_brevll(i64);
int __nv_byte_perm(int, int, int);
int __nv_clz(int);
int __nv_clzll(i64);
int __nv_ffs(int);
int __nv_ffsll(i64);
int __nv_popc(u32);
int __nv_popcll(u64);
int __nv_mul24(int, int);
u32 __nv_umul24(u32, u32);
int __nv_mulhi(int, int);
u32 __nv_umulhi(u32, u32);
i64 __nv_mul64hi(i64, i64);
u64 __nv_umul64hi(u64, u64);
int __nv_sad(int, int, int);
u32 __nv_usad(u32, u32, u32);
int __nv_hadd(int, int);
int __nv_rhadd(int, int);
int __nv_uhadd(u32, u32);
u32 __nv_urhadd(u32, u32);

// Bit casts and conversions to and from half words.
u64 __nv_double_as_longlong(double);
double __nv_longlong_as_double(i64);
int __nv_double2hiint(double);
int __nv_double2loint(double);
double __nv_hiloint2double(int, int);
int __nv_float_as_int(float);
u32 __nv_float_as_uint(float);
float __nv_int_as_float(int);
float __nv_uint_as_float(u32);
u16 __nv_float2half_rn(float);
float __nv_half2float(u16);

// Arithmetic and conversions with an explicit rounding mode: rn nearest even, rz towards zero, ru
// up, rd down.
#define ROUNDED(mode)                                                                              \
    double __nv_dadd_##mode(double, double);                                                       \
    double __nv_dsub_##mode(double, double);                                                       \
    double __nv_dmul_##mode(double, double);                                                       \
    double __nv_ddiv_##mode(double, double);                                                       \
    double __nv_drcp_##mode(double);                                                               \
    double __nv_dsqrt_##mode(double);                                                              \
    double __nv_fma_##mode(double, double, double);                                                \
    float __nv_fadd_##mode(float, float);                                                          \
    float __nv_fsub_##mode(float, float);                                                          \
    float __nv_fmul_##mode(float, float);                                                          \
    float __nv_fdiv_##mode(float, float);                                                          \
    float __nv_frcp_##mode(float);                                                                 \
    float __nv_fsqrt_##mode(float);                                                                \
    float __nv_fmaf_##mode(float, float, float);                                                   \
    float __nv_fmaf_ieee_##mode(float, float, float);                                              \
    float __nv_double2float_##mode(double);                                                        \
    int __nv_double2int_##mode(double);                                                            \
    u32 __nv_double2uint_##mode(double);                                                           \
    i64 __nv_double2ll_##mode(double);                                                             \
    u64 __nv_double2ull_##mode(double);                                                            \
    int __nv_float2int_##mode(float);                                                              \
    u32 __nv_float2uint_##mode(float);                                                             \
    i64 __nv_float2ll_##mode(float);                                                               \
    u64 __nv_float2ull_##mode(float);                                                              \
    float __nv_int2float_##mode(int);                                                              \
    float __nv_uint2float_##mode(u32);                                                             \
    float __nv_ll2float_##mode(i64);                                                               \
    float __nv_ull2float_##mode(u64);                                                              \
    double __nv_ll2double_##mode(i64);                                                             \
    double __nv_ull2double_##mode(u64)
ROUNDED(rn);
ROUNDED(rz);
ROUNDED(ru);
ROUNDED(rd);
double __nv_int2double_rn(int);
double __nv_uint2double_rn(u32);

// Two halfwords or four bytes in one word.
#define PACKED1(name)                                                                              \
    int __nv_v##name##2(int);                                                                      \
    int __nv_v##name##4(int)
#define PACKED2(name)                                                                              \
    int __nv_v##name##2(int, int);                                                                 \
    int __nv_v##name##4(int, int)
PACKED1(abs);
PACKED1(absss);
PACKED1(neg);
PACKED1(negss);
PACKED2(absdiffs);
PACKED2(absdiffu);
PACKED2(add);
PACKED2(addss);
PACKED2(addus);
PACKED2(avgs);
PACKED2(avgu);
PACKED2(cmpeq);
PACKED2(cmpges);
PACKED2(cmpgeu);
PACKED2(cmpgts);
PACKED2(cmpgtu);
PACKED2(cmples);
PACKED2(cmpleu);
PACKED2(cmplts);
PACKED2(cmpltu);
PACKED2(cmpne);
PACKED2(haddu);
PACKED2(maxs);
PACKED2(maxu);
PACKED2(mins);
PACKED2(minu);
PACKED2(sads);
PACKED2(sadu);
PACKED2(seteq);
PACKED2(setges);
PACKED2(setgeu);
PACKED2(setgts);
PACKED2(setgtu);
PACKED2(setles);
PACKED2(setleu);
PACKED2(setlts);
PACKED2(setltu);
PACKED2(setne);
PACKED2(sub);
PACKED2(subss);
PACKED2(subus);
