// Random numbers in device code: XORWOW, MRG32k3a, Philox 4x32-10, Sobol sequences of 32 and 64
// bits, plain and scrambled, MTGP32; uniform, normal, log-normal and Poisson distributions. Every
// function is there on the host, too, for any C++ compiler, but MTGP32's, which a block's threads
// call together.
//
// Sequences of integers and of uniform numbers are those of the published algorithms with cuRAND's
// seeding. Normal numbers come from the same formulas, whose logarithm and sine are this library's;
// Poisson numbers between 64 and 4000 on average come from a transformed rejection of its own.
// Direction vectors of Sobol sequences are the program's; curand.h's library has tables of them.
// Numbers of discrete distributions come by bisection of one uniform number each.
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#ifdef __cplusplus

#include "cuda_runtime.h"
#include <math.h>

#include "curand_mtgp32.h"

#ifdef __CUDACC_RTC__
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
#else
#include "curand.h"
#endif

#pragma push_macro("HD")
#undef HD
#define HD static __inline__ __host__ __device__

// What is kept of a pair of normal numbers until the next call.
struct kudzu_normal_store {
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};

struct curandStateXORWOW : kudzu_normal_store {
    unsigned int d, v[5];
};
struct curandStateMRG32k3a : kudzu_normal_store {
    unsigned int s1[3], s2[3];
};
struct curandStatePhilox4_32_10 : kudzu_normal_store {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE; // which word of the output is next
};
struct curandStateSobol32 {
    unsigned int i, x, c, direction_vectors[32];
};
struct curandStateScrambledSobol32 {
    unsigned int i, x, c, direction_vectors[32];
};
struct curandStateSobol64 {
    unsigned long long i, x, c, direction_vectors[64];
};
struct curandStateScrambledSobol64 {
    unsigned long long i, x, c, direction_vectors[64];
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

namespace kudzu {

#if defined(__CUDA_ARCH__)
#define KUDZU_RANDOM_TABLE static __device__ const
#else
#define KUDZU_RANDOM_TABLE static const
#endif
#include "kudzu/random_jumps.inc"
#undef KUDZU_RANDOM_TABLE

HD void forget_normals(kudzu_normal_store *s) {
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0.0f;
    s->boxmuller_extra_double = 0.0;
}

} // namespace kudzu

// ---- XORWOW (Marsaglia) -----------------------------------------------------------------------

namespace kudzu {

HD void xorwow_step(unsigned int (&v)[5]) {
    unsigned int t = v[0] ^ (v[0] >> 2);
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

// n times the number of steps that the table's first row stands for.
HD void xorwow_jump(unsigned int (&v)[5], const unsigned int (*powers)[5], unsigned long long n) {
    for (; n; n >>= 1, powers++) {
        if (!(n & 1))
            continue;
        unsigned int sum[5] = {0, 0, 0, 0, 0};
        for (int i = 0; i < 160; i++) {
            unsigned int taken = 0u - ((*powers)[i / 32] >> i % 32 & 1);
            for (int j = 0; j < 5; j++)
                sum[j] ^= v[j] & taken;
            xorwow_step(v);
        }
        for (int j = 0; j < 5; j++)
            v[j] = sum[j];
    }
}

} // namespace kudzu

HD unsigned int curand(curandStateXORWOW_t *state) {
    kudzu::xorwow_step(state->v);
    state->d += 362437;
    return state->v[4] + state->d;
}
// n numbers further.
HD void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
    kudzu::xorwow_jump(state->v, kudzu::xorwow_steps, n);
    state->d += 362437u * (unsigned int)n;
}
// n times 2^67 numbers further.
HD void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state) {
    kudzu::xorwow_jump(state->v, kudzu::xorwow_sequences, n);
}
HD void curand_init(unsigned long long seed, unsigned long long subsequence,
                    unsigned long long offset, curandStateXORWOW_t *state) {
    unsigned int t0 = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
    unsigned int t1 = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + t1 + t0;
    state->v[0] = 123456789u + t0, state->v[1] = 362436069u ^ t0;
    state->v[2] = 521288629u + t1, state->v[3] = 88675123u ^ t1;
    state->v[4] = 5783321u + t0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    kudzu::forget_normals(state);
}

