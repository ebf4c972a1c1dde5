// cuRAND's host library: generators that fill memory of the device or of the host with random
// numbers (libcurand, -lcurand). Distributions that device code draws from (curand_discrete in
// curand_kernel.h) are functions of this header and need no library.
//
// Pseudorandom generators: XORWOW, MRG32k3a, Philox 4x32-10 and MT19937 in cuRAND's orders; MTGP32
// where the library was built with its sets of parameters.
// Quasirandom ones: Sobol sequences of up to 20,000 dimensions, with Joe and Kuo's direction
// numbers (2 dimensions where the library was built without their table). Scrambled ones are
// scrambled by random matrices and constants of kudzu's own: as even as cuRAND's, and other
// numbers.
#ifndef CURAND_H_
#define CURAND_H_

#include "cuda_runtime_api.h"
#include "library_types.h"
#include <math.h>

typedef enum curandStatus {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_VERSION_MISMATCH = 100,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_ARCH_MISMATCH = 204,
    CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;

#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 3
#define CURAND_VER_PATCH 10
#define CURAND_VER_BUILD 0
#define CURAND_VERSION (CURAND_VER_MAJOR * 1000 + CURAND_VER_MINOR * 100 + CURAND_VER_PATCH)

#ifndef CURANDAPI
#define CURANDAPI
#endif

typedef enum curandRngType {
    CURAND_RNG_TEST = 0,
    CURAND_RNG_PSEUDO_DEFAULT = 100, // XORWOW
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
    CURAND_RNG_QUASI_DEFAULT = 200, // Sobol, 32 bits
    CURAND_RNG_QUASI_SOBOL32 = 201,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
    CURAND_RNG_QUASI_SOBOL64 = 203,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
} curandRngType_t;

// Which results of many threads' sequences stand where.
typedef enum curandOrdering {
    CURAND_ORDERING_PSEUDO_BEST = 100,
    CURAND_ORDERING_PSEUDO_DEFAULT = 101,
    CURAND_ORDERING_PSEUDO_SEEDED = 102,
    CURAND_ORDERING_PSEUDO_LEGACY = 103,
    CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
    CURAND_ORDERING_QUASI_DEFAULT = 201
} curandOrdering_t;

typedef enum curandDirectionVectorSet {
    CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
    CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
    CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
    CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104
} curandDirectionVectorSet_t;

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
typedef struct curandGenerator_st *curandGenerator_t;

// The probabilities that a number is at most first, first + 1, ...; the last one is 1. In managed
// memory.
struct curandDiscreteDistribution_st {
    unsigned int first, length;
    double at_most[1];
};
typedef struct curandDiscreteDistribution_st *curandDiscreteDistribution_t;

// Poisson's distribution with mean `lambda`, above 0 and up to 400,000 (else
// CURAND_STATUS_OUT_OF_RANGE). What lies further off than twelve standard deviations is left out.
// curandDestroyDistribution frees it.
static inline curandStatus_t
curandCreatePoissonDistribution(double lambda, curandDiscreteDistribution_t *distribution) {
    if (!distribution || !(lambda > 0) || lambda > 400000)
        return CURAND_STATUS_OUT_OF_RANGE;
    const double reach = 12 * sqrt(lambda) + 20, low = floor(lambda - reach);
    const unsigned int first = low > 0 ? (unsigned int)low : 0;
    const unsigned int length = (unsigned int)(lambda + reach) - first + 1;
    struct curandDiscreteDistribution_st *d;
    if (cudaMallocManaged((void **)&d, sizeof *d + length * sizeof(double), cudaMemAttachGlobal))
        return CURAND_STATUS_ALLOCATION_FAILED;
    double sum = 0;
    d->first = first;
    d->length = length;
    for (unsigned int i = 0; i < length; i++) {
        const double k = (double)first + i;
        sum += exp(k * log(lambda) - lambda - lgamma(k + 1));
        d->at_most[i] = sum;
    }
    for (unsigned int i = 0; i < length; i++)
        d->at_most[i] /= sum;
    *distribution = d;
    return CURAND_STATUS_SUCCESS;
}

static inline curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution) {
    return cudaFree(distribution) ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}

