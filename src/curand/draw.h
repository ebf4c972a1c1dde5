// Filling memory with what states give: by a kernel, or by the calling thread.
#ifndef KUDZU_CURAND_DRAW_H
#define KUDZU_CURAND_DRAW_H

#include <type_traits>

#include "generator.h"
#include "mersenne_twister.h"

typedef unsigned long long ull;

// ---- What is drawn ------------------------------------------------------------------------
//
// one: a number of a state, of a point or of a word; two: a pair of normal numbers; four: of four
// words of Philox (doubles: of eight).

struct draw_bits {
    static constexpr bool pairs = false;
    template <typename State> __host__ __device__ auto one(State *s) const {
        return curand(s);
    }
    __host__ __device__ uint4 four(curandStatePhilox4_32_10_t *s) const {
        return curand4(s);
    }
};
struct draw_uniform {
    static constexpr bool pairs = false;
    template <typename State> __host__ __device__ float one(State *s) const {
        return curand_uniform(s);
    }
    __host__ __device__ float4 four(curandStatePhilox4_32_10_t *s) const {
        return curand_uniform4(s);
    }
};
struct draw_uniform_double {
    static constexpr bool pairs = false;
    template <typename State> __host__ __device__ double one(State *s) const {
        return curand_uniform_double(s);
    }
    __host__ __device__ double4 four(curandStatePhilox4_32_10_t *s) const {
        return curand_uniform4_double(s);
    }
};
struct draw_normal {
    float mean, stddev;
    static constexpr bool pairs = true;
    __host__ __device__ float of(float z) const {
        return mean + stddev * z;
    }
    template <typename State> __host__ __device__ float one(State *s) const {
        return of(curand_normal(s));
    }
    template <typename State> __host__ __device__ float2 two(State *s) const {
        const float2 z = curand_normal2(s);
        return make_float2(of(z.x), of(z.y));
    }
    __host__ __device__ float4 four(curandStatePhilox4_32_10_t *s) const {
        const float4 z = curand_normal4(s);
        return make_float4(of(z.x), of(z.y), of(z.z), of(z.w));
    }
};
struct draw_normal_double {
    double mean, stddev;
    static constexpr bool pairs = true;
    __host__ __device__ double of(double z) const {
        return mean + stddev * z;
    }
    template <typename State> __host__ __device__ double one(State *s) const {
        return of(curand_normal_double(s));
    }
    template <typename State> __host__ __device__ double2 two(State *s) const {
        const double2 z = curand_normal2_double(s);
        return make_double2(of(z.x), of(z.y));
    }
    __host__ __device__ double4 four(curandStatePhilox4_32_10_t *s) const {
        const double4 z = curand_normal4_double(s);
        return make_double4(of(z.x), of(z.y), of(z.z), of(z.w));
    }
};
struct draw_log_normal {
    draw_normal normal;
    static constexpr bool pairs = true;
    template <typename State> __host__ __device__ float one(State *s) const {
        return expf(normal.one(s));
    }
    template <typename State> __host__ __device__ float2 two(State *s) const {
        const float2 z = normal.two(s);
        return make_float2(expf(z.x), expf(z.y));
    }
    __host__ __device__ float4 four(curandStatePhilox4_32_10_t *s) const {
        const float4 z = normal.four(s);
        return make_float4(expf(z.x), expf(z.y), expf(z.z), expf(z.w));
    }
};
struct draw_log_normal_double {
    draw_normal_double normal;
    static constexpr bool pairs = true;
    template <typename State> __host__ __device__ double one(State *s) const {
        return exp(normal.one(s));
    }
    template <typename State> __host__ __device__ double2 two(State *s) const {
        const double2 z = normal.two(s);
        return make_double2(exp(z.x), exp(z.y));
    }
    __host__ __device__ double4 four(curandStatePhilox4_32_10_t *s) const {
        const double4 z = normal.four(s);
        return make_double4(exp(z.x), exp(z.y), exp(z.z), exp(z.w));
    }
};
struct draw_discrete {
    curandDiscreteDistribution_t distribution;
    static constexpr bool pairs = false;
    template <typename State> __host__ __device__ unsigned int one(State *s) const {
        return curand_discrete(s, distribution);
    }
    __host__ __device__ uint4 four(curandStatePhilox4_32_10_t *s) const {
        return curand_discrete4(s, distribution);
    }
};