// ---- MRG32k3a (L'Ecuyer) ------------------------------------------------------------------------

namespace kudzu {

HD void mrg_apply(const unsigned int (&a)[3][3], unsigned int (&s)[3], unsigned long long m) {
    unsigned int r[3];
    for (int i = 0; i < 3; i++) {
        unsigned long long sum = 0;
        for (int j = 0; j < 3; j++)
            sum = (sum + (unsigned long long)a[i][j] * s[j] % m) % m;
        r[i] = (unsigned int)sum;
    }
    for (int i = 0; i < 3; i++)
        s[i] = r[i];
}
HD void mrg_square(unsigned int (&a)[3][3], unsigned long long m) {
    unsigned int r[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            unsigned long long sum = 0;
            for (int k = 0; k < 3; k++)
                sum = (sum + (unsigned long long)a[i][k] * a[k][j] % m) % m;
            r[i][j] = (unsigned int)sum;
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = r[i][j];
}
HD void mrg_jump(const unsigned int (&one)[3][3], unsigned int (&s)[3], unsigned long long m,
                 unsigned long long n) {
    unsigned int a[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = one[i][j];
    for (; n; n >>= 1) {
        if (n & 1)
            mrg_apply(a, s, m);
        mrg_square(a, m);
    }
}
const unsigned long long mrg_m1 = 4294967087ull, mrg_m2 = 4294944443ull;

// From 1 to m1.
HD unsigned int mrg_next(curandStateMRG32k3a_t *state) {
    unsigned int *a = state->s1, *b = state->s2;
    unsigned long long p = (1403580ull * a[1] + (mrg_m1 - 810728ull) * a[0] % mrg_m1) % mrg_m1;
    a[0] = a[1], a[1] = a[2], a[2] = (unsigned int)p;
    unsigned long long q = (527612ull * b[2] + (mrg_m2 - 1370589ull) * b[0] % mrg_m2) % mrg_m2;
    b[0] = b[1], b[1] = b[2], b[2] = (unsigned int)q;
    return (unsigned int)(p <= q ? p - q + mrg_m1 : p - q);
}

} // namespace kudzu

HD unsigned int curand(curandStateMRG32k3a_t *state) {
    return (unsigned int)(kudzu::mrg_next(state) * 1.000000048662);
}
HD void skipahead(unsigned long long n, curandStateMRG32k3a_t *state) {
    kudzu::mrg_jump(kudzu::mrg_one_1, state->s1, kudzu::mrg_m1, n);
    kudzu::mrg_jump(kudzu::mrg_one_2, state->s2, kudzu::mrg_m2, n);
}
// n times 2^76 numbers further.
HD void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state) {
    kudzu::mrg_jump(kudzu::mrg_subsequence_1, state->s1, kudzu::mrg_m1, n);
    kudzu::mrg_jump(kudzu::mrg_subsequence_2, state->s2, kudzu::mrg_m2, n);
}
// n times 2^127 numbers further.
HD void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state) {
    kudzu::mrg_jump(kudzu::mrg_sequence_1, state->s1, kudzu::mrg_m1, n);
    kudzu::mrg_jump(kudzu::mrg_sequence_2, state->s2, kudzu::mrg_m2, n);
}
HD void curand_init(unsigned long long seed, unsigned long long subsequence,
                    unsigned long long offset, curandStateMRG32k3a_t *state) {
    unsigned long long low = (unsigned int)seed ^ 0x55555555u;
    unsigned long long high = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; i++) {
        state->s1[i] =
            seed ? (unsigned int)((i == 1 ? high : low) * 12345 % kudzu::mrg_m1) : 12345u;
        state->s2[i] =
            seed ? (unsigned int)((i == 1 ? low : high) * 12345 % kudzu::mrg_m2) : 12345u;
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
    kudzu::forget_normals(state);
}

