// Sobol's sequences in many dimensions: tables and generators. The numbers that the first
// dimensions begin with and the first points are those that Joe and Kuo print (SIAM J. Sci. Comput.
// 30, 2008, and the notes to their table new-joe-kuo-6); for the others what the construction
// promises is tested. DIMENSIONS is how many the library was built with.
#include <curand.h>
#include <curand_kernel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "../language/check.h"

#define STATUS(call, want) CHECK((call) == (want))
#define OK(call) STATUS(call, CURAND_STATUS_SUCCESS)

template <typename Word> struct kind;
template <> struct kind<unsigned int> {
    typedef curandDirectionVectors32_t vectors;
    typedef curandStateScrambledSobol32_t state;
    static constexpr auto plain = CURAND_DIRECTION_VECTORS_32_JOEKUO6,
                          scrambled = CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6;
    static constexpr auto generator = CURAND_RNG_QUASI_SOBOL32,
                          scrambling = CURAND_RNG_QUASI_SCRAMBLED_SOBOL32;
    static constexpr auto get = curandGetDirectionVectors32;
    static constexpr auto constants = curandGetScrambleConstants32;
    static constexpr auto generate = curandGenerate;
};
template <> struct kind<unsigned long long> {
    typedef curandDirectionVectors64_t vectors;
    typedef curandStateScrambledSobol64_t state;
    static constexpr auto plain = CURAND_DIRECTION_VECTORS_64_JOEKUO6,
                          scrambled = CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6;
    static constexpr auto generator = CURAND_RNG_QUASI_SOBOL64,
                          scrambling = CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
    static constexpr auto get = curandGetDirectionVectors64;
    static constexpr auto constants = curandGetScrambleConstants64;
    static constexpr auto generate = curandGenerateLongLong;
};

// Degree, inner coefficients of the polynomial, numbers: dimensions 2 to 10.
struct printed {
    unsigned int degree, inner, m[5];
};
static const printed first[] = {{1, 0, {1}},
                                {2, 1, {1, 3}},
                                {3, 1, {1, 3, 1}},
                                {3, 2, {1, 1, 1}},
                                {4, 1, {1, 1, 3, 3}},
                                {4, 4, {1, 3, 5, 13}},
                                {5, 2, {1, 1, 5, 5, 17}},
                                {5, 4, {1, 1, 5, 5, 5}},
                                {5, 7, {1, 1, 7, 11, 19}}};

// m_k = 2 a_1 m_(k-1) + 4 a_2 m_(k-2) + ... + 2^s m_(k-s) + m_(k-s), without carries.
template <typename Word> static void check_printed(const typename kind<Word>::vectors *v) {
    constexpr unsigned int bits = 8 * sizeof(Word);
    for (unsigned int d = 0; d < sizeof first / sizeof *first; d++) {
        const printed &p = first[d];
        std::vector<Word> m(p.m, p.m + p.degree);
        for (unsigned int k = p.degree; k < bits; k++) {
            Word next = m[k - p.degree] << p.degree ^ m[k - p.degree];
            for (unsigned int i = 1; i < p.degree; i++)
                if (p.inner >> (p.degree - 1 - i) & 1)
                    next ^= m[k - i] << i;
            m.push_back(next);
        }
        for (unsigned int k = 0; k < bits; k++)
            CHECK(v[d + 1][k] == m[k] << (bits - 1 - k));
    }
    for (unsigned int k = 0; k < bits; k++)
        CHECK(v[0][k] == (Word)1 << (bits - 1 - k));
}

// Vector k ends in its digit k, so that 2^k points of a dimension fill its 2^k intervals.
template <typename Word> static bool is_triangular(const Word *v) {
    constexpr unsigned int bits = 8 * sizeof(Word);
    for (unsigned int k = 0; k < bits; k++)
        if ((Word)(v[k] << k) != (Word)1 << (bits - 1))
            return false;
    return true;
}

// Property A in d dimensions: the first digits of the first d vectors are d independent rows.
template <typename Word> static bool property_a(const typename kind<Word>::vectors *v, int d) {
    constexpr unsigned int bits = 8 * sizeof(Word);
    std::vector<Word> pivots;
    for (int i = 0; i < d; i++) {
        Word row = 0;
        for (int k = 0; k < d; k++)
            row |= (v[i][k] >> (bits - 1)) << (bits - 1 - k);
        for (Word p : pivots)
            row = std::min(row, (Word)(row ^ p));
        if (!row)
            return false;
        pivots.push_back(row);
        std::sort(pivots.rbegin(), pivots.rend());
    }
    return true;
}

