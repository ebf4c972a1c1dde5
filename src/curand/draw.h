// Filling memory with what states give: by a kernel, or by the calling thread.
#ifndef KUDZU_CURAND_DRAW_H
#define KUDZU_CURAND_DRAW_H

#include "generator.h"
#include "mersenne_twister.h"

typedef unsigned long long ull;

// ---- What is drawn ------------------------------------------------------------------------

struct draw_bits {
    template <typename State> __host__ __device__ auto operator()(State *s) const {
        return curand(s);
    }
};
struct draw_uniform {
    template <typename State> __host__ __device__ float operator()(State *s) const {
        return curand_uniform(s);
    }
};
struct draw_uniform_double {
    template <typename State> __host__ __device__ double operator()(State *s) const {
        return curand_uniform_double(s);
    }
};
struct draw_normal {
    float mean, stddev;
    template <typename State> __host__ __device__ float operator()(State *s) const {
        return mean + stddev * curand_normal(s);
    }
};
struct draw_normal_double {
    double mean, stddev;
    template <typename State> __host__ __device__ double operator()(State *s) const {
        return mean + stddev * curand_normal_double(s);
    }
};
struct draw_log_normal {
    float mean, stddev;
    template <typename State> __host__ __device__ float operator()(State *s) const {
        return curand_log_normal(s, mean, stddev);
    }
};
struct draw_log_normal_double {
    double mean, stddev;
    template <typename State> __host__ __device__ double operator()(State *s) const {
        return curand_log_normal_double(s, mean, stddev);
    }
};
struct draw_poisson {
    double lambda;
    template <typename State> __host__ __device__ unsigned int operator()(State *s) const {
        return curand_poisson(s, lambda);
    }
};
// One point of a quasirandom sequence is one result.
struct draw_discrete {
    curandDiscreteDistribution_t distribution;
    template <typename State> __host__ __device__ unsigned int operator()(State *s) const {
        return curand_discrete(s, distribution);
    }
};

// ---- Pseudorandom states ------------------------------------------------------------------

template <typename State> struct kind {
    static constexpr unsigned int group = 1;
};
template <> struct kind<curandStatePhilox4_32_10_t> {
    static constexpr unsigned int group = 4;
};

struct beginning {
    ull seed, offset;
    unsigned int threads;
    bool seeded; // a seed for each state, not a sequence
};

// Of results that are left out, as many as are its own.
template <typename State>
__host__ __device__ inline void begin(State *s, unsigned int t, const beginning &b) {
    constexpr ull group = kind<State>::group;
    const ull turn = group * b.threads, rest = b.offset % turn;
    ull skipped = b.offset / turn * group;
    if (rest > group * t)
        skipped += rest - group * t < group ? rest - group * t : group;
    if (b.seeded)
        curand_init(b.seed + t * 0x9e3779b97f4a7c15ull, 0, 0, s);
    else
        curand_init(b.seed, t, 0, s);
    skipahead(skipped, s);
}

template <typename State>
__global__ void begin_all(State *states, unsigned int first, unsigned int end, beginning b) {
    unsigned int t = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (t < end)
        begin(&states[t], t, b);
}

// Places [next, next + n) of turns of `threads` groups; `active` states have some of them.
template <typename State, typename Draw, typename Out>
__global__ void draw_all(State *states, unsigned int active, unsigned int threads, ull next,
                         Out *out, ull n, Draw draw) {
    constexpr unsigned int group = kind<State>::group;
    unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= active)
        return;
    State s = states[t];
    for (ull place = (ull)group * t; place < next + n; place += (ull)group * threads)
#pragma unroll
        for (unsigned int k = 0; k < group; k++)
            if (place + k >= next && place + k < next + n)
                out[place + k - next] = draw(&s);
    states[t] = s;
}

// ---- Quasirandom points -------------------------------------------------------------------

// One point, from which one number is drawn. (A state of curand_kernel.h has the direction vectors
// in it.)
template <typename Word> struct sobol_point {
    Word x;
};

template <typename Word>
__host__ __device__ inline sobol_point<Word> point(const Word *vectors, const Word *constants,
                                                   unsigned int dimension, Word index) {
    constexpr unsigned int bits = 8 * sizeof(Word);
    Word gray = index ^ index >> 1, x = constants[dimension];
    for (unsigned int k = 0; k < bits; k++)
        x ^= gray >> k & 1 ? vectors[(size_t)dimension * bits + k] : 0;
    return {x};
}

template <typename Word> __host__ __device__ inline Word curand(sobol_point<Word> *p) {
    return p->x;
}
template <typename Word> __host__ __device__ inline float curand_uniform(sobol_point<Word> *p) {
    return _curand_uniform(p->x);
}
template <typename Word>
__host__ __device__ inline double curand_uniform_double(sobol_point<Word> *p) {
    return _curand_uniform_double(p->x);
}
template <typename Word>
__host__ __device__ inline double curand_normal_double(sobol_point<Word> *p) {
    return kudzu::normal_inverse(curand_uniform_double(p));
}
template <typename Word> __host__ __device__ inline float curand_normal(sobol_point<Word> *p) {
    return (float)curand_normal_double(p);
}

// `each` results of points from `first` on, one dimension after the other.
template <typename Word, typename Draw, typename Out>
__global__ void draw_points(const Word *__restrict__ vectors, const Word *__restrict__ constants,
                            ull first, Out *out, ull each, Draw draw) {
    const unsigned int dimension = blockIdx.y;
    for (ull i = blockIdx.x * (ull)blockDim.x + threadIdx.x; i < each;
         i += (ull)gridDim.x * blockDim.x) {
        sobol_point<Word> p = point(vectors, constants, dimension, (Word)(first + i));
        out[dimension * each + i] = draw(&p);
    }
}

#endif