// ---- Philox 4x32-10 (Salmon and others)
// -----------------------------------------------------------

namespace kudzu {

HD unsigned int high_product(unsigned int a, unsigned int b) {
    return (unsigned int)((unsigned long long)a * b >> 32);
}
HD void philox_add(uint4 *counter, unsigned long long n) {
    unsigned long long low = (unsigned long long)counter->y << 32 | counter->x;
    unsigned long long sum = low + n;
    counter->x = (unsigned int)sum, counter->y = (unsigned int)(sum >> 32);
    if (sum < low && ++counter->z == 0)
        ++counter->w;
}

} // namespace kudzu

HD uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
    for (int round = 0; round < 10; round++) {
        uint4 r;
        r.x = kudzu::high_product(0xcd9e8d57u, c.z) ^ c.y ^ k.x, r.y = 0xcd9e8d57u * c.z;
        r.z = kudzu::high_product(0xd2511f53u, c.x) ^ c.w ^ k.y, r.w = 0xd2511f53u * c.x;
        c = r;
        k.x += 0x9e3779b9u, k.y += 0xbb67ae85u;
    }
    return c;
}
HD unsigned int curand(curandStatePhilox4_32_10_t *state) {
    unsigned int n = state->STATE++;
    unsigned int value = n == 0   ? state->output.x
                         : n == 1 ? state->output.y
                         : n == 2 ? state->output.z
                                  : state->output.w;
    if (state->STATE == 4) {
        kudzu::philox_add(&state->ctr, 1);
        state->output = curand_Philox4x32_10(state->ctr, state->key);
        state->STATE = 0;
    }
    return value;
}
// The next four numbers.
HD uint4 curand4(curandStatePhilox4_32_10_t *state) {
    uint4 r, a = state->output, b;
    kudzu::philox_add(&state->ctr, 1);
    state->output = b = curand_Philox4x32_10(state->ctr, state->key);
    unsigned int n = state->STATE;
    r.x = n == 0 ? a.x : n == 1 ? a.y : n == 2 ? a.z : a.w;
    r.y = n == 0 ? a.y : n == 1 ? a.z : n == 2 ? a.w : b.x;
    r.z = n == 0 ? a.z : n == 1 ? a.w : n == 2 ? b.x : b.y;
    r.w = n == 0 ? a.w : n == 1 ? b.x : n == 2 ? b.y : b.z;
    return r;
}
HD void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    unsigned long long word = state->STATE + (n & 3);
    kudzu::philox_add(&state->ctr, n / 4 + word / 4);
    state->STATE = (unsigned int)(word & 3);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
// n times 2^66 numbers further.
HD void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    unsigned long long high = ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + n;
    state->ctr.z = (unsigned int)high, state->ctr.w = (unsigned int)(high >> 32);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
HD void curand_init(unsigned long long seed, unsigned long long subsequence,
                    unsigned long long offset, curandStatePhilox4_32_10_t *state) {
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key.x = (unsigned int)seed, state->key.y = (unsigned int)(seed >> 32);
    state->STATE = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    kudzu::forget_normals(state);
}

// ---- Sobol sequences, in Gray code order
// ------------------------------------------------------------

namespace kudzu {

template <typename Word, typename State> HD Word sobol_next(State *s) {
    Word value = s->x;
    s->x ^= s->direction_vectors[__builtin_ctzll(~(unsigned long long)s->i)];
    s->i++;
    return value;
}
template <typename State> HD void sobol_skip(State *s, unsigned long long n) {
    s->i += (__decltype(s->i))n;
    s->x = s->c;
    __decltype(s->x) gray = s->i ^ s->i >> 1;
    for (int k = 0; gray; k++, gray >>= 1)
        if (gray & 1)
            s->x ^= s->direction_vectors[k];
}
template <typename State, typename Word>
HD void sobol_init(State *s, const Word *vectors, Word scramble, unsigned long long offset) {
    for (int i = 0; i < (int)(8 * sizeof(Word)); i++)
        s->direction_vectors[i] = vectors[i];
    s->i = 0, s->c = scramble;
    sobol_skip(s, offset);
}

} // namespace kudzu

