// cuRAND's host library: the documented orders, published numbers, calls in parts, offsets,
// generators of the host beside those of the device, moments of the distributions, statuses.
#include <curand.h>
#include <curand_kernel.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <random>
#include <vector>

#include "../language/check.h"

#define STATUS(call, want)                                                                         \
    do {                                                                                           \
        curandStatus_t status = call;                                                              \
        if (status != (want) && failures++ < 20)                                                   \
            printf("%s:%d: %s: %d, not %d\n", __FILE__, __LINE__, #call, (int)status,              \
                   (int)(want));                                                                   \
    } while (0)
#define OK(call) STATUS(call, CURAND_STATUS_SUCCESS)

static curandGenerator_t generator(curandRngType_t type, bool host = false,
                                   unsigned long long seed = 0) {
    curandGenerator_t g = nullptr;
    OK(host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type));
    if (seed)
        OK(curandSetPseudoRandomGeneratorSeed(g, seed));
    return g;
}

// n results of a call on memory of the device, or of the host.
template <typename T, typename Call> static std::vector<T> results(bool host, size_t n, Call call) {
    std::vector<T> out(n);
    if (host) {
        OK(call(out.data()));
        return out;
    }
    T *p;
    CUDA(cudaMalloc(&p, n * sizeof(T)));
    OK(call(p));
    CUDA(cudaMemcpy(out.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    CUDA(cudaFree(p));
    return out;
}

static std::vector<unsigned int> words(curandGenerator_t g, bool host, size_t n) {
    return results<unsigned int>(host, n, [=](unsigned int *p) { return curandGenerate(g, p, n); });
}

// The first numbers that cuRAND's guide prints for its first example.
static void printed() {
    const float want[] = {.1455f, .8202f, .5504f, .2948f, .9147f,
                          .8690f, .3219f, .7829f, .0113f, .2855f};
    curandGenerator_t g = generator(CURAND_RNG_PSEUDO_DEFAULT, false, 1234);
    auto got =
        results<float>(false, 100, [=](float *p) { return curandGenerateUniform(g, p, 100); });
    for (int i = 0; i < 10; i++)
        CHECK(fabsf(got[i] - want[i]) <= 0.00005001f);
    OK(curandDestroyGenerator(g));
}

// What NVIDIA's samples MC_EstimatePiP and MC_EstimatePiQ print on GPUs: 3.136320 and 3.141840,
// four times the part of 100,000 points that lies in the circle.
static void circle() {
    const size_t n = 100000;
    for (bool quasi : {false, true}) {
        curandGenerator_t g = quasi ? generator(CURAND_RNG_QUASI_DEFAULT)
                                    : generator(CURAND_RNG_PSEUDO_DEFAULT, false, 1234);
        if (quasi)
            OK(curandSetQuasiRandomGeneratorDimensions(g, 2));
        auto u = results<float>(false, 2 * n,
                                [=](float *p) { return curandGenerateUniform(g, p, 2 * n); });
        int inside = 0;
        for (size_t i = 0; i < n; i++)
            inside += u[i] * u[i] + u[n + i] * u[n + i] < 1;
        CHECK(inside == (quasi ? 78546 : 78408));
        OK(curandDestroyGenerator(g));
    }
}

// Result n, by the formula of the documentation.
template <typename State>
static unsigned int at(unsigned long long seed, size_t n, size_t threads, size_t group) {
    static State s;
    static size_t thread = ~(size_t)0, next;
    size_t t = n / group % threads, place = n / group / threads * group + n % group;
    if (t != thread || place != next) {
        curand_init(seed, t, place, &s);
        thread = t;
    }
    next = place + 1;
    return curand(&s);
}

template <typename State>
static void order(curandRngType_t type, curandOrdering_t order, size_t threads, size_t group) {
    for (bool host : {false, true}) {
        const size_t n = threads * group * 2 + 1000;
        curandGenerator_t g = generator(type, host, 77);
        OK(curandSetGeneratorOrdering(g, order));
        auto got = words(g, host, n);
        for (size_t i = 0; i < n; i += i < 2000 || i > n - 1500 ? 1 : 997)
            CHECK(got[i] == at<State>(77, i, threads, group));
        // The same in parts, and from an offset on.
        OK(curandSetPseudoRandomGeneratorSeed(g, 77));
        size_t done = 0;
        for (size_t part : {(size_t)1, (size_t)6, (size_t)1, threads * group + 3, (size_t)500}) {
            auto some = words(g, host, part);
            CHECK(!memcmp(some.data(), &got[done], part * sizeof some[0]));
            done += part;
        }
        for (size_t offset : {(size_t)1, (size_t)4095, threads * group + 7}) {
            OK(curandSetGeneratorOffset(g, offset));
            auto rest = words(g, host, 900);
            CHECK(!memcmp(rest.data(), &got[offset], 900 * sizeof rest[0]));
        }
        OK(curandDestroyGenerator(g));
    }
}

static void orders() {
    for (auto o : {CURAND_ORDERING_PSEUDO_DEFAULT, CURAND_ORDERING_PSEUDO_LEGACY}) {
        order<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_XORWOW, o, 4096, 1);
        order<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10, o, 65536, 4);
    }
    order<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_LEGACY, 4096,
                                 1);
    order<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_BEST, 81920, 1);
}

