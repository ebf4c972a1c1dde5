// What the math functions of device code lack after clang's own headers: min and max for every
// pair of types, float overloads of CUDA's functions, and host versions of functions that the C
// library does not have (guide chapter 17: usable in host code too).
#ifndef KUDZU_MATH_OVERLOADS_H
#define KUDZU_MATH_OVERLOADS_H

#define KUDZU_HOST static __inline__ __attribute__((host))
#define KUDZU_DEVICE static __inline__ __attribute__((device, always_inline))
#define KUDZU_BOTH static __inline__ __attribute__((host, device, always_inline))

// Of the fast intrinsics (guide 17.2) clang's headers lack this one.
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
KUDZU_FLOAT_1(j0)
KUDZU_FLOAT_1(j1)
KUDZU_FLOAT_1(y0)
KUDZU_FLOAT_1(y1)
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
KUDZU_DEVICE float jn(int n, float x) {
    return jnf(n, x);
}
KUDZU_DEVICE float yn(int n, float x) {
    return ynf(n, x);
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

// Templates, so that a function that the C library declares too is preferred and not in conflict:
// glibc has sinpi and cospi from 2.41 on and rsqrt from 2.42 on, and others may follow.
#define KUDZU_OWN template <class = void> KUDZU_HOST

// They are computed in long double, whose eleven bits more keep them to the guide's bounds, where
// double is not enough.
KUDZU_OWN double rsqrt(double x) {
    return 1.0 / ::sqrt(x);
}
KUDZU_OWN float rsqrtf(float x) {
    return (float)(1.0 / ::sqrt((double)x));
}
KUDZU_OWN double rcbrt(double x) {
    return (double)(1 / ::cbrtl(x));
}
// The length of a vector: squares neither overflow nor vanish in long double.
template <class T> KUDZU_HOST long double __kudzu_length(int dim, const T *t) {
    long double sum = 0;
    bool infinite = false;
    for (int i = 0; i < dim; ++i) {
        sum += (long double)t[i] * t[i];
        infinite |= __builtin_isinf(t[i]) != 0;
    }
    return infinite ? HUGE_VALL : ::sqrtl(sum);
}
KUDZU_OWN double norm(int dim, const double *t) {
    return (double)__kudzu_length(dim, t);
}
KUDZU_OWN double rnorm(int dim, const double *t) {
    return (double)(1 / __kudzu_length(dim, t));
}
KUDZU_OWN float normf(int dim, const float *t) {
    return (float)__kudzu_length(dim, t);
}
KUDZU_OWN float rnormf(int dim, const float *t) {
    return (float)(1 / __kudzu_length(dim, t));
}
KUDZU_OWN double rhypot(double x, double y) {
    const double t[] = {x, y};
    return rnorm(2, t);
}
KUDZU_OWN double norm3d(double x, double y, double z) {
    const double t[] = {x, y, z};
    return norm(3, t);
}
KUDZU_OWN double norm4d(double x, double y, double z, double w) {
    const double t[] = {x, y, z, w};
    return norm(4, t);
}
KUDZU_OWN double rnorm3d(double x, double y, double z) {
    const double t[] = {x, y, z};
    return rnorm(3, t);
}
KUDZU_OWN double rnorm4d(double x, double y, double z, double w) {
    const double t[] = {x, y, z, w};
    return rnorm(4, t);
}
#define KUDZU_PI 3.14159265358979323846264338327950288L
#define KUDZU_SQRT_PI 1.77245385090551602729816748334114518L
#define KUDZU_SQRT_HALF 0.707106781186547524400844362104849039L
// Reduced exactly before pi comes in, so that multiples of 1/2 are exact; zeros have x's sign.
KUDZU_OWN double sinpi(double x) {
    double r = x - 2 * ::rint(x / 2);
    r = r > 0.5 ? 1 - r : r < -0.5 ? -1 - r : r;
    return r == 0 ? ::copysign(0.0, x) : (double)::sinl(KUDZU_PI * r);
}
KUDZU_OWN double cospi(double x) {
    long double r = ::fabs(x - 2 * ::rint(x / 2));
    return (double)::sinl(KUDZU_PI * (0.5L - r));
}
KUDZU_OWN void sincospi(double x, double *s, double *c) {
    *s = sinpi(x), *c = cospi(x);
}
KUDZU_OWN double fdivide(double a, double b) {
    return a / b;
}
KUDZU_OWN double normcdf(double x) {
    return (double)(::erfcl(-x * KUDZU_SQRT_HALF) / 2);
}
// e^(x^2) erfc(x): from 8 on by its continued fraction.
KUDZU_HOST long double __kudzu_erfcx(long double x) {
    long double f = 0;
    if (!(x >= 8))
        return ::expl(x * x) * ::erfcl(x);
    for (int k = 40; k > 0; --k)
        f = 0.5L * k / (x + f);
    return 1 / ((x + f) * KUDZU_SQRT_PI);
}
KUDZU_OWN double erfcx(double x) {
    return (double)__kudzu_erfcx(x);
}
// The roots of erf(r) = y, |y| <= 1/2, and of erfc(r) = y, y < 1/2, by Newton's method, the latter
// on the logarithms.
KUDZU_HOST long double __kudzu_erf_root(long double y) {
    long double r = y * (KUDZU_SQRT_PI / 2);
    for (int i = 0; i < 6; ++i)
        r -= (::erfl(r) - y) * ::expl(r * r) * (KUDZU_SQRT_PI / 2);
    return r;
}
KUDZU_HOST long double __kudzu_erfc_root(long double y) {
    long double logarithm = ::logl(y), r = ::sqrtl(-logarithm);
    for (int i = 0; i < 12; ++i)
        r += (::logl(::erfcl(r)) - logarithm) * __kudzu_erfcx(r) * (KUDZU_SQRT_PI / 2);
    return r;
}
KUDZU_HOST long double __kudzu_erfcinv(long double y) {
    if (!(y > 0 && y < 2))
        return y == 0 ? HUGE_VALL : y == 2 ? -HUGE_VALL : NAN;
    return y < 0.5L   ? __kudzu_erfc_root(y)
           : y > 1.5L ? -__kudzu_erfc_root(2 - y)
                      : __kudzu_erf_root(1 - y);
}
KUDZU_OWN double erfcinv(double y) {
    return (double)__kudzu_erfcinv(y);
}
KUDZU_OWN double erfinv(double y) {
    return (double)(::fabs(y) <= 0.5 ? __kudzu_erf_root(y) : __kudzu_erfcinv(1 - (long double)y));
}
KUDZU_OWN double normcdfinv(double p) {
    return (double)(-__kudzu_erfcinv(2 * (long double)p) / KUDZU_SQRT_HALF);
}
// Bessel functions by their series, whose terms have one sign.
KUDZU_HOST long double __kudzu_bessel_i(int order, double x) {
    long double q = (long double)x * x / 4, term = order ? (long double)::fabs(x) / 2 : 1,
                sum = term;
    if (q > 360 * 360)
        return HUGE_VALL;
    for (int k = 1; k < 2000 && term > sum * 1e-21L; ++k)
        sum += term *= q / ((long double)k * (k + order));
    return sum;
}
KUDZU_OWN double cyl_bessel_i0(double x) {
    return (double)(x == x ? __kudzu_bessel_i(0, x) : x);
}
KUDZU_OWN double cyl_bessel_i1(double x) {
    return x == x ? ::copysign((double)__kudzu_bessel_i(1, x), x) : x;
}
#undef KUDZU_PI
#undef KUDZU_SQRT_PI
#undef KUDZU_SQRT_HALF
#define KUDZU_HOST_FLOAT_1(name)                                                                   \
    KUDZU_OWN float name##f(float x) {                                                             \
        return (float)name((double)x);                                                             \
    }                                                                                              \
    KUDZU_OWN float name(float x) {                                                                \
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
KUDZU_OWN float rsqrt(float x) {
    return rsqrtf(x);
}
// Float overloads of what the C library has.
KUDZU_HOST float exp10(float x) {
    return ::exp10f(x);
}
KUDZU_HOST void sincos(float x, float *s, float *c) {
    ::sincosf(x, s, c);
}
#define KUDZU_HOST_BESSEL(name)                                                                    \
    KUDZU_HOST float name(float x) {                                                               \
        return ::name##f(x);                                                                       \
    }
KUDZU_HOST_BESSEL(j0)
KUDZU_HOST_BESSEL(j1)
KUDZU_HOST_BESSEL(y0)
KUDZU_HOST_BESSEL(y1)
#undef KUDZU_HOST_BESSEL
KUDZU_HOST float jn(int n, float x) {
    return ::jnf(n, x);
}
KUDZU_HOST float yn(int n, float x) {
    return ::ynf(n, x);
}
KUDZU_OWN float rhypotf(float x, float y) {
    return (float)rhypot((double)x, (double)y);
}
KUDZU_OWN float norm3df(float x, float y, float z) {
    return (float)norm3d((double)x, (double)y, (double)z);
}
KUDZU_OWN float norm4df(float x, float y, float z, float w) {
    return (float)norm4d((double)x, (double)y, (double)z, (double)w);
}
KUDZU_OWN float rnorm3df(float x, float y, float z) {
    return (float)rnorm3d((double)x, (double)y, (double)z);
}
KUDZU_OWN float rnorm4df(float x, float y, float z, float w) {
    return (float)rnorm4d((double)x, (double)y, (double)z, (double)w);
}
KUDZU_OWN float fdividef(float a, float b) {
    return a / b;
}
KUDZU_OWN float fdivide(float a, float b) {
    return a / b;
}
KUDZU_OWN void sincospif(float x, float *s, float *c) {
    *s = sinpif(x), *c = cospif(x);
}
KUDZU_OWN void sincospi(float x, float *s, float *c) {
    sincospif(x, s, c);
}

#undef KUDZU_OWN

#endif

// Bessel functions of other numbers are those of doubles.
template <class T, bool number = __is_integral(T) || __is_floating_point(T)>
struct __kudzu_double_if {};
template <class T> struct __kudzu_double_if<T, true> {
    typedef double type;
};
#define KUDZU_BESSEL_ANY(name)                                                                     \
    template <class T> KUDZU_BOTH typename __kudzu_double_if<T>::type name(T x) {                  \
        return name((double)x);                                                                    \
    }
KUDZU_BESSEL_ANY(j0)
KUDZU_BESSEL_ANY(j1)
KUDZU_BESSEL_ANY(y0)
KUDZU_BESSEL_ANY(y1)
#undef KUDZU_BESSEL_ANY
template <class T> KUDZU_BOTH typename __kudzu_double_if<T>::type jn(int n, T x) {
    return jn(n, (double)x);
}
template <class T> KUDZU_BOTH typename __kudzu_double_if<T>::type yn(int n, T x) {
    return yn(n, (double)x);
}

#undef KUDZU_HOST
#undef KUDZU_DEVICE
#undef KUDZU_BOTH

#endif
