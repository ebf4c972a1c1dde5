// Bessel functions of integer order.
//
// Below 8, polynomials for the function over the distance to one of its zeros: so the relative
// error stays small next to the zeros. From 8 on, modulus and phase.
#include "exp.h"
#include "libdevice.h"
#include "log.h"
#include "trig.h"

#define TWO_PI_INVERSE 0x1.45f306dc9c883p-1 // 2/pi

INLINE double polynomial(const double *c, int degree, double t) {
    double p = c[degree];
    for (int i = degree - 1; i >= 0; i--)
        p = fma_d(p, t, c[i]);
    return p;
}

// sqrt(2/(pi x)) modulus sin(x + phase), x >= 8.
INLINE double wave(double x, double modulus, double phase) {
    double rounded = fma_d(x, ONE_OVER_PI, ROUNDER);
    double q = 2.0 * add_rn(rounded, -ROUNDER);
    double t = fma_d(q, -PIO2_B, fma_d(q, -PIO2_A, x));
    t = bits_d(rounded) & 1 ? t + 2.0 * PIO2_A : t;
    if (RARELY(x > REDUCTION_LIMIT))
        t = fma_d((double)__kd_large_quadrant(x), PIO2_A, __kd_large_remainder(x));
    double r = sqrt_rn(div_rn(TWO_PI_INVERSE, x)) * modulus * __nv_sin(t + phase);
    return x == INFINITY_D ? 0.0 : r;
}

#define PI_OVER_4 0x1.921fb54442d18p-1

// order 0: Y0 has the phase -pi/4, J0 a quarter turn more; order 1: -3 pi/4 and -pi/4.
INLINE double wave_0(double x, double turn) {
    double inverse = div_rn(1.0, x), v = inverse * inverse;
    return wave(x, poly_modulus_0(v), fma_d(inverse, poly_phase_0(v), turn));
}

INLINE double wave_1(double x, double turn) {
    double inverse = div_rn(1.0, x), v = inverse * inverse;
    return wave(x, poly_modulus_1(v), fma_d(inverse, poly_phase_1(v), turn));
}

// x minus a zero that is known to twice the precision.
INLINE double from_zero(double x, double hi, double lo) {
    return (x - hi) - lo;
}

double __nv_j0(double x) {
    double a = fabs_d(x);
    if (a < 0x1p-26) // 1 - x^2/4
        return 1.0;
    if (a < 4.0)
        return from_zero(a, 0x1.33d152e971b40p+1, -0x1.0f539d7da258ep-53) *
               polynomial(j0_table, 17, a - 2.0);
    if (a < 7.0)
        return from_zero(a, 0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54) *
               polynomial(j0_table_2, 17, a - 5.5);
    if (a < 8.0)
        return from_zero(a, 0x1.14eb56cccdecap+3, -0x1.51970714c7c25p-52) *
               polynomial(j0_table_3, 17, a - 7.5);
    return wave_0(a, PI_OVER_4);
}

double __nv_j1(double x) {
    double a = fabs_d(x);
    double r;
    if (a < 2.0)
        r = a * polynomial(j1_table, 17, a * a);
    else if (a < 5.5)
        r = from_zero(a, 0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53) *
            polynomial(j1_table_2, 17, a - 3.75);
    else if (a < 8.0)
        r = from_zero(a, 0x1.c0ff5f3b47250p+2, -0x1.b226d9d243827p-54) *
            polynomial(j1_table_3, 17, a - 6.75);
    else
        r = wave_1(a, -PI_OVER_4);
    return x < 0.0 || x == 0.0 ? (bits_d(x) >> 63 ? -r : r) : r;
}

// What Y is where its formulas do not reach.
INLINE double y_special(double x, double r) {
    r = x == 0.0 ? -INFINITY_D : r;
    r = x < 0.0 ? NAN_D : r;
    return is_nan_d(x) ? x : r;
}

INLINE double y0_positive(double x) {
    if (x < 0.5)
        return fma_d(TWO_PI_INVERSE * log_finite(x), __nv_j0(x), poly_y0_small(x * x));
    if (x < 2.25)
        return from_zero(x, 0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56) *
               polynomial(y0_table, 23, (log_finite(x) - 0.06) * (1.0 / 0.76));
    if (x < 5.5)
        return from_zero(x, 0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54) *
               polynomial(y0_table_2, 23, (x - 3.875) * (1.0 / 1.625));
    if (x < 8.0)
        return from_zero(x, 0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54) *
               polynomial(y0_table_3, 23, (x - 6.75) * (1.0 / 1.25));
    return wave_0(x, -PI_OVER_4);
}

double __nv_y0(double x) {
    return y_special(x, y0_positive(x));
}

