// Every mathematical function of 17.1 by its name, float and double, on the device: against the
// host's long double ones, or their inverses. How exact they are devicelib's tests tell; here none
// may be another one.
#include <cmath>

#include "check.h"

constexpr int count = 256;
typedef long double wide;
using namespace std;

static const wide pi = acosl(-1.0L);

// e^(x^2) erfc(x): by its continued fraction where that converges soon.
static wide scaled(wide x) {
    if (x < 3)
        return exp(x * x) * erfc(x);
    wide f = 0;
    for (int k = 200; k > 0; k--)
        f = k / 2.0L / (x + f);
    return 1 / ((x + f) * sqrt(pi));
}

static wide bessel_i(int order, wide x) {
    wide term = order ? x / 2 : 1, sum = term;
    for (int k = 1; k < 100; k++)
        sum += term *= x * x / 4 / k / (k + order);
    return sum;
}

template <class T, class F> __global__ void apply(F f, const T *x, T *r) {
    r[threadIdx.x] = f(x[threadIdx.x]);
}

// `expected` of the argument, or what the result has to lead back to.
template <class T, class F>
static void check(const char *name, double low, double high, F f, wide (*expected)(wide x, wide r),
                  bool inverse) {
    T *x = shared_array<T>(count), *r = shared_array<T>(count);
    for (int i = 0; i < count; i++)
        x[i] = (T)(low + (high - low) * (i + 0.5) / count);
    apply<<<1, count>>>(f, x, r);
    CUDA(cudaDeviceSynchronize());
    const wide bound = sizeof(T) == 4 ? 4e-6L : 1e-13L;
    for (int i = 0; i < count; i++) {
        wide e = expected(x[i], r[i]), got = inverse ? (wide)x[i] : (wide)r[i];
        if (!(fabs(got - e) <= bound * (fabs(e) + 0.1L)) && failures++ < 20)
            printf("%s(%.9g) = %.9g, not %.9Lg\n", name, (double)x[i], (double)r[i], e);
    }
    CUDA(cudaFree(x));
    CUDA(cudaFree(r));
}

// Functions with other results than one number.
template <class T> struct several {
    T sine, cosine, sine_pi, cosine_pi, digits, whole, part, rest, norm, inverse_norm, next;
    int exponent, quotient, is_infinite, is_nan, is_finite, sign;
};

__global__ void more_float(float x, several<float> *s) {
    float a[3] = {x, 2, 3};
    sincosf(x, &s->sine, &s->cosine);
    sincospif(x, &s->sine_pi, &s->cosine_pi);
    s->digits = frexpf(x, &s->exponent);
    s->part = modff(x, &s->whole);
    s->rest = remquof(x, 0.75f, &s->quotient);
    s->norm = normf(3, a);
    s->inverse_norm = rnormf(3, a);
    s->next = nextafterf(x, 9);
    s->is_infinite = isinf(x / 0);
    s->is_nan = isnan(nanf(""));
    s->is_finite = isfinite(x);
    s->sign = signbit(-x);
}

__global__ void more_double(double x, several<double> *s) {
    double a[3] = {x, 2, 3};
    sincos(x, &s->sine, &s->cosine);
    sincospi(x, &s->sine_pi, &s->cosine_pi);
    s->digits = frexp(x, &s->exponent);
    s->part = modf(x, &s->whole);
    s->rest = remquo(x, 0.75, &s->quotient);
    s->norm = norm(3, a);
    s->inverse_norm = rnorm(3, a);
    s->next = nextafter(x, 9);
    s->is_infinite = isinf(x / 0);
    s->is_nan = isnan(nan(""));
    s->is_finite = isfinite(x);
    s->sign = signbit(-x);
}

template <class T> static bool near(T got, wide e) {
    return fabs(got - e) <= (sizeof(T) == 4 ? 1e-6L : 1e-15L) * (fabs(e) + 0.1L);
}

