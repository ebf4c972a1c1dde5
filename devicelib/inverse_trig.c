// Arc functions.
#include "coefficients.h"
#include "double_double.h"
#include "libdevice.h"

#define PI_HI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53
#define PIO2_HI 0x1.921fb54442d18p+0
#define PIO2_LO 0x1.1a62633145c07p-54

// base + sign * atan(t) for 0 <= t <= 1, where base is 0, pi/2 or pi in two parts. The large terms
// are added exactly.
INLINE double atan_from(double hi, double lo, double t, int minus) {
    double z = t * t;
    double tail = t * z * poly_atan(z);
    tail = minus ? -tail : tail;
    dd sum = fast_two_sum(hi, minus ? -t : t);
    return add_rn(sum.hi, sum.lo + (lo + tail));
}

double __nv_atan(double x) {
    double a = fabs_d(x);
    int inverted = a > 1.0;
    double t = inverted ? div_rn(1.0, a) : a;
    double r = atan_from(inverted ? PIO2_HI : 0.0, inverted ? PIO2_LO : 0.0, t, inverted);
    return is_nan_d(x) ? x : __builtin_copysign(r, x);
}

double __nv_atan2(double y, double x) {
    double a = fabs_d(y), b = fabs_d(x);
    int steep = a > b, left = (int)(bits_d(x) >> 63);
    double large = steep ? a : b, small = steep ? b : a;
    double t = div_rn(small, large);
    // 0/0 is the angle 0, infinity over infinity that of the diagonal.
    t = large == 0.0 ? 0.0 : t;
    t = small == INFINITY_D ? 1.0 : t;
    double hi = steep ? PIO2_HI : left ? PI_HI : 0.0;
    double lo = steep ? PIO2_LO : left ? PI_LO : 0.0;
    double r = atan_from(hi, lo, t, steep != left);
    return is_nan_d(x) || is_nan_d(y) ? x + y : __builtin_copysign(r, y);
}

// With a = |x|: asin(a) directly up to 1/2, from there through asin(sqrt((1 - a)/2)), which is
// half of acos(a).
typedef struct {
    double s, tail; // their sum is asin(a), or acos(a)/2
    int far;        // which of the two
} arc;

INLINE arc arc_unit(double a) {
    int far = a > 0.5;
    double z = far ? fma_d(-0.5, a, 0.5) : a * a;
    double s = far ? sqrt_rn(z) : a;
    return (arc){s, s * z * poly_asin(z), far};
}

// hi + lo + s + tail, where hi outweighs s.
INLINE double sum_from(double hi, double lo, double s, double tail) {
    dd sum = fast_two_sum(hi, s);
    return add_rn(sum.hi, sum.lo + (lo + tail));
}

double __nv_asin(double x) {
    arc p = arc_unit(fabs_d(x));
    double far = sum_from(PIO2_HI, PIO2_LO, -2.0 * p.s, -2.0 * p.tail);
    return __builtin_copysign(p.far ? far : p.s + p.tail, x);
}

double __nv_acos(double x) {
    arc p = arc_unit(fabs_d(x));
    int negative = (int)(bits_d(x) >> 63);
    double s = p.far ? 2.0 * p.s : p.s, tail = p.far ? 2.0 * p.tail : p.tail;
    // near: pi/2 -+ asin(a); far: 2 asin(...) or pi minus that.
    int minus = p.far == negative;
    double hi = p.far ? (negative ? PI_HI : 0.0) : PIO2_HI;
    double lo = p.far ? (negative ? PI_LO : 0.0) : PIO2_LO;
    return sum_from(hi, lo, minus ? -s : s, minus ? -tail : tail);
}

#define PIF_HI 0x1.921fb6p+1f
#define PIF_LO (-0x1.777a5cp-24f)
#define PIO2F_HI 0x1.921fb6p+0f
#define PIO2F_LO (-0x1.777a5cp-25f)

// The same in float: base + sign * atan(t).
INLINE float atan_from_f(float hi, float lo, float t, int minus) {
    float z = t * t;
    float r = fma_f(t * z, poly_atanf(z), t);
    return hi + ((minus ? -r : r) + lo);
}

float __nv_atanf(float x) {
    float a = fabs_f(x);
    int inverted = a > 1.0f;
    // From 2^60 on the angle is pi/2.
    float t = inverted ? reciprocal_f(a < 0x1p60f ? a : 0x1p60f) : a;
    float r = atan_from_f(inverted ? PIO2F_HI : 0.0f, inverted ? PIO2F_LO : 0.0f, t, inverted);
    return is_nan_f(x) ? x : __builtin_copysignf(r, x);
}

float __nv_atan2f(float y, float x) {
    float a = fabs_f(y), b = fabs_f(x);
    int steep = a > b, left = (int)(bits_f(x) >> 31);
    float large = steep ? a : b, small = steep ? b : a;
    float t = div_rnf(small, large);
    t = large == 0.0f ? 0.0f : t;
    t = small == INFINITY_F ? 1.0f : t;
    float hi = steep ? PIO2F_HI : left ? PIF_HI : 0.0f;
    float lo = steep ? PIO2F_LO : left ? PIF_LO : 0.0f;
    float r = atan_from_f(hi, lo, t, steep != left);
    return is_nan_f(x) || is_nan_f(y) ? x + y : __builtin_copysignf(r, y);
}

// hi + lo + s times the arc that a = |x| leads to, for a factor s: 1 or 2 with a sign.
INLINE float arc_sum_f(float a, float hi, float lo, float factor) {
    int far = a > 0.5f;
    float z = far ? fma_f(-0.5f, a, 0.5f) : a * a;
    float s = factor * (far ? sqrt_rnf(z) : a);
    return (hi + s) + fma_f(s * z, poly_asinf(z), lo);
}

float __nv_asinf(float x) {
    float a = fabs_f(x);
    int far = a > 0.5f;
    float r = arc_sum_f(a, far ? PIO2F_HI : 0.0f, far ? PIO2F_LO : 0.0f, far ? -2.0f : 1.0f);
    return __builtin_copysignf(r, x);
}

float __nv_acosf(float x) {
    float a = fabs_f(x);
    int far = a > 0.5f, negative = (int)(bits_f(x) >> 31);
    float hi = far ? (negative ? PIF_HI : 0.0f) : PIO2F_HI;
    float lo = far ? (negative ? PIF_LO : 0.0f) : PIO2F_LO;
    float factor = far ? 2.0f : 1.0f;
    return arc_sum_f(a, hi, lo, far == negative ? -factor : factor);
}
