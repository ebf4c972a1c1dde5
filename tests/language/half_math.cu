// Mathematical functions and arithmetic of half precision and bfloat16 on the device: of every
// value, or of every value and one at random, against the nearest number of the format to what
// double precision gives.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "check.h"

constexpr int values = 65536, unary = 17, binary = 12, words = unary + binary;

struct results {
    unsigned short r[words][values];
};

template <class H> struct bits;
template <> struct bits<__half> {
    static constexpr int digits = 10, bias = 15;
    static __host__ __device__ __half of(unsigned short u) {
        return __half(__half_raw{u});
    }
    static __host__ __device__ unsigned short in(__half h) {
        return __half_as_ushort(h);
    }
};
template <> struct bits<__nv_bfloat16> {
    static constexpr int digits = 7, bias = 127;
    static __host__ __device__ __nv_bfloat16 of(unsigned short u) {
        return __nv_bfloat16(__nv_bfloat16_raw{u});
    }
    static __host__ __device__ unsigned short in(__nv_bfloat16 h) {
        return __bfloat16_as_ushort(h);
    }
};

__host__ __device__ unsigned short other_value(unsigned i) {
    i = (i ^ 61) * 0x9e3779b1u;
    return (unsigned short)(i >> 13);
}

template <class H> __global__ void compute(results *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    H x = bits<H>::of((unsigned short)i), y = bits<H>::of(other_value(i));
    const H one[unary] = {hceil(x),  hfloor(x), htrunc(x), hrint(x),  hsqrt(x), hrsqrt(x),
                          hrcp(x),   hexp(x),   hexp2(x),  hexp10(x), hlog(x),  hlog2(x),
                          hlog10(x), hsin(x),   hcos(x),   __habs(x), __hneg(x)};
    const H two[binary] = {__hadd(x, y),     __hsub(x, y),     __hmul(x, y),
                           __hdiv(x, y),     __hadd_rn(x, y),  __hmul_rn(x, y),
                           __hfma(x, y, x),  __hmax(x, y),     __hmin(x, y),
                           __hmax_nan(x, y), __hadd_sat(x, y), __hfma_relu(x, y, y)};
    for (int k = 0; k < unary; k++)
        out->r[k][i] = bits<H>::in(one[k]);
    for (int k = 0; k < binary; k++)
        out->r[unary + k][i] = bits<H>::in(two[k]);
}

// The value of a format's code, from the definition.
template <class H> double value(unsigned code) {
    int digits = (int)(code & ((1u << bits<H>::digits) - 1));
    int exponent = (int)((code & 0x7fff) >> bits<H>::digits);
    double size = exponent == 0x7fff >> bits<H>::digits ? (digits ? NAN : INFINITY)
                  : exponent == 0 ? ldexp(digits, 1 - bits<H>::bias - bits<H>::digits)
                                  : ldexp(digits + (1 << bits<H>::digits),
                                          exponent - bits<H>::bias - bits<H>::digits);
    return code & 0x8000 ? -size : size;
}

// How far the code is from x, in units of the last place there.
template <class H> double distance(unsigned code, double x) {
    double got = value<H>(code);
    if (std::isnan(x) || std::isnan(got))
        return std::isnan(x) && std::isnan(got) ? 0 : 1e9;
    const double top = value<H>(((0x7fffu >> bits<H>::digits) << bits<H>::digits) - 1);
    const double least = ldexp(1, 1 - bits<H>::bias - bits<H>::digits);
    double place =
        fmax(ldexp(1, (x == 0 || std::isinf(x) ? -2000 : std::ilogb(x)) - bits<H>::digits), least);
    if (fabs(x) > top) { // the next number would be beyond
        place = ldexp(1, std::ilogb(top) - bits<H>::digits);
        x = copysign(fmin(fabs(x), top + place), x);
    }
    if (std::isinf(got))
        got = copysign(top + place, got);
    return fabs(got - x) / place;
}

template <class H> void check(const char *type) {
    static const char *const names[words] = {
        "hceil",  "hfloor", "htrunc",     "hrint",      "hsqrt",      "hrsqrt",
        "hrcp",   "hexp",   "hexp2",      "hexp10",     "hlog",       "hlog2",
        "hlog10", "hsin",   "hcos",       "__habs",     "__hneg",     "__hadd",
        "__hsub", "__hmul", "__hdiv",     "__hadd_rn",  "__hmul_rn",  "__hfma",
        "__hmax", "__hmin", "__hmax_nan", "__hadd_sat", "__hfma_relu"};
    results *out = shared_array<results>(1);
    compute<H><<<values / 256, 256>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (unsigned i = 0; i < values; i++) {
        double x = value<H>(i), y = value<H>(other_value(i));
        double larger = x != x   ? y
                        : y != y ? x
                                 : fmax(x, y),
               smaller = x != x   ? y
                         : y != y ? x
                                  : fmin(x, y);
        double sum = x + y, within = sum != sum ? 0 : fmin(fmax(sum, 0), 1),
               fused = std::fma(x, y, y);
        const double expected[words] = {ceil(x),
                                        floor(x),
                                        trunc(x),
                                        nearbyint(x),
                                        sqrt(x),
                                        1 / sqrt(x),
                                        1 / x,
                                        exp(x),
                                        exp2(x),
                                        pow(10, x),
                                        log(x),
                                        log2(x),
                                        log10(x),
                                        sin(x),
                                        cos(x),
                                        fabs(x),
                                        -x,
                                        sum,
                                        x - y,
                                        x * y,
                                        x / y,
                                        sum,
                                        x * y,
                                        std::fma(x, y, x),
                                        larger,
                                        smaller,
                                        x != x || y != y ? NAN : larger,
                                        within,
                                        fused < 0 ? 0 : fused};
        for (int k = 0; k < words; k++) {
            // Arithmetic and what is exact rounds once; a fused product of bfloat16 numbers rounds
            // in double, too.
            bool function = k >= 4 && k < 15;
            double off = distance<H>(out->r[k][i], expected[k]);
            if (off > (function ? 1.0 : 0.5) && failures++ < 20)
                printf("%s %s(%g, %g) = %g, not %.9g\n", type, names[k], x, y,
                       value<H>(out->r[k][i]), expected[k]);
        }
    }
}

int main() {
    check<__half>("half");
    check<__nv_bfloat16>("bfloat16");
    return failures != 0;
}