#ifdef __cplusplus
extern "C" {
#endif

// CURAND_STATUS_TYPE_ERROR: no such type, or one that is not there;
// CURAND_STATUS_INITIALIZATION_FAILED: no device. Its output is memory of the current device, and
// its work goes to the NULL stream at first.
curandStatus_t CURANDAPI curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type);
// The same numbers, in memory of the host, by the calling thread.
curandStatus_t CURANDAPI curandCreateGeneratorHost(curandGenerator_t *generator,
                                                   curandRngType_t type);
curandStatus_t CURANDAPI curandDestroyGenerator(curandGenerator_t generator);
curandStatus_t CURANDAPI curandGetVersion(int *version);
curandStatus_t CURANDAPI curandGetProperty(libraryPropertyType type, int *value);

curandStatus_t CURANDAPI curandSetStream(curandGenerator_t generator, cudaStream_t stream);
// Pseudorandom generators; begins anew. The seed is 0 at first.
curandStatus_t CURANDAPI curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                            unsigned long long seed);
// How many results are left out; begins anew. Not for MT19937 and MTGP32.
curandStatus_t CURANDAPI curandSetGeneratorOffset(curandGenerator_t generator,
                                                  unsigned long long offset);
curandStatus_t CURANDAPI curandSetGeneratorOrdering(curandGenerator_t generator,
                                                    curandOrdering_t order);
// 1 to 20,000; CURAND_STATUS_OUT_OF_RANGE for others.
curandStatus_t CURANDAPI curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                                 unsigned int dimensions);
// Makes the generator's state now, not with the first numbers.
curandStatus_t CURANDAPI curandGenerateSeeds(curandGenerator_t generator);

// 32-bit words; 64-bit words of Sobol's sequences of 64 bits.
curandStatus_t CURANDAPI curandGenerate(curandGenerator_t generator, unsigned int *out, size_t n);
curandStatus_t CURANDAPI curandGenerateLongLong(curandGenerator_t generator,
                                                unsigned long long *out, size_t n);
// Above 0, up to 1.
curandStatus_t CURANDAPI curandGenerateUniform(curandGenerator_t generator, float *out, size_t n);
curandStatus_t CURANDAPI curandGenerateUniformDouble(curandGenerator_t generator, double *out,
                                                     size_t n);
// An even number of results of XORWOW and MRG32k3a: else CURAND_STATUS_LENGTH_NOT_MULTIPLE, as when
// the number is no multiple of a quasirandom generator's dimensions.
curandStatus_t CURANDAPI curandGenerateNormal(curandGenerator_t generator, float *out, size_t n,
                                              float mean, float stddev);
curandStatus_t CURANDAPI curandGenerateNormalDouble(curandGenerator_t generator, double *out,
                                                    size_t n, double mean, double stddev);
curandStatus_t CURANDAPI curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t n,
                                                 float mean, float stddev);
curandStatus_t CURANDAPI curandGenerateLogNormalDouble(curandGenerator_t generator, double *out,
                                                       size_t n, double mean, double stddev);
// Lambda above 0, up to 400,000; else CURAND_STATUS_OUT_OF_RANGE.
curandStatus_t CURANDAPI curandGeneratePoisson(curandGenerator_t generator, unsigned int *out,
                                               size_t n, double lambda);

// Tables of 20,000 dimensions, which stay. CURAND_STATUS_OUT_OF_RANGE: no such set, or the library
// was built without.
curandStatus_t CURANDAPI curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
                                                     curandDirectionVectorSet_t set);
curandStatus_t CURANDAPI curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
                                                     curandDirectionVectorSet_t set);
// One constant for each of 20,000 dimensions. CURAND_STATUS_INTERNAL_ERROR, the only error that
// these know: the library was built without.
curandStatus_t CURANDAPI curandGetScrambleConstants32(unsigned int **constants);
curandStatus_t CURANDAPI curandGetScrambleConstants64(unsigned long long **constants);

#ifdef __cplusplus
}
#endif

#endif