// The standard sequence: of the first state, whose 624 words come in another order, eight words of
// every 65,536.
static void twister() {
    const size_t turn = 65536, rows = 78;
    for (bool host : {false, true}) {
        curandGenerator_t g = generator(CURAND_RNG_PSEUDO_MT19937, host, 5489);
        std::mt19937 standard;
        std::vector<unsigned int> want(8 * rows), got;
        for (unsigned int &x : want)
            x = standard();
        std::sort(want.begin(), want.end());
        auto all = words(g, host, turn * rows);
        for (size_t row = 0; row < rows; row++)
            got.insert(got.end(), &all[row * turn], &all[row * turn] + 8);
        std::sort(got.begin(), got.end());
        CHECK(got == want);
        // More states, after few have begun to give numbers.
        OK(curandSetPseudoRandomGeneratorSeed(g, 5489));
        size_t done = 0;
        for (size_t part : {(size_t)3, (size_t)30, (size_t)1000, turn, (size_t)5000}) {
            auto some = words(g, host, part);
            CHECK(!memcmp(some.data(), &all[done], part * sizeof some[0]));
            done += part;
        }
        OK(curandDestroyGenerator(g));
    }
}

// One seed for each of 4096 states: other numbers, and the same each time.
static void seeded() {
    curandGenerator_t g = generator(CURAND_RNG_PSEUDO_XORWOW, false, 5);
    auto plain = words(g, false, 5000);
    OK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_SEEDED));
    auto first = words(g, false, 5000);
    OK(curandSetPseudoRandomGeneratorSeed(g, 5));
    auto second = words(g, false, 5000);
    CHECK(first == second && first != plain && first[0] == plain[0] && first[1] != plain[1]);
    OK(curandDestroyGenerator(g));
}

// Sobol's points in the order of Gray codes, dimension by dimension.
static void quasi() {
    const double x[] = {0, .5, .75, .25, .375, .875, .625, .125};
    const double y[] = {0, .5, .25, .75, .375, .875, .125, .625};
    for (bool host : {false, true}) {
        curandGenerator_t g = generator(CURAND_RNG_QUASI_SOBOL32, host), l;
        OK(curandSetQuasiRandomGeneratorDimensions(g, 2));
        auto got = words(g, host, 16);
        for (int i = 0; i < 8; i++)
            CHECK(got[i] / 4294967296.0 == x[i] && got[8 + i] / 4294967296.0 == y[i]);
        OK(curandSetGeneratorOffset(g, 3));
        got = words(g, host, 6);
        auto next = words(g, host, 4);
        CHECK(got[0] / 4294967296.0 == x[3] && got[5] / 4294967296.0 == y[5]);
        CHECK(next[0] / 4294967296.0 == x[6] && next[3] / 4294967296.0 == y[7]);
        l = generator(CURAND_RNG_QUASI_SOBOL64, host);
        auto wide = results<unsigned long long>(
            host, 8, [=](unsigned long long *p) { return curandGenerateLongLong(l, p, 8); });
        for (int i = 0; i < 8; i++)
            CHECK((double)wide[i] == x[i] * 18446744073709551616.0);
        // Far better than random points: the mean of n of them is right to about 1 / n.
        const size_t n = 1 << 14;
        OK(curandSetGeneratorOffset(g, 0));
        auto u = results<double>(host, n,
                                 [=](double *p) { return curandGenerateUniformDouble(g, p, n); });
        double sum = 0;
        for (double v : u)
            sum += v;
        CHECK(fabs(sum / n - .5) < 1e-3);
        auto poisson = results<unsigned int>(
            host, n, [=](unsigned int *p) { return curandGeneratePoisson(g, p, n, 7); });
        sum = 0;
        for (unsigned int v : poisson)
            sum += v;
        CHECK(fabs(sum / n - 7) < 0.02);
        OK(curandDestroyGenerator(g));
        OK(curandDestroyGenerator(l));
    }
}