template <typename Word> static const typename kind<Word>::vectors *tables(bool scrambled) {
    typename kind<Word>::vectors *v = nullptr;
    OK(kind<Word>::get(&v, scrambled ? kind<Word>::scrambled : kind<Word>::plain));
    return v;
}

template <typename Word> static void check_tables() {
    constexpr unsigned int bits = 8 * sizeof(Word);
    const auto *plain = tables<Word>(false), *scrambled = tables<Word>(true);
    Word *constants = nullptr;
    OK(kind<Word>::constants(&constants));
    if (!plain || !scrambled || !constants)
        return;
    check_printed<Word>(plain);
    std::vector<std::array<Word, bits>> all(DIMENSIONS);
    int triangular = 0, other = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        triangular += is_triangular(plain[d]);
        std::copy(plain[d], plain[d] + bits, all[d].begin());
        other += memcmp(plain[d], scrambled[d], sizeof plain[d]) != 0;
    }
    CHECK(triangular == DIMENSIONS && other == DIMENSIONS);
    std::sort(all.begin(), all.end());
    CHECK(std::unique(all.begin(), all.end()) == all.end());
    std::vector<Word> shifts(constants, constants + DIMENSIONS);
    std::sort(shifts.begin(), shifts.end());
    CHECK(shifts[DIMENSIONS / 2] >> (bits - 5) >= 14 && shifts[DIMENSIONS / 2] >> (bits - 5) <= 17);
    for (int d = 1; d <= (int)bits; d++)
        CHECK(property_a<Word>(plain, d));
    CHECK(tables<Word>(false) == plain); // the same each time
}

// What kernels that take vectors and constants make of them.
template <typename Word>
__global__ void points(const Word *vectors, Word constant, Word *out, int n) {
    typename kind<Word>::state s;
    curand_init(vectors, constant, (Word)0, &s);
    for (int i = 0; i < n; i++)
        out[i] = curand(&s);
}

template <typename Word>
static std::vector<Word> generated(bool host, bool scrambled, unsigned int dimensions, size_t n) {
    curandGenerator_t g = nullptr;
    auto type = scrambled ? kind<Word>::scrambling : kind<Word>::generator;
    OK(host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type));
    OK(curandSetQuasiRandomGeneratorDimensions(g, dimensions));
    OK(curandGenerateSeeds(g));
    std::vector<Word> out(dimensions * n);
    Word *p;
    CUDA(cudaMallocManaged(&p, out.size() * sizeof(Word)));
    OK(kind<Word>::generate(g, p, dimensions)); // in two calls
    CUDA(cudaDeviceSynchronize());
    for (unsigned int d = 0; d < dimensions; d++)
        out[d * n] = p[d];
    OK(kind<Word>::generate(g, p, dimensions * (n - 1)));
    CUDA(cudaDeviceSynchronize());
    for (unsigned int d = 0; d < dimensions; d++)
        std::copy(p + d * (n - 1), p + (d + 1) * (n - 1), &out[d * n + 1]);
    CUDA(cudaFree(p));
    OK(curandDestroyGenerator(g));
    return out;
}

// Of 2^k points each interval of 2^-k has one.
template <typename Word> static bool fills(const Word *x, size_t n) {
    std::vector<bool> seen(n);
    for (size_t i = 0; i < n; i++)
        seen[(size_t)(x[i] / ((Word)-1 / n + 1))] = true;
    return std::count(seen.begin(), seen.end(), true) == (long)n;
}

// Of 2^k points of two dimensions each box of 2^-a by 2^-(k-a) has one.
template <typename Word> static bool fills_boxes(const Word *x, const Word *y, int k) {
    constexpr int bits = 8 * sizeof(Word);
    for (int a = 1; a < k; a++) {
        std::vector<bool> seen((size_t)1 << k);
        for (size_t i = 0; i < seen.size(); i++)
            seen[(size_t)(x[i] >> (bits - a)) << (k - a) | (size_t)(y[i] >> (bits - k + a))] = true;
        if (std::count(seen.begin(), seen.end(), true) != (long)seen.size())
            return false;
    }
    return true;
}