#define KUDZU_SOBOL(State, Word)                                                                   \
    HD Word curand(State *state) {                                                                 \
        return kudzu::sobol_next<Word>(state);                                                     \
    }                                                                                              \
    HD void skipahead(Word n, State *state) {                                                      \
        kudzu::sobol_skip(state, n);                                                               \
    }
KUDZU_SOBOL(curandStateSobol32_t, unsigned int)
KUDZU_SOBOL(curandStateScrambledSobol32_t, unsigned int)
KUDZU_SOBOL(curandStateSobol64_t, unsigned long long)
KUDZU_SOBOL(curandStateScrambledSobol64_t, unsigned long long)
#undef KUDZU_SOBOL
HD void curand_init(const unsigned int *direction_vectors, unsigned int offset,
                    curandStateSobol32_t *state) {
    kudzu::sobol_init(state, direction_vectors, 0u, offset);
}
HD void curand_init(const unsigned int *direction_vectors, unsigned int scramble,
                    unsigned int offset, curandStateScrambledSobol32_t *state) {
    kudzu::sobol_init(state, direction_vectors, scramble, offset);
}
HD void curand_init(const unsigned long long *direction_vectors, unsigned long long offset,
                    curandStateSobol64_t *state) {
    kudzu::sobol_init(state, direction_vectors, 0ull, offset);
}
HD void curand_init(const unsigned long long *direction_vectors, unsigned long long scramble,
                    unsigned long long offset, curandStateScrambledSobol64_t *state) {
    kudzu::sobol_init(state, direction_vectors, scramble, offset);
}

// ---- Uniform: above 0, up to 1
// ----------------------------------------------------------------------

#define CURAND_2POW32_INV (2.3283064e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)
#define CURAND_2POW53_INV_DOUBLE (1.1102230246251565e-16)
#define CURAND_2POW32_INV_2PI (2.3283064e-10f * 6.2831855f)
#define CURAND_PI_DOUBLE (3.1415926535897932)

HD float _curand_uniform(unsigned int x) {
    return (float)x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2.0f);
}
HD float _curand_uniform(unsigned long long x) {
    return _curand_uniform((unsigned int)(x >> 32));
}
HD double _curand_uniform_double(unsigned int x) {
    return x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE;
}
HD double _curand_uniform_double(unsigned long long x) {
    return (double)(x >> 11) * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 2.0;
}
// Of two words, 53 bits.
HD double _curand_uniform_double_hq(unsigned int x, unsigned int y) {
    unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << (53 - 32);
    return (double)z * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 2.0;
}

#define KUDZU_UNIFORM(State)                                                                       \
    HD float curand_uniform(State *state) {                                                        \
        return _curand_uniform(curand(state));                                                     \
    }
#define KUDZU_UNIFORM_DOUBLE(State)                                                                \
    HD double curand_uniform_double(State *state) {                                                \
        return _curand_uniform_double(curand(state));                                              \
    }
KUDZU_UNIFORM(curandStateXORWOW_t)
KUDZU_UNIFORM(curandStatePhilox4_32_10_t)
KUDZU_UNIFORM(curandStateSobol32_t)
KUDZU_UNIFORM(curandStateScrambledSobol32_t)
KUDZU_UNIFORM(curandStateSobol64_t)
KUDZU_UNIFORM(curandStateScrambledSobol64_t)
KUDZU_UNIFORM_DOUBLE(curandStatePhilox4_32_10_t)
KUDZU_UNIFORM_DOUBLE(curandStateSobol32_t)
KUDZU_UNIFORM_DOUBLE(curandStateScrambledSobol32_t)
KUDZU_UNIFORM_DOUBLE(curandStateSobol64_t)
KUDZU_UNIFORM_DOUBLE(curandStateScrambledSobol64_t)
#undef KUDZU_UNIFORM
#undef KUDZU_UNIFORM_DOUBLE
HD double curand_uniform_double(curandStateXORWOW_t *state) {
    unsigned int x = curand(state), y = curand(state);
    return _curand_uniform_double_hq(x, y);
}
HD double curand_uniform_double(curandStateMRG32k3a_t *state) {
    return kudzu::mrg_next(state) * 2.3283065498378288e-10; // 1 / m1: up to 1
}
HD float curand_uniform(curandStateMRG32k3a_t *state) {
    return (float)curand_uniform_double(state);
}
HD float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    return make_float4(_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z),
                       _curand_uniform(x.w));
}
HD double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    return make_double2(_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w));
}
HD double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state) {
    double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}

