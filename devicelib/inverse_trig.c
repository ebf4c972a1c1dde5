// Arc functions.
#include "coefficients.h"
#include "double_double.h"
#include "libdevice.h"

#define PI_HI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53
#define PIO2_HI 0x1.921fb54442d18p+0
#define PIO2_LO 0x1.1a62633145c07p-54

#define PIO4_HI 0x1.921fb54442d18p-1
#define PIO4_LO 0x1.1a62633145c07p-55
#define PI3O4_HI 0x1.2d97c7f3321d2p+1
#define PI3O4_LO 0x1.a79394c9e8a0ap-54

// Ratios between tan(pi/8) and 1 are turned by pi/4: atan(s/l) = pi/4 + atan((s - l)/(s + l)), so
// that the polynomial's sum stays small beside the result.
#define COT_PI_8 0x1.3504f333f9de6p+1

// hi + lo + atan(t) for |t| up to tan(pi/8) (of ratios of the smallest numbers a little more),
// where hi is 0 or outweighs t.
INLINE double atan_from(double hi, double lo, double t) {
    double z = t * t;
    dd sum = fast_two_sum(hi, t);
    return add_rn(sum.hi, fma_d(t * z, poly_atan(z), sum.lo + lo));
}

double __nv_atan(double x) {
    double a = fabs_d(x);
    int steep = a > COT_PI_8, middle = !steep && a > 1.0 / COT_PI_8;
    double t = div_rn(middle ? a - 1.0 : steep ? -1.0 : a, middle ? a + 1.0 : steep ? a : 1.0);
    double hi = middle ? PIO4_HI : steep ? PIO2_HI : 0.0;
    double lo = middle ? PIO4_LO : steep ? PIO2_LO : 0.0;
    double r = atan_from(hi, lo, t);
    return is_nan_d(x) ? x : __builtin_copysign(r, x);
}

double __nv_atan2(double y, double x) {
    double a = fabs_d(y), b = fabs_d(x);
    int steep = a > b, left = (int)(bits_d(x) >> 63);
    double large = steep ? a : b, small = steep ? b : a;
    // Infinity over infinity is the diagonal.
    int diagonal = small == INFINITY_D;
    int middle = diagonal || (large <= COT_PI_8 * small && small != 0.0 && large < INFINITY_D);
    double scaling = large > 1.0 ? 0.5 : 1.0; // the sum may not fit
    double sum = fma_d(scaling, small, scaling * large), difference = scaling * (small - large);
    double t = div_rn(middle ? difference : small, middle ? sum : large);
    t = large == 0.0 || diagonal ? 0.0 : t;
    double hi = middle ? left ? PI3O4_HI : PIO4_HI : steep ? PIO2_HI : left ? PI_HI : 0.0;
    double lo = middle ? left ? PI3O4_LO : PIO4_LO : steep ? PIO2_LO : left ? PI_LO : 0.0;
    double r = atan_from(hi, lo, steep != left ? -t : t);
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
