// What the programs of this folder share: counting failures, and memory that both sides see.
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

static int failures;

// Says where something is wrong, for the first twenty times.
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && failures++ < 20)                                                       \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                 \
    } while (0)

#define CUDA(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error = call;                                                                  \
        if (error != cudaSuccess) {                                                                \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// Whether the device is kudzu's.
static inline bool on_kudzu() {
    cudaDeviceProp properties;
    return cudaGetDeviceProperties(&properties, 0) == cudaSuccess &&
           !strncmp(properties.name, "kudzu ", 6);
}

// Zeroed.
template <typename T> T *shared_array(size_t n) {
    T *p;
    CUDA(cudaMallocManaged(&p, n * sizeof(T)));
    memset((void *)p, 0, n * sizeof(T));
    return p;
}

// A sequence of random words, always the same.
struct random_words {
    unsigned long long state;
    random_words() : state(88172645463325252ull) {
    }
    unsigned long long operator()() {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    }
};

#endif
