// cuRAND's host library (include/curand.h).
#include <curand.h>
#include <curand_mtgp32_host.h>

#include <cstring>
#include <mutex>
#include <new>

#include "direction_vectors.h"
#include "draw.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        curandStatus_t status_ = call;                                                             \
        if (status_ != CURAND_STATUS_SUCCESS)                                                      \
            return status_;                                                                        \
    } while (0)
#define REQUIRE(condition, status)                                                                 \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return status;                                                                         \
    } while (0)
#define REQUIRE_GENERATOR(g)                                                                       \
    REQUIRE((g) && (g)->magic == GENERATOR_MAGIC, CURAND_STATUS_NOT_INITIALIZED)

enum { BLOCK = 128 };

// ---- Generators ---------------------------------------------------------------------------

static curandRngType_t plain_type(curandRngType_t type) {
    return type == CURAND_RNG_PSEUDO_DEFAULT  ? CURAND_RNG_PSEUDO_XORWOW
           : type == CURAND_RNG_QUASI_DEFAULT ? CURAND_RNG_QUASI_SOBOL32
                                              : type;
}

// MTGP32's sets of parameters are their authors' and no part of kudzu: without a file of them there
// is no such generator.
#if __has_include(<curand_mtgp32dc_p_11213.h>)
#include <curand_mtgp32dc_p_11213.h>
static mtgp32_params_fast_t *const mtgp32_sets = mtgp32dc_params_fast_11213;
#else
static mtgp32_params_fast_t *const mtgp32_sets = nullptr;
#endif

static bool is_built(curandRngType_t type) {
    switch (type) {
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
        return true;
    case CURAND_RNG_PSEUDO_MTGP32:
        return mtgp32_sets;
    default:
        return false;
    }
}