// ---- Single words -------------------------------------------------------------------------

// A word that one result comes of; what double numbers are made of it differs.
struct twister_word {
    unsigned int x;
};
struct mtgp32_word {
    unsigned int x;
};

__host__ __device__ inline unsigned int curand(twister_word *w) {
    return w->x;
}
__host__ __device__ inline float curand_uniform(twister_word *w) {
    return _curand_uniform(w->x);
}
__host__ __device__ inline double curand_uniform_double(twister_word *w) {
    return w->x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE / 2.0;
}
__host__ __device__ inline float curand_normal(twister_word *w) {
    return kudzu::normal_of_word(w->x);
}
__host__ __device__ inline double curand_normal_double(twister_word *w) {
    return kudzu::normal_of_word_double(w->x);
}

__host__ __device__ inline unsigned int curand(mtgp32_word *w) {
    return w->x;
}
__host__ __device__ inline float curand_uniform(mtgp32_word *w) {
    return _curand_uniform(w->x);
}
__host__ __device__ inline double curand_uniform_double(mtgp32_word *w) {
    return _curand_uniform_double(w->x);
}
__host__ __device__ inline float curand_normal(mtgp32_word *w) {
    return kudzu::normal_of_word(w->x);
}
__host__ __device__ inline double curand_normal_double(mtgp32_word *w) {
    return kudzu::normal_of_word(w->x);
}

// ---- Pseudorandom states ------------------------------------------------------------------

struct beginning {
    ull seed, offset;
    unsigned int threads;
    bool seeded; // XORWOW: each thread has a seed of its own instead of a sequence
};

// How many places a state has in a turn. A place takes one result, or a pair of normal numbers of
// states that make pairs.
template <typename State> struct kind {
    static constexpr unsigned int group = 1;
    static constexpr bool pairs = true;
};
template <> struct kind<curandStatePhilox4_32_10_t> {
    static constexpr unsigned int group = 4;
    static constexpr bool pairs = false;
};
template <> struct kind<mersenne_twister> {
    static constexpr unsigned int group = 8;
    static constexpr bool pairs = false;
};
template <> struct kind<curandStateMtgp32_t> {
    static constexpr unsigned int group = 256;
    static constexpr bool pairs = false;
};
template <typename State, typename Draw>
__host__ __device__ constexpr unsigned int results_of_place() {
    return kind<State>::pairs && Draw::pairs ? 2 : 1;
}

// State t: at the first turn of its own that the offset does not leave out whole.
template <typename State>
__host__ __device__ inline void begin(State *s, unsigned int t, beginning b) {
    constexpr unsigned int group = kind<State>::group;
    const ull turn = (ull)group * b.threads, rest = b.offset % turn;
    ull skipped = b.offset / turn * group;
    if (rest >= (ull)group * (t + 1))
        skipped += group;
    if (b.seeded)
        curand_init(b.seed + t * 3133713ull, 0, 0, s);
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

// What a state gives to its places in one turn.
template <typename State, typename Out, typename Draw>
__host__ __device__ inline void give(State *s, Out *out, const Draw &draw) {
    if constexpr (results_of_place<State, Draw>() == 2) {
        const auto pair = draw.two(s);
        out[0] = pair.x, out[1] = pair.y;
    } else {
        out[0] = draw.one(s);
    }
}
template <typename Out, typename Draw>
__host__ __device__ inline void give(curandStatePhilox4_32_10_t *s, Out *out, const Draw &draw) {
    const auto four = draw.four(s);
    out[0] = four.x, out[1] = four.y, out[2] = four.z, out[3] = four.w;
}
// Places [next, next + places) of turns of `threads` groups, as far as state t has them. A turn
// that the call leaves unfinished begins anew with the next one.
template <typename State, typename Draw, typename Out>
__host__ __device__ inline void draw_places(State *state, unsigned int t, unsigned int threads,
                                            ull next, Out *out, ull places, const Draw &draw) {
    constexpr unsigned int group = kind<State>::group, each = results_of_place<State, Draw>();
    State s = *state;
    for (ull place = (ull)group * t; place < next + places; place += (ull)group * threads) {
        Out got[group * each];
        if (place + group <= next)
            continue;
        give(&s, got, draw);
        for (unsigned int k = 0; k < group; k++)
            for (unsigned int i = 0; i < each; i++)
                if (place + k >= next && place + k < next + places)
                    out[(place + k - next) * each + i] = got[k * each + i];
        if (place + group <= next + places)
            *state = s;
    }
}

template <typename Draw, typename Out>
__host__ __device__ inline void draw_places(mersenne_twister *s, unsigned int t,
                                            unsigned int threads, ull next, Out *out, ull places,
                                            const Draw &draw) {
    constexpr unsigned int group = kind<mersenne_twister>::group;
    for (ull place = (ull)group * t; place < next + places; place += (ull)group * threads) {
        if (place + group <= next)
            continue;
        if (s->row == mersenne_twister::ROWS)
            twister_round(s);
        for (unsigned int k = 0; k < group; k++) {
            twister_word w = {twister_word_of_row(s, k)};
            if (place + k >= next && place + k < next + places)
                out[place + k - next] = draw.one(&w);
        }
        if (place + group <= next + places)
            s->row++;
    }
}

// `active` states have some of the places.
template <typename State, typename Draw, typename Out>
__global__ void draw_all(State *states, unsigned int active, unsigned int threads, ull next,
                         Out *out, ull places, Draw draw) {
    unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < active)
        draw_places(&states[t], t, threads, next, out, places, draw);
}