INLINE double y1_positive(double x) {
    if (x < 1.0) {
        double regular =
            fma_d(TWO_PI_INVERSE * log_finite(x), __nv_j1(x), x * poly_y1_small(x * x));
        return regular - div_rn(TWO_PI_INVERSE, x);
    }
    if (x < 3.75)
        return from_zero(x, 0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55) *
               polynomial(y1_table, 23, (log_finite(x) - 0.67) * (1.0 / 0.68));
    if (x < 6.75)
        return from_zero(x, 0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52) *
               polynomial(y1_table_2, 23, (x - 5.25) * (1.0 / 1.5));
    if (x < 8.0)
        return from_zero(x, 0x1.13127ae6169b4p+3, 0x1.479cc068d9046p-52) *
               polynomial(y1_table_3, 23, (x - 7.375) * (1.0 / 0.625));
    return wave_1(x, -3.0 * PI_OVER_4);
}

double __nv_y1(double x) {
    return y_special(x, y1_positive(x));
}

// J(k+1) = 2k/x J(k) - J(k-1), upwards from J0 and J1; stable for n < x.
INLINE double upwards(int n, double x, double before, double value) {
    double step = div_rn(2.0, x);
    for (int k = 1; k < n; k++) {
        double next = fma_d(k * step, value, -before);
        before = value;
        value = next;
        // Y runs away to minus infinity, and would be NaN one step later.
        if (value == -INFINITY_D)
            break;
    }
    return value;
}

// Miller's algorithm: the recurrence downwards from far above n, scaled so that
// J0 + 2 (J2 + J4 + ...) = 1.
INLINE double downwards(int n, double x) {
    double step = div_rn(2.0, x);
    int start = 2 * ((n + (int)sqrt_rn(160.0 * n) + 20) / 2);
    double above = 0.0, value = 1.0, sum = 0.0, wanted = 0.0;
    for (int k = start; k > 0; k--) {
        double next = fma_d(k * step, value, -above);
        above = value;
        value = next;
        if (fabs_d(value) > 0x1p300) {
            value *= 0x1p-600;
            above *= 0x1p-600;
            sum *= 0x1p-600;
            wanted *= 0x1p-600;
        }
        wanted = k == n + 1 ? value : wanted;
        sum += (k & 1) ? value : 0.0; // value is now of order k - 1
    }
    return div_rn(wanted, 2.0 * sum - value);
}

// (x/2)^n / n! (1 - x^2/(4 (n + 1))), for x so small that the next term does not count.
INLINE double first_terms(int n, double x) {
    double r = 1.0;
    for (int k = 1; k <= n; k++)
        r *= div_rn(0.5 * x, (double)k);
    return r;
}

double __nv_jn(int n, double x) {
    double a = fabs_d(x);
    double r;
    if (n < 0 || is_nan_d(x))
        return NAN_D;
    if (n == 0)
        return __nv_j0(x);
    if (n == 1)
        return __nv_j1(x);
    if (a < 0x1p-26 || a == INFINITY_D)
        r = a == INFINITY_D ? 0.0 : first_terms(n, a);
    else if (a > n)
        r = upwards(n, a, __nv_j0(a), __nv_j1(a));
    else
        r = downwards(n, a);
    return (n & 1) && bits_d(x) >> 63 ? -r : r;
}

double __nv_yn(int n, double x) {
    if (n < 0 || is_nan_d(x))
        return NAN_D;
    if (n == 0)
        return __nv_y0(x);
    if (n == 1)
        return __nv_y1(x);
    if (!(x > 0.0))
        return x == 0.0 ? -INFINITY_D : NAN_D;
    return upwards(n, x, __nv_y0(x), __nv_y1(x));
}

// exp(a) is kept small by 2^-100, because I is finite a little longer than exp.
INLINE double growing(double a, double p) {
    double e = exp_scaled(bounded(a, 0.0, EXP_HIGH), 0.0, -100);
    return div_rn(e, sqrt_rn(a)) * p * 0x1p100;
}

double __nv_cyl_bessel_i0(double x) {
    double a = fabs_d(x);
    double z = a * a;
    if (a < 8.0)
        return fma_d(z, poly_i0_small(z), 1.0);
    return a == INFINITY_D ? a : growing(a, poly_i0_large(div_rn(16.0, a) - 1.0));
}

double __nv_cyl_bessel_i1(double x) {
    double a = fabs_d(x);
    double z = a * a;
    double r;
    if (a < 8.0)
        r = a * fma_d(z, poly_i1_small(z), 0.5);
    else
        r = a == INFINITY_D ? a : growing(a, poly_i1_large(div_rn(16.0, a) - 1.0));
    return __builtin_copysign(r, x);
}

float __nv_j0f(float x) {
    return (float)__nv_j0(x);
}

float __nv_j1f(float x) {
    return (float)__nv_j1(x);
}

float __nv_jnf(int n, float x) {
    return (float)__nv_jn(n, x);
}

float __nv_y0f(float x) {
    return (float)__nv_y0(x);
}

float __nv_y1f(float x) {
    return (float)__nv_y1(x);
}

float __nv_ynf(int n, float x) {
    return (float)__nv_yn(n, x);
}

float __nv_cyl_bessel_i0f(float x) {
    return (float)__nv_cyl_bessel_i0(x);
}

float __nv_cyl_bessel_i1f(float x) {
    return (float)__nv_cyl_bessel_i1(x);
}
