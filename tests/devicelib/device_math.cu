// The math functions as kernels call them, through clang, PTX and the device, give the same bits as
// the same sources compiled for the host. Compiled with -fmad=false, since fusing changes bits.
#include "math_list.h"
#include <stdio.h>
#include <string.h>
#include <vector>

extern "C" {
extern double (*const host_double[])(double);
extern float (*const host_float[])(float);
extern double (*const host_double_2[])(double, double);
extern float (*const host_float_2[])(float, float);
}

enum { points = 4096 };

#define KERNELS(name)                                                                              \
    __global__ void kernel_##name(double *out, const double *in) {                                 \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        out[i] = name(in[i]);                                                                      \
    }                                                                                              \
    __global__ void kernel_##name##f(float *out, const float *in) {                                \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        out[i] = name##f(in[i]);                                                                   \
    }
MATH_LIST(KERNELS)

#define KERNELS_2(name)                                                                            \
    __global__ void kernel_##name(double *out, const double *in) {                                 \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        out[i] = name(in[i], in[(i + 1) % points]);                                                \
    }                                                                                              \
    __global__ void kernel_##name##f(float *out, const float *in) {                                \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        out[i] = name##f(in[i], in[(i + 1) % points]);                                             \
    }
MATH_LIST_2(KERNELS_2)

static unsigned long long state = 1;

static unsigned long long random_bits() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state ^ state >> 31) * 0x94d049bb133111ebull;
}

// All bit patterns, and the neighbourhood of zero where functions have their structure.
template <typename T, typename Bits> static std::vector<T> make_points() {
    std::vector<T> p = {0,
                        (T)-0.0,
                        1,
                        -1,
                        (T)0.5,
                        2,
                        (T)__builtin_inf(),
                        (T)-__builtin_inf(),
                        (T)__builtin_nan("")};
    while (p.size() < points) {
        Bits bits = (Bits)random_bits();
        T x;
        memcpy(&x, &bits, sizeof x);
        if (p.size() % 2)
            x = (T)((double)(random_bits() >> 11) * 0x1p-48 - 16);
        p.push_back(x);
    }
    return p;
}

template <typename T> static bool same(T a, T b) {
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

template <typename T, typename Host>
static int check(const char *name, void (*kernel)(T *, const T *), Host host,
                 const std::vector<T> &in, T *device_out, T *device_in) {
    std::vector<T> out(points);
    cudaMemcpy(device_in, in.data(), points * sizeof(T), cudaMemcpyDefault);
    kernel<<<points / 128, 128>>>(device_out, device_in);
    cudaError_t e = cudaMemcpy(out.data(), device_out, points * sizeof(T), cudaMemcpyDefault);
    if (e != cudaSuccess) {
        printf("FAIL %s: %s\n", name, cudaGetErrorString(e));
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < points; i++) {
        T expected = host(in[i], in[(i + 1) % points]);
        if (!same(out[i], expected) && wrong++ < 3)
            printf("FAIL %s(%a, %a) = %a, expected %a\n", name, (double)in[i],
                   (double)in[(i + 1) % points], (double)out[i], (double)expected);
    }
    return wrong;
}

int main() {
    void *out, *in;
    cudaMalloc(&out, points * sizeof(double));
    cudaMalloc(&in, points * sizeof(double));
    std::vector<double> d = make_points<double, unsigned long long>();
    std::vector<float> f = make_points<float, unsigned>();
    int failed = 0, index = 0;
#define CHECK(name)                                                                                \
    failed += check<double>(                                                                       \
        #name, kernel_##name, [=](double x, double) { return host_double[index](x); }, d,          \
        (double *)out, (double *)in);                                                              \
    failed += check<float>(                                                                        \
        #name "f", kernel_##name##f, [=](float x, float) { return host_float[index](x); }, f,      \
        (float *)out, (float *)in);                                                                \
    index++;
    MATH_LIST(CHECK)
    index = 0;
#define CHECK_2(name)                                                                              \
    failed +=                                                                                      \
        check<double>(#name, kernel_##name, host_double_2[index], d, (double *)out, (double *)in); \
    failed += check<float>(#name "f", kernel_##name##f, host_float_2[index], f, (float *)out,      \
                           (float *)in);                                                           \
    index++;
    MATH_LIST_2(CHECK_2)
    printf("%s\n", failed ? "failed" : "passed");
    return failed != 0;
}
