// The frame of the runtime's tests: checks that go on after a failure, and the exit status.
#ifndef KUDZU_TESTS_RUNTIME_CHECK_H
#define KUDZU_TESTS_RUNTIME_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime_api.h"

static int failures;

// Of many failures the first ones tell.
enum { SHOWN = 20 };

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && failures++ < SHOWN) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)

// The call gives `expected`, and the last error is the same, except where it is no error.
#define CHECK_ERROR(expected, call)                                                                \
    do {                                                                                           \
        (void)cudaGetLastError();                                                                  \
        cudaError_t got_ = (call), last_ = cudaGetLastError();                                     \
        if ((got_ != (expected) || (got_ != cudaErrorNotReady && last_ != got_)) &&                \
            failures++ < SHOWN) {                                                                  \
            fprintf(stderr, "%s:%d: %s: %s, last error %s, expected %s\n", __FILE__, __LINE__,     \
                    #call, cudaGetErrorName(got_), cudaGetErrorName(last_),                        \
                    cudaGetErrorName(expected));                                                   \
        }                                                                                          \
    } while (0)

#define CHECK_OK(call) CHECK_ERROR(cudaSuccess, call)

// Whether the device is kudzu's. NVIDIA's driver follows destroyed handles and may crash, and keeps
// an error of a kernel until the process ends: what is checked of that holds for kudzu's alone.
static inline int on_kudzu(void) {
    struct cudaDeviceProp properties;
    return cudaGetDeviceProperties(&properties, 0) == cudaSuccess &&
           strncmp(properties.name, "kudzu ", 6) == 0;
}

// For what later checks depend on.
#define NEED(call)                                                                                 \
    do {                                                                                           \
        cudaError_t got_ = (call);                                                                 \
        if (got_ != cudaSuccess) {                                                                 \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(got_)); \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static inline int finish(void) {
    if (failures)
        fprintf(stderr, "%d checks failed\n", failures);
    return failures != 0;
}

#endif