// ---- Normal: Box and Muller, two at a time; for Sobol sequences the inverse distribution
// ------------

HD float2 _curand_box_muller(unsigned int x, unsigned int y) {
    float u = _curand_uniform(x);
    float v = (float)y * CURAND_2POW32_INV_2PI + (CURAND_2POW32_INV_2PI / 2.0f);
    float s = sqrtf(-2.0f * logf(u)), sine, cosine;
    sincosf(v, &sine, &cosine);
    return make_float2(sine * s, cosine * s);
}
HD double2 kudzu_box_muller(double u, double v) {
    double s = sqrt(-2.0 * log(u)), sine, cosine;
    sincos(v * (2.0 * CURAND_PI_DOUBLE), &sine, &cosine);
    return make_double2(sine * s, cosine * s);
}
HD float2 curand_normal2(curandStateXORWOW_t *state) {
    unsigned int x = curand(state), y = curand(state);
    return _curand_box_muller(x, y);
}
HD float2 curand_normal2(curandStatePhilox4_32_10_t *state) {
    unsigned int x = curand(state), y = curand(state);
    return _curand_box_muller(x, y);
}
HD float2 curand_normal2(curandStateMRG32k3a_t *state) {
    float u = curand_uniform(state), v = curand_uniform(state) * 6.2831855f;
    float s = sqrtf(-2.0f * logf(u)), sine, cosine;
    sincosf(v, &sine, &cosine);
    return make_float2(sine * s, cosine * s);
}
HD float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
HD double2 curand_normal2_double(curandStateXORWOW_t *state) {
    double u = curand_uniform_double(state), v = curand_uniform_double(state);
    return kudzu_box_muller(u, v);
}
HD double2 curand_normal2_double(curandStateMRG32k3a_t *state) {
    double u = curand_uniform_double(state), v = curand_uniform_double(state);
    return kudzu_box_muller(u, v);
}
HD double2 curand_normal2_double(curandStatePhilox4_32_10_t *state) {
    double2 u = curand_uniform2_double(state);
    return kudzu_box_muller(u.x, u.y);
}
HD double4 curand_normal4_double(curandStatePhilox4_32_10_t *state) {
    double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
#define KUDZU_NORMAL(State)                                                                        \
    HD float curand_normal(State *state) {                                                         \
        if (state->boxmuller_flag) {                                                               \
            state->boxmuller_flag = 0;                                                             \
            return state->boxmuller_extra;                                                         \
        }                                                                                          \
        float2 pair = curand_normal2(state);                                                       \
        state->boxmuller_extra = pair.y, state->boxmuller_flag = 1;                                \
        return pair.x;                                                                             \
    }                                                                                              \
    HD double curand_normal_double(State *state) {                                                 \
        if (state->boxmuller_flag_double) {                                                        \
            state->boxmuller_flag_double = 0;                                                      \
            return state->boxmuller_extra_double;                                                  \
        }                                                                                          \
        double2 pair = curand_normal2_double(state);                                               \
        state->boxmuller_extra_double = pair.y, state->boxmuller_flag_double = 1;                  \
        return pair.x;                                                                             \
    }
KUDZU_NORMAL(curandStateXORWOW_t)
KUDZU_NORMAL(curandStateMRG32k3a_t)
KUDZU_NORMAL(curandStatePhilox4_32_10_t)
#undef KUDZU_NORMAL

namespace kudzu {

// The number below which a normal one lies with probability p: Acklam's rational functions, and one
// step of Halley's method.
HD double normal_inverse(double p) {
    const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                        1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                        6.680131188771972e+01, -1.328068155288572e+01};
    const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                        -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                        3.754408661907416e+00};
    double tail = p < 0.5 ? p : 1.0 - p, x;
    if (tail < 0.02425) {
        double q = sqrt(-2.0 * log(tail));
        x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
            ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
        x = p < 0.5 ? x : -x;
    } else {
        double q = p - 0.5, r = q * q;
        x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
            (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
    }
    double error = 0.5 * erfc(-x * 0.70710678118654752) - p;
    double u = error * 2.5066282746310005 * exp(x * x / 2.0);
    return x - u / (1.0 + x * u / 2.0);
}
// The normal number below which lie as many as numbers below the word: from the nearer end, as a
// float near 1 has few bits for what lies above it.
HD float normal_of_word(unsigned int x) {
    const bool above = x >> 31;
    const float tail = _curand_uniform(above ? ~x : x), z = (float)normal_inverse(tail);
    return above ? -z : z;
}
HD float normal_of_word(unsigned long long x) {
    return normal_of_word((unsigned int)(x >> 32));
}
HD double normal_of_word_double(unsigned int x) {
    return normal_inverse(x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE / 2.0);
}
HD double normal_of_word_double(unsigned long long x) {
    return normal_inverse(_curand_uniform_double(x));
}

} // namespace kudzu

