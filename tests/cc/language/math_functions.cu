// The C math functions in float and double, by their own names, overloaded, from std::, and
// CUDA's own; intrinsics with rounding modes; casts.
// CHECK: add.rz.f32
// CHECK: fma.rn.f64
// CHECK: cvt.rni.s32.f32
// CHECK: ex2.approx
// CHECK-NOT: extern .func .*__nv_
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#define ONE(g) r += g(x) + g##f(s) + g(s) + std::g(x) + std::g(s);
#define ONE_CUDA(g) r += g(x) + g##f(s);
#define TWO(g) r += g(x, y) + g##f(s, t) + g(s, t) + std::g(x, y) + std::g(s, t);
__global__ void math(double *out, double x, double y, float s, float t, int n) {
    double r = 0, parts;
    float parts_f;
    int e;
    ONE(sqrt) ONE(cbrt) ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p)
    ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh)
    ONE(asinh) ONE(acosh) ONE(atanh) ONE(erf) ONE(erfc) ONE(lgamma) ONE(tgamma) ONE(logb)
    ONE(ceil) ONE(floor) ONE(trunc) ONE(round) ONE(rint) ONE(nearbyint) ONE(fabs)
    TWO(pow) TWO(atan2) TWO(hypot) TWO(fmod) TWO(remainder) TWO(copysign) TWO(nextafter)
    TWO(fdim) TWO(fmax) TWO(fmin)
    ONE_CUDA(rsqrt) ONE_CUDA(rcbrt) ONE_CUDA(sinpi) ONE_CUDA(cospi) ONE_CUDA(exp10)
    ONE_CUDA(erfinv) ONE_CUDA(erfcinv) ONE_CUDA(erfcx) ONE_CUDA(normcdf) ONE_CUDA(normcdfinv)
    ONE_CUDA(j0) ONE_CUDA(j1) ONE_CUDA(y0) ONE_CUDA(y1) ONE_CUDA(cyl_bessel_i0)
    ONE_CUDA(cyl_bessel_i1)
    r += jn(n, x) + jnf(n, s) + yn(n, x) + ynf(n, s);
    r += norm3d(x, y, x) + norm4d(x, y, x, y) + rnorm3d(x, y, x) + rhypot(x, y) + norm(n, out) +
         rnorm3df(s, t, s) + norm3df(s, t, s) + norm4df(s, t, s, t) + rhypotf(s, t);
    r += fma(x, y, x) + fmaf(s, t, s) + std::fma(s, t, s) + ldexp(x, n) + ldexpf(s, n) +
         scalbn(x, n) + scalbln(x, n) + frexp(x, &e) + frexpf(s, &e) + modf(x, &parts) +
         modff(s, &parts_f) + remquo(x, y, &e) + remquof(s, t, &e) + fdividef(s, t);
    r += ilogb(x) + ilogbf(s) + lrint(x) + llrint(x) + lround(x) + llround(s) + lrintf(s);
    sincos(x, &parts, &r);
    sincosf(s, &parts_f, &parts_f);
    sincospi(x, &parts, &r);
    r += isnan(x) + isinf(s) + isfinite(x) + signbit(s) + std::isnan(s) + std::isinf(x) +
         std::isfinite(s) + std::signbit(x) + isnormal(x);
    r += std::abs(x) + std::abs(s) + std::abs(n) + std::pow(s, 2) + std::pow(x, n) + sqrt(n) +
         std::sqrt(n) + abs(s) + pow(s, n);
    r += std::min(x, y) + std::max(s, t) + min(s, t) + max(x, y) + min(s, x) + fminf(s, t);
    r += std::numeric_limits<float>::max() + FLT_EPSILON + INFINITY + M_PI;
    r += nan("") + nanf("0x12") + std::nan("7");
    *out = r + parts + parts_f + e;
}
__global__ void intrinsics(double *out, double x, double y, float s, float t, int n, long long l) {
    double r = 0;
    r += __fadd_rn(s, t) + __fadd_rz(s, t) + __fadd_ru(s, t) + __fadd_rd(s, t);
    r += __fsub_rn(s, t) + __fmul_rz(s, t) + __fmaf_ru(s, t, s) + __frcp_rn(s) + __fsqrt_rd(s);
    r += __frsqrt_rn(s) + __fdiv_rz(s, t) + __fdividef(s, t) + __saturatef(s);
    r += __expf(s) + __exp10f(s) + __logf(s) + __log2f(s) + __log10f(s) + __powf(s, t);
    r += __sinf(s) + __cosf(s) + __tanf(s);
    float sine, cosine;
    __sincosf(s, &sine, &cosine);
    r += sine + cosine;
    r += __dadd_ru(x, y) + __dmul_rd(x, y) + __fma_rn(x, y, x) + __ddiv_rz(x, y) + __drcp_rn(x) +
         __dsqrt_ru(x) + __dsub_rn(x, y);
    r += __float2int_rn(s) + __float2int_rz(s) + __float2uint_ru(s) + __float2ll_rd(s) +
         __int2float_rz(n) + __uint2float_rn(n) + __ll2float_ru(l) + __ull2double_rn(l);
    r += __double2int_rn(x) + __double2ll_rz(x) + __double2float_rd(x) + __int2double_rn(n) +
         __double2uint_rn(x) + __double2ull_rz(x) + __float2ull_rn(s);
    r += __float_as_int(s) + __int_as_float(n) + __float_as_uint(s) + __uint_as_float(n) +
         __double_as_longlong(x) + __longlong_as_double(l) + __double2hiint(x) +
         __double2loint(x) + __hiloint2double(n, n);
    *out = r;
}
double host(double x, float s) {
    double a, b;
    sincospi(x, &a, &b);
    return rsqrt(x) + rsqrtf(s) + sinpi(x) + cospif(s) + norm3d(x, x, x) + normcdf(x) +
           normcdfinv(x) + erfinv(x) + erfcinvf(s) + erfcx(x) + rcbrt(x) + max(1, 2) +
           min(s, 2.0f) + fminf(s, 1) + cyl_bessel_i0(x) + umax(1u, 2u) + a + b + exp10(x);
}
