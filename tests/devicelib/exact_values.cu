// Where mathematics gives a number that the type has, or C99's Annex F says what a function of
// zeros and infinities is, the functions return it: in float, double, __half and __nv_bfloat16, on
// the device, and on the host what the headers define there. Expected values are integers, powers
// of two and their like, written or made by exact arithmetic.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

static const double inf = INFINITY, nan_ = NAN;
static int failures;

// Up to four arguments and the result. A row whose numbers a type lacks is not for that type.
struct row {
    std::array<double, 4> x;
    double result;
};
typedef std::vector<row> rows;

static row of(double x, double r) {
    return {{x, 0, 0, 0}, r};
}
static row of(double x, double y, double r) {
    return {{x, y, 0, 0}, r};
}
static row of(double x, double y, double z, double r) {
    return {{x, y, z, 0}, r};
}
static row of(double x, double y, double z, double w, double r) {
    return {{x, y, z, w}, r};
}

template <class T> double wide(T x) {
    return (double)x;
}
template <class T> T narrow(double x) {
    return (T)x;
}
template <> double wide(__half x) {
    return __half2float(x);
}
template <> __half narrow(double x) {
    return __double2half(x);
}
template <> double wide(__nv_bfloat16 x) {
    return __bfloat162float(x);
}
template <> __nv_bfloat16 narrow(double x) {
    return __double2bfloat16(x);
}

template <class T> static bool fits(const row &r) {
    for (int i = 0; i < 5; i++) {
        double x = i < 4 ? r.x[i] : r.result;
        if (x == x && wide(narrow<T>(x)) != x)
            return false;
    }
    return true;
}

static bool same(double a, double b) {
    return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class F, class T> __global__ void apply(const T *in, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = F::of(in[4 * i], in[4 * i + 1], in[4 * i + 2], in[4 * i + 3]);
}

static void fail(const char *where, const char *name, const row &r, double got) {
    static const char *last;
    static int shown;
    shown = last == name ? shown + 1 : 0;
    last = name;
    failures++;
    if (shown < 8)
        printf("FAIL %s %s(%a, %a, %a, %a) is %a, not %a\n", where, name, r.x[0], r.x[1], r.x[2],
               r.x[3], got, r.result);
}

template <class T> static T *memory(size_t n) {
    static void *last; // one list after the other
    cudaFree(last);
    cudaMallocManaged(&last, n * sizeof(T) + 64);
    return (T *)last;
}

// What does not depend on the function is no template of it: four hundred copies take half a minute
// to compile.
template <class T> struct arguments {
    rows some;
    int n;
    T *in, *out;
};

template <class T> __attribute__((noinline)) static arguments<T> prepare(const rows &all) {
    arguments<T> a = {};
    for (const row &r : all)
        if (fits<T>(r))
            a.some.push_back(r);
    a.n = (int)a.some.size();
    a.in = memory<T>(5 * a.some.size());
    a.out = a.in + 4 * a.n;
    for (int i = 0; i < 4 * a.n; i++)
        a.in[i] = narrow<T>(a.some[i / 4].x[i % 4]);
    return a;
}

template <class T>
__attribute__((noinline)) static bool check(const char *type, const char *name,
                                            const arguments<T> &a) {
    cudaError_t error = cudaDeviceSynchronize();
    if (error) {
        printf("FAIL %s: %s\n", name, cudaGetErrorString(error));
        failures++;
        return false;
    }
    for (int i = 0; i < a.n; i++)
        if (!same(wide(a.out[i]), a.some[i].result))
            fail(type, name, a.some[i], wide(a.out[i]));
    return true;
}

template <class T>
__attribute__((noinline)) static void check_host(const char *name, const arguments<T> &a,
                                                 T (*function)(T, T, T, T)) {
    for (int i = 0; i < a.n; i++) {
        const T *in = a.in + 4 * i;
        double got = wide(function(in[0], in[1], in[2], in[3]));
        if (!same(got, a.some[i].result))
            fail("host's", name, a.some[i], got);
    }
}

template <class F, class T, bool host>
static void run(const char *type, const char *name, const rows &all) {
    arguments<T> a = prepare<T>(all);
    apply<F, T><<<(a.n + 63) / 64, 64>>>(a.in, a.out, a.n);
    if (check(type, name, a))
        if constexpr (host)
            check_host<T>(name, a, &F::template of<T>);
}

// A function of numbers x, y, z, w of the type T.
#define FUNCTION(name, expression)                                                                 \
    struct name##_of {                                                                             \
        template <class T> __host__ __device__ static T of(T x, T y, T z, T w) {                   \
            (void)x, (void)y, (void)z, (void)w;                                                    \
            return expression;                                                                     \
        }                                                                                          \
    };