#define KUDZU_NORMAL(State)                                                                        \
    HD double curand_normal_double(State *state) {                                                 \
        return kudzu::normal_of_word_double(curand(state));                                        \
    }                                                                                              \
    HD float curand_normal(State *state) {                                                         \
        return kudzu::normal_of_word(curand(state));                                               \
    }
KUDZU_NORMAL(curandStateSobol32_t)
KUDZU_NORMAL(curandStateScrambledSobol32_t)
KUDZU_NORMAL(curandStateSobol64_t)
KUDZU_NORMAL(curandStateScrambledSobol64_t)
#undef KUDZU_NORMAL

// ---- Log-normal and Poisson
// -----------------------------------------------------------------------

template <typename State> HD float curand_log_normal(State *state, float mean, float stddev) {
    return expf(mean + stddev * curand_normal(state));
}
template <typename State>
HD double curand_log_normal_double(State *state, double mean, double stddev) {
    return exp(mean + stddev * curand_normal_double(state));
}
template <typename State> HD float2 curand_log_normal2(State *state, float mean, float stddev) {
    float2 n = curand_normal2(state);
    return make_float2(expf(mean + stddev * n.x), expf(mean + stddev * n.y));
}
template <typename State>
HD double2 curand_log_normal2_double(State *state, double mean, double stddev) {
    double2 n = curand_normal2_double(state);
    return make_double2(exp(mean + stddev * n.x), exp(mean + stddev * n.y));
}
HD float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev) {
    float4 n = curand_normal4(state);
    return make_float4(expf(mean + stddev * n.x), expf(mean + stddev * n.y),
                       expf(mean + stddev * n.z), expf(mean + stddev * n.w));
}
HD double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean,
                                     double stddev) {
    double4 n = curand_normal4_double(state);
    return make_double4(exp(mean + stddev * n.x), exp(mean + stddev * n.y),
                        exp(mean + stddev * n.z), exp(mean + stddev * n.w));
}

