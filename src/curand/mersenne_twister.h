// MT19937 (Matsumoto and Nishimura), as one more state that curand() draws from.
#ifndef KUDZU_CURAND_MERSENNE_TWISTER_H
#define KUDZU_CURAND_MERSENNE_TWISTER_H

#include <curand_kernel.h>

struct mersenne_twister : kudzu_normal_store {
    enum { WORDS = 624, MIDDLE = 397 };
    unsigned int word[WORDS], at;
};

// Sequences of others than 0, and skipping ahead, are not asked for.
__host__ __device__ inline void curand_init(unsigned long long seed, unsigned long long,
                                            unsigned long long, mersenne_twister *state) {
    state->word[0] = (unsigned int)seed;
    for (unsigned int i = 1; i < mersenne_twister::WORDS; i++)
        state->word[i] = 1812433253u * (state->word[i - 1] ^ state->word[i - 1] >> 30) + i;
    state->at = 0;
    kudzu::forget_normals(state);
}

__host__ __device__ inline void skipahead(unsigned long long, mersenne_twister *) {
}

// One word is made anew when it is drawn: those that it needs are of the turn before up to here.
__host__ __device__ inline unsigned int curand(mersenne_twister *state) {
    constexpr unsigned int words = mersenne_twister::WORDS;
    unsigned int i = state->at, after = i + 1 == words ? 0 : i + 1;
    unsigned int middle = i + mersenne_twister::MIDDLE;
    middle -= middle >= words ? words : 0;
    unsigned int x = (state->word[i] & 0x80000000u) | (state->word[after] & 0x7fffffffu);
    x = state->word[middle] ^ x >> 1 ^ (x & 1 ? 0x9908b0dfu : 0);
    state->word[i] = x;
    state->at = after;
    x ^= x >> 11;
    x ^= x << 7 & 0x9d2c5680u;
    x ^= x << 15 & 0xefc60000u;
    return x ^ x >> 18;
}

__host__ __device__ inline float curand_uniform(mersenne_twister *state) {
    return _curand_uniform(curand(state));
}
__host__ __device__ inline double curand_uniform_double(mersenne_twister *state) {
    unsigned int x = curand(state), y = curand(state);
    return _curand_uniform_double_hq(x, y);
}
__host__ __device__ inline float curand_normal(mersenne_twister *state) {
    if (state->boxmuller_flag) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    unsigned int x = curand(state), y = curand(state);
    float2 pair = _curand_box_muller(x, y);
    state->boxmuller_extra = pair.y, state->boxmuller_flag = 1;
    return pair.x;
}
__host__ __device__ inline double curand_normal_double(mersenne_twister *state) {
    if (state->boxmuller_flag_double) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    double u = curand_uniform_double(state), v = curand_uniform_double(state);
    double2 pair = kudzu_box_muller(u, v);
    state->boxmuller_extra_double = pair.y, state->boxmuller_flag_double = 1;
    return pair.x;
}

#endif
