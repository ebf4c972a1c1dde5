// curand_kernel.h: the published values of the algorithms, skipping ahead against stepping, device
// against host, and the moments of the distributions.
#include <curand_kernel.h>

#include <cmath>
#include <initializer_list>

#include "check.h"

// Random123's known answers for Philox 4x32-10.
static void philox_answers() {
    const unsigned int pi[] = {0x243f6a88, 0x85a308d3, 0x13198a2e,
                               0x03707344, 0xa4093822, 0x299f31d0};
    uint4 r = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
    CHECK(r.x == 0x6627e8d5 && r.y == 0xe169c58d && r.z == 0xbc57ac4c && r.w == 0x9b00dbd8);
    r = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
    CHECK(r.x == 0x408f276d && r.y == 0x41c83b0e && r.z == 0xa20bc7c6 && r.w == 0x6d5451fd);
    r = curand_Philox4x32_10(make_uint4(pi[0], pi[1], pi[2], pi[3]), make_uint2(pi[4], pi[5]));
    CHECK(r.x == 0xd16cfe09 && r.y == 0x94fdcceb && r.z == 0x5001e420 && r.w == 0x24126ea1);
}

// cuRAND's guide prints, for its first example (seed 1234), the first number of ten sequences.
static void xorwow_answers() {
    const float printed[] = {.1455f, .8202f, .5504f, .2948f, .9147f,
                             .8690f, .3219f, .7829f, .0113f, .2855f};
    for (int i = 0; i < 10; i++) {
        curandState s;
        curand_init(1234, i, 0, &s);
        CHECK(fabsf(curand_uniform(&s) - printed[i]) <= 0.00005001f);
    }
}

// L'Ecuyer's generator from 12345 in all words, in floating point as he published it.
static void mrg_answers() {
    double s10 = 12345, s11 = 12345, s12 = 12345, s20 = 12345, s21 = 12345, s22 = 12345;
    const double m1 = 4294967087.0, m2 = 4294944443.0;
    curandStateMRG32k3a_t state, ahead;
    curand_init(0, 0, 0, &state);
    for (int i = 0; i < 1000; i++) {
        double p1 = 1403580.0 * s11 - 810728.0 * s10, p2 = 527612.0 * s22 - 1370589.0 * s20;
        p1 -= floor(p1 / m1) * m1, p2 -= floor(p2 / m2) * m2;
        s10 = s11, s11 = s12, s12 = p1, s20 = s21, s21 = s22, s22 = p2;
        double u = (p1 <= p2 ? p1 - p2 + m1 : p1 - p2) / m1;
        CHECK(fabs(curand_uniform_double(&state) - u) < 1e-15);
        if (i == 0)
            CHECK(fabs(u * m1 / (m1 + 1) - 0.127011122046577) < 1e-14); // of 2^32 - 208
    }
    // His matrices for 2^127 and 2^76 steps.
    curand_init(0, 0, 0, &ahead);
    skipahead_sequence(1, &ahead);
    auto row = [](unsigned long long a, unsigned long long b, unsigned long long c,
                  unsigned long long m) {
        return (unsigned int)(((a + b) % m + c) % m * 12345 % m);
    };
    CHECK(ahead.s1[0] == row(2427906178, 3580155704, 949770784, 4294967087));
    CHECK(ahead.s1[2] == row(1988835001, 986791581, 1230515664, 4294967087));
    CHECK(ahead.s2[1] == row(32183930, 1464411153, 1022607788, 4294944443));
    curand_init(0, 1, 0, &ahead);
    CHECK(ahead.s1[0] == row(82758667, 1871391091, 4127413238, 4294967087));
    CHECK(ahead.s2[0] == row(1511326704, 3759209742, 1610795712, 4294944443));
}

// Marsaglia's xorwow in plain words; 2^67 steps as a matrix of 160 columns, squared 67 times.
struct columns {
    unsigned int of[160][5];
};

static void xorwow_step(unsigned int *v) {
    unsigned int t = v[0] ^ v[0] >> 2;
    for (int i = 0; i < 4; i++)
        v[i] = v[i + 1];
    v[4] = v[4] ^ v[4] << 4 ^ (t ^ t << 1);
}

static void apply(const columns &m, const unsigned int *v, unsigned int *r) {
    unsigned int sum[5] = {};
    for (int c = 0; c < 160; c++)
        if (v[c / 32] >> c % 32 & 1)
            for (int i = 0; i < 5; i++)
                sum[i] ^= m.of[c][i];
    memcpy(r, sum, sizeof sum);
}