// Knuth's product of uniform numbers for small means, a normal number for large ones, and between
// them Hörmann's transformed rejection with squeeze (PTRS).
template <typename State> HD unsigned int curand_poisson(State *state, double lambda) {
    if (lambda < 64) {
        unsigned int k = 0;
        double p = exp(lambda);
        do {
            k++;
            p *= curand_uniform(state);
        } while (p > 1.0);
        return k - 1;
    }
    if (lambda > 4000) {
        double value = sqrt(lambda) * curand_normal(state) + lambda + 0.5;
        return value > 0 ? (unsigned int)value : 0;
    }
    double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
    double inverse = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = curand_uniform(state) - 0.5, v = curand_uniform(state);
        double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
        if (us >= 0.07 && v <= vr)
            return (unsigned int)k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (log(v) + log(inverse) - log(a / (us * us) + b) <=
            k * log(lambda) - lambda - lgamma(k + 1))
            return (unsigned int)k;
    }
}

namespace kudzu {

// The number that Poisson's distribution reaches with probability u: its probabilities added up, or
// for large means Cornish and Fisher's expansion, which is 1 off where u is within 1e-4 of a step.
HD unsigned int poisson_inverse(double u, double lambda) {
    if (lambda < 64) {
        double p = exp(-lambda), sum = p;
        unsigned int k = 0;
        for (; sum < u && k < 400; sum += p)
            p *= lambda / ++k;
        return k;
    }
    const double z = normal_inverse(u < 1.0 ? u : 1.0 - 1.1102230246251565e-16),
                 root = sqrt(lambda);
    const double k = lambda + root * z + (z * z - 1.0) / 6.0 + (z - z * z * z) / (72.0 * root);
    return k > -0.5 ? (unsigned int)(k + 0.5) : 0;
}

} // namespace kudzu

// One point of a quasirandom sequence is one number.
#define KUDZU_POISSON(State)                                                                       \
    HD unsigned int curand_poisson(State *state, double lambda) {                                  \
        return kudzu::poisson_inverse(curand_uniform_double(state), lambda);                       \
    }
KUDZU_POISSON(curandStateSobol32_t)
KUDZU_POISSON(curandStateScrambledSobol32_t)
KUDZU_POISSON(curandStateSobol64_t)
KUDZU_POISSON(curandStateScrambledSobol64_t)
#undef KUDZU_POISSON

HD uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda) {
    unsigned int a = curand_poisson(state, lambda), b = curand_poisson(state, lambda);
    unsigned int c = curand_poisson(state, lambda), d = curand_poisson(state, lambda);
    return make_uint4(a, b, c, d);
}

// ---- MTGP32 (Saito and Matsumoto): states of whole blocks -------------------------------------

#define KUDZU_DEVICE static __inline__ __device__

namespace kudzu {

// The word that is `place` words after the next one: of the recursion, or a float from 1 to 2.
HD unsigned int mtgp32_word(curandStateMtgp32_t *state, unsigned int place, bool single) {
    const mtgp32_kernel_params_t *k = state->k;
    const unsigned int set = state->pIdx, at = place + state->offset, pos = k->pos_tbl[set];
    unsigned int *s = state->s;
    unsigned int x = (s[at & MTGP32_STATE_MASK] & k->mask[0]) ^ s[(at + 1) & MTGP32_STATE_MASK];
    unsigned int y = s[(at + pos) & MTGP32_STATE_MASK];
    x ^= x << k->sh1_tbl[set];
    y = x ^ y >> k->sh2_tbl[set];
    const unsigned int made = y ^ k->param_tbl[set][y & 15];
    s[(at + MTGPDC_N) & MTGP32_STATE_MASK] = made;
    unsigned int t = s[(at + pos - 1) & MTGP32_STATE_MASK];
    t ^= t >> 16;
    t ^= t >> 8;
    return single ? made >> 9 ^ k->single_temper_tbl[set][t & 15]
                  : made ^ k->temper_tbl[set][t & 15];
}
#ifdef __CUDA__ // other compilers' programs have no blocks
// Drawn by n threads, each with an index of its own below n.
KUDZU_DEVICE unsigned int mtgp32_draw(curandStateMtgp32_t *state, unsigned int index,
                                      unsigned int n, bool single) {
    const unsigned int word = mtgp32_word(state, index, single);
    __syncthreads();
    if (index == 0)
        state->offset = (int)((state->offset + n) & MTGP32_STATE_MASK);
    __syncthreads();
    return word;
}
KUDZU_DEVICE unsigned int mtgp32_draw_by_all(curandStateMtgp32_t *state, bool single) {
    const unsigned int row = threadIdx.z * blockDim.y + threadIdx.y;
    return mtgp32_draw(state, row * blockDim.x + threadIdx.x, blockDim.x * blockDim.y * blockDim.z,
                       single);
}
#endif

} // namespace kudzu

