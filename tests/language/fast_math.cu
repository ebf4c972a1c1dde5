// Compiled with -use_fast_math: each function of the guide's table 21 is its intrinsic, bit for
// bit, by all its names.
#include <cmath>

#include "check.h"

enum { COUNT = 4096 };

__device__ float sine_of(float x) {
    float s, c;
    sincosf(x, &s, &c);
    return s;
}
__device__ float cosine_of(float x) {
    float s, c;
    sincos(x, &s, &c);
    return c;
}
__device__ float fast_sine_of(float x) {
    float s, c;
    __sincosf(x, &s, &c);
    return s;
}
__device__ float fast_cosine_of(float x) {
    float s, c;
    __sincosf(x, &s, &c);
    return c;
}

// X(number, what is written, what it has to be)
#define TABLE(X)                                                                                   \
    X(0, x / y, __fdividef(x, y))                                                                  \
    X(1, sinf(x), __sinf(x))                                                                       \
    X(2, sin(x), __sinf(x))                                                                        \
    X(3, std::cos(x), __cosf(x))                                                                   \
    X(4, cosf(x), __cosf(x))                                                                       \
    X(5, tanf(x), __tanf(x))                                                                       \
    X(6, std::tan(x), __tanf(x))                                                                   \
    X(7, sine_of(x), fast_sine_of(x))                                                              \
    X(8, cosine_of(x), fast_cosine_of(x))                                                          \
    X(9, logf(x), __logf(x))                                                                       \
    X(10, std::log(x), __logf(x))                                                                  \
    X(11, log2f(x), __log2f(x))                                                                    \
    X(12, log2(x), __log2f(x))                                                                     \
    X(13, log10f(x), __log10f(x))                                                                  \
    X(14, log10(x), __log10f(x))                                                                   \
    X(15, expf(x), __expf(x))                                                                      \
    X(16, exp(x), __expf(x))                                                                       \
    X(17, exp10f(x), __exp10f(x))                                                                  \
    X(18, exp10(x), __exp10f(x))                                                                   \
    X(19, powf(x, y), __powf(x, y))                                                                \
    X(20, std::pow(x, y), __powf(x, y))                                                            \
    X(21, tanhf(x), __tanhf(x))                                                                    \
    X(22, std::tanh(x), __tanhf(x))

__global__ void compare(const float *in, unsigned *different) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = in[(i * 7 + 3) % COUNT];
#define COMPARE(n, written, meant)                                                                 \
    {                                                                                              \
        float a = written, b = meant;                                                              \
        if (__float_as_uint(a) != __float_as_uint(b) && !(isnan(a) && isnan(b)))                   \
            atomicAdd(&different[n], 1);                                                           \
    }
    TABLE(COMPARE)
}

// Divisors beyond 2^126 count as infinite (guide 17.2).
__global__ void divide(const float *x, const float *y, float *quotient) {
    int i = (int)threadIdx.x;
    quotient[2 * i] = __fdividef(x[i], y[i]);
    quotient[2 * i + 1] = x[i] / y[i];
}

static void check_large_divisors() {
    const float x[] = {0x1p127f, 0x1p127f, 1, -0x1p127f, 1e30f, INFINITY, -INFINITY, INFINITY};
    const float y[] = {0x1p126f,        0x1.000002p126f, -0x1p127f, 0x1.8p126f,
                       0x1.fffffep127f, -0x1.8p126f,     0x1p127f,  0x1p126f};
    const float want[] = {2, 0, -0.0f, -0.0f, 0, NAN, NAN, INFINITY};
    float *a = shared_array<float>(8), *b = shared_array<float>(8), *q = shared_array<float>(16);
    memcpy(a, x, sizeof x);
    memcpy(b, y, sizeof y);
    divide<<<1, 8>>>(a, b, q);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++)
        CHECK(isnan(want[i / 2]) ? isnan(q[i])
                                 : q[i] == want[i / 2] && signbit(q[i]) == signbit(want[i / 2]));
}

int main() {
    check_large_divisors();
    float *in = shared_array<float>(COUNT);
    unsigned *different = shared_array<unsigned>(23);
    random_words next;
    for (int i = 0; i < COUNT; i++) {
        unsigned word = (unsigned)(next() >> 20);
        memcpy(&in[i], &word, sizeof word);
        if (i % 3)
            in[i] = (float)(int)word * 1e-8f;
    }
    const float special[] = {0, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, -1e-40f, 1, -1};
    memcpy(in, special, sizeof special);
    compare<<<COUNT / 256, 256>>>(in, different);
    CUDA(cudaDeviceSynchronize());
#define TELL(n, written, meant)                                                                    \
    if (different[n])                                                                              \
        printf("%s is not %s at %u of %d\n", #written, #meant, different[n], COUNT);               \
    CHECK(different[n] == 0);
    TABLE(TELL)
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