struct moments {
    double mean, variance;
};
template <typename T> static moments of(const std::vector<T> &x) {
    moments m = {0, 0};
    for (T v : x)
        m.mean += (double)v / x.size();
    for (T v : x)
        m.variance += ((double)v - m.mean) * ((double)v - m.mean) / x.size();
    return m;
}
static bool near(moments m, double mean, double variance) {
    return fabs(m.mean - mean) < 0.02 * sqrt(variance) &&
           fabs(m.variance - variance) < 0.05 * variance;
}

static void distributions() {
    const size_t n = 200000;
    const float e = expf(1.0f);
    for (auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
                      CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MT19937})
        for (bool host : {false, true}) {
            curandGenerator_t g = generator(type, host, 99);
            auto f =
                results<float>(host, n, [=](float *p) { return curandGenerateUniform(g, p, n); });
            CHECK(near(of(f), .5, 1 / 12.));
            for (float v : f)
                CHECK(v > 0 && v <= 1);
            auto d = results<double>(
                host, n, [=](double *p) { return curandGenerateUniformDouble(g, p, n); });
            CHECK(near(of(d), .5, 1 / 12.));
            f = results<float>(host, n,
                               [=](float *p) { return curandGenerateNormal(g, p, n, 3, 2); });
            CHECK(near(of(f), 3, 4));
            d = results<double>(
                host, n, [=](double *p) { return curandGenerateNormalDouble(g, p, n, -1, .5); });
            CHECK(near(of(d), -1, .25));
            f = results<float>(host, n,
                               [=](float *p) { return curandGenerateLogNormal(g, p, n, 0, .5f); });
            CHECK(near(of(f), exp(.125), (exp(.25) - 1) * exp(.25)));
            d = results<double>(
                host, n, [=](double *p) { return curandGenerateLogNormalDouble(g, p, n, 1, .25); });
            CHECK(near(of(d), e * exp(.03125), (exp(.0625) - 1) * e * e * exp(.0625)));
            for (double lambda : {3., 200., 10000.}) {
                auto k = results<unsigned int>(host, n, [=](unsigned int *p) {
                    return curandGeneratePoisson(g, p, n, lambda);
                });
                CHECK(near(of(k), lambda, lambda));
            }
            OK(curandDestroyGenerator(g));
        }
}

// Pairs of normal numbers that calls divide go on, and both sides give the same.
static void normals_in_parts() {
    for (auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
        curandGenerator_t d = generator(type, false, 3), h = generator(type, true, 3);
        const size_t n = 20000;
        auto whole =
            results<float>(false, n, [=](float *p) { return curandGenerateNormal(d, p, n, 0, 1); });
        size_t done = 0;
        for (size_t part : {2, 5000, 14998}) {
            auto some = results<float>(
                true, part, [=](float *p) { return curandGenerateNormal(h, p, part, 0, 1); });
            for (size_t i = 0; i < part; i++)
                CHECK(fabsf(some[i] - whole[done + i]) <= 1e-5f);
            done += part;
        }
        OK(curandDestroyGenerator(d));
        OK(curandDestroyGenerator(h));
    }
}

