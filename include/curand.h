// Of cuRAND's host library: distributions that device code draws from (curand_discrete in
// curand_kernel.h), as functions of this header. Host generators are not there, nor are tables of
// direction vectors, whose numbers were found by search and follow from no formula.
#ifndef CURAND_H_
#define CURAND_H_

#include <cuda_runtime_api.h>
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

#endif
