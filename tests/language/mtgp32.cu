// MTGP32 in device code: states of blocks, drawn from by all threads, by some, by two groups with a
// state each; against its recursion in plain words, with sets of parameters that are made up.
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>

#include <cmath>
#include <random>
#include <vector>

#include "check.h"

enum { BLOCKS = 5, ROUNDS = 9 };

// Any numbers do for the recursion, if not for its period.
static mtgp32_params_fast_t made_up[CURAND_NUM_MTGP32_PARAMS];

static void make_up() {
    std::mt19937 any(5);
    for (mtgp32_params_fast_t &set : made_up) {
        set.mexp = MTGPDC_MEXP;
        set.pos = 3 + any() % 88;
        set.sh1 = 1 + any() % 30;
        set.sh2 = 1 + any() % 30;
        set.mask = 0xfff80000;
        for (int i = 0; i < MTGP32_TBL_SIZE; i++) {
            set.tbl[i] = any();
            set.tmp_tbl[i] = any();
            set.flt_tmp_tbl[i] = 0x3f800000 | any() >> 9; // 1 to 2
        }
    }
}

// One generator, word by word (Saito and Matsumoto 2013).
struct plain {
    const mtgp32_params_fast_t *set;
    std::vector<unsigned int> s;
    plain(const mtgp32_params_fast_t *set, unsigned int seed) : set(set), s(351) {
        unsigned int hidden = set->tbl[4] ^ set->tbl[8] << 16, t = hidden;
        t += t >> 16, t += t >> 8;
        for (unsigned int &x : s)
            x = (t & 0xff) * 0x01010101u;
        s[0] = seed, s[1] = hidden;
        for (unsigned int i = 1; i < 351; i++)
            s[i] ^= 1812433253u * (s[i - 1] ^ s[i - 1] >> 30) + i;
    }
    unsigned int next(bool single = false) {
        unsigned int x = (s[s.size() - 351] & set->mask) ^ s[s.size() - 350];
        unsigned int y = s[s.size() - 351 + set->pos], t = s[s.size() - 352 + set->pos];
        x ^= x << set->sh1;
        y = x ^ y >> set->sh2;
        const unsigned int r = y ^ set->tbl[y & 15];
        s.push_back(r);
        t ^= t >> 16, t ^= t >> 8;
        return single ? r >> 9 ^ set->flt_tmp_tbl[t & 15] : r ^ set->tmp_tbl[t & 15];
    }
};

static curandStateMtgp32_t *states;
static mtgp32_kernel_params_t *sets;

static void make(unsigned long long seed, int n = BLOCKS) {
    CHECK(curandMakeMTGP32Constants(made_up, sets) == CURAND_STATUS_SUCCESS);
    CHECK(curandMakeMTGP32KernelState(states, made_up, sets, n, seed) ==
          CURAND_STATUS_SUCCESS);
}

__global__ void draw_words(curandStateMtgp32_t *s, unsigned int *out, bool single) {
    const unsigned int n = blockDim.x * blockDim.y * blockDim.z;
    const unsigned int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    for (int r = 0; r < ROUNDS; r++)
        out[(blockIdx.x * ROUNDS + r) * n + t] =
            single ? __float_as_uint(curand_mtgp32_single(&s[blockIdx.x])) : curand(&s[blockIdx.x]);
}

static void whole_blocks(dim3 block, bool single) {
    const unsigned int n = block.x * block.y * block.z;
    unsigned int *out;
    CUDA(cudaMallocManaged(&out, BLOCKS * ROUNDS * n * sizeof *out));
    make(0x500000007ull);
    draw_words<<<BLOCKS, block>>>(states, out, single);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < BLOCKS; b++) {
        plain p(&made_up[b], 2 + b + 1); // 5 ^ 7 is 2
        for (unsigned int i = 0; i < ROUNDS * n; i++)
            CHECK(out[b * ROUNDS * n + i] == p.next(single));
    }
    CUDA(cudaFree(out));
}

// Two groups of 100 and 156 threads with a state each; the state goes on with other numbers of
// threads.
__global__ void draw_groups(curandStateMtgp32_t *s, unsigned int *out, float *single) {
    const bool second = threadIdx.x >= 100;
    const unsigned char index = threadIdx.x - (second ? 100 : 0), n = second ? 156 : 100;
    unsigned int *mine = out + second * 1000;
    mine[index] = curand_mtgp32_specific(&s[second], index, n);
    mine[n + index] = curand_mtgp32_specific(&s[second], index, n);
    single[threadIdx.x] = curand_mtgp32_single_specific(&s[second], index, n);
}

