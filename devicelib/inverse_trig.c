// Arc functions.
#include "coefficients.h"
#include "libdevice.h"

#define PI_HI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53
#define PIO2_HI 0x1.921fb54442d18p+0
#define PIO2_LO 0x1.1a62633145c07p-54

// atan(t) for 0 <= t <= 1
INLINE double atan_unit(double t) {
    double z = t * t;
    return fma_d(t * z, poly_atan(z), t);
}

double __nv_atan(double x) {
    double a = fabs_d(x);
    int inverted = a > 1.0;
    double r = atan_unit(inverted ? div_rn(1.0, a) : a);
    r = inverted ? PIO2_HI - (r - PIO2_LO) : r;
    return is_nan_d(x) ? x : __builtin_copysign(r, x);
}

double __nv_atan2(double y, double x) {
    double a = fabs_d(y), b = fabs_d(x);
    int steep = a > b;
    double large = steep ? a : b, small = steep ? b : a;
    double t = div_rn(small, large);
    // 0/0 is the angle 0, infinity over infinity that of the diagonal.
    t = large == 0.0 ? 0.0 : t;
    t = small == INFINITY_D ? 1.0 : t;
    double r = atan_unit(t);
    r = steep ? PIO2_HI - (r - PIO2_LO) : r;
    r = bits_d(x) >> 63 ? PI_HI - (r - PI_LO) : r;
    return is_nan_d(x) || is_nan_d(y) ? x + y : __builtin_copysign(r, y);
}

// With a = |x|: asin(a) directly up to 1/2, from there through asin(sqrt((1 - a)/2)), which is
// half of acos(a).
typedef struct {
    double r; // asin(a), or acos(a)/2
    int far;  // which of the two
} arc;

INLINE arc arc_unit(double a) {
    int far = a > 0.5;
    double z = far ? fma_d(-0.5, a, 0.5) : a * a;
    double s = far ? sqrt_rn(z) : a;
    return (arc){fma_d(s * z, poly_asin(z), s), far};
}

double __nv_asin(double x) {
    arc p = arc_unit(fabs_d(x));
    double r = p.far ? PIO2_HI - fma_d(2.0, p.r, -PIO2_LO) : p.r;
    return __builtin_copysign(r, x);
}

double __nv_acos(double x) {
    arc p = arc_unit(fabs_d(x));
    int negative = (int)(bits_d(x) >> 63);
    double near = PIO2_HI - ((negative ? -p.r : p.r) - PIO2_LO);
    double far = negative ? PI_HI - fma_d(2.0, p.r, -PI_LO) : 2.0 * p.r;
    return p.far ? far : near;
}

float __nv_atanf(float x) {
    return (float)__nv_atan(x);
}

float __nv_atan2f(float y, float x) {
    return (float)__nv_atan2(y, x);
}

float __nv_asinf(float x) {
    return (float)__nv_asin(x);
}

float __nv_acosf(float x) {
    return (float)__nv_acos(x);
}
