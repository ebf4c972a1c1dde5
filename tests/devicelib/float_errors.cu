// The float functions of one argument, at every float, on the device that runs this: the distance
// from the double function's result, rounded to float, in units of the last place (guide 17.1). The
// double functions are proven apart (ulp.c); their own error of some 2^-29 float units does not
// count here.
//
// Usage: devicelib_float_errors [-s STRIDE] [NAME...]
// STRIDE is 1 unless given: 2^32 arguments a function. NAME is sinf, expf, ... Exit status 0: every
// function stays within its bound.
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct tally {
    unsigned long long worst; // the distance above, the argument's bits below
    unsigned long long wrong; // results of another kind: NaN, sign of zero
    unsigned wrong_at;
    float absolute; // the largest error where that is what the guide bounds
};

// What is asked for at an argument.
enum measure { DISTANCE, ABSOLUTE, NOTHING };

__device__ measure everywhere(float) {
    return DISTANCE;
}

// Between its zeros beside poles lgamma has no bound.
__device__ measure lgamma_measure(float x) {
    return x > -10.001f && x < -2.264f ? NOTHING : DISTANCE;
}

// From 8 on the absolute error of Bessel functions is bounded; far out the reduction alone counts.
__device__ measure bessel_measure(float x) {
    float a = fabsf(x);
    return a > 1e15f && a <= 3.402823466e38f ? NOTHING : a >= 8 ? ABSOLUTE : DISTANCE;
}

// The position of a value in the order of all floats.
__device__ long long order(float x) {
    int i = __float_as_int(x);
    return i < 0 ? (long long)(int)0x80000000 - i : i;
}

__device__ void judge(tally *t, measure m, float x, float result, double exact) {
    float expected = (float)exact;
    bool nan = expected != expected, same = result == expected;
    if (m == NOTHING || (nan && result != result))
        return;
    if (nan || result != result || (same && signbit(result) != signbit(expected))) {
        atomicAdd(&t->wrong, 1);
        t->wrong_at = __float_as_uint(x);
    } else if (m == ABSOLUTE) {
        // Errors are not negative, and such floats are ordered as their bits are.
        atomicMax((int *)&t->absolute, __float_as_int((float)fabs((double)result - exact)));
    } else if (!same) {
        unsigned long long ulps = llabs(order(result) - order(expected));
        unsigned long long found = ulps << 32 | __float_as_uint(x);
        if (found > *(volatile unsigned long long *)&t->worst)
            atomicMax(&t->worst, found);
    }
}

// The guide's bounds of the float functions, in units of the last place, and where they hold.
#define FLOAT_BOUNDS(X)                                                                            \
    X(sqrt, 0, everywhere)                                                                         \
    X(rsqrt, 2, everywhere)                                                                        \
    X(cbrt, 1, everywhere)                                                                         \
    X(rcbrt, 1, everywhere)                                                                        \
    X(exp, 2, everywhere)                                                                          \
    X(exp2, 2, everywhere)                                                                         \
    X(exp10, 2, everywhere)                                                                        \
    X(expm1, 1, everywhere)                                                                        \
    X(log, 1, everywhere)                                                                          \
    X(log2, 1, everywhere)                                                                         \
    X(log10, 2, everywhere)                                                                        \
    X(log1p, 1, everywhere)                                                                        \
    X(sin, 2, everywhere)                                                                          \
    X(cos, 2, everywhere)                                                                          \
    X(tan, 4, everywhere)                                                                          \
    X(sinpi, 1, everywhere)                                                                        \
    X(cospi, 1, everywhere)                                                                        \
    X(asin, 2, everywhere)                                                                         \
    X(acos, 2, everywhere)                                                                         \
    X(atan, 2, everywhere)                                                                         \
    X(sinh, 3, everywhere)                                                                         \
    X(cosh, 2, everywhere)                                                                         \
    X(tanh, 2, everywhere)                                                                         \
    X(asinh, 3, everywhere)                                                                        \
    X(acosh, 4, everywhere)                                                                        \
    X(atanh, 3, everywhere)                                                                        \
    X(erf, 2, everywhere)                                                                          \
    X(erfc, 4, everywhere)                                                                         \
    X(erfinv, 2, everywhere)                                                                       \
    X(erfcinv, 4, everywhere)                                                                      \
    X(erfcx, 4, everywhere)                                                                        \
    X(normcdf, 5, everywhere)                                                                      \
    X(normcdfinv, 5, everywhere)                                                                   \
    X(lgamma, 6, lgamma_measure)                                                                   \
    X(tgamma, 5, everywhere)                                                                       \
    X(j0, 9, bessel_measure)                                                                       \
    X(j1, 9, bessel_measure)                                                                       \
    X(y0, 9, bessel_measure)                                                                       \
    X(y1, 9, bessel_measure)                                                                       \
    X(cyl_bessel_i0, 6, everywhere)                                                                \
    X(cyl_bessel_i1, 6, everywhere)

#define KERNEL(name, bound, measure_of)                                                            \
    __global__ void errors_##name(tally *t, unsigned stride, unsigned long long count) {           \
        unsigned step = gridDim.x * blockDim.x;                                                    \
        for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) { \
            float x = __uint_as_float((unsigned)i * stride);                                       \
            judge(t, measure_of(x), x, name##f(x), name((double)x));                               \
        }                                                                                          \
    }
FLOAT_BOUNDS(KERNEL)

static const float absolute_bound = 2.2e-6f;

static float float_of(unsigned bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static int check(const char *name, unsigned bound, unsigned stride,
                 void (*kernel)(tally *, unsigned, unsigned long long)) {
    tally *device, t = {};
    if (cudaMalloc(&device, sizeof t) != cudaSuccess)
        return 1;
    cudaMemset(device, 0, sizeof t);
    kernel<<<1024, 256>>>(device, stride, ((1ull << 32) + stride - 1) / stride);
    cudaError_t e = cudaMemcpy(&t, device, sizeof t, cudaMemcpyDeviceToHost);
    cudaFree(device);
    unsigned worst = (unsigned)(t.worst >> 32);
    int bad = e != cudaSuccess || worst > bound || t.wrong || t.absolute > absolute_bound;
    printf("%-16s %4u  bound %u  at %a", name, worst, bound, float_of((unsigned)t.worst));
    if (t.absolute > 0)
        printf("   absolute %.2g, bound %g", t.absolute, absolute_bound);
    if (t.wrong)
        printf("   %llu of another kind, one at %a", t.wrong, float_of(t.wrong_at));
    printf("%s%s\n", e != cudaSuccess ? cudaGetErrorString(e) : "", bad ? "   FAIL" : "");
    fflush(stdout);
    return bad;
}

static bool chosen(const char *name, char **names) {
    bool any = *names != nullptr;
    for (; *names; names++)
        if (!strcmp(name, *names))
            return true;
    return !any;
}

int main(int argc, char **argv) {
    unsigned stride = 1;
    int failed = 0;
    argv++;
    if (argc > 2 && !strcmp(*argv, "-s")) {
        stride = (unsigned)strtoul(argv[1], nullptr, 10);
        argv += 2;
    }
    if (stride == 0) {
        fprintf(stderr, "usage: devicelib_float_errors [-s STRIDE] [NAME...]\n");
        return 2;
    }
#define CHECK(name, bound, measure_of)                                                             \
    if (chosen(#name "f", argv))                                                                   \
        failed |= check(#name "f", bound, stride, errors_##name);
    FLOAT_BOUNDS(CHECK)
    return failed;
}