static bool is_wide(curandRngType_t type) {
    return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

static bool is_scrambled(curandRngType_t type) {
    return type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

static curandStatus_t create(curandGenerator_t *out, curandRngType_t type, bool host) {
    int device;
    type = plain_type(type);
    REQUIRE(out, CURAND_STATUS_NOT_INITIALIZED);
    REQUIRE(is_built(type), CURAND_STATUS_TYPE_ERROR);
    REQUIRE(host || cudaGetDevice(&device) == cudaSuccess, CURAND_STATUS_INITIALIZATION_FAILED);
    curandGenerator_t g = new (std::nothrow) curandGenerator_st();
    REQUIRE(g, CURAND_STATUS_ALLOCATION_FAILED);
    g->magic = GENERATOR_MAGIC;
    g->type = type;
    g->order = is_quasi(type) ? CURAND_ORDERING_QUASI_DEFAULT : CURAND_ORDERING_PSEUDO_DEFAULT;
    g->host = host;
    g->dimensions = 1;
    *out = g;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
    return create(generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) {
    return create(generator, type, true);
}

// Before anything is drawn that depends on what has changed.
static curandStatus_t begin_anew(curandGenerator_t g) {
    if (g->host) {
        ::operator delete(g->states);
    } else if (g->states) {
        // Kernels of the stream may still use them.
        REQUIRE(cudaStreamSynchronize(g->stream) == cudaSuccess &&
                    cudaFree(g->states) == cudaSuccess,
                CURAND_STATUS_PREEXISTING_FAILURE);
    }
    g->states = nullptr;
    g->ready = 0;
    g->next = 0;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
    REQUIRE_GENERATOR(g);
    begin_anew(g);
    g->magic = 0;
    delete g;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version) {
    REQUIRE(version, CURAND_STATUS_OUT_OF_RANGE);
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
    static const int parts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
    REQUIRE(value && (unsigned int)type < 3, CURAND_STATUS_OUT_OF_RANGE);
    *value = parts[type];
    return CURAND_STATUS_SUCCESS;
}

// ---- Options ------------------------------------------------------------------------------

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
    REQUIRE_GENERATOR(g);
    if (g->states && !g->host &&
        stream != g->stream) // what the one stream draws the other goes on from
        REQUIRE(cudaStreamSynchronize(g->stream) == cudaSuccess, CURAND_STATUS_PREEXISTING_FAILURE);
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
    REQUIRE_GENERATOR(g);
    REQUIRE(!is_quasi(g->type), CURAND_STATUS_TYPE_ERROR);
    g->seed = seed;
    return begin_anew(g);
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
    REQUIRE_GENERATOR(g);
    REQUIRE(g->type != CURAND_RNG_PSEUDO_MT19937 && g->type != CURAND_RNG_PSEUDO_MTGP32,
            CURAND_STATUS_TYPE_ERROR);
    g->offset = offset;
    return begin_anew(g);
}

static bool has_order(curandGenerator_t g, curandOrdering_t order) {
    if (is_quasi(g->type))
        return order == CURAND_ORDERING_QUASI_DEFAULT;
    switch (order) {
    case CURAND_ORDERING_PSEUDO_DEFAULT:
    case CURAND_ORDERING_PSEUDO_LEGACY:
        return true;
    case CURAND_ORDERING_PSEUDO_BEST:
        return !(g->host && g->type == CURAND_RNG_PSEUDO_MT19937);
    case CURAND_ORDERING_PSEUDO_SEEDED:
        return g->type == CURAND_RNG_PSEUDO_XORWOW;
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
        return !g->host && g->type != CURAND_RNG_PSEUDO_MT19937;
    default:
        return false;
    }
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
    REQUIRE_GENERATOR(g);
    REQUIRE(has_order(g, order), CURAND_STATUS_OUT_OF_RANGE);
    g->order = order;
    return begin_anew(g);
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g,
                                                       unsigned int dimensions) {
    REQUIRE_GENERATOR(g);
    REQUIRE(is_quasi(g->type), CURAND_STATUS_TYPE_ERROR);
    REQUIRE(dimensions >= 1 && dimensions <= most_dimensions(), CURAND_STATUS_OUT_OF_RANGE);
    g->dimensions = dimensions;
    return begin_anew(g);
}

// ---- States -------------------------------------------------------------------------------

static unsigned int threads_of(const curandGenerator_st *g) {
    switch (g->type) {
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return g->order == CURAND_ORDERING_PSEUDO_LEGACY ? 4096 : 81920;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return 65536;
    case CURAND_RNG_PSEUDO_MTGP32:
        return g->order == CURAND_ORDERING_PSEUDO_LEGACY ? 64 : 192;
    case CURAND_RNG_PSEUDO_MT19937:
        return mersenne_twister::STATES;
    default:
        return 4096;
    }
}

// Memory of the host for a generator of the host, else of the device; NULL where there is none.
static void *room(curandGenerator_t g, size_t bytes) {
    void *p = nullptr;
    if (g->host)
        return ::operator new(bytes, std::nothrow);
    return cudaMalloc(&p, bytes) == cudaSuccess ? p : nullptr;
}

static void give_back(curandGenerator_t g, void *p) {
    if (g->host)
        ::operator delete(p);
    else
        cudaFree(p);
}

template <typename State> static curandStatus_t allocate(curandGenerator_t g) {
    if (g->states)
        return CURAND_STATUS_SUCCESS;
    g->threads = threads_of(g);
    g->states = room(g, g->threads * sizeof(State));
    REQUIRE(g->states, CURAND_STATUS_ALLOCATION_FAILED);
    g->next = g->offset % ((ull)kind<State>::group * g->threads);
    return CURAND_STATUS_SUCCESS;
}

// The states up to `end`.
template <typename State> static curandStatus_t make_states(curandGenerator_t g, unsigned int end) {
    TRY(allocate<State>(g));
    if (end <= g->ready)
        return CURAND_STATUS_SUCCESS;
    const beginning b = {g->seed, g->offset, g->threads, g->order == CURAND_ORDERING_PSEUDO_SEEDED};
    State *states = (State *)g->states;
    if (g->host) {
        for (unsigned int t = g->ready; t < end; t++)
            begin(&states[t], t, b);
    } else {
        begin_all<<<(end - g->ready + BLOCK - 1) / BLOCK, BLOCK, 0, g->stream>>>(states, g->ready,
                                                                                 end, b);
        REQUIRE(cudaGetLastError() == cudaSuccess, CURAND_STATUS_LAUNCH_FAILURE);
    }
    g->ready = end;
    return CURAND_STATUS_SUCCESS;
}

// Makes states[first ... first + n - 1] of the first n, each 2^(2048 + k) words further.
static curandStatus_t jump_twisters(curandGenerator_t g, mersenne_twister *states,
                                    unsigned int first, unsigned int n, unsigned int k) {
    static unsigned short places[19937];
    static std::mutex lock;
    const std::lock_guard<std::mutex> held(lock);
    const unsigned int count = twister_places(k, places);
    if (g->host) {
        for (unsigned int t = 0; t < n; t++)
            twister_jump(&states[first + t], &states[t], places, count);
        return CURAND_STATUS_SUCCESS;
    }
    const size_t window = TWISTER_WINDOW * sizeof(unsigned int);
    unsigned short *there = (unsigned short *)room(g, count * sizeof *places);
    REQUIRE(there, CURAND_STATUS_ALLOCATION_FAILED);
    cudaFuncSetAttribute(twister_jump_all, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)window);
    cudaMemcpy(there, places, count * sizeof *places, cudaMemcpyHostToDevice);
    twister_jump_all<<<n, 256, window, g->stream>>>(states, first, there, count);
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t ended = cudaStreamSynchronize(g->stream);
    give_back(g, there);
    REQUIRE(launched == cudaSuccess && ended == cudaSuccess, CURAND_STATUS_LAUNCH_FAILURE);
    return CURAND_STATUS_SUCCESS;
}

// All states up to `end` in `states`, doubling their number.
static curandStatus_t new_twisters(curandGenerator_t g, mersenne_twister *states,
                                   unsigned int end) {
    mersenne_twister first;
    twister_init(g->seed, &first);
    if (g->host)
        states[0] = first;
    else
        REQUIRE(cudaMemcpy(states, &first, sizeof first, cudaMemcpyHostToDevice) == cudaSuccess,
                CURAND_STATUS_PREEXISTING_FAILURE);
    for (unsigned int k = 0, have = 1; have < end; k++, have *= 2)
        TRY(jump_twisters(g, states, have, end - have < have ? end - have : have, k));
    return CURAND_STATUS_SUCCESS;
}

// States come of others as these were at the beginning: where more are wanted than there are, all
// are made anew, and those kept that have given numbers.
template <> curandStatus_t make_states<mersenne_twister>(curandGenerator_t g, unsigned int end) {
    TRY(allocate<mersenne_twister>(g));
    if (end <= g->ready)
        return CURAND_STATUS_SUCCESS;
    while (end & (end - 1))
        end += end & -end; // twice as many each time
    mersenne_twister *states = (mersenne_twister *)g->states, *made = states;
    if (g->ready)
        made = (mersenne_twister *)room(g, end * sizeof *made);
    REQUIRE(made, CURAND_STATUS_ALLOCATION_FAILED);
    curandStatus_t status = new_twisters(g, made, end);
    if (made != states) {
        const size_t bytes = (end - g->ready) * sizeof *made;
        if (g->host)
            memcpy(states + g->ready, made + g->ready, bytes);
        else if (cudaMemcpy(states + g->ready, made + g->ready, bytes, cudaMemcpyDeviceToDevice) !=
                     cudaSuccess ||
                 cudaDeviceSynchronize() != cudaSuccess)
            status = CURAND_STATUS_PREEXISTING_FAILURE;
        give_back(g, made);
    }
    if (status == CURAND_STATUS_SUCCESS)
        g->ready = end;
    return status;
}

// MTGP32: the states, and behind them the parameters they read.
template <> curandStatus_t allocate<curandStateMtgp32_t>(curandGenerator_t g) {
    if (g->states)
        return CURAND_STATUS_SUCCESS;
    g->threads = threads_of(g);
    g->states = room(g, g->threads * sizeof(curandStateMtgp32_t) + sizeof(mtgp32_kernel_params_t));
    return g->states ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}
template <> curandStatus_t make_states<curandStateMtgp32_t>(curandGenerator_t g, unsigned int) {
    TRY(allocate<curandStateMtgp32_t>(g));
    if (g->ready)
        return CURAND_STATUS_SUCCESS;
    curandStateMtgp32_t *states = (curandStateMtgp32_t *)g->states;
    mtgp32_kernel_params_t *sets = (mtgp32_kernel_params_t *)(states + g->threads);
    if (g->host) {
        kudzu_mtgp32_constants(sets, mtgp32_sets);
        kudzu_mtgp32_states(states, mtgp32_sets, sets, (int)g->threads, g->seed);
    } else {
        TRY(curandMakeMTGP32Constants(mtgp32_sets, sets));
        TRY(curandMakeMTGP32KernelState(states, mtgp32_sets, sets, (int)g->threads, g->seed));
    }
    g->ready = g->threads;
    return CURAND_STATUS_SUCCESS;
}

// ---- Numbers ------------------------------------------------------------------------------

template <typename State, typename Out, typename Draw>
static void draw_here(curandGenerator_t g, unsigned int active, Out *out, ull places,
                      const Draw &draw) {
    State *states = (State *)g->states;
    for (unsigned int t = 0; t < active; t++)
        draw_places(&states[t], t, g->threads, g->next, out, places, draw);
}
template <typename State, typename Out, typename Draw>
static void launch(curandGenerator_t g, unsigned int active, Out *out, ull places,
                   const Draw &draw) {
    draw_all<<<(active + BLOCK - 1) / BLOCK, BLOCK, 0, g->stream>>>(
        (State *)g->states, active, g->threads, g->next, out, places, draw);
}

template <typename State, typename Out, typename Draw>
static curandStatus_t draw_numbers(curandGenerator_t g, Out *out, ull n, const Draw &draw) {
    constexpr unsigned int group = kind<State>::group;
    constexpr bool blocks = std::is_same_v<State, curandStateMtgp32_t>;
    TRY(allocate<State>(g));
    const ull places = n / results_of_place<State, Draw>(), turn = (ull)group * g->threads;
    const ull end = (g->next + places + group - 1) / group;
    const unsigned int active = end < g->threads ? (unsigned int)end : g->threads;
    TRY(make_states<State>(g, active));
    if constexpr (blocks) {
        if (g->host)
            draw_chunks((State *)g->states, g->threads, g->next, out, n, draw);
        else
            draw_blocks<<<g->threads, group, 0, g->stream>>>((State *)g->states, g->next, out, n,
                                                             draw);
    } else if (g->host) {
        draw_here<State>(g, active, out, places, draw);
    } else {
        launch<State>(g, active, out, places, draw);
    }
    REQUIRE(g->host || cudaGetLastError() == cudaSuccess, CURAND_STATUS_LAUNCH_FAILURE);
    g->next = (g->next + places) % turn;
    return CURAND_STATUS_SUCCESS;
}

// ---- Points -------------------------------------------------------------------------------

// A quasirandom generator's states: the vectors of its dimensions, then what is added to each.
template <typename Word> static curandStatus_t make_dimensions(curandGenerator_t g) {
    if (g->states)
        return CURAND_STATUS_SUCCESS;
    constexpr size_t bits = 8 * sizeof(Word);
    const size_t bytes = g->dimensions * (bits + 1) * sizeof(Word);
    Word *made = (Word *)::operator new(bytes, std::nothrow), *constants;
    REQUIRE(made, CURAND_STATUS_ALLOCATION_FAILED);
    constants = made + g->dimensions * bits;
    direction_vectors(g->dimensions, is_scrambled(g->type), made);
    if (is_scrambled(g->type))
        scramble_constants(g->dimensions, constants);
    else
        memset(constants, 0, g->dimensions * sizeof(Word));
    if (g->host) {
        g->states = made;
        return CURAND_STATUS_SUCCESS;
    }
    if (cudaMalloc(&g->states, bytes) != cudaSuccess)
        g->states = nullptr;
    const bool copied =
        g->states && cudaMemcpy(g->states, made, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    ::operator delete(made);
    REQUIRE(g->states, CURAND_STATUS_ALLOCATION_FAILED);
    return copied ? CURAND_STATUS_SUCCESS : CURAND_STATUS_PREEXISTING_FAILURE;
}

template <typename Word, typename Out, typename Draw>
static curandStatus_t draw_sequence(curandGenerator_t g, Out *out, ull n, const Draw &draw) {
    TRY(make_dimensions<Word>(g));
    const Word *vectors = (const Word *)g->states,
               *constants = vectors + (size_t)g->dimensions * 8 * sizeof(Word);
    const ull first = g->offset + g->next, each = n / g->dimensions;
    if (g->host) {
        for (ull i = 0; i < n; i++) {
            auto p = point(vectors, constants, (unsigned int)(i / each), (Word)(first + i % each));
            out[i] = draw.one(&p);
        }
    } else {
        const ull blocks = (each + BLOCK - 1) / BLOCK;
        const dim3 grid(blocks < 4096 ? (unsigned int)blocks : 4096, g->dimensions);
        draw_points<<<grid, BLOCK, 0, g->stream>>>(vectors, constants, first, out, each, draw);
        REQUIRE(cudaGetLastError() == cudaSuccess, CURAND_STATUS_LAUNCH_FAILURE);
    }
    g->next += each;
    return CURAND_STATUS_SUCCESS;
}

// ---- Calls --------------------------------------------------------------------------------

static curandStatus_t check(curandGenerator_t g, const void *out, size_t n) {
    REQUIRE_GENERATOR(g);
    REQUIRE(n % g->dimensions == 0, CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    REQUIRE(out || n == 0, CURAND_STATUS_OUT_OF_RANGE);
    REQUIRE(g->host || cudaPeekAtLastError() == cudaSuccess, CURAND_STATUS_PREEXISTING_FAILURE);
    return CURAND_STATUS_SUCCESS;
}

template <typename Out, typename Draw>
static curandStatus_t draw_pseudo(curandGenerator_t g, Out *out, size_t n, const Draw &draw) {
    switch (g->type) {
    case CURAND_RNG_PSEUDO_XORWOW:
        return draw_numbers<curandStateXORWOW_t>(g, out, n, draw);
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return draw_numbers<curandStateMRG32k3a_t>(g, out, n, draw);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return draw_numbers<curandStatePhilox4_32_10_t>(g, out, n, draw);
    case CURAND_RNG_PSEUDO_MTGP32:
        return draw_numbers<curandStateMtgp32_t>(g, out, n, draw);
    default:
        return draw_numbers<mersenne_twister>(g, out, n, draw);
    }
}

template <typename Out, typename Draw>
static curandStatus_t draw_quasi(curandGenerator_t g, Out *out, size_t n, const Draw &draw) {
    if (is_wide(g->type))
        return draw_sequence<ull>(g, out, n, draw);
    return draw_sequence<unsigned int>(g, out, n, draw);
}

template <typename Out, typename Draw>
static curandStatus_t generate(curandGenerator_t g, Out *out, size_t n, const Draw &draw) {
    TRY(check(g, out, n));
    if (n == 0)
        return CURAND_STATUS_SUCCESS;
    return is_quasi(g->type) ? draw_quasi(g, out, n, draw) : draw_pseudo(g, out, n, draw);
}

// Numbers that XORWOW and MRG32k3a give in pairs.
template <typename Out, typename Draw>
static curandStatus_t generate_pairs(curandGenerator_t g, Out *out, size_t n, const Draw &draw) {
    REQUIRE_GENERATOR(g);
    const bool pairs = g->type == CURAND_RNG_PSEUDO_XORWOW || g->type == CURAND_RNG_PSEUDO_MRG32K3A;
    REQUIRE(!pairs || n % 2 == 0, CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    return generate(g, out, n, draw);
}

curandStatus_t curandGenerateSeeds(curandGenerator_t g) {
    REQUIRE_GENERATOR(g);
    switch (g->type) {
    case CURAND_RNG_PSEUDO_XORWOW:
        return make_states<curandStateXORWOW_t>(g, threads_of(g));
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return make_states<curandStateMRG32k3a_t>(g, threads_of(g));
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return make_states<curandStatePhilox4_32_10_t>(g, threads_of(g));
    case CURAND_RNG_PSEUDO_MTGP32:
        return make_states<curandStateMtgp32_t>(g, threads_of(g));
    case CURAND_RNG_PSEUDO_MT19937:
        return make_states<mersenne_twister>(g, threads_of(g));
    default:
        return is_wide(g->type) ? make_dimensions<ull>(g) : make_dimensions<unsigned int>(g);
    }
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned int *out, size_t n) {
    TRY(check(g, out, n));
    REQUIRE(!is_wide(g->type), CURAND_STATUS_TYPE_ERROR);
    if (n == 0)
        return CURAND_STATUS_SUCCESS;
    if (is_quasi(g->type))
        return draw_sequence<unsigned int>(g, out, n, draw_bits());
    return draw_pseudo(g, out, n, draw_bits());
}

curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *out, size_t n) {
    TRY(check(g, out, n));
    REQUIRE(is_wide(g->type), CURAND_STATUS_TYPE_ERROR);
    return n ? draw_sequence<ull>(g, out, n, draw_bits()) : CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n) {
    return generate(g, out, n, draw_uniform());
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n) {
    return generate(g, out, n, draw_uniform_double());
}

curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out, size_t n, float mean,
                                    float stddev) {
    return generate_pairs(g, out, n, draw_normal{mean, stddev});
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *out, size_t n, double mean,
                                          double stddev) {
    return generate_pairs(g, out, n, draw_normal_double{mean, stddev});
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out, size_t n, float mean,
                                       float stddev) {
    return generate_pairs(g, out, n, draw_log_normal{{mean, stddev}});
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *out, size_t n,
                                             double mean, double stddev) {
    return generate_pairs(g, out, n, draw_log_normal_double{{mean, stddev}});
}

curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned int *out, size_t n,
                                     double lambda) {
    TRY(check(g, out, n));
    REQUIRE(lambda > 0 && lambda <= 400000, CURAND_STATUS_OUT_OF_RANGE);
    if (n == 0)
        return CURAND_STATUS_SUCCESS;
    curandDiscreteDistribution_t distribution;
    TRY(curandCreatePoissonDistribution(lambda, &distribution));
    curandStatus_t status = is_quasi(g->type) ? draw_quasi(g, out, n, draw_discrete{distribution})
                                              : draw_pseudo(g, out, n, draw_discrete{distribution});
    if (!g->host && cudaStreamSynchronize(g->stream) != cudaSuccess)
        status = CURAND_STATUS_LAUNCH_FAILURE;
    curandDestroyDistribution(distribution);
    return status;
}

// ---- Tables -------------------------------------------------------------------------------

// One of all dimensions, made when it is asked for first and kept; NULL where that is impossible.
// They are for 20,000 dimensions, as programs expect: where the library has fewer there are none.
template <typename Word, typename Make> static Word *table(Word *&kept, size_t words, Make make) {
    static std::mutex lock;
    const std::lock_guard<std::mutex> held(lock);
    if (!kept && most_dimensions() == 20000) {
        kept = new (std::nothrow) Word[words];
        if (kept)
            make(kept);
    }
    return kept;
}

template <typename Word> static Word *vectors_of_all(bool scrambled) {
    static Word *kept[2];
    return table(kept[scrambled], most_dimensions() * 8 * sizeof(Word),
                 [=](Word *vectors) { direction_vectors(most_dimensions(), scrambled, vectors); });
}

template <typename Word> static Word *constants_of_all() {
    static Word *kept;
    return table(kept, most_dimensions(),
                 [](Word *constants) { scramble_constants(most_dimensions(), constants); });
}

template <typename Word, typename Table>
static curandStatus_t get_vectors(Table **vectors, curandDirectionVectorSet_t set,
                                  curandDirectionVectorSet_t plain,
                                  curandDirectionVectorSet_t scrambled) {
    REQUIRE(vectors && (set == plain || set == scrambled), CURAND_STATUS_OUT_OF_RANGE);
    *vectors = (Table *)vectors_of_all<Word>(set == scrambled);
    return *vectors ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
                                           curandDirectionVectorSet_t set) {
    return get_vectors<unsigned int>(vectors, set, CURAND_DIRECTION_VECTORS_32_JOEKUO6,
                                     CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
                                           curandDirectionVectorSet_t set) {
    return get_vectors<ull>(vectors, set, CURAND_DIRECTION_VECTORS_64_JOEKUO6,
                            CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
}

curandStatus_t curandGetScrambleConstants32(unsigned int **constants) {
    REQUIRE(constants, CURAND_STATUS_INTERNAL_ERROR);
    *constants = constants_of_all<unsigned int>();
    return *constants ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INTERNAL_ERROR;
}

curandStatus_t curandGetScrambleConstants64(unsigned long long **constants) {
    REQUIRE(constants, CURAND_STATUS_INTERNAL_ERROR);
    *constants = constants_of_all<ull>();
    return *constants ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INTERNAL_ERROR;
}
