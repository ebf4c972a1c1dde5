// What a generator is, and which numbers of which sequence its results are.
//
// A pseudorandom generator is `threads` states, each at a sequence of its own. Places stand in
// groups: place n is of state (n / group) % threads, and what a state gives goes to its places in
// turn: a result each, or a pair of normal numbers. So several calls give what one call would, and
// states that nothing has asked for yet are made later.
#ifndef KUDZU_CURAND_GENERATOR_H
#define KUDZU_CURAND_GENERATOR_H

#include <curand_kernel.h>

struct curandGenerator_st {
    unsigned long long magic; // GENERATOR_MAGIC while it lives
    curandRngType_t type;     // none of the defaults
    curandOrdering_t order;
    bool host;
    cudaStream_t stream;
    unsigned long long seed, offset;
    unsigned int dimensions;
    // Since the beginning:
    void *states;                // NULL: none yet; quasirandom generators: vectors and constants
    unsigned int threads, ready; // states, and those of them that have been made
    unsigned long long next;     // the next place in a turn of all states; quasirandom
                                 // generators: the next point
};

#define GENERATOR_MAGIC 0x6375727367656e31ull

static inline bool is_quasi(curandRngType_t type) {
    return type >= CURAND_RNG_QUASI_SOBOL32;
}

#endif
