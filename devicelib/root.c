// Square and cube roots, lengths of vectors, and their reciprocals.
#include "coefficients.h"
#include "double_double.h"
#include "libdevice.h"

// Plain, so that -prec-sqrt decides about it where it is linked.
float __nv_sqrtf(float x) {
    return __builtin_sqrtf(x);
}

double __nv_sqrt(double x) {
    return sqrt_rn(x);
}

float __nv_rsqrtf(float x) {
    return FTZ ? __nvvm_rsqrt_approx_ftz_f(x) : __nvvm_rsqrt_approx_f(x);
}

float __nv_frsqrt_rn(float x) {
    // The double result is exact to 2^-52, and no float's reciprocal root lies that close to the
    // middle of two floats without being one.
    return (float)div_rn(1.0, sqrt_rn((double)x));
}

// 1/sqrt(s) for s = hi + lo in a range where its square root's square does not overflow.
INLINE double rsqrt_pair(dd s) {
    double y = div_rn(1.0, sqrt_rn(s.hi));
    dd t = two_product(s.hi, y);
    double error = fma_d(-t.hi, y, 1.0) - fma_d(t.lo, y, s.lo * y * y);
    return fma_d(0.5 * y, error, y);
}

double __nv_rsqrt(double x) {
    // By a power of four: keeps products away from the subnormal numbers.
    int small = x < 0x1p-960;
    double scaled = small ? x * 0x1p128 : x;
    double y = rsqrt_pair((dd){scaled, 0.0}) * (small ? 0x1p64 : 1.0);
    y = x == INFINITY_D ? 0.0 : y;
    y = x == 0.0 ? __builtin_copysign(INFINITY_D, x) : y;
    return y;
}

// |x|^(-1/3) of m in [1, 8), to full precision: a polynomial and two steps of third order.
INLINE double rcbrt_reduced(double m) {
    int two = m >= 4.0, one = m >= 2.0;
    double unit = m * (two ? 0.25 : one ? 0.5 : 1.0);
    double y = poly_rcbrt(unit) * (two ? 0x1.428a2f98d728bp-1 : one ? 0x1.965fea53d6e3dp-1 : 1.0);
    double e = fma_d(-m * y, y * y, 1.0);
    y = fma_d(y * e, fma_d(e, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), y);
    // The residual of the last step is taken from error-free products.
    dd square = two_product(y, y);
    dd cube = two_product(m, y);
    dd product = two_product(cube.hi, square.hi);
    double low = fma_d(cube.hi, square.lo, fma_d(cube.lo, square.hi, product.lo));
    e = add_rn(1.0, -product.hi) - low;
    return fma_d(y * e, 0x1.5555555555555p-2, y);
}

// |x| = m * 2^(3 q), 1 <= m < 8, for finite x != 0.
typedef struct {
    double m;
    int q;
} cube_split;

INLINE cube_split split_cube(double x) {
    double a = fabs_d(x);
    int subnormal = a < 0x1p-1022;
    a = subnormal ? a * 0x1p54 : a;
    int exponent = (int)(hi_word(a) >> 20) - 1023;
    // Division by three of a number made positive.
    int q = (int)((u32)(exponent + 1026) * 0xaaabu >> 17) - 342;
    double m = from_bits_d((bits_d(a) & 0xfffffffffffffull) | (u64)(1023 + exponent - 3 * q) << 52);
    return (cube_split){m, q - (subnormal ? 18 : 0)};
}

INLINE double power_of_2(int e) {
    return from_bits_d((u64)(u32)(1023 + e) << 52);
}

double __nv_rcbrt(double x) {
    cube_split s = split_cube(x);
    double y = rcbrt_reduced(s.m) * power_of_2(-s.q);
    y = fabs_d(x) == INFINITY_D ? 0.0 : y;
    y = x == 0.0 ? INFINITY_D : y;
    return is_nan_d(x) ? x : __builtin_copysign(y, x);
}

// c = m * y^2 with one correction: m - c^3 over 3 c^2.
double __nv_cbrt(double x) {
    cube_split s = split_cube(x);
    double y = rcbrt_reduced(s.m);
    double c = s.m * y * y;
    dd square = two_product(c, c);
    dd cube = two_product(square.hi, c);
    double residual = add_rn(s.m, -cube.hi) - fma_d(square.lo, c, cube.lo);
    c = fma_d(residual * (y * y), 0x1.5555555555555p-2, c);
    double r = c * power_of_2(s.q);
    int special = x == 0.0 || !(fabs_d(x) < INFINITY_D);
    return special ? x : __builtin_copysign(r, x);
}

