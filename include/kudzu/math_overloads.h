// What the math functions of device code lack after clang's own headers: min and max for every
// pair of types, float overloads of CUDA's functions, and host versions of functions that the C
// library does not have (guide chapter 17: usable in host code too).
#ifndef KUDZU_MATH_OVERLOADS_H
#define KUDZU_MATH_OVERLOADS_H

#define KUDZU_HOST static __inline__ __attribute__((host))
#define KUDZU_DEVICE static __inline__ __attribute__((device, always_inline))
#define KUDZU_BOTH static __inline__ __attribute__((host, device, always_inline))

// Of the fast intrinsics (guide 17.2) clang's headers lack this one.
extern "C" __attribute__((device)) float __nv_fast_tanhf(float);
KUDZU_DEVICE float __tanhf(float a) {
    return __nv_fast_tanhf(a);
}

// ---- min, max -----------------------------------------------------------------------------

KUDZU_HOST int min(int a, int b) {
    return a < b ? a : b;
}
KUDZU_HOST int max(int a, int b) {
    return a > b ? a : b;
}
#define KUDZU_MIN_MAX(R, A, B)                                                                     \
    KUDZU_BOTH R min(A a, B b) {                                                                   \
        return (R)a < (R)b ? (R)a : (R)b;                                                          \
    }                                                                                              \
    KUDZU_BOTH R max(A a, B b) {                                                                   \
        return (R)a > (R)b ? (R)a : (R)b;                                                          \
    }
// A pair of one type, signed and unsigned mixed: the unsigned type wins, as in C.
#define KUDZU_MIN_MAX_MIXED(S, U)                                                                  \
    KUDZU_MIN_MAX(U, U, U)                                                                         \
    KUDZU_MIN_MAX(U, S, U)                                                                         \
    KUDZU_MIN_MAX(U, U, S)
KUDZU_MIN_MAX_MIXED(int, unsigned int)
KUDZU_MIN_MAX(long, long, long)
KUDZU_MIN_MAX_MIXED(long, unsigned long)
KUDZU_MIN_MAX(long long, long long, long long)
KUDZU_MIN_MAX_MIXED(long long, unsigned long long)
#undef KUDZU_MIN_MAX
#undef KUDZU_MIN_MAX_MIXED
// A NaN gives the other operand.
#define KUDZU_MIN_MAX_FLOAT(R, A, B, fmin, fmax)                                                   \
    KUDZU_BOTH R min(A a, B b) {                                                                   \
        return fmin((R)a, (R)b);                                                                   \
    }                                                                                              \
    KUDZU_BOTH R max(A a, B b) {                                                                   \
        return fmax((R)a, (R)b);                                                                   \
    }
KUDZU_MIN_MAX_FLOAT(float, float, float, ::fminf, ::fmaxf)
KUDZU_MIN_MAX_FLOAT(double, double, double, ::fmin, ::fmax)
KUDZU_MIN_MAX_FLOAT(double, float, double, ::fmin, ::fmax)
KUDZU_MIN_MAX_FLOAT(double, double, float, ::fmin, ::fmax)
#undef KUDZU_MIN_MAX_FLOAT

KUDZU_HOST unsigned int umin(unsigned int a, unsigned int b) {
    return a < b ? a : b;
}
KUDZU_HOST unsigned int umax(unsigned int a, unsigned int b) {
    return a > b ? a : b;
}
KUDZU_HOST long long llmin(long long a, long long b) {
    return a < b ? a : b;
}
KUDZU_HOST long long llmax(long long a, long long b) {
    return a > b ? a : b;
}
KUDZU_HOST unsigned long long ullmin(unsigned long long a, unsigned long long b) {
    return a < b ? a : b;
}
KUDZU_HOST unsigned long long ullmax(unsigned long long a, unsigned long long b) {
    return a > b ? a : b;
}

// ---- Float overloads in device code -------------------------------------------------------

#define KUDZU_FLOAT_1(name)                                                                        \
    KUDZU_DEVICE float name(float x) {                                                             \
        return name##f(x);                                                                         \
    }