template <typename Word> static void check_generators(unsigned int dimensions) {
    const size_t n = 64;
    for (bool scrambled : {false, true}) {
        const auto device = generated<Word>(false, scrambled, dimensions, n),
                   host = generated<Word>(true, scrambled, dimensions, n);
        CHECK(device == host);
        for (unsigned int d = 0; d < dimensions; d++)
            CHECK(fills(&host[d * n], n));
        CHECK(dimensions < 2 || fills_boxes(&host[0], &host[n], 6));
        CHECK((host[0] != 0) == scrambled);
        if (DIMENSIONS < 20000)
            continue;
        Word *vectors, *out, *constants = nullptr;
        const auto *all = tables<Word>(scrambled);
        OK(kind<Word>::constants(&constants));
        CUDA(cudaMallocManaged(&vectors, sizeof *all));
        CUDA(cudaMallocManaged(&out, n * sizeof *out));
        for (unsigned int d : {0u, 1u, 2u, 77u, 1110u, 12345u, 19999u}) {
            if (d >= dimensions)
                continue;
            memcpy(vectors, all[d], sizeof *all);
            points<Word><<<1, 1>>>(vectors, scrambled ? constants[d] : 0, out, (int)n);
            CUDA(cudaDeviceSynchronize());
            CHECK(!memcmp(out, &host[d * n], n * sizeof *out));
        }
        CUDA(cudaFree(vectors));
        CUDA(cudaFree(out));
    }
}

// "sobol 10 3" of Joe and Kuo's program.
static void check_points() {
    const double want[10][3] = {{0, 0, 0},
                                {.5, .5, .5},
                                {.75, .25, .25},
                                {.25, .75, .75},
                                {.375, .375, .625},
                                {.875, .875, .125},
                                {.625, .125, .875},
                                {.125, .625, .375},
                                {.1875, .3125, .9375},
                                {.6875, .8125, .4375}};
    const auto got = generated<unsigned int>(true, false, 3, 10);
    for (int i = 0; i < 10; i++)
        for (int d = 0; d < 3; d++)
            CHECK(got[d * 10 + i] == want[i][d] * 4294967296.0);
}

// The product of 1 + (x - 1/2) / d^2 over 360 dimensions has the mean 1: plain points come as close
// as no random ones would, and scrambled ones, too.
static void check_integral() {
    const unsigned int dimensions = 360;
    const size_t n = 4096;
    for (bool scrambled : {false, true}) {
        const auto x = generated<unsigned int>(false, scrambled, dimensions, n);
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            double product = 1;
            for (unsigned int d = 0; d < dimensions; d++)
                product *= 1 + (x[d * n + i] * 0x1p-32 - .5) / ((d + 1) * (d + 1));
            sum += product;
        }
        CHECK(fabs(sum / n - 1) < (scrambled ? 1e-4 : 5e-4)); // random: 5e-3
    }
}

static void check_statuses() {
    curandGenerator_t g = nullptr;
    curandDirectionVectors32_t *v;
    unsigned int word[4];
    const auto none = DIMENSIONS == 20000 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
    STATUS(curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_32_JOEKUO6), none);
    STATUS(curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
           CURAND_STATUS_OUT_OF_RANGE);
    STATUS(curandGetDirectionVectors32(nullptr, CURAND_DIRECTION_VECTORS_32_JOEKUO6),
           CURAND_STATUS_OUT_OF_RANGE);
    STATUS(curandGetScrambleConstants32(nullptr), CURAND_STATUS_INTERNAL_ERROR);
    OK(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64));
    STATUS(curandGenerate(g, word, 4), CURAND_STATUS_TYPE_ERROR);
    OK(curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS));
    STATUS(curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS + 1), CURAND_STATUS_OUT_OF_RANGE);
    OK(curandDestroyGenerator(g));
}

int main() {
    check_statuses();
    check_generators<unsigned int>(1);
    check_generators<unsigned long long>(2);
#if DIMENSIONS == 20000
    check_tables<unsigned int>();
    check_tables<unsigned long long>();
    const auto *narrow = tables<unsigned int>(false);
    const auto *wide = tables<unsigned long long>(false);
    for (int d = 0; narrow && wide && d < DIMENSIONS; d++)
        for (int k = 0; k < 32; k++)
            CHECK(wide[d][k] >> 32 == narrow[d][k]);
    check_points();
    check_integral();
    check_generators<unsigned int>(20000);
    check_generators<unsigned long long>(1111);
#endif
    return failures != 0;
}