#ifdef __CUDA__
// All threads of the block, at most 256, draw a word each from a state that no other block uses.
KUDZU_DEVICE unsigned int curand(curandStateMtgp32_t *state) {
    return kudzu::mtgp32_draw_by_all(state, false);
}
// n threads, at most 256, draw from the state; all of the block's call this, with states of their
// own if they like. `index` runs from 0 to n - 1.
KUDZU_DEVICE unsigned int curand_mtgp32_specific(curandStateMtgp32_t *state, unsigned char index,
                                                 unsigned char n) {
    return kudzu::mtgp32_draw(state, index, n ? n : 256, false);
}
// Floats from 1, below 2.
KUDZU_DEVICE float curand_mtgp32_single(curandStateMtgp32_t *state) {
    return __uint_as_float(kudzu::mtgp32_draw_by_all(state, true));
}
KUDZU_DEVICE float curand_mtgp32_single_specific(curandStateMtgp32_t *state, unsigned char index,
                                                 unsigned char n) {
    return __uint_as_float(kudzu::mtgp32_draw(state, index, n ? n : 256, true));
}
KUDZU_DEVICE float curand_uniform(curandStateMtgp32_t *state) {
    return _curand_uniform(curand(state));
}
KUDZU_DEVICE double curand_uniform_double(curandStateMtgp32_t *state) {
    return _curand_uniform_double(curand(state));
}
KUDZU_DEVICE float curand_normal(curandStateMtgp32_t *state) {
    return kudzu::normal_of_word(curand(state));
}
KUDZU_DEVICE double curand_normal_double(curandStateMtgp32_t *state) {
    return kudzu::normal_of_word(curand(state));
}
KUDZU_DEVICE float curand_log_normal(curandStateMtgp32_t *state, float mean, float stddev) {
    return expf(mean + stddev * curand_normal(state));
}
KUDZU_DEVICE double curand_log_normal_double(curandStateMtgp32_t *state, double mean,
                                             double stddev) {
    return exp(mean + stddev * curand_normal_double(state));
}
KUDZU_DEVICE unsigned int curand_poisson(curandStateMtgp32_t *state, double lambda) {
    return kudzu::poisson_inverse(curand_uniform_double(state), lambda);
}
#endif

#undef KUDZU_DEVICE

// ---- Discrete distributions (curand.h) --------------------------------------------------------

#ifdef CURAND_H_
namespace kudzu {

// The first number whose probability of being reached is no less than u.
HD unsigned int find_discrete(const curandDiscreteDistribution_st *d, double u) {
    unsigned int low = 0, high = d->length - 1;
    while (low < high) {
        unsigned int middle = (low + high) / 2;
        if (d->at_most[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return d->first + low;
}

} // namespace kudzu

template <typename State>
HD unsigned int curand_discrete(State *state, curandDiscreteDistribution_t distribution) {
    return kudzu::find_discrete(distribution, curand_uniform_double(state));
}
HD uint4 curand_discrete4(curandStatePhilox4_32_10_t *state,
                          curandDiscreteDistribution_t distribution) {
    uint4 x = curand4(state);
    return make_uint4(kudzu::find_discrete(distribution, _curand_uniform_double(x.x)),
                      kudzu::find_discrete(distribution, _curand_uniform_double(x.y)),
                      kudzu::find_discrete(distribution, _curand_uniform_double(x.z)),
                      kudzu::find_discrete(distribution, _curand_uniform_double(x.w)));
}
#endif

#pragma pop_macro("HD")

#endif
#endif