template <class T> static void check_several(void (*kernel)(T, several<T> *)) {
    several<T> *s = shared_array<several<T>>(1);
    T x = (T)2.828125; // exact in both
    kernel<<<1, 1>>>(x, s);
    CUDA(cudaDeviceSynchronize());
    CHECK(near(s->sine, sin((wide)x)) && near(s->cosine, cos((wide)x)));
    CHECK(near(s->sine_pi, sin(pi * x)) && near(s->cosine_pi, cos(pi * x)));
    CHECK(s->digits == x / 4 && s->exponent == 2 && s->whole == 2 && s->part == x - 2);
    CHECK(s->rest == x - 4 * (T)0.75 && (s->quotient & 7) == 4);
    CHECK(near(s->norm, sqrt((wide)x * x + 13)) &&
          near(s->inverse_norm, 1 / sqrt((wide)x * x + 13)));
    CHECK(s->next > x && s->next - x == ldexp((T)1, sizeof(T) == 4 ? -22 : -51));
    CHECK(s->is_infinite && s->is_nan && s->is_finite && s->sign);
}

int main() {
    check<float>(
        "acosf", -1, 1, [] __device__(float x) { return acosf(x); },
        [](wide x, wide) -> wide { return acos(x); }, false);
    check<double>(
        "acos", -1, 1, [] __device__(double x) { return acos(x); },
        [](wide x, wide) -> wide { return acos(x); }, false);
    check<float>(
        "acoshf", 1, 40, [] __device__(float x) { return acoshf(x); },
        [](wide x, wide) -> wide { return acosh(x); }, false);
    check<double>(
        "acosh", 1, 40, [] __device__(double x) { return acosh(x); },
        [](wide x, wide) -> wide { return acosh(x); }, false);
    check<float>(
        "asinf", -1, 1, [] __device__(float x) { return asinf(x); },
        [](wide x, wide) -> wide { return asin(x); }, false);
    check<double>(
        "asin", -1, 1, [] __device__(double x) { return asin(x); },
        [](wide x, wide) -> wide { return asin(x); }, false);
    check<float>(
        "asinhf", -5, 5, [] __device__(float x) { return asinhf(x); },
        [](wide x, wide) -> wide { return asinh(x); }, false);
    check<double>(
        "asinh", -5, 5, [] __device__(double x) { return asinh(x); },
        [](wide x, wide) -> wide { return asinh(x); }, false);
    check<float>(
        "atanf", -5, 5, [] __device__(float x) { return atanf(x); },
        [](wide x, wide) -> wide { return atan(x); }, false);
    check<double>(
        "atan", -5, 5, [] __device__(double x) { return atan(x); },
        [](wide x, wide) -> wide { return atan(x); }, false);
    check<float>(
        "atanhf", -0.99, 0.99, [] __device__(float x) { return atanhf(x); },
        [](wide x, wide) -> wide { return atanh(x); }, false);
    check<double>(
        "atanh", -0.99, 0.99, [] __device__(double x) { return atanh(x); },
        [](wide x, wide) -> wide { return atanh(x); }, false);
    check<float>(
        "cbrtf", -5, 5, [] __device__(float x) { return cbrtf(x); },
        [](wide x, wide) -> wide { return cbrt(x); }, false);
    check<double>(
        "cbrt", -5, 5, [] __device__(double x) { return cbrt(x); },
        [](wide x, wide) -> wide { return cbrt(x); }, false);
    check<float>(
        "ceilf", -5, 5, [] __device__(float x) { return ceilf(x); },
        [](wide x, wide) -> wide { return ceil(x); }, false);
    check<double>(
        "ceil", -5, 5, [] __device__(double x) { return ceil(x); },
        [](wide x, wide) -> wide { return ceil(x); }, false);
    check<float>(
        "cosf", -5, 5, [] __device__(float x) { return cosf(x); },
        [](wide x, wide) -> wide { return cos(x); }, false);
    check<double>(
        "cos", -5, 5, [] __device__(double x) { return cos(x); },
        [](wide x, wide) -> wide { return cos(x); }, false);
    check<float>(
        "coshf", -9, 9, [] __device__(float x) { return coshf(x); },
        [](wide x, wide) -> wide { return cosh(x); }, false);
    check<double>(
        "cosh", -9, 9, [] __device__(double x) { return cosh(x); },
        [](wide x, wide) -> wide { return cosh(x); }, false);
    check<float>(
        "cospif", -5, 5, [] __device__(float x) { return cospif(x); },
        [](wide x, wide) -> wide { return cos(pi * x); }, false);
    check<double>(
        "cospi", -5, 5, [] __device__(double x) { return cospi(x); },
        [](wide x, wide) -> wide { return cos(pi * x); }, false);
    check<float>(
        "cyl_bessel_i0f", 0, 9, [] __device__(float x) { return cyl_bessel_i0f(x); },
        [](wide x, wide) -> wide { return bessel_i(0, x); }, false);
    check<double>(
        "cyl_bessel_i0", 0, 9, [] __device__(double x) { return cyl_bessel_i0(x); },
        [](wide x, wide) -> wide { return bessel_i(0, x); }, false);
    check<float>(
        "cyl_bessel_i1f", 0, 9, [] __device__(float x) { return cyl_bessel_i1f(x); },
        [](wide x, wide) -> wide { return bessel_i(1, x); }, false);
    check<double>(
        "cyl_bessel_i1", 0, 9, [] __device__(double x) { return cyl_bessel_i1(x); },
        [](wide x, wide) -> wide { return bessel_i(1, x); }, false);
    check<float>(
        "erff", -5, 5, [] __device__(float x) { return erff(x); },
        [](wide x, wide) -> wide { return erf(x); }, false);
    check<double>(
        "erf", -5, 5, [] __device__(double x) { return erf(x); },
        [](wide x, wide) -> wide { return erf(x); }, false);
    check<float>(
        "erfcf", -3, 4, [] __device__(float x) { return erfcf(x); },
        [](wide x, wide) -> wide { return erfc(x); }, false);
    check<double>(
        "erfc", -3, 4, [] __device__(double x) { return erfc(x); },
        [](wide x, wide) -> wide { return erfc(x); }, false);
    check<float>(
        "erfcinvf", 0.01, 1.99, [] __device__(float x) { return erfcinvf(x); },
        [](wide, wide r) { return erfc(r); }, true);
    check<double>(
        "erfcinv", 0.01, 1.99, [] __device__(double x) { return erfcinv(x); },
        [](wide, wide r) { return erfc(r); }, true);
    check<float>(
        "erfcxf", -2, 20, [] __device__(float x) { return erfcxf(x); },
        [](wide x, wide) -> wide { return scaled(x); }, false);
    check<double>(
        "erfcx", -2, 20, [] __device__(double x) { return erfcx(x); },
        [](wide x, wide) -> wide { return scaled(x); }, false);
    check<float>(
        "erfinvf", -0.99, 0.99, [] __device__(float x) { return erfinvf(x); },
        [](wide, wide r) { return erf(r); }, true);
    check<double>(
        "erfinv", -0.99, 0.99, [] __device__(double x) { return erfinv(x); },
        [](wide, wide r) { return erf(r); }, true);
    check<float>(
        "expf", -20, 20, [] __device__(float x) { return expf(x); },
        [](wide x, wide) -> wide { return exp(x); }, false);
    check<double>(
        "exp", -20, 20, [] __device__(double x) { return exp(x); },
        [](wide x, wide) -> wide { return exp(x); }, false);
    check<float>(
        "exp10f", -9, 9, [] __device__(float x) { return exp10f(x); },
        [](wide x, wide) -> wide { return pow(10.0L, x); }, false);
    check<double>(
        "exp10", -9, 9, [] __device__(double x) { return exp10(x); },
        [](wide x, wide) -> wide { return pow(10.0L, x); }, false);
    check<float>(
        "exp2f", -20, 20, [] __device__(float x) { return exp2f(x); },
        [](wide x, wide) -> wide { return exp2(x); }, false);
    check<double>(
        "exp2", -20, 20, [] __device__(double x) { return exp2(x); },
        [](wide x, wide) -> wide { return exp2(x); }, false);
    check<float>(
        "expm1f", -5, 5, [] __device__(float x) { return expm1f(x); },
        [](wide x, wide) -> wide { return expm1(x); }, false);
    check<double>(
        "expm1", -5, 5, [] __device__(double x) { return expm1(x); },
        [](wide x, wide) -> wide { return expm1(x); }, false);
    check<float>(
        "fabsf", -5, 5, [] __device__(float x) { return fabsf(x); },
        [](wide x, wide) -> wide { return fabs(x); }, false);
    check<double>(
        "fabs", -5, 5, [] __device__(double x) { return fabs(x); },
        [](wide x, wide) -> wide { return fabs(x); }, false);
    check<float>(
        "floorf", -5, 5, [] __device__(float x) { return floorf(x); },
        [](wide x, wide) -> wide { return floor(x); }, false);
    check<double>(
        "floor", -5, 5, [] __device__(double x) { return floor(x); },
        [](wide x, wide) -> wide { return floor(x); }, false);
    check<float>(
        "j0f", 0, 9, [] __device__(float x) { return j0f(x); },
        [](wide x, wide) -> wide { return j0(x); }, false);
    check<double>(
        "j0", 0, 9, [] __device__(double x) { return j0(x); },
        [](wide x, wide) -> wide { return j0(x); }, false);
    check<float>(
        "j1f", 0, 9, [] __device__(float x) { return j1f(x); },
        [](wide x, wide) -> wide { return j1(x); }, false);
    check<double>(
        "j1", 0, 9, [] __device__(double x) { return j1(x); },
        [](wide x, wide) -> wide { return j1(x); }, false);
    check<float>(
        "lgammaf", 0.1, 20, [] __device__(float x) { return lgammaf(x); },
        [](wide x, wide) -> wide { return lgamma(x); }, false);
    check<double>(
        "lgamma", 0.1, 20, [] __device__(double x) { return lgamma(x); },
        [](wide x, wide) -> wide { return lgamma(x); }, false);
    check<float>(
        "logf", 0.001, 90, [] __device__(float x) { return logf(x); },
        [](wide x, wide) -> wide { return log(x); }, false);
    check<double>(
        "log", 0.001, 90, [] __device__(double x) { return log(x); },
        [](wide x, wide) -> wide { return log(x); }, false);
    check<float>(
        "log10f", 0.001, 90, [] __device__(float x) { return log10f(x); },
        [](wide x, wide) -> wide { return log10(x); }, false);
    check<double>(
        "log10", 0.001, 90, [] __device__(double x) { return log10(x); },
        [](wide x, wide) -> wide { return log10(x); }, false);
    check<float>(
        "log1pf", -0.9, 9, [] __device__(float x) { return log1pf(x); },
        [](wide x, wide) -> wide { return log1p(x); }, false);
    check<double>(
        "log1p", -0.9, 9, [] __device__(double x) { return log1p(x); },
        [](wide x, wide) -> wide { return log1p(x); }, false);
    check<float>(
        "log2f", 0.001, 90, [] __device__(float x) { return log2f(x); },
        [](wide x, wide) -> wide { return log2(x); }, false);
    check<double>(
        "log2", 0.001, 90, [] __device__(double x) { return log2(x); },
        [](wide x, wide) -> wide { return log2(x); }, false);
    check<float>(
        "logbf", 0.01, 1000, [] __device__(float x) { return logbf(x); },
        [](wide x, wide) -> wide { return logb(x); }, false);
    check<double>(
        "logb", 0.01, 1000, [] __device__(double x) { return logb(x); },
        [](wide x, wide) -> wide { return logb(x); }, false);
    check<float>(
        "nearbyintf", -5, 5, [] __device__(float x) { return nearbyintf(x); },
        [](wide x, wide) -> wide { return nearbyint(x); }, false);
    check<double>(
        "nearbyint", -5, 5, [] __device__(double x) { return nearbyint(x); },
        [](wide x, wide) -> wide { return nearbyint(x); }, false);
    check<float>(
        "normcdff", -5, 5, [] __device__(float x) { return normcdff(x); },
        [](wide x, wide) -> wide { return erfc(-x / sqrt(2.0L)) / 2; }, false);
    check<double>(
        "normcdf", -5, 5, [] __device__(double x) { return normcdf(x); },
        [](wide x, wide) -> wide { return erfc(-x / sqrt(2.0L)) / 2; }, false);
    check<float>(
        "normcdfinvf", 0.01, 0.99, [] __device__(float x) { return normcdfinvf(x); },
        [](wide, wide r) { return erfc(-r / sqrt(2.0L)) / 2; }, true);
    check<double>(
        "normcdfinv", 0.01, 0.99, [] __device__(double x) { return normcdfinv(x); },
        [](wide, wide r) { return erfc(-r / sqrt(2.0L)) / 2; }, true);
    check<float>(
        "rcbrtf", -5, 5, [] __device__(float x) { return rcbrtf(x); },
        [](wide x, wide) -> wide { return 1 / cbrt(x); }, false);
    check<double>(
        "rcbrt", -5, 5, [] __device__(double x) { return rcbrt(x); },
        [](wide x, wide) -> wide { return 1 / cbrt(x); }, false);
    check<float>(
        "rintf", -5, 5, [] __device__(float x) { return rintf(x); },
        [](wide x, wide) -> wide { return rint(x); }, false);
    check<double>(
        "rint", -5, 5, [] __device__(double x) { return rint(x); },
        [](wide x, wide) -> wide { return rint(x); }, false);
    check<float>(
        "roundf", -5, 5, [] __device__(float x) { return roundf(x); },
        [](wide x, wide) -> wide { return round(x); }, false);
    check<double>(
        "round", -5, 5, [] __device__(double x) { return round(x); },
        [](wide x, wide) -> wide { return round(x); }, false);
    check<float>(
        "rsqrtf", 0.01, 99, [] __device__(float x) { return rsqrtf(x); },
        [](wide x, wide) -> wide { return 1 / sqrt(x); }, false);
    check<double>(
        "rsqrt", 0.01, 99, [] __device__(double x) { return rsqrt(x); },
        [](wide x, wide) -> wide { return 1 / sqrt(x); }, false);
    check<float>(
        "sinf", -5, 5, [] __device__(float x) { return sinf(x); },
        [](wide x, wide) -> wide { return sin(x); }, false);
    check<double>(
        "sin", -5, 5, [] __device__(double x) { return sin(x); },
        [](wide x, wide) -> wide { return sin(x); }, false);
    check<float>(
        "sinhf", -9, 9, [] __device__(float x) { return sinhf(x); },
        [](wide x, wide) -> wide { return sinh(x); }, false);
    check<double>(
        "sinh", -9, 9, [] __device__(double x) { return sinh(x); },
        [](wide x, wide) -> wide { return sinh(x); }, false);
    check<float>(
        "sinpif", -5, 5, [] __device__(float x) { return sinpif(x); },
        [](wide x, wide) -> wide { return sin(pi * x); }, false);
    check<double>(
        "sinpi", -5, 5, [] __device__(double x) { return sinpi(x); },
        [](wide x, wide) -> wide { return sin(pi * x); }, false);
    check<float>(
        "sqrtf", 0, 99, [] __device__(float x) { return sqrtf(x); },
        [](wide x, wide) -> wide { return sqrt(x); }, false);
    check<double>(
        "sqrt", 0, 99, [] __device__(double x) { return sqrt(x); },
        [](wide x, wide) -> wide { return sqrt(x); }, false);
    check<float>(
        "tanf", -5, 5, [] __device__(float x) { return tanf(x); },
        [](wide x, wide) -> wide { return tan(x); }, false);
    check<double>(
        "tan", -5, 5, [] __device__(double x) { return tan(x); },
        [](wide x, wide) -> wide { return tan(x); }, false);
    check<float>(
        "tanhf", -5, 5, [] __device__(float x) { return tanhf(x); },
        [](wide x, wide) -> wide { return tanh(x); }, false);
    check<double>(
        "tanh", -5, 5, [] __device__(double x) { return tanh(x); },
        [](wide x, wide) -> wide { return tanh(x); }, false);
    check<float>(
        "tgammaf", 0.1, 9, [] __device__(float x) { return tgammaf(x); },
        [](wide x, wide) -> wide { return tgamma(x); }, false);
    check<double>(
        "tgamma", 0.1, 9, [] __device__(double x) { return tgamma(x); },
        [](wide x, wide) -> wide { return tgamma(x); }, false);
    check<float>(
        "truncf", -5, 5, [] __device__(float x) { return truncf(x); },
        [](wide x, wide) -> wide { return trunc(x); }, false);
    check<double>(
        "trunc", -5, 5, [] __device__(double x) { return trunc(x); },
        [](wide x, wide) -> wide { return trunc(x); }, false);
    check<float>(
        "y0f", 0.1, 9, [] __device__(float x) { return y0f(x); },
        [](wide x, wide) -> wide { return y0(x); }, false);
    check<double>(
        "y0", 0.1, 9, [] __device__(double x) { return y0(x); },
        [](wide x, wide) -> wide { return y0(x); }, false);
    check<float>(
        "y1f", 0.1, 9, [] __device__(float x) { return y1f(x); },
        [](wide x, wide) -> wide { return y1(x); }, false);
    check<double>(
        "y1", 0.1, 9, [] __device__(double x) { return y1(x); },
        [](wide x, wide) -> wide { return y1(x); }, false);
    check<float>(
        "atan2f", -5, 5, [] __device__(float x) { return (float)atan2f(x, 2); },
        [](wide x, wide) -> wide { return atan2(x, 2.0L); }, false);
    check<double>(
        "atan2", -5, 5, [] __device__(double x) { return (double)atan2(x, 2); },
        [](wide x, wide) -> wide { return atan2(x, 2.0L); }, false);
    check<float>(
        "copysignf", -5, 5, [] __device__(float x) { return (float)copysignf(3, x); },
        [](wide x, wide) -> wide { return copysign(3.0L, x); }, false);
    check<double>(
        "copysign", -5, 5, [] __device__(double x) { return (double)copysign(3, x); },
        [](wide x, wide) -> wide { return copysign(3.0L, x); }, false);
    check<float>(
        "fdimf", -5, 5, [] __device__(float x) { return (float)fdimf(x, 1); },
        [](wide x, wide) -> wide { return fdim(x, 1.0L); }, false);
    check<double>(
        "fdim", -5, 5, [] __device__(double x) { return (double)fdim(x, 1); },
        [](wide x, wide) -> wide { return fdim(x, 1.0L); }, false);
    check<float>(
        "fmaxf", -5, 5, [] __device__(float x) { return (float)fmaxf(x, 1); },
        [](wide x, wide) -> wide { return fmax(x, 1.0L); }, false);
    check<double>(
        "fmax", -5, 5, [] __device__(double x) { return (double)fmax(x, 1); },
        [](wide x, wide) -> wide { return fmax(x, 1.0L); }, false);
    check<float>(
        "fminf", -5, 5, [] __device__(float x) { return (float)fminf(x, 1); },
        [](wide x, wide) -> wide { return fmin(x, 1.0L); }, false);
    check<double>(
        "fmin", -5, 5, [] __device__(double x) { return (double)fmin(x, 1); },
        [](wide x, wide) -> wide { return fmin(x, 1.0L); }, false);
    check<float>(
        "fmodf", -5, 5, [] __device__(float x) { return (float)fmodf(x, 3); },
        [](wide x, wide) -> wide { return fmod(x, 3.0L); }, false);
    check<double>(
        "fmod", -5, 5, [] __device__(double x) { return (double)fmod(x, 3); },
        [](wide x, wide) -> wide { return fmod(x, 3.0L); }, false);
    check<float>(
        "hypotf", -5, 5, [] __device__(float x) { return (float)hypotf(x, 3); },
        [](wide x, wide) -> wide { return hypot(x, 3.0L); }, false);
    check<double>(
        "hypot", -5, 5, [] __device__(double x) { return (double)hypot(x, 3); },
        [](wide x, wide) -> wide { return hypot(x, 3.0L); }, false);
    check<float>(
        "powf", -5, 5, [] __device__(float x) { return (float)powf(x + 6, 3); },
        [](wide x, wide) -> wide { return pow(x + 6, 3.0L); }, false);
    check<double>(
        "pow", -5, 5, [] __device__(double x) { return (double)pow(x + 6, 3); },
        [](wide x, wide) -> wide { return pow(x + 6, 3.0L); }, false);
    check<float>(
        "remainderf", -5, 5, [] __device__(float x) { return (float)remainderf(x, 3); },
        [](wide x, wide) -> wide { return remainder(x, 3.0L); }, false);
    check<double>(
        "remainder", -5, 5, [] __device__(double x) { return (double)remainder(x, 3); },
        [](wide x, wide) -> wide { return remainder(x, 3.0L); }, false);
    check<float>(
        "rhypotf", -5, 5, [] __device__(float x) { return (float)rhypotf(x, 3); },
        [](wide x, wide) -> wide { return 1 / hypot(x, 3.0L); }, false);
    check<double>(
        "rhypot", -5, 5, [] __device__(double x) { return (double)rhypot(x, 3); },
        [](wide x, wide) -> wide { return 1 / hypot(x, 3.0L); }, false);
    check<float>(
        "ldexpf", -5, 5, [] __device__(float x) { return (float)ldexpf(x, 3); },
        [](wide x, wide) -> wide { return x * 8; }, false);
    check<double>(
        "ldexp", -5, 5, [] __device__(double x) { return (double)ldexp(x, 3); },
        [](wide x, wide) -> wide { return x * 8; }, false);
    check<float>(
        "scalbnf", -5, 5, [] __device__(float x) { return (float)scalbnf(x, -2); },
        [](wide x, wide) -> wide { return x / 4; }, false);
    check<double>(
        "scalbn", -5, 5, [] __device__(double x) { return (double)scalbn(x, -2); },
        [](wide x, wide) -> wide { return x / 4; }, false);
    check<float>(
        "scalblnf", -5, 5, [] __device__(float x) { return (float)scalblnf(x, 4); },
        [](wide x, wide) -> wide { return x * 16; }, false);
    check<double>(
        "scalbln", -5, 5, [] __device__(double x) { return (double)scalbln(x, 4); },
        [](wide x, wide) -> wide { return x * 16; }, false);
    check<float>(
        "jnf", -5, 5, [] __device__(float x) { return (float)jnf(2, x + 6); },
        [](wide x, wide) -> wide { return jn(2, x + 6); }, false);
    check<double>(
        "jn", -5, 5, [] __device__(double x) { return (double)jn(2, x + 6); },
        [](wide x, wide) -> wide { return jn(2, x + 6); }, false);
    check<float>(
        "ynf", -5, 5, [] __device__(float x) { return (float)ynf(2, x + 6); },
        [](wide x, wide) -> wide { return yn(2, x + 6); }, false);
    check<double>(
        "yn", -5, 5, [] __device__(double x) { return (double)yn(2, x + 6); },
        [](wide x, wide) -> wide { return yn(2, x + 6); }, false);
    check<float>(
        "fmaf", -5, 5, [] __device__(float x) { return (float)fmaf(x, 3, 2); },
        [](wide x, wide) -> wide { return x * 3 + 2; }, false);
    check<double>(
        "fma", -5, 5, [] __device__(double x) { return (double)fma(x, 3, 2); },
        [](wide x, wide) -> wide { return x * 3 + 2; }, false);
    check<float>(
        "ilogbf", -5, 5, [] __device__(float x) { return (float)ilogbf(x + 6); },
        [](wide x, wide) -> wide { return ilogb(x + 6); }, false);
    check<double>(
        "ilogb", -5, 5, [] __device__(double x) { return (double)ilogb(x + 6); },
        [](wide x, wide) -> wide { return ilogb(x + 6); }, false);
    check<float>(
        "llrintf", -5, 5, [] __device__(float x) { return (float)llrintf(x); },
        [](wide x, wide) -> wide { return llrint(x); }, false);
    check<double>(
        "llrint", -5, 5, [] __device__(double x) { return (double)llrint(x); },
        [](wide x, wide) -> wide { return llrint(x); }, false);
    check<float>(
        "llroundf", -5, 5, [] __device__(float x) { return (float)llroundf(x); },
        [](wide x, wide) -> wide { return llround(x); }, false);
    check<double>(
        "llround", -5, 5, [] __device__(double x) { return (double)llround(x); },
        [](wide x, wide) -> wide { return llround(x); }, false);
    check<float>(
        "lrintf", -5, 5, [] __device__(float x) { return (float)lrintf(x); },
        [](wide x, wide) -> wide { return lrint(x); }, false);
    check<double>(
        "lrint", -5, 5, [] __device__(double x) { return (double)lrint(x); },
        [](wide x, wide) -> wide { return lrint(x); }, false);
    check<float>(
        "lroundf", -5, 5, [] __device__(float x) { return (float)lroundf(x); },
        [](wide x, wide) -> wide { return lround(x); }, false);
    check<double>(
        "lround", -5, 5, [] __device__(double x) { return (double)lround(x); },
        [](wide x, wide) -> wide { return lround(x); }, false);
    check<float>(
        "norm3df", -5, 5, [] __device__(float x) { return (float)norm3df(x, 2, 3); },
        [](wide x, wide) -> wide { return sqrt(x * x + 13); }, false);
    check<double>(
        "norm3d", -5, 5, [] __device__(double x) { return (double)norm3d(x, 2, 3); },
        [](wide x, wide) -> wide { return sqrt(x * x + 13); }, false);
    check<float>(
        "norm4df", -5, 5, [] __device__(float x) { return (float)norm4df(x, 2, 3, 4); },
        [](wide x, wide) -> wide { return sqrt(x * x + 29); }, false);
    check<double>(
        "norm4d", -5, 5, [] __device__(double x) { return (double)norm4d(x, 2, 3, 4); },
        [](wide x, wide) -> wide { return sqrt(x * x + 29); }, false);
    check<float>(
        "rnorm3df", -5, 5, [] __device__(float x) { return (float)rnorm3df(x, 2, 3); },
        [](wide x, wide) -> wide { return 1 / sqrt(x * x + 13); }, false);
    check<double>(
        "rnorm3d", -5, 5, [] __device__(double x) { return (double)rnorm3d(x, 2, 3); },
        [](wide x, wide) -> wide { return 1 / sqrt(x * x + 13); }, false);
    check<float>(
        "rnorm4df", -5, 5, [] __device__(float x) { return (float)rnorm4df(x, 2, 3, 4); },
        [](wide x, wide) -> wide { return 1 / sqrt(x * x + 29); }, false);
    check<double>(
        "rnorm4d", -5, 5, [] __device__(double x) { return (double)rnorm4d(x, 2, 3, 4); },
        [](wide x, wide) -> wide { return 1 / sqrt(x * x + 29); }, false);
    check_several<float>(more_float);
    check_several<double>(more_double);
    return failures != 0;
}