// The same in float: one step of third order is enough.
INLINE float rcbrt_reduced_f(float m) {
    int two = m >= 4.0f, one = m >= 2.0f;
    float unit = m * (two ? 0.25f : one ? 0.5f : 1.0f);
    float y = poly_rcbrtf(unit) * (two ? 0x1.428a30p-1f : one ? 0x1.965feap-1f : 1.0f);
    float square = mul_rnf(y, y);
    float cube = mul_rnf(m, y);
    float e = fma_f(-cube, square, 1.0f);
    // What the two products were rounded by.
    float low = fma_f(cube, fma_f(y, y, -square), fma_f(m, y, -cube) * square);
    e = e - low;
    return fma_f(y * e, fma_f(e, 0x1.c71c72p-3f, 0x1.555556p-2f), y);
}

typedef struct {
    float m;
    int q;
} cube_split_float;

INLINE cube_split_float split_cube_f(float x) {
    float a = fabs_f(x);
    int subnormal = a < 0x1p-126f;
    a = subnormal ? a * 0x1p24f : a;
    int exponent = (int)(bits_f(a) >> 23) - 127;
    int q = (int)((u32)(exponent + 129) * 0xaaabu >> 17) - 43;
    float m = from_bits_f((bits_f(a) & 0x7fffffu) | (u32)(127 + exponent - 3 * q) << 23);
    return (cube_split_float){m, q - (subnormal ? 8 : 0)};
}

INLINE float power_of_2_f(int e) {
    return from_bits_f((u32)(127 + e) << 23);
}

float __nv_cbrtf(float x) {
    cube_split_float s = split_cube_f(x);
    float y = rcbrt_reduced_f(s.m);
    float square = y * y;
    float c = s.m * square;
    // One correction: m - c^3 over 3 c^2.
    float c2 = mul_rnf(c, c);
    float residual = fma_f(-fma_f(c, c, -c2), c, fma_f(-c2, c, s.m));
    c = fma_f(residual * square, 0x1.555556p-2f, c);
    float r = c * power_of_2_f(s.q);
    int special = x == 0.0f || !(fabs_f(x) < INFINITY_F);
    return special ? x : __builtin_copysignf(r, x);
}

float __nv_rcbrtf(float x) {
    cube_split_float s = split_cube_f(x);
    float y = rcbrt_reduced_f(s.m) * power_of_2_f(-s.q);
    y = fabs_f(x) == INFINITY_F ? 0.0f : y;
    y = x == 0.0f ? INFINITY_F : y;
    return is_nan_f(x) ? x : __builtin_copysignf(y, x);
}

// The squares of up to four numbers, summed as a pair, after scaling by a power of two that brings
// the largest of them near one.
typedef struct {
    dd sum;
    double scale; // what the numbers were multiplied with
    int infinite; // one of them is
    int zero;     // all of them are
} squares;

INLINE double max_d(double a, double b) {
    return a < b ? b : a;
}

INLINE squares sum_squares(double a, double b, double c, double d) {
    double largest = max_d(max_d(fabs_d(a), fabs_d(b)), max_d(fabs_d(c), fabs_d(d)));
    int exponent = (int)(hi_word(largest) >> 20);
    exponent = exponent > 2040 ? 2040 : exponent < 10 ? 10 : exponent;
    double scale = from_bits_d((u64)(2046 - exponent) << 52);
    double scaled[4] = {a * scale, b * scale, c * scale, d * scale};
    dd sum = two_product(scaled[0], scaled[0]);
    for (int i = 1; i < 4; i++) {
        dd square = two_product(scaled[i], scaled[i]);
        dd total = two_sum(sum.hi, square.hi);
        sum = (dd){total.hi, total.lo + (sum.lo + square.lo)};
    }
    int infinite = fabs_d(a) == INFINITY_D || fabs_d(b) == INFINITY_D || fabs_d(c) == INFINITY_D ||
                   fabs_d(d) == INFINITY_D;
    int zero = a == 0.0 && b == 0.0 && c == 0.0 && d == 0.0;
    return (squares){fast_two_sum(sum.hi, sum.lo), scale, infinite, zero};
}

INLINE double length(squares s) {
    double r = sqrt_rn(s.sum.hi);
    double error = fma_d(-r, r, s.sum.hi) + s.sum.lo;
    r = r + div_rn(0.5 * error, r);
    r = s.zero ? 0.0 : div_rn(r, s.scale);
    return s.infinite ? INFINITY_D : r;
}