#define SAME(name) FUNCTION(name, name(x))
#define SAME2(name) FUNCTION(name, name(x, y))
SAME(sin)
SAME(cos) SAME(tan) SAME(asin) SAME(acos) SAME(atan) SAME(sinh) SAME(cosh) SAME(tanh) SAME(asinh)
    SAME(acosh) SAME(atanh) SAME(exp) SAME(exp2) SAME(exp10) SAME(expm1) SAME(log) SAME(log2)
        SAME(log10) SAME(log1p) SAME(cbrt) SAME(rcbrt) SAME(sqrt) SAME(rsqrt) SAME(erf) SAME(erfc)
            SAME(erfcx) SAME(erfinv) SAME(erfcinv) SAME(normcdf) SAME(normcdfinv) SAME(tgamma)
                SAME(lgamma) SAME(j0) SAME(j1) SAME(y0) SAME(y1) SAME(cyl_bessel_i0)
                    SAME(cyl_bessel_i1) SAME(sinpi) SAME(cospi) SAME(logb) SAME(floor) SAME(ceil)
                        SAME(trunc) SAME(round) SAME(rint) SAME(nearbyint) SAME2(atan2) SAME2(pow)
                            SAME2(hypot) SAME2(rhypot) SAME2(fmod) SAME2(remainder) SAME2(fmin)
                                SAME2(fmax) SAME2(fdim) SAME2(nextafter) SAME2(copysign)
                                    FUNCTION(norm3d, norm3d(x, y, z)) FUNCTION(rnorm3d,
                                                                               rnorm3d(x, y, z))
                                        FUNCTION(norm4d, norm4d(x, y, z, w))
                                            FUNCTION(rnorm4d, rnorm4d(x, y, z, w))
                                                FUNCTION(fma, fma(x, y, z)) FUNCTION(jn,
                                                                                     jn((int)x, y))
                                                    FUNCTION(yn, yn((int)x, y))
                                                        FUNCTION(powi, pow(x, (int)y))
                                                            FUNCTION(ldexp, ldexp(x, (int)y))
                                                                FUNCTION(scalbn, scalbn(x, (int)y))

                                                                    __host__ __device__
    double norm_of_three(double x, double y, double z) {
    double t[3] = {x, y, z};
    return norm(3, t);
}
__host__ __device__ float norm_of_three(float x, float y, float z) {
    float t[3] = {x, y, z};
    return normf(3, t);
}
__host__ __device__ double rnorm_of_three(double x, double y, double z) {
    double t[3] = {x, y, z};
    return rnorm(3, t);
}
__host__ __device__ float rnorm_of_three(float x, float y, float z) {
    float t[3] = {x, y, z};
    return rnormf(3, t);
}
FUNCTION(norm, norm_of_three(x, y, z))
FUNCTION(rnorm, rnorm_of_three(x, y, z))

    __host__ __device__ float sincos_part(float x, bool cosine) {
    float s, c;
    sincosf(x, &s, &c);
    return cosine ? c : s;
}
__host__ __device__ double sincos_part(double x, bool cosine) {
    double s, c;
    sincos(x, &s, &c);
    return cosine ? c : s;
}
__host__ __device__ float sincospi_part(float x, bool cosine) {
    float s, c;
    sincospif(x, &s, &c);
    return cosine ? c : s;
}
__host__ __device__ double sincospi_part(double x, bool cosine) {
    double s, c;
    sincospi(x, &s, &c);
    return cosine ? c : s;
}
FUNCTION(sin_of_sincos, sincos_part(x, false))
FUNCTION(cos_of_sincos, sincos_part(x, true)) FUNCTION(sin_of_sincospi, sincospi_part(x, false))
    FUNCTION(cos_of_sincospi, sincospi_part(x, true))

    // The same in names of their own: the standard's and C's of floats.
    FUNCTION(std_cos, std::cos(x)) FUNCTION(std_exp2, std::exp2(x))
        FUNCTION(std_pow, std::pow(x, y)) FUNCTION(std_cbrt, std::cbrt(x))
            FUNCTION(std_hypot, std::hypot(x, y)) FUNCTION(std_log2, std::log2(x))