KUDZU_FLOAT_1(rsqrt)
KUDZU_FLOAT_1(rcbrt)
KUDZU_FLOAT_1(sinpi)
KUDZU_FLOAT_1(cospi)
KUDZU_FLOAT_1(erfinv)
KUDZU_FLOAT_1(erfcinv)
KUDZU_FLOAT_1(normcdf)
KUDZU_FLOAT_1(normcdfinv)
KUDZU_FLOAT_1(erfcx)
KUDZU_FLOAT_1(exp10)
KUDZU_FLOAT_1(cyl_bessel_i0)
KUDZU_FLOAT_1(cyl_bessel_i1)
// The overloads that clang's headers declare and leave to the toolkit.
KUDZU_FLOAT_1(acosh)
KUDZU_FLOAT_1(asinh)
KUDZU_FLOAT_1(atanh)
KUDZU_FLOAT_1(cbrt)
KUDZU_FLOAT_1(erfc)
KUDZU_FLOAT_1(erf)
KUDZU_FLOAT_1(exp2)
KUDZU_FLOAT_1(expm1)
KUDZU_FLOAT_1(lgamma)
KUDZU_FLOAT_1(log1p)
KUDZU_FLOAT_1(log2)
KUDZU_FLOAT_1(logb)
KUDZU_FLOAT_1(nearbyint)
KUDZU_FLOAT_1(rint)
KUDZU_FLOAT_1(round)
KUDZU_FLOAT_1(tgamma)
KUDZU_FLOAT_1(trunc)
#undef KUDZU_FLOAT_1
#define KUDZU_FLOAT_2(name)                                                                        \
    KUDZU_DEVICE float name(float x, float y) {                                                    \
        return name##f(x, y);                                                                      \
    }
KUDZU_FLOAT_2(copysign)
KUDZU_FLOAT_2(fdim)
KUDZU_FLOAT_2(fmax)
KUDZU_FLOAT_2(fmin)
KUDZU_FLOAT_2(hypot)
KUDZU_FLOAT_2(nextafter)
KUDZU_FLOAT_2(remainder)
#undef KUDZU_FLOAT_2
KUDZU_DEVICE float fma(float x, float y, float z) {
    return fmaf(x, y, z);
}
KUDZU_DEVICE float remquo(float x, float y, int *quotient) {
    return remquof(x, y, quotient);
}
KUDZU_DEVICE float scalbn(float x, int n) {
    return scalbnf(x, n);
}
KUDZU_DEVICE float scalbln(float x, long n) {
    return scalblnf(x, n);
}
KUDZU_DEVICE int ilogb(float x) {
    return ilogbf(x);
}
KUDZU_DEVICE long lrint(float x) {
    return lrintf(x);
}
KUDZU_DEVICE long lround(float x) {
    return lroundf(x);
}
KUDZU_DEVICE long long llrint(float x) {
    return llrintf(x);
}
KUDZU_DEVICE long long llround(float x) {
    return llroundf(x);
}
KUDZU_DEVICE void sincospi(float x, float *s, float *c) {
    sincospif(x, s, c);
}
KUDZU_DEVICE void sincos(float x, float *s, float *c) {
    sincosf(x, s, c);
}
KUDZU_DEVICE float fdivide(float a, float b) {
    return fdividef(a, b);
}
KUDZU_DEVICE double copysign(double a, float b) {
    return copysign(a, (double)b);
}

// ---- Host versions ------------------------------------------------------------------------
// (Programs compiled at run time have no host code, and none of the C library that these need.)
#if !defined(__CUDACC_RTC__)