INLINE double reciprocal_length(squares s) {
    double y = rsqrt_pair(s.sum) * s.scale;
    y = s.zero ? INFINITY_D : y;
    return s.infinite ? 0.0 : y;
}

double __nv_hypot(double a, double b) {
    return length(sum_squares(a, b, 0.0, 0.0));
}

double __nv_norm3d(double a, double b, double c) {
    return length(sum_squares(a, b, c, 0.0));
}

double __nv_norm4d(double a, double b, double c, double d) {
    return length(sum_squares(a, b, c, d));
}

double __nv_rhypot(double a, double b) {
    return reciprocal_length(sum_squares(a, b, 0.0, 0.0));
}

double __nv_rnorm3d(double a, double b, double c) {
    return reciprocal_length(sum_squares(a, b, c, 0.0));
}

double __nv_rnorm4d(double a, double b, double c, double d) {
    return reciprocal_length(sum_squares(a, b, c, d));
}

// Squares of floats neither overflow nor underflow in double.
INLINE double square_f(float a) {
    return (double)a * (double)a;
}

// An infinite element makes the length infinite, also beside a NaN.
INLINE float length_f(double sum, int infinite) {
    return infinite ? INFINITY_F : (float)sqrt_rn(sum);
}

INLINE float reciprocal_length_f(double sum, int infinite) {
    return infinite ? 0.0f : (float)div_rn(1.0, sqrt_rn(sum));
}

INLINE int is_inf_f(float a) {
    return fabs_f(a) == INFINITY_F;
}

float __nv_hypotf(float a, float b) {
    return length_f(square_f(a) + square_f(b), is_inf_f(a) || is_inf_f(b));
}

float __nv_rhypotf(float a, float b) {
    return reciprocal_length_f(square_f(a) + square_f(b), is_inf_f(a) || is_inf_f(b));
}

float __nv_norm3df(float a, float b, float c) {
    return length_f(square_f(a) + square_f(b) + square_f(c),
                    is_inf_f(a) || is_inf_f(b) || is_inf_f(c));
}

float __nv_rnorm3df(float a, float b, float c) {
    return reciprocal_length_f(square_f(a) + square_f(b) + square_f(c),
                               is_inf_f(a) || is_inf_f(b) || is_inf_f(c));
}

float __nv_norm4df(float a, float b, float c, float d) {
    return length_f(square_f(a) + square_f(b) + square_f(c) + square_f(d),
                    is_inf_f(a) || is_inf_f(b) || is_inf_f(c) || is_inf_f(d));
}

float __nv_rnorm4df(float a, float b, float c, float d) {
    return reciprocal_length_f(square_f(a) + square_f(b) + square_f(c) + square_f(d),
                               is_inf_f(a) || is_inf_f(b) || is_inf_f(c) || is_inf_f(d));
}

typedef struct {
    double sum;
    int infinite;
} sum_f;

INLINE sum_f sum_array_f(int n, const float *a) {
    sum_f s = {0.0, 0};
    for (int i = 0; i < n; i++) {
        s.sum += square_f(a[i]);
        s.infinite |= is_inf_f(a[i]);
    }
    return s;
}

float __nv_normf(int n, const float *a) {
    sum_f s = sum_array_f(n, a);
    return length_f(s.sum, s.infinite);
}

float __nv_rnormf(int n, const float *a) {
    sum_f s = sum_array_f(n, a);
    return reciprocal_length_f(s.sum, s.infinite);
}

// Arrays of doubles: scaled by the largest element, which takes one more pass.
INLINE squares sum_array(int n, const double *a) {
    double largest = 0.0;
    int infinite = 0;
    for (int i = 0; i < n; i++) {
        largest = max_d(largest, fabs_d(a[i]));
        infinite |= fabs_d(a[i]) == INFINITY_D;
    }
    int exponent = (int)(hi_word(largest) >> 20);
    exponent = exponent > 2000 ? 2000 : exponent < 50 ? 50 : exponent;
    double scale = from_bits_d((u64)(2046 - exponent) << 52);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double element = a[i] * scale;
        sum = fma_d(element, element, sum);
    }
    return (squares){{sum, 0.0}, scale, infinite, sum == 0.0};
}

double __nv_norm(int n, const double *a) {
    return length(sum_array(n, a));
}

double __nv_rnorm(int n, const double *a) {
    return reciprocal_length(sum_array(n, a));
}