// ---- MTGP32: a block for each state ---------------------------------------------------------

// Turns of 256 places a state. Words that are made again, because a call ended within a turn, are
// what they were.
template <typename Draw, typename Out>
__global__ void draw_blocks(curandStateMtgp32_t *states, ull next, Out *out, ull n, Draw draw) {
    constexpr unsigned int group = kind<curandStateMtgp32_t>::group;
    curandStateMtgp32_t *s = &states[blockIdx.x];
    for (ull first = (ull)group * blockIdx.x; first < next + n; first += (ull)group * gridDim.x) {
        const ull place = first + threadIdx.x;
        if (first + group <= next)
            continue;
        mtgp32_word w = {kudzu::mtgp32_word(s, threadIdx.x, false)};
        if (place >= next && place < next + n)
            out[place - next] = draw.one(&w);
        __syncthreads();
        if (threadIdx.x == 0 && first + group <= next + n)
            s->offset = (int)((s->offset + group) & MTGP32_STATE_MASK);
        __syncthreads();
    }
}

template <typename Draw, typename Out>
inline void draw_chunks(curandStateMtgp32_t *states, unsigned int threads, ull next, Out *out,
                        ull n, const Draw &draw) {
    constexpr unsigned int group = kind<curandStateMtgp32_t>::group;
    for (ull first = next / group * group; first < next + n; first += group) {
        curandStateMtgp32_t *s = &states[first / group % threads];
        for (unsigned int k = 0; k < group; k++) {
            mtgp32_word w = {kudzu::mtgp32_word(s, k, false)};
            if (first + k >= next && first + k < next + n)
                out[first + k - next] = draw.one(&w);
        }
        if (first + group <= next + n)
            s->offset = (int)((s->offset + group) & MTGP32_STATE_MASK);
    }
}

// ---- Quasirandom points -------------------------------------------------------------------

// One point, from which one number is drawn. (A state of curand_kernel.h has the direction vectors
// in it.)
template <typename Word> struct sobol_point { Word x; };

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
    return kudzu::normal_of_word_double(p->x);
}
template <typename Word> __host__ __device__ inline float curand_normal(sobol_point<Word> *p) {
    return kudzu::normal_of_word(p->x);
}

// `each` results of points from `first` on, one dimension after the other.
template <typename Word, typename Draw, typename Out>
__global__ void draw_points(const Word *__restrict__ vectors, const Word *__restrict__ constants,
                            ull first, Out *out, ull each, Draw draw) {
    const unsigned int dimension = blockIdx.y;
    for (ull i = blockIdx.x * (ull)blockDim.x + threadIdx.x; i < each;
         i += (ull)gridDim.x * blockDim.x) {
        sobol_point<Word> p = point(vectors, constants, dimension, (Word)(first + i));
        out[dimension * each + i] = draw.one(&p);
    }
}

#endif