static void xorwow_jumps() {
    static columns m, square;
    memset(&m, 0, sizeof m);
    for (int c = 0; c < 160; c++) {
        m.of[c][c / 32] = 1u << c % 32;
        xorwow_step(m.of[c]);
    }
    for (int k = 0; k < 67; k++) {
        for (int c = 0; c < 160; c++)
            apply(m, m.of[c], square.of[c]);
        m = square;
    }
    curandState a, b;
    curand_init(99, 0, 0, &a);
    for (int i = 0; i < 5; i++)
        apply(m, a.v, a.v);
    curand_init(99, 5, 0, &b);
    CHECK(!memcmp(a.v, b.v, sizeof a.v) && a.d == b.d);
}

template <typename State> static void skips(const char *name) {
    for (unsigned int n : {0u, 1u, 2u, 3u, 4u, 5u, 31u, 1000u}) {
        State a, b;
        curand_init(0x123456789abcdefull, 3, 0, &a);
        curand_init(0x123456789abcdefull, 3, n, &b);
        for (unsigned int i = 0; i < n; i++)
            curand(&a);
        for (int i = 0; i < 9; i++)
            if (curand(&a) != curand(&b))
                printf("%s skips %u wrongly\n", name, n), failures++;
        skipahead(7, &a);
        for (int i = 0; i < 7; i++)
            curand(&b);
        CHECK(curand(&a) == curand(&b));
    }
}

// The first dimension of Sobol's sequence is van der Corput's, in Gray code order.
static void sobol() {
    unsigned int v32[32];
    unsigned long long v64[64];
    for (int i = 0; i < 32; i++)
        v32[i] = 1u << (31 - i);
    for (int i = 0; i < 64; i++)
        v64[i] = 1ull << (63 - i);
    curandStateSobol32_t a, late;
    curandStateScrambledSobol32_t b;
    curandStateSobol64_t c;
    curandStateScrambledSobol64_t d;
    curand_init(v32, 0, &a);
    curand_init(v32, 77u, &late);
    curand_init(v32, 0xdeadbeefu, 0u, &b);
    curand_init(v64, 0ull, &c);
    curand_init(v64, 0x123456789ull, 0ull, &d);
    for (unsigned int i = 0; i < 300; i++) {
        unsigned int gray = i ^ i >> 1, reversed = 0;
        for (int k = 0; k < 32; k++)
            reversed |= (gray >> k & 1) << (31 - k);
        CHECK(curand(&a) == reversed && curand(&b) == (reversed ^ 0xdeadbeefu));
        CHECK(curand(&c) == (unsigned long long)reversed << 32);
        CHECK(curand(&d) == ((unsigned long long)reversed << 32 ^ 0x123456789ull));
        if (i >= 77)
            CHECK(curand(&late) == reversed);
    }
}

struct sums {
    double uniform, normal, square, fourth, logarithm, few, many, spread;
};

template <typename State>
__global__ void draw(sums *out, unsigned int *first, unsigned int seed, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    State s;
    curand_init(seed, t, 0, &s);
    first[t] = curand(&s);
    sums mine = {};
    for (int i = 0; i < n; i++) {
        float u = curand_uniform(&s);
        double x = i % 2 ? curand_normal(&s) : curand_normal_double(&s);
        mine.uniform += u > 0 && u <= 1 ? u : 1e9;
        mine.normal += x, mine.square += x * x, mine.fourth += x * x * x * x;
        mine.logarithm += log((double)curand_log_normal(&s, 1.0f, 0.5f));
        mine.few += curand_poisson(&s, 3.5);
        double p = curand_poisson(&s, 200.0);
        mine.many += p, mine.spread += (p - 200) * (p - 200);
        mine.few += curand_poisson(&s, 5000.0) / 5000.0;
    }
    for (int i = 0; i < (int)(sizeof mine / sizeof(double)); i++)
        atomicAdd((double *)out + i, ((double *)&mine)[i]);
}

template <typename State> static void moments(const char *name) {
    const int blocks = 16, threads = 64, n = 50;
    const double count = (double)blocks * threads * n;
    sums *s = shared_array<sums>(1);
    unsigned int *first = shared_array<unsigned int>(blocks * threads);
    draw<State><<<blocks, threads>>>(s, first, 42, n);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < blocks * threads; t += 37) {
        State h;
        curand_init(42, t, 0, &h);
        CHECK(first[t] == curand(&h));
    }
    // Within five standard deviations of the mean of that many.
    auto near = [&](const char *what, double sum, double mean, double deviation) {
        if (!(fabs(sum / count - mean) < 5 * deviation / sqrt(count)))
            printf("%s %s: %g, not %g\n", name, what, sum / count, mean), failures++;
    };
    near("uniform", s->uniform, 0.5, 0.2887);
    near("normal", s->normal, 0, 1);
    near("variance", s->square, 1, 1.4142);
    near("fourth moment", s->fourth, 3, 9.8);
    near("log-normal", s->logarithm, 1, 0.5);
    near("Poisson", s->few, 4.5, 1.88);
    near("Poisson 200", s->many, 200, 14.15);
    near("its variance", s->spread, 200, 284);
}