static void streams() {
    curandGenerator_t g = generator(CURAND_RNG_PSEUDO_PHILOX4_32_10, false, 8),
                      same = generator(CURAND_RNG_PSEUDO_PHILOX4_32_10, false, 8);
    cudaStream_t a, b;
    unsigned int *p, got[600];
    auto want = words(same, false, 600);
    CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CUDA(cudaMalloc(&p, sizeof got));
    OK(curandSetStream(g, a));
    OK(curandGenerateSeeds(g));
    OK(curandGenerate(g, p, 300));
    OK(curandSetStream(g, b));
    OK(curandGenerate(g, p + 300, 300));
    CUDA(cudaMemcpyAsync(got, p, sizeof got, cudaMemcpyDeviceToHost, b));
    CUDA(cudaStreamSynchronize(b));
    CHECK(!memcmp(got, want.data(), sizeof got));
    OK(curandDestroyGenerator(g));
    OK(curandDestroyGenerator(same));
    CUDA(cudaFree(p));
    CUDA(cudaStreamDestroy(a));
    CUDA(cudaStreamDestroy(b));
}

static void statuses() {
    curandGenerator_t g, q, h;
    unsigned int word[4];
    unsigned long long wide[4];
    float f[4];
    int version = 0, part = -1;
    OK(curandGetVersion(&version));
    CHECK(version == CURAND_VERSION && version / 1000 == 10);
    OK(curandGetProperty(MAJOR_VERSION, &part));
    CHECK(part == 10);
    STATUS(curandGetProperty((libraryPropertyType)3, &part), CURAND_STATUS_OUT_OF_RANGE);
    STATUS(curandCreateGenerator(&g, (curandRngType_t)7), CURAND_STATUS_TYPE_ERROR);
#if !__has_include(<curand_mtgp32dc_p_11213.h>) // the sets of its parameters
    STATUS(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32), CURAND_STATUS_TYPE_ERROR);
#endif
    STATUS(curandDestroyGenerator(nullptr), CURAND_STATUS_NOT_INITIALIZED);
    STATUS(curandGenerate(nullptr, word, 4), CURAND_STATUS_NOT_INITIALIZED);
    h = generator(CURAND_RNG_PSEUDO_DEFAULT, true);
    q = generator(CURAND_RNG_QUASI_DEFAULT, true);
    g = generator(CURAND_RNG_PSEUDO_MT19937);
    OK(curandGenerate(h, word, 0));
    STATUS(curandGenerateNormal(h, f, 3, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    STATUS(curandGenerateLongLong(h, wide, 4), CURAND_STATUS_TYPE_ERROR);
    STATUS(curandGeneratePoisson(h, word, 4, 0), CURAND_STATUS_OUT_OF_RANGE);
    STATUS(curandGeneratePoisson(h, word, 4, 400001), CURAND_STATUS_OUT_OF_RANGE);
    STATUS(curandSetQuasiRandomGeneratorDimensions(h, 1), CURAND_STATUS_TYPE_ERROR);
    STATUS(curandSetGeneratorOrdering(h, CURAND_ORDERING_PSEUDO_DYNAMIC),
           CURAND_STATUS_OUT_OF_RANGE);
    STATUS(curandSetGeneratorOrdering(h, CURAND_ORDERING_QUASI_DEFAULT),
           CURAND_STATUS_OUT_OF_RANGE);
    STATUS(curandSetGeneratorOffset(g, 1), CURAND_STATUS_TYPE_ERROR);
    STATUS(curandSetPseudoRandomGeneratorSeed(q, 1), CURAND_STATUS_TYPE_ERROR);
    STATUS(curandSetQuasiRandomGeneratorDimensions(q, 0), CURAND_STATUS_OUT_OF_RANGE);
    STATUS(curandSetQuasiRandomGeneratorDimensions(q, 20001), CURAND_STATUS_OUT_OF_RANGE);
    OK(curandSetQuasiRandomGeneratorDimensions(q, 2));
    STATUS(curandGenerate(q, word, 3), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    for (curandGenerator_t x : {g, h, q})
        OK(curandDestroyGenerator(x));
}

int main() {
    printed();
    circle();
    orders();
    twister();
    seeded();
    quasi();
    distributions();
    normals_in_parts();
    streams();
    statuses();
    return failures != 0;
}
