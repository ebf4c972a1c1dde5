// The types that overloads of mathematical functions give, on both sides: those of the C++ library
// and of CUDA's own functions. And powers of two beyond the range of an int.
#include <climits>
#include <cmath>
#include <type_traits>

#include "check.h"

template <class T, class E> __host__ __device__ constexpr bool is(E) {
    return std::is_same<T, E>::value;
}

// Bits of what is wrong.
__host__ __device__ unsigned wrong_types(float f, double d, int i) {
    unsigned wrong = 0, bit = 1;
#define TYPE(T, expression) wrong |= is<T>(expression) ? 0 : bit, bit *= 2
    // A power of mixed types is a double, also a float's with an integer.
    TYPE(float, pow(f, f));
    TYPE(double, pow(f, i));
    TYPE(double, std::pow(f, i));
    TYPE(double, std::pow(f, 2u));
    TYPE(double, pow(d, i));
    TYPE(double, pow(i, f));
    TYPE(double, pow(i, i));
    TYPE(double, atan2(f, i));
    TYPE(double, hypot(f, d));
    // CUDA's own have forms for floats.
    TYPE(float, j0(f) + j1(f) + jn(i, f) + y0(f) + y1(f) + yn(i, f));
    TYPE(double, j0(d) + j1(d) + jn(i, d) + y0(d) + y1(d) + yn(i, d));
    TYPE(double, j0(i) + y1(i) + jn(i, i));
    TYPE(float, rsqrt(f) + rcbrt(f) + sinpi(f) + cospi(f) + exp10(f) + fdivide(f, f));
    TYPE(float, erfinv(f) + erfcinv(f) + erfcx(f) + normcdf(f) + normcdfinv(f));
    TYPE(float, cyl_bessel_i0(f) + cyl_bessel_i1(f));
    float sine, cosine, three[3] = {f, f, f};
    sincos(f, &sine, &cosine);
    sincospi(f, &sine, &cosine);
    TYPE(float, normf(3, three) + rnormf(3, three));
    return wrong;
}

__host__ __device__ bool scales_far() {
    const long far = 1l << 40;
    const double d[] = {0.0, -0.0, INFINITY, -INFINITY};
    const float f[] = {0.0f, -0.0f, INFINITY, -INFINITY};
    bool right = true;
    for (int k = 0; k < 4; k++) {
        right &= scalbln(d[k], far) == d[k] && !signbit(scalbln(d[k], far)) == !signbit(d[k]);
        right &= scalbln(d[k], -far) == d[k] && !signbit(scalbln(d[k], -far)) == !signbit(d[k]);
        right &= scalblnf(f[k], far) == f[k] && !signbit(scalblnf(f[k], far)) == !signbit(f[k]);
        right &= scalblnf(f[k], -far) == f[k] && !signbit(scalblnf(f[k], -far)) == !signbit(f[k]);
    }
    right &= isnan(scalbln((double)NAN, far)) && isnan(scalblnf(NAN, -far));
    right &= scalbln(-1.5, far) == -INFINITY && scalbln(1.5, LONG_MIN) == 0;
    right &= scalblnf(1.5f, LONG_MAX) == INFINITY && signbit(scalblnf(-1.5f, -far));
    return right && scalbln(0x1p-1074, 2097) == 0x1p1023 && scalblnf(0x1p127f, -276) == 0x1p-149f;
}

__global__ void on_device(unsigned *wrong, bool *scales, float f) {
    *wrong = wrong_types(f, f, 2);
    *scales = scales_far();
}

int main() {
    unsigned *wrong = shared_array<unsigned>(1);
    bool *scales = shared_array<bool>(1);
    on_device<<<1, 1>>>(wrong, scales, 0.5f);
    CUDA(cudaDeviceSynchronize());
    unsigned host = wrong_types(0.5f, 0.5, 2);
    if (*wrong || host)
        printf("wrong types: device %#x, host %#x\n", *wrong, host);
    CHECK(*wrong == 0 && host == 0);
    CHECK(*scales && scales_far());
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
