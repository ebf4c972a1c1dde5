// MT19937 (Matsumoto and Nishimura) as cuRAND draws from it: 8192 states, each 2^2048 words after
// the one before, that give eight words a turn. Their words come in another order than the standard
// one's: 624 of them are 78 rows of eight.
#ifndef KUDZU_CURAND_MERSENNE_TWISTER_H
#define KUDZU_CURAND_MERSENNE_TWISTER_H

#include <curand_kernel.h>

#include "curand/twister_jumps.h" // made by gen_twister_jumps.py

struct mersenne_twister {
    enum { WORDS = 624, MIDDLE = 397, ROW = 8, ROWS = WORDS / ROW, STATES = 1 << TWISTER_JUMPS };
    unsigned int word[WORDS], row;
};
// How many words of a sequence a jump adds up.
enum { TWISTER_WINDOW = 19937 + mersenne_twister::WORDS };

__host__ __device__ inline unsigned int twister_next(unsigned int word, unsigned int after,
                                                     unsigned int middle) {
    const unsigned int x = (word & 0x80000000u) | (after & 0x7fffffffu);
    return middle ^ x >> 1 ^ (x & 1 ? 0x9908b0dfu : 0);
}

// The first state's words; the next word to give is made with all of a round.
inline void twister_init(unsigned long long seed, mersenne_twister *state) {
    state->word[0] = (unsigned int)seed;
    for (unsigned int i = 1; i < mersenne_twister::WORDS; i++)
        state->word[i] = 1812433253u * (state->word[i - 1] ^ state->word[i - 1] >> 30) + i;
    state->row = mersenne_twister::ROWS;
}

__host__ __device__ inline void twister_round(mersenne_twister *state) {
    constexpr unsigned int words = mersenne_twister::WORDS, middle = mersenne_twister::MIDDLE;
    unsigned int *w = state->word;
    for (unsigned int i = 0; i < words - middle; i++)
        w[i] = twister_next(w[i], w[i + 1], w[i + middle]);
    for (unsigned int i = words - middle; i < words; i++)
        w[i] = twister_next(w[i], w[i + 1 == words ? 0 : i + 1], w[i + middle - words]);
    state->row = 0;
}

// Which of the 624 words stands at place k of a row: the first row has those that the others, of
// seven consecutive words a place, leave over.
__host__ __device__ inline unsigned int twister_place(unsigned int row, unsigned int k) {
    const unsigned short first[] = {0, 113, 170, 283, 340, 397, 510, 567};
    const unsigned short starts[] = {1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568};
    return row == 0 ? first[k] : starts[(row - 1) / 7] + 7 * k + (row - 1) % 7;
}

// Word k of the row that is next.
__host__ __device__ inline unsigned int twister_word_of_row(const mersenne_twister *state,
                                                            unsigned int k) {
    unsigned int x = state->word[twister_place(state->row, k)];
    x ^= x >> 11;
    x ^= x << 7 & 0x9d2c5680u;
    x ^= x << 15 & 0xefc60000u;
    return x ^ x >> 18;
}

// ---- Jumps --------------------------------------------------------------------------------
//
// A sequence's words some 2^k further are sums of its words at fixed places of a window: where the
// polynomial x^(2^k) has bits, modulo the recursion's characteristic one.

// A word of the window, from those before it. 227 in a row do not need each other.
__host__ __device__ inline void twister_extend(unsigned int *window, unsigned int at) {
    window[at] =
        twister_next(window[at - mersenne_twister::WORDS], window[at - mersenne_twister::WORDS + 1],
                     window[at - mersenne_twister::WORDS + mersenne_twister::MIDDLE]);
}

// One block makes states[first + its index] of states[its index].
__global__ void twister_jump_all(mersenne_twister *states, unsigned int first,
                                 const unsigned short *__restrict__ places, unsigned int n) {
    extern __shared__ unsigned int window[];
    constexpr unsigned int words = mersenne_twister::WORDS,
                           together = words - mersenne_twister::MIDDLE;
    const mersenne_twister *from = &states[blockIdx.x];
    mersenne_twister *to = &states[first + blockIdx.x];
    for (unsigned int i = threadIdx.x; i < words; i += blockDim.x)
        window[i] = from->word[i];
    for (unsigned int at = words; at < TWISTER_WINDOW; at += together) {
        __syncthreads();
        if (threadIdx.x < together && at + threadIdx.x < TWISTER_WINDOW)
            twister_extend(window, at + threadIdx.x);
    }
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < words; i += blockDim.x) {
        unsigned int sum = 0;
        for (unsigned int k = 0; k < n; k++)
            sum ^= window[places[k] + i];
        to->word[i] = sum;
    }
    if (threadIdx.x == 0)
        to->row = mersenne_twister::ROWS;
}

inline void twister_jump(mersenne_twister *to, const mersenne_twister *from,
                         const unsigned short *places, unsigned int n) {
    constexpr unsigned int words = mersenne_twister::WORDS;
    static thread_local unsigned int window[TWISTER_WINDOW];
    memcpy(window, from->word, sizeof from->word);
    for (unsigned int at = words; at < TWISTER_WINDOW; at++)
        twister_extend(window, at);
    memset(to->word, 0, sizeof to->word);
    unsigned int k = 0;
    for (; k + 8 <= n; k += 8) { // eight at once: the sum is loaded and stored less often
        const unsigned int *w[8];
        for (unsigned int j = 0; j < 8; j++)
            w[j] = window + places[k + j];
        for (unsigned int i = 0; i < words; i++)
            to->word[i] ^=
                (w[0][i] ^ w[1][i] ^ w[2][i] ^ w[3][i]) ^ (w[4][i] ^ w[5][i] ^ w[6][i] ^ w[7][i]);
    }
    for (; k < n; k++)
        for (unsigned int i = 0; i < words; i++)
            to->word[i] ^= window[places[k] + i];
    to->row = mersenne_twister::ROWS;
}

// The places of jump k, to 2^(2048 + k) words further, and how many.
inline unsigned int twister_places(unsigned int k, unsigned short *places) {
    unsigned int n = 0;
    for (unsigned int i = 0; i < 19937; i++)
        if (twister_jumps[k][i / 32] >> i % 32 & 1)
            places[n++] = (unsigned short)i;
    return n;
}

#endif