KUDZU_HOST double rsqrt(double x) {
    return 1.0 / ::sqrt(x);
}
KUDZU_HOST float rsqrtf(float x) {
    return (float)(1.0 / ::sqrt((double)x));
}
KUDZU_HOST double rcbrt(double x) {
    return 1.0 / ::cbrt(x);
}
KUDZU_HOST double rhypot(double x, double y) {
    return 1.0 / ::hypot(x, y);
}
KUDZU_HOST double norm3d(double x, double y, double z) {
    return ::hypot(::hypot(x, y), z);
}
KUDZU_HOST double norm4d(double x, double y, double z, double w) {
    return ::hypot(::hypot(x, y), ::hypot(z, w));
}
KUDZU_HOST double rnorm3d(double x, double y, double z) {
    return 1.0 / norm3d(x, y, z);
}
KUDZU_HOST double rnorm4d(double x, double y, double z, double w) {
    return 1.0 / norm4d(x, y, z, w);
}
KUDZU_HOST double norm(int dim, const double *t) {
    double n = 0;
    for (int i = 0; i < dim; ++i)
        n = ::hypot(n, t[i]);
    return n;
}
KUDZU_HOST double rnorm(int dim, const double *t) {
    return 1.0 / norm(dim, t);
}
// Reduced exactly to [-1/4, 1/4] before pi comes in, so that multiples of 1/2 are exact.
KUDZU_HOST double sinpi(double x) {
    double r = x - 2 * ::rint(x / 2);
    if (r > 0.5)
        r = 1 - r;
    else if (r < -0.5)
        r = -1 - r;
    return ::fabs(r) <= 0.25 ? ::sin(M_PI * r) : ::copysign(::cos(M_PI * (0.5 - ::fabs(r))), r);
}
KUDZU_HOST double cospi(double x) {
    double r = ::fabs(x - 2 * ::rint(x / 2));
    return r <= 0.25   ? ::cos(M_PI * r)
           : r >= 0.75 ? -::cos(M_PI * (1 - r))
                       : ::sin(M_PI * (0.5 - r));
}
KUDZU_HOST void sincospi(double x, double *s, double *c) {
    *s = sinpi(x), *c = cospi(x);
}
KUDZU_HOST double fdivide(double a, double b) {
    return a / b;
}
KUDZU_HOST double normcdf(double x) {
    return 0.5 * ::erfc(-x * M_SQRT1_2);
}
KUDZU_HOST double erfcx(double x) {
    if (x < 25)
        return ::exp(x * x) * ::erfc(x);
    double r = 1 / (x * x); // the asymptotic series: erfc underflows from here on
    return (1 - r * (0.5 - r * (0.75 - 1.875 * r))) / (x * 1.7724538509055160273);
}
// The quantile of the normal distribution: a rational start (Acklam's), then Halley's step on
// normcdf, twice.
KUDZU_HOST double normcdfinv(double p) {
    if (!(p > 0 && p < 1))
        return p == 0 ? -HUGE_VAL : p == 1 ? HUGE_VAL : NAN;
    double q = p < 0.5 ? p : 1 - p, t = ::sqrt(-2 * ::log(q));
    double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                         (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int i = 0; i < 3; ++i) {
        double e = (normcdf(x) - q) * 2.5066282746310005024 * ::exp(x * x / 2);
        x -= e / (1 + x * e / 2);
    }
    return p < 0.5 ? x : -x;
}
KUDZU_HOST double erfcinv(double y) {
    return -normcdfinv(y / 2) * M_SQRT1_2;
}
KUDZU_HOST double erfinv(double y) {
    if (!(::fabs(y) < 0.5)) // 1 - |y| is exact there
        return y < 0 ? -erfcinv(1 + y) : erfcinv(1 - y);
    double x = y * 0.88622692545275801365;
    for (int i = 0; i < 5; ++i)
        x -= (::erf(x) - y) * 0.88622692545275801365 * ::exp(x * x);
    return x;
}
KUDZU_HOST double cyl_bessel_i0(double x) {
    double term = 1, sum = 1, q = x * x / 4;
    for (int k = 1; k < 1000 && term > sum * 1e-17; ++k)
        sum += term *= q / ((double)k * k);
    return sum;
}
KUDZU_HOST double cyl_bessel_i1(double x) {
    double term = x / 2, sum = term, q = x * x / 4;
    for (int k = 1; k < 1000 && ::fabs(term) > ::fabs(sum) * 1e-17; ++k)
        sum += term *= q / ((double)k * (k + 1));
    return sum;
}
#define KUDZU_HOST_FLOAT_1(name)                                                                   \
    KUDZU_HOST float name##f(float x) {                                                            \
        return (float)name((double)x);                                                             \
    }                                                                                              \
    KUDZU_HOST float name(float x) {                                                               \
        return name##f(x);                                                                         \
    }
KUDZU_HOST_FLOAT_1(rcbrt)
KUDZU_HOST_FLOAT_1(sinpi)
KUDZU_HOST_FLOAT_1(cospi)
KUDZU_HOST_FLOAT_1(normcdf)
KUDZU_HOST_FLOAT_1(normcdfinv)
KUDZU_HOST_FLOAT_1(erfcx)
KUDZU_HOST_FLOAT_1(erfcinv)
KUDZU_HOST_FLOAT_1(erfinv)
KUDZU_HOST_FLOAT_1(cyl_bessel_i0)
KUDZU_HOST_FLOAT_1(cyl_bessel_i1)
#undef KUDZU_HOST_FLOAT_1
KUDZU_HOST float rsqrt(float x) {
    return rsqrtf(x);
}
KUDZU_HOST float rhypotf(float x, float y) {
    return (float)rhypot((double)x, (double)y);
}
KUDZU_HOST float norm3df(float x, float y, float z) {
    return (float)norm3d((double)x, (double)y, (double)z);
}
KUDZU_HOST float norm4df(float x, float y, float z, float w) {
    return (float)norm4d((double)x, (double)y, (double)z, (double)w);
}
KUDZU_HOST float rnorm3df(float x, float y, float z) {
    return (float)rnorm3d((double)x, (double)y, (double)z);
}
KUDZU_HOST float rnorm4df(float x, float y, float z, float w) {
    return (float)rnorm4d((double)x, (double)y, (double)z, (double)w);
}
KUDZU_HOST float fdividef(float a, float b) {
    return a / b;
}
KUDZU_HOST void sincospif(float x, float *s, float *c) {
    *s = sinpif(x), *c = cospif(x);
}
KUDZU_HOST void sincospi(float x, float *s, float *c) {
    sincospif(x, s, c);
}

#endif

#undef KUDZU_HOST
#undef KUDZU_DEVICE
#undef KUDZU_BOTH

#endif