// Of halves, on the device alone.
#define HALF(name, expression)                                                                     \
    struct name##_of {                                                                             \
        template <class T> __device__ static T of(T x, T y, T z, T w) {                            \
            (void)x, (void)y, (void)z, (void)w;                                                    \
            return expression;                                                                     \
        }                                                                                          \
    };
                __device__ __half2 both(__half low, __half high) {
    return __halves2half2(low, high);
}
__device__ __nv_bfloat162 both(__nv_bfloat16 low, __nv_bfloat16 high) {
    return __halves2bfloat162(low, high);
}
template <class V> __device__ auto high_of(V v) {
    return v.y;
}
template <class V> __device__ auto low_of(V v) {
    return v.x;
}
#define HALF1(name)                                                                                \
    HALF(h##name, h##name(x))                                                                      \
    HALF(h2##name, high_of(h2##name(both(y, x)))) HALF(h2l##name, low_of(h2##name(both(x, y))))
HALF1(sin)
HALF1(cos) HALF1(exp) HALF1(exp2) HALF1(exp10) HALF1(log) HALF1(log2) HALF1(log10) HALF1(sqrt)
    HALF1(rsqrt) HALF1(rcp) HALF1(floor) HALF1(ceil) HALF1(trunc) HALF1(rint) HALF1(tanh)
        HALF(hadd, __hadd(x, y)) HALF(hsub, __hsub(x, y)) HALF(hmul, __hmul(x, y)) HALF(
            hfma, __hfma(x, y, z)) HALF(hdiv, __hdiv(x, y)) HALF(hfma_relu, __hfma_relu(x, y, z))
            HALF(hfma_sat, __hfma_sat(x, y, z)) HALF(hadd_sat, __hadd_sat(x, y))
                HALF(hmax, __hmax(x, y)) HALF(hmin, __hmin(x, y)) HALF(hmax_nan, __hmax_nan(x, y))
                    HALF(hmin_nan, __hmin_nan(x, y))
                        HALF(hfma2_relu, high_of(__hfma2_relu(both(y, x), both(x, y), both(x, z))))
                            HALF(hneg, __hneg(x)) HALF(habs, __habs(x))

// Fast functions (17.2): floats on the device.
#define FAST(name, expression)                                                                     \
    struct name##_of {                                                                             \
        template <class T> __device__ static float of(float x, float y, float z, float w) {        \
            return expression;                                                                     \
        }                                                                                          \
        __device__ static float of(float x, float y, float z, float w) {                           \
            (void)x, (void)y, (void)z, (void)w;                                                    \
            return expression;                                                                     \
        }                                                                                          \
        __host__ static float of(double, double, double, double);                                  \
    };
                                FAST(fast_sin, __sinf(x)) FAST(fast_cos, __cosf(x))
                                    FAST(fast_tan, __tanf(x)) FAST(fast_exp, __expf(x))
                                        FAST(fast_exp10, __exp10f(x)) FAST(fast_log, __logf(x))
                                            FAST(fast_log2, __log2f(x))
                                                FAST(fast_log10, __log10f(x))
                                                    FAST(fast_pow, __powf(x, y))
                                                        FAST(fast_divide, __fdividef(x, y))
                                                            FAST(saturate, __saturatef(x))
                                                                FAST(rcp_rn, __frcp_rn(x))
                                                                    FAST(rsqrt_rn, __frsqrt_rn(x))
                                                                        FAST(sqrt_rn, __fsqrt_rn(x))

    // DEVICE_ALONE: the host has the C library's, or rounds its own way.
    enum {
        HOST = 1,
        DEVICE_ALONE = 0
    };

#define RUN(name, list, host)                                                                      \
    do {                                                                                           \
        const rows all_rows = list;                                                                \
        run<name##_of, double, host>("double", #name, all_rows);                                   \
        run<name##_of, float, host>("float", #name, all_rows);                                     \
    } while (0)
#define RUN_HALF(name, list)                                                                       \
    do {                                                                                           \
        const rows all_rows = list;                                                                \
        run<name##_of, __half, false>("half", #name, all_rows);                                    \
        run<name##_of, __nv_bfloat16, false>("bfloat16", #name, all_rows);                         \
    } while (0)
#define RUN_HALF1(name, list)                                                                      \
    do {                                                                                           \
        RUN_HALF(h##name, list);                                                                   \
        RUN_HALF(h2##name, list);                                                                  \
        RUN_HALF(h2l##name, list);                                                                 \
    } while (0)

static rows operator+(rows a, const rows &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// Odd functions that keep small numbers' signs.
static rows odd_at_zero() {
    return {of(0, 0), of(-0.0, -0.0), of(nan_, nan_)};
}

static rows powers_of_two(double (*value)(double), double step) {
    rows r;
    for (double e = -1074; e <= 1023; e++)
        if (std::fmod(e, step) == 0)
            r.push_back(of(std::ldexp(1.0, (int)e), value(e / step)));
    return r;
}

static void trigonometry() {
    rows sine = odd_at_zero() + rows{of(inf, nan_), of(-inf, nan_)};
    rows cosine = {of(0, 1), of(-0.0, 1), of(inf, nan_), of(-inf, nan_), of(nan_, nan_)};
    rows cosine_pi = cosine;
    for (int e = -1074; e <= -27; e++) // what the cosine leaves out is less than half a unit
        for (double sign : {1.0, -1.0}) {
            cosine.push_back(of(std::ldexp(sign, e), 1));
            cosine_pi.push_back(of(std::ldexp(sign, e - 2), 1));
        }
    RUN(sin, sine, HOST);
    RUN(tan, sine, HOST);
    RUN(cos, cosine, HOST);
    RUN(std_cos, cosine, HOST);
    RUN(sin_of_sincos, sine, HOST);
    RUN(cos_of_sincos, cosine, HOST);
    RUN(asin, (odd_at_zero() + rows{of(2, nan_), of(-inf, nan_)}), HOST);
    RUN(acos, (rows{of(1, 0), of(-2, nan_), of(inf, nan_), of(nan_, nan_)}), HOST);
    RUN(atan, odd_at_zero(), HOST);
    RUN(atan2,
        (rows{of(0, 1, 0), of(-0.0, 1, -0.0), of(0, 0, 0), of(-0.0, 0, -0.0), of(3, inf, 0),
              of(-3, inf, -0.0), of(0, inf, 0), of(nan_, 1, nan_), of(1, nan_, nan_)}),
        HOST);
    rows sinpi_rows = sine, cospi_rows = cosine_pi;
    for (int n = -4000; n <= 4000; n++) {
        double x = n / 2.0;
        int q = ((n % 4) + 4) % 4;
        sinpi_rows.push_back(of(x, q == 1                                 ? 1
                                   : q == 3                               ? -1
                                   : n < 0 || (n == 0 && std::signbit(x)) ? -0.0
                                                                          : 0.0));
        cospi_rows.push_back(of(x, q == 0 ? 1 : q == 2 ? -1 : 0));
    }
    for (double x : {0x1p23, 0x1p24, 0x1p30, 0x1p52, 0x1p53, 0x1p60, 0x1p127, 0x1p1000}) {
        sinpi_rows.push_back(of(x, 0));
        sinpi_rows.push_back(of(-x, -0.0));
        cospi_rows.push_back(of(x, 1));
        cospi_rows.push_back(of(-x, 1));
    }
    cospi_rows.push_back(of(0x1p23 - 1, -1));
    cospi_rows.push_back(of(0x1p53 - 1, -1));
    sinpi_rows.push_back(of(0x1p22 + 0.5, 1));
    RUN(sinpi, sinpi_rows, HOST);
    RUN(cospi, cospi_rows, HOST);
    RUN(sin_of_sincospi, sinpi_rows, HOST);
    RUN(cos_of_sincospi, cospi_rows, HOST);
}

static void hyperbolic() {
    rows infinite = {of(inf, inf), of(-inf, -inf)};
    RUN(sinh, (odd_at_zero() + infinite + rows{of(1e5, inf), of(-1e5, -inf)}), HOST);
    RUN(cosh,
        (rows{of(0, 1), of(-0.0, 1), of(0x1p-30, 1), of(inf, inf), of(-inf, inf), of(nan_, nan_),
              of(-100000, inf)}),
        HOST);
    RUN(tanh,
        (odd_at_zero() + rows{of(inf, 1), of(-inf, -1), of(50, 1), of(-100, -1), of(0x1p100, 1)}),
        HOST);
    RUN(asinh, (odd_at_zero() + infinite), HOST);
    RUN(acosh, (rows{of(1, 0), of(inf, inf), of(0.5, nan_), of(-1, nan_), of(nan_, nan_)}), HOST);
    RUN(atanh, (odd_at_zero() + rows{of(1, inf), of(-1, -inf), of(2, nan_), of(inf, nan_)}), HOST);
}

static void exponentials() {
    rows base = {of(0, 1),       of(-0.0, 1),     of(inf, inf),  of(-inf, 0),
                 of(nan_, nan_), of(100000, inf), of(-100000, 0)};
    rows two = base, ten = base;
    for (int n = -1074; n <= 1023; n++)
        two.push_back(of(n, std::ldexp(1.0, n)));
    two.push_back(of(1024, inf));
    two.push_back(of(-1076, 0));
    double power = 1;
    for (int n = 1; n <= 22; n++)
        ten.push_back(of(n, power *= 10));
    ten.push_back(of(309, inf));
    RUN(exp, base, HOST);
    RUN(exp2, two, HOST);
    RUN(std_exp2, two, HOST);
    RUN(exp10, ten, DEVICE_ALONE);
    RUN(expm1, (odd_at_zero() + rows{of(inf, inf), of(-inf, -1), of(-100, -1), of(100000, inf)}),
        HOST);
}

static double itself(double e) {
    return e;
}

static void logarithms() {
    rows base = {of(1, 0),       of(0, -inf),  of(-0.0, -inf), of(-1, nan_),
                 of(-inf, nan_), of(inf, inf), of(nan_, nan_)};
    rows ten = base;
    double power = 1;
    for (int n = 1; n <= 22; n++)
        ten.push_back(of(power *= 10, n));
    RUN(log, base, HOST);
    RUN(log2, base + powers_of_two(itself, 1), HOST);
    RUN(std_log2, base + powers_of_two(itself, 1), HOST);
    RUN(log10, ten, HOST);
    RUN(log1p, (odd_at_zero() + rows{of(-1, -inf), of(-2, nan_), of(inf, inf)}), HOST);
    RUN(logb, powers_of_two(itself, 1), HOST);
}

static double power_of_two(double e) {
    return std::ldexp(1.0, (int)e);
}
static double inverse_power(double e) {
    return std::ldexp(1.0, -(int)e);
}

static void roots() {
    rows square = {of(0, 0), of(-0.0, -0.0), of(inf, inf), of(-1, nan_), of(nan_, nan_)};
    rows cube = odd_at_zero() + rows{of(inf, inf), of(-inf, -inf)};
    for (double n = 1; n <= 4096; n++) {
        square.push_back(of(n * n, n));
        square.push_back(of(n * n * 0x1p-40, n * 0x1p-20));
        cube.push_back(of(n * n * n, n));
        cube.push_back(of(-n * n * n, -n));
        cube.push_back(of(n * n * n * 0x1p-60, n * 0x1p-20));
    }
    for (double n = 60000; n < 208000; n += 97)
        cube.push_back(of(n * n * n, n));
    for (double n = 90000000; n < 94000000; n += 33333)
        square.push_back(of(n * n, n));
    cube = cube + powers_of_two(power_of_two, 3);
    RUN(sqrt, square + powers_of_two(power_of_two, 2), HOST);
    RUN(cbrt, cube, DEVICE_ALONE);
    RUN(std_cbrt, cube, DEVICE_ALONE);
    RUN(rsqrt,
        (powers_of_two(inverse_power, 2) +
         rows{of(0, inf), of(-0.0, -inf), of(inf, 0), of(-1, nan_), of(nan_, nan_)}),
        HOST);
    RUN(rcbrt,
        (powers_of_two(inverse_power, 3) + rows{of(0, inf), of(-0.0, -inf), of(inf, 0),
                                                of(-inf, -0.0), of(-8, -0.5), of(nan_, nan_)}),
        HOST);

    static const double triples[][3] = {
        {3, 4, 5},    {5, 12, 13},     {8, 15, 17},     {7, 24, 25},        {20, 21, 29},
        {9, 40, 41},  {119, 120, 169}, {696, 697, 985}, {4059, 4060, 5741}, {0, 7, 7},
        {11, 60, 61}, {12, 35, 37},    {28, 45, 53}};
    rows plane = {of(inf, nan_, inf), of(nan_, -inf, inf), of(nan_, 1, nan_), of(1, nan_, nan_),
                  of(0, 0, 0),        of(-0.0, -0.0, 0),   of(-inf, 3, inf)};
    for (auto &t : triples)
        for (int e : {0, 1, -1, 40, -40, 100, -100, -130, 110, 500, -500, 1000, -1040}) {
            double s = std::ldexp(1.0, e);
            plane.push_back(of(t[0] * s, t[1] * s, t[2] * s));
            plane.push_back(of(-t[1] * s, t[0] * s, t[2] * s));
        }
    RUN(hypot, plane, HOST);
    RUN(std_hypot, plane, HOST);
    rows inverse = {of(inf, nan_, 0), of(nan_, -inf, 0), of(nan_, 1, nan_), of(0, 0, inf),
                    of(inf, 0, 0)},
         inverse3, inverse4;
    for (int e = -1022; e <= 1022; e++) {
        double s = std::ldexp(1.0, e), i = std::ldexp(1.0, -e);
        inverse.push_back(of(s, 0, i));
        inverse.push_back(of(0, -s, i));
        inverse3.push_back(of(0, s, 0, i));
        inverse4.push_back(of(s, -s, s, s, i / 2));
        inverse4.push_back(of(0, 0, s, 0, i));
    }
    RUN(rhypot, inverse, HOST);
    static const double boxes[][4] = {{1, 2, 2, 3},   {2, 3, 6, 7},   {1, 4, 8, 9},
                                      {4, 4, 7, 9},   {2, 6, 9, 11},  {6, 6, 7, 11},
                                      {3, 4, 12, 13}, {2, 5, 14, 15}, {0, 0, 5, 5}};
    rows space = {of(inf, nan_, 1, inf), of(nan_, 1, 1, nan_), of(0, 0, 0, 0),
                  of(1, nan_, -inf, inf)};
    for (auto &b : boxes)
        for (int e : {0, 3, 100, -100, -140, 120, 900, -1000}) {
            double s = std::ldexp(1.0, e);
            space.push_back(of(b[0] * s, -b[1] * s, b[2] * s, b[3] * s));
            space.push_back(of(b[2] * s, b[0] * s, b[1] * s, b[3] * s));
        }
    RUN(norm3d, space, HOST);
    RUN(norm, space, HOST);
    RUN(rnorm3d, inverse3, HOST);
    RUN(rnorm, inverse3, HOST);
    static const double four[][5] = {{1, 1, 1, 1, 2}, {2, 4, 5, 6, 9}, {1, 2, 2, 4, 5},
                                     {1, 1, 3, 5, 6}, {0, 0, 3, 4, 5}, {4, 5, 8, 8, 13}};
    rows hyper = {of(inf, nan_, 1, 1, inf), of(nan_, 1, 1, 1, nan_), of(0, 0, 0, 0, 0)};
    for (auto &b : four)
        for (int e : {0, 3, 100, -100, -140, 120, 900, -1000}) {
            double s = std::ldexp(1.0, e);
            hyper.push_back(of(b[0] * s, -b[1] * s, b[2] * s, b[3] * s, b[4] * s));
            hyper.push_back(of(b[3] * s, b[2] * s, b[0] * s, b[1] * s, b[4] * s));
        }
    RUN(norm4d, hyper, HOST);
    RUN(rnorm4d, inverse4, HOST);
}

static void powers() {
    rows r = {of(nan_, 0, 1),         of(nan_, -0.0, 1),
              of(1, nan_, 1),         of(1, inf, 1),
              of(1, -inf, 1),         of(-1, inf, 1),
              of(-1, -inf, 1),        of(nan_, 1, nan_),
              of(2, nan_, nan_),      of(0, 0, 1),
              of(-0.0, 0, 1),         of(inf, 0, 1),
              of(-inf, -0.0, 1),      of(0, 2, 0),
              of(-0.0, 3, -0.0),      of(-0.0, 2, 0),
              of(0, -1, inf),         of(-0.0, -1, -inf),
              of(-0.0, -2, inf),      of(0, inf, 0),
              of(0, -inf, inf),       of(-0.0, 0.5, 0),
              of(0.5, inf, 0),        of(0.5, -inf, inf),
              of(2, inf, inf),        of(2, -inf, 0),
              of(-0.5, inf, 0),       of(-2, -inf, 0),
              of(inf, 2, inf),        of(inf, -2, 0),
              of(-inf, 3, -inf),      of(-inf, 2, inf),
              of(-inf, -3, -0.0),     of(-inf, -2, 0),
              of(-8, 0.3, nan_),      of(-1, 0x1p60, 1),
              of(-1, 0x1p53 - 1, -1), of(-1, 0x1p24 - 1, -1),
              of(2, 5000, inf),       of(-2, 5001, -inf),
              of(2, -5000, 0),        of(-2, -5001, -0.0),
              of(-1, 0.5, nan_)};
    for (int base = -40; base <= 40; base++) {
        double p = 1;
        for (int n = 0; n <= 60; n++) {
            if (std::fabs(p) <= 0x1p53) {
                r.push_back(of(base, n, n ? p : 1));
                if (n && n < 8 && base > 0) { // roots of even degree
                    if (n == 2)
                        r.push_back(of(p, 0.5, base));
                    if (n == 4) {
                        r.push_back(of(p, 0.25, base));
                        r.push_back(of(p, 0.75, (double)base * base * base));
                    }
                }
                if (n == 3 && base > 0)
                    r.push_back(of((double)base * base, 1.5, p));
            }
            p *= base;
        }
    }
    for (int e = -1000; e <= 1000; e++)
        for (double n : {-3.0, -2.0, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0})
            if (e * n == std::floor(e * n) && std::fabs(e * n) <= 1020)
                r.push_back(of(std::ldexp(1.0, e), n, std::ldexp(1.0, (int)(e * n))));
    for (double x :
         {3.7, 1e-300, 0x1.fffffep127, 0x1p-149, 5e30, -2.5, 0x1.fffffffffffffp1023, 0x1p-1074})
        r.push_back(of((double)(float)x, 1, (double)(float)x)), r.push_back(of(x, 1, x));
    RUN(pow, r, HOST);
    RUN(std_pow, r, HOST);
    rows whole;
    for (const row &w : r)
        if (std::fabs(w.x[1]) < 10000 && w.x[1] == std::trunc(w.x[1]))
            whole.push_back(w);
    RUN(powi, whole, HOST);
}

static void special_functions() {
    RUN(erf, (odd_at_zero() + rows{of(inf, 1), of(-inf, -1), of(10, 1), of(-10, -1)}), HOST);
    RUN(erfc,
        (rows{of(0, 1), of(-0.0, 1), of(inf, 0), of(-inf, 2), of(-10, 2), of(0x1p10, 0),
              of(nan_, nan_)}),
        HOST);
    RUN(erfcx,
        (rows{of(0, 1), of(-0.0, 1), of(inf, 0), of(-inf, inf), of(-100, inf), of(nan_, nan_)}),
        HOST);
    RUN(erfinv, (odd_at_zero() + rows{of(1, inf), of(-1, -inf), of(1.5, nan_), of(-inf, nan_)}),
        HOST);
    RUN(erfcinv,
        (rows{of(1, 0), of(0, inf), of(-0.0, inf), of(2, -inf), of(3, nan_), of(-1, nan_),
              of(nan_, nan_)}),
        HOST);
    RUN(normcdf,
        (rows{of(0, 0.5), of(-0.0, 0.5), of(inf, 1), of(-inf, 0), of(20, 1), of(-100, 0),
              of(nan_, nan_)}),
        HOST);
    RUN(normcdfinv, (rows{of(0, -inf), of(1, inf), of(2, nan_), of(-1, nan_), of(nan_, nan_)}),
        HOST);
    rows gamma = {of(0, inf),     of(-0.0, -inf), of(-1, nan_),   of(-2, nan_),
                  of(-inf, nan_), of(inf, inf),   of(nan_, nan_), of(1000, inf)};
    double factorial = 1;
    for (int n = 1; n <= 23; n++) { // 22! is the last with 53 bits
        gamma.push_back(of(n, factorial));
        factorial *= n;
    }
    RUN(tgamma, gamma, DEVICE_ALONE);
    RUN(lgamma,
        (rows{of(1, 0), of(2, 0), of(0, inf), of(-0.0, inf), of(-1, inf), of(-3, inf), of(inf, inf),
              of(-inf, inf), of(nan_, nan_)}),
        HOST);
    RUN(j0, (rows{of(0, 1), of(-0.0, 1), of(0x1p-30, 1), of(inf, 0), of(-inf, 0), of(nan_, nan_)}),
        DEVICE_ALONE);
    RUN(j1, (odd_at_zero() + rows{of(inf, 0)}), DEVICE_ALONE);
    RUN(jn,
        (rows{of(0, 0, 1), of(1, 0, 0), of(2, 0, 0), of(5, 0, 0), of(3, nan_, nan_),
              of(2, inf, 0)}),
        DEVICE_ALONE);
    rows singular = {of(0, -inf), of(-1, nan_), of(inf, 0), of(nan_, nan_)};
    RUN(y0, singular, DEVICE_ALONE);
    RUN(y1, singular, DEVICE_ALONE);
    RUN(yn, (rows{of(0, 0, -inf), of(2, 0, -inf), of(3, -1, nan_), of(3, inf, 0)}), DEVICE_ALONE);
    RUN(cyl_bessel_i0, (rows{of(0, 1), of(-0.0, 1), of(inf, inf), of(-inf, inf), of(nan_, nan_)}),
        HOST);
    RUN(cyl_bessel_i1, (odd_at_zero() + rows{of(inf, inf), of(-inf, -inf)}), HOST);
}

static void halves() {
    rows cosine = {of(0, 1), of(-0.0, 1), of(inf, nan_), of(nan_, nan_)};
    RUN_HALF1(sin, (odd_at_zero() + rows{of(inf, nan_)}));
    RUN_HALF1(cos, cosine);
    RUN_HALF1(tanh, (odd_at_zero() + rows{of(inf, 1), of(-inf, -1)}));
    rows base = {of(0, 1),       of(-0.0, 1),    of(inf, inf), of(-inf, 0),
                 of(nan_, nan_), of(30000, inf), of(-30000, 0)};
    rows two = base, ten = base + rows{of(1, 10), of(2, 100), of(3, 1000), of(4, 10000)};
    for (int n = -133; n <= 127; n++)
        two.push_back(of(n, std::ldexp(1.0, n)));
    RUN_HALF1(exp, base);
    RUN_HALF1(exp2, two);
    RUN_HALF1(exp10, ten);
    rows logarithm = {of(1, 0),     of(0, -inf),  of(-0.0, -inf),
                      of(-1, nan_), of(inf, inf), of(nan_, nan_)};
    RUN_HALF1(log, logarithm);
    RUN_HALF1(log2, logarithm + powers_of_two(itself, 1));
    RUN_HALF1(log10, (logarithm + rows{of(10, 1), of(100, 2), of(1000, 3), of(10000, 4)}));
    rows square = {of(0, 0), of(-0.0, -0.0), of(inf, inf), of(-1, nan_), of(nan_, nan_)};
    for (double n = 1; n < 256; n++)
        square.push_back(of(n * n, n)), square.push_back(of(n * n * 0x1p-10, n * 0x1p-5));
    RUN_HALF1(sqrt, square + powers_of_two(power_of_two, 2));
    RUN_HALF1(rsqrt, (powers_of_two(inverse_power, 2) +
                      rows{of(0, inf), of(-0.0, -inf), of(inf, 0), of(-1, nan_)}));
    RUN_HALF1(rcp, (powers_of_two(inverse_power, 1) +
                    rows{of(0, inf), of(-0.0, -inf), of(inf, 0), of(-inf, -0.0), of(nan_, nan_)}));
    rows whole = {of(0, 0),       of(-0.0, -0.0), of(inf, inf), of(-inf, -inf),
                  of(nan_, nan_), of(7, 7),       of(-7, -7)};
    RUN_HALF1(floor, (whole + rows{of(2.5, 2), of(-2.5, -3), of(0.5, 0), of(-0.5, -1)}));
    RUN_HALF1(ceil, (whole + rows{of(2.5, 3), of(-2.5, -2), of(0.5, 1), of(-0.5, -0.0)}));
    RUN_HALF1(trunc, (whole + rows{of(2.5, 2), of(-2.5, -2), of(0.5, 0), of(-0.5, -0.0)}));
    RUN_HALF1(rint, (whole + rows{of(2.5, 2), of(3.5, 4), of(-2.5, -2), of(0.5, 0), of(-0.5, -0.0),
                                  of(1.5, 2)}));
    RUN_HALF(hadd, (rows{of(0, -0.0, 0), of(-0.0, -0.0, -0.0), of(1, -1, 0), of(inf, -inf, nan_),
                         of(inf, 1, inf), of(nan_, 1, nan_), of(3, 4, 7)}));
    RUN_HALF(hsub, (rows{of(0, 0, 0), of(-0.0, 0, -0.0), of(1, 1, 0), of(inf, inf, nan_)}));
    RUN_HALF(hmul, (rows{of(0, -1, -0.0), of(-0.0, -1, 0), of(0, inf, nan_), of(3, -5, -15)}));
    RUN_HALF(hdiv,
             (rows{of(1, 0, inf), of(-1, 0, -inf), of(0, 0, nan_), of(6, 3, 2), of(0, -3, -0.0),
                   of(1, inf, 0), of(-1, inf, -0.0), of(inf, inf, nan_), of(7, 8, 0.875)}));
    RUN_HALF(hfma, (rows{of(0, -1, -0.0, -0.0), of(0, 1, -0.0, 0), of(2, 3, -6, 0),
                         of(inf, 0, 1, nan_), of(2, 3, 4, 10)}));
    rows relu = {of(0, -1, -0.0, 0),   of(-0.0, 1, -0.0, 0), of(2, 3, -6, 0),
                 of(2, -3, 1, 0),      of(2, 3, 1, 7),       of(inf, -1, 0, 0),
                 of(nan_, 1, 1, nan_), of(inf, 0, 1, nan_)};
    RUN_HALF(hfma_relu, relu);
    RUN_HALF(hfma2_relu, relu);
    RUN_HALF(hfma_sat, (rows{of(0, -1, -0.0, 0), of(2, 3, 1, 1), of(0.5, 0.5, 0.25, 0.5),
                             of(-2, 3, 1, 0), of(nan_, 1, 1, 0)}));
    RUN_HALF(hadd_sat, (rows{of(-0.0, -0.0, 0), of(2, 3, 1), of(0.5, 0.25, 0.75), of(-2, 1, 0),
                             of(nan_, 1, 0)}));
    rows largest = {of(0, -0.0, 0), of(-0.0, 0, 0), of(1, 2, 2), of(inf, 1, inf), of(-inf, 1, 1)};
    rows smallest = {of(0, -0.0, -0.0), of(-0.0, 0, -0.0), of(1, 2, 1), of(inf, 1, 1),
                     of(-inf, 1, -inf)};
    RUN_HALF(hmax, (largest + rows{of(nan_, 1, 1), of(1, nan_, 1), of(nan_, nan_, nan_)}));
    RUN_HALF(hmin, (smallest + rows{of(nan_, 1, 1), of(1, nan_, 1), of(nan_, nan_, nan_)}));
    RUN_HALF(hmax_nan, (largest + rows{of(nan_, 1, nan_), of(1, nan_, nan_)}));
    RUN_HALF(hmin_nan, (smallest + rows{of(nan_, 1, nan_), of(1, nan_, nan_)}));
    RUN_HALF(hneg, (rows{of(0, -0.0), of(-0.0, 0), of(3, -3), of(inf, -inf)}));
    RUN_HALF(habs, (rows{of(0, 0), of(-0.0, 0), of(-3, 3), of(-inf, inf)}));
}

#define RUN_FAST(name, list) run<name##_of, float, false>("float", #name, list)
static void fast_functions() {
    RUN_FAST(fast_sin, (rows{of(0, 0), of(-0.0, -0.0), of(inf, nan_), of(nan_, nan_)}));
    RUN_FAST(fast_cos, (rows{of(0, 1), of(-0.0, 1), of(inf, nan_), of(nan_, nan_)}));
    RUN_FAST(fast_tan, (rows{of(0, 0), of(-0.0, -0.0), of(nan_, nan_)}));
    rows base = {of(0, 1),       of(-0.0, 1),   of(inf, inf), of(-inf, 0),
                 of(nan_, nan_), of(1000, inf), of(-1000, 0)};
    RUN_FAST(fast_exp, base);
    RUN_FAST(fast_exp10, base);
    rows logarithm = {of(1, 0),     of(0, -inf),  of(-0.0, -inf),
                      of(-1, nan_), of(inf, inf), of(nan_, nan_)};
    RUN_FAST(fast_log, logarithm);
    RUN_FAST(fast_log2, logarithm + powers_of_two(itself, 1));
    RUN_FAST(fast_log10, logarithm);
    rows power = {of(1, 5, 1), of(0, 2, 0), of(nan_, 1, nan_)};
    for (int e = -20; e <= 20; e++)
        for (int n = -6; n <= 6; n++)
            power.push_back(of(std::ldexp(1.0, e), n, std::ldexp(1.0, e * n)));
    RUN_FAST(fast_pow, power);
    rows quotient = {of(1, 0, inf), of(0, 0, nan_), of(1, inf, 0), of(inf, inf, nan_)};
    for (int e = -30; e <= 30; e++)
        for (double x : {1.0, 3.0, -7.0, 0x1.fffffep0})
            quotient.push_back(of(x, std::ldexp(1.0, e), std::ldexp(x, -e)));
    RUN_FAST(fast_divide, quotient);
    RUN_FAST(saturate, (rows{of(0, 0), of(-0.0, 0), of(-3, 0), of(2, 1), of(0.25, 0.25), of(inf, 1),
                             of(-inf, 0), of(nan_, 0)}));
    RUN_FAST(rcp_rn, (rows{of(0, inf), of(-0.0, -inf), of(inf, 0), of(8, 0.125), of(nan_, nan_)}));
    RUN_FAST(rsqrt_rn, (rows{of(0, inf), of(-0.0, -inf), of(inf, 0), of(4, 0.5), of(-1, nan_)}));
    RUN_FAST(sqrt_rn, (rows{of(0, 0), of(-0.0, -0.0), of(49, 7), of(-1, nan_)}));
}

static void exact_ones() {
    rows whole = {of(0, 0),       of(-0.0, -0.0),     of(inf, inf), of(-inf, -inf),
                  of(nan_, nan_), of(0x1p60, 0x1p60), of(-7, -7)};
    RUN(floor, (whole + rows{of(2.5, 2), of(-2.5, -3), of(-0.5, -1), of(0x1p-149, 0)}),
        DEVICE_ALONE);
    RUN(ceil, (whole + rows{of(2.5, 3), of(-2.5, -2), of(-0.5, -0.0), of(0x1p-149, 1)}),
        DEVICE_ALONE);
    RUN(trunc, (whole + rows{of(2.5, 2), of(-2.5, -2), of(-0.5, -0.0)}), DEVICE_ALONE);
    RUN(round,
        (whole + rows{of(2.5, 3), of(-2.5, -3), of(-0.25, -0.0), of(0x1.fffffep-2, 0),
                      of(0x1.fffffffffffffp-2, 0)}),
        DEVICE_ALONE);
    RUN(rint, (whole + rows{of(2.5, 2), of(3.5, 4), of(-0.5, -0.0)}), DEVICE_ALONE);
    RUN(nearbyint, (whole + rows{of(2.5, 2), of(3.5, 4), of(-0.5, -0.0)}), DEVICE_ALONE);
    RUN(fmod,
        (rows{of(7, 3, 1), of(-7, 3, -1), of(-6, 3, -0.0), of(6, 3, 0), of(0, 3, 0),
              of(-0.0, 3, -0.0), of(5, inf, 5), of(1, 0, nan_), of(inf, 1, nan_),
              of(nan_, 1, nan_)}),
        DEVICE_ALONE);
    RUN(remainder,
        (rows{of(7, 3, 1), of(8, 3, -1), of(-6, 3, -0.0), of(5, inf, 5), of(5, 2, 1), of(7, 2, -1),
              of(1, 0, nan_), of(nan_, 1, nan_)}),
        DEVICE_ALONE);
    RUN(fmin,
        (rows{of(1, 2, 1), of(nan_, 1, 1), of(1, nan_, 1), of(inf, 2, 2), of(0, -0.0, -0.0),
              of(-0.0, 0, -0.0)}),
        DEVICE_ALONE);
    RUN(fmax,
        (rows{of(1, 2, 2), of(nan_, 1, 1), of(1, nan_, 1), of(-inf, 2, 2), of(0, -0.0, 0),
              of(-0.0, 0, 0)}),
        DEVICE_ALONE);
    RUN(fdim,
        (rows{of(3, 1, 2), of(1, 3, 0), of(inf, inf, 0), of(nan_, 1, nan_), of(inf, 1, inf),
              of(-inf, 1, 0)}),
        DEVICE_ALONE);
    RUN(nextafter, (rows{of(nan_, 1, nan_), of(1, 1, 1), of(0, -0.0, -0.0)}), DEVICE_ALONE);
    RUN(copysign, (rows{of(1, -0.0, -1), of(-0.0, 1, 0), of(inf, -1, -inf)}), DEVICE_ALONE);
    RUN(fma,
        (rows{of(0, -1, -0.0, -0.0), of(0, 1, -0.0, 0), of(2, 3, -6, 0), of(inf, 0, 1, nan_),
              of(inf, 1, -inf, nan_)}),
        DEVICE_ALONE);
    RUN(ldexp,
        (rows{of(3, 5, 96), of(-0.0, 7, -0.0), of(inf, -3, inf), of(1, -1074, 0x1p-1074),
              of(1, 5000, inf), of(-1, -5000, -0.0)}),
        DEVICE_ALONE);
    RUN(scalbn, (rows{of(3, 5, 96), of(1, 100000, inf), of(-1, -100000, -0.0)}), DEVICE_ALONE);
}

int main() {
    trigonometry();
    hyperbolic();
    exponentials();
    logarithms();
    roots();
    powers();
    special_functions();
    halves();
    fast_functions();
    exact_ones();
    printf("%d failures\n", failures);
    return failures != 0;
}