template <typename State>
__global__ void draw_discrete(curandDiscreteDistribution_t d, unsigned int *found, int n) {
    State s;
    curand_init(7, blockIdx.x * blockDim.x + threadIdx.x, 0, &s);
    for (int i = 0; i < n; i++)
        atomicAdd(&found[min(curand_discrete(&s, d), 63u)], 1);
}

// How often each number comes, against the probabilities from their recurrence: chi squared.
template <typename State> static void discrete(double lambda) {
    const int blocks = 16, threads = 64, n = 50;
    const double count = (double)blocks * threads * n;
    curandDiscreteDistribution_t d;
    unsigned int *found = shared_array<unsigned int>(64);
    for (int k = 0; k < 64; k++)
        found[k] = 0;
    CHECK(curandCreatePoissonDistribution(lambda, &d) == CURAND_STATUS_SUCCESS);
    draw_discrete<State><<<blocks, threads>>>(d, found, n);
    CUDA(cudaDeviceSynchronize());
    double p = exp(-lambda), chi = 0, tail = count, drawn = count;
    int cells = 0, k = 0;
    for (; k < 63 && tail - p * count > 20; k++, p *= lambda / k) {
        tail -= p * count, drawn -= found[k];
        if (p * count < 20)
            continue;
        chi += (found[k] - p * count) * (found[k] - p * count) / (p * count);
        cells++;
    }
    CHECK(cells >= 5 && chi < cells + 5 * sqrt(2.0 * cells));
    CHECK(fabs(drawn - tail) < 6 * sqrt(tail) + 10);
    CHECK(curandDestroyDistribution(d) == CURAND_STATUS_SUCCESS);
}

static void discrete_on_host() {
    curandDiscreteDistribution_t d;
    curandStatePhilox4_32_10_t a, b;
    CHECK(curandCreatePoissonDistribution(0, &d) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandCreatePoissonDistribution(-1, &d) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandCreatePoissonDistribution(NAN, &d) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandCreatePoissonDistribution(400001, &d) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandCreatePoissonDistribution(3, NULL) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandCreatePoissonDistribution(400000, &d) == CURAND_STATUS_SUCCESS);
    curand_init(1, 2, 0, &a);
    b = a;
    double sum = 0;
    for (int i = 0; i < 250; i++) {
        uint4 four = curand_discrete4(&a, d);
        unsigned int one[4];
        for (unsigned int &w : one)
            w = curand_discrete(&b, d);
        CHECK(four.x == one[0] && four.y == one[1] && four.z == one[2] && four.w == one[3]);
        sum += ((double)four.x + four.y + four.z + four.w) / 1000;
    }
    CHECK(fabs(sum - 400000) < 5 * sqrt(400000 / 1000.0));
    CHECK(curandDestroyDistribution(d) == CURAND_STATUS_SUCCESS);
}

int main() {
    discrete<curandStateXORWOW_t>(3.5);
    discrete<curandStateMRG32k3a_t>(0.9);
    discrete<curandStatePhilox4_32_10_t>(20);
    discrete_on_host();
    philox_answers();
    xorwow_answers();
    mrg_answers();
    xorwow_jumps();
    sobol();
    skips<curandStateXORWOW_t>("XORWOW");
    skips<curandStateMRG32k3a_t>("MRG32k3a");
    skips<curandStatePhilox4_32_10_t>("Philox");
    moments<curandStateXORWOW_t>("XORWOW");
    moments<curandStateMRG32k3a_t>("MRG32k3a");
    moments<curandStatePhilox4_32_10_t>("Philox");
    curandStatePhilox4_32_10_t a, b;
    curand_init(5, 6, 3, &a);
    b = a;
    uint4 four = curand4(&a);
    unsigned int one[4];
    for (unsigned int &w : one)
        w = curand(&b);
    CHECK(four.x == one[0] && four.y == one[1] && four.z == one[2] && four.w == one[3]);
    CHECK(curand(&a) == curand(&b));
    return failures != 0;
}