static void groups() {
    unsigned int *out;
    float *single;
    CUDA(cudaMallocManaged(&out, 2000 * sizeof *out));
    CUDA(cudaMallocManaged(&single, 256 * sizeof *single));
    make(1234);
    draw_groups<<<1, 256>>>(states, out, single);
    CUDA(cudaDeviceSynchronize());
    for (int g = 0; g < 2; g++) {
        plain p(&made_up[g], 1234 + g + 1);
        for (int i = 0; i < 2 * (g ? 156 : 100); i++)
            CHECK(out[g * 1000 + i] == p.next());
        for (int i = 0; i < (g ? 156 : 100); i++) {
            const unsigned int bits = p.next(true);
            CHECK(!memcmp(&single[g * 100 + i], &bits, 4) && single[g * 100 + i] >= 1 &&
                  single[g * 100 + i] < 2);
        }
    }
    CUDA(cudaFree(out));
    CUDA(cudaFree(single));
}

struct results {
    float uniform[256], normal[256], log_normal[256];
    double uniform_double[256], normal_double[256], log_normal_double[256];
    unsigned int few[256], many[256], listed[256];
};

__global__ void draw_all(curandStateMtgp32_t *s, results *r, curandDiscreteDistribution_t d) {
    __shared__ curandStateMtgp32_t state;
    const unsigned int t = threadIdx.x;
    if (t == 0)
        state = *s;
    __syncthreads();
    r->uniform[t] = curand_uniform(&state);
    r->uniform_double[t] = curand_uniform_double(&state);
    r->normal[t] = curand_normal(&state);
    r->normal_double[t] = curand_normal_double(&state);
    r->log_normal[t] = curand_log_normal(&state, 1.0f, 0.5f);
    r->log_normal_double[t] = curand_log_normal_double(&state, 1.0, 0.5);
    r->few[t] = curand_poisson(&state, 3.5);
    r->many[t] = curand_poisson(&state, 500.0);
    r->listed[t] = curand_discrete(&state, d);
}

static double below_normal(double z) {
    return 0.5 * erfc(-z / sqrt(2.0));
}
// The probability of at most k.
static double below_poisson(double k, double lambda) {
    double sum = 0;
    for (double i = 0; i <= k; i++)
        sum += exp(i * log(lambda) - lambda - lgamma(i + 1));
    return sum;
}

static void distributions() {
    results *r;
    curandDiscreteDistribution_t d;
    CUDA(cudaMallocManaged(&r, sizeof *r));
    CHECK(curandCreatePoissonDistribution(20, &d) == CURAND_STATUS_SUCCESS);
    make(99);
    draw_all<<<1, 256>>>(states, r, d);
    CUDA(cudaDeviceSynchronize());
    plain p(&made_up[0], 100);
    auto next = [&] { return (p.next() + 0.5) / 4294967296.0; };
    for (int t = 0; t < 256; t++)
        CHECK(fabs(r->uniform[t] - next()) < 1e-7);
    for (int t = 0; t < 256; t++)
        CHECK(fabs(r->uniform_double[t] - next()) < 1e-9);
    for (int t = 0; t < 256; t++)
        CHECK(fabs(below_normal(r->normal[t]) - next()) < 1e-6);
    for (int t = 0; t < 256; t++)
        CHECK(fabs(below_normal(r->normal_double[t]) - next()) < 1e-6);
    for (int t = 0; t < 256; t++)
        CHECK(fabs(below_normal((log(r->log_normal[t]) - 1) * 2) - next()) < 1e-6);
    for (int t = 0; t < 256; t++)
        CHECK(fabs(below_normal((log(r->log_normal_double[t]) - 1) * 2) - next()) < 1e-6);
    const double means[] = {3.5, 500, 20};
    unsigned int *drawn[] = {r->few, r->many, r->listed};
    for (int i = 0; i < 3; i++)
        for (int t = 0; t < 256; t++) {
            const double u = next(), k = drawn[i][t];
            CHECK(u <= below_poisson(k, means[i]) + 1e-4 &&
                  u >= below_poisson(k - 1, means[i]) - 1e-4);
        }
    CHECK(curandDestroyDistribution(d) == CURAND_STATUS_SUCCESS);
    CUDA(cudaFree(r));
}

int main() {
    make_up();
    CUDA(cudaMalloc(&states, CURAND_NUM_MTGP32_PARAMS * sizeof *states));
    CUDA(cudaMalloc(&sets, sizeof *sets));
    for (bool single : {false, true}) {
        whole_blocks(256, single);
        whole_blocks(dim3(8, 4, 2), single);
        whole_blocks(96, single);
    }
    groups();
    distributions();
    make(1, CURAND_NUM_MTGP32_PARAMS);
    CHECK(curandMakeMTGP32KernelState(states, made_up, sets, 201, 1) ==
          CURAND_STATUS_OUT_OF_RANGE);
    CUDA(cudaFree(states));
    CUDA(cudaFree(sets));
    return failures != 0;
}
