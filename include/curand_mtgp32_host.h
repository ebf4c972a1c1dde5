// MTGP32: what the host does before kernels draw from its states. Sets of
// parameters are the program's: 200 of them, found by search, come with MTGP and with cuRAND
// (curand_mtgp32dc_p_11213.h), not with kudzu; so many blocks can have a state each.
#ifndef CURAND_MTGP32_HOST_H_
#define CURAND_MTGP32_HOST_H_

#include "cuda_runtime_api.h"
#include <stdlib.h>
#include <string.h>

#include "curand.h"
#include "curand_mtgp32.h"

// MTGP's own initialisation by one word: of 351 words, the rest of the ring is not read before it
// is written.
static inline void kudzu_mtgp32_init(curandStateMtgp32_t *state, const mtgp32_params_fast_t *set,
                                     unsigned int seed) {
    const unsigned int hidden = set->tbl[4] ^ set->tbl[8] << 16;
    unsigned int filling = hidden + (hidden >> 16), *s = state->s;
    filling = (filling + (filling >> 8) & 0xff) * 0x01010101u;
    memset(state, 0, sizeof *state);
    s[0] = seed;
    s[1] = hidden;
    for (unsigned int i = 1; i < MTGPDC_N; i++)
        s[i] = (i == 1 ? hidden : filling) ^ (1812433253u * (s[i - 1] ^ s[i - 1] >> 30) + i);
}

static inline void kudzu_mtgp32_constants(mtgp32_kernel_params_t *to,
                                          const mtgp32_params_fast_t sets[]) {
    to->mask[0] = sets[0].mask;
    for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; i++) {
        to->pos_tbl[i] = (unsigned int)sets[i].pos;
        to->sh1_tbl[i] = (unsigned int)sets[i].sh1;
        to->sh2_tbl[i] = (unsigned int)sets[i].sh2;
        memcpy(to->param_tbl[i], sets[i].tbl, sizeof sets[i].tbl);
        memcpy(to->temper_tbl[i], sets[i].tmp_tbl, sizeof sets[i].tmp_tbl);
        memcpy(to->single_temper_tbl[i], sets[i].flt_tmp_tbl, sizeof sets[i].flt_tmp_tbl);
    }
}

// n states, the first `n` sets of parameters: state i begins at `seed` (its halves combined by
// exclusive or) plus i + 1.
static inline void kudzu_mtgp32_states(curandStateMtgp32_t *states,
                                       const mtgp32_params_fast_t sets[], mtgp32_kernel_params_t *k,
                                       int n, unsigned long long seed) {
    for (int i = 0; i < n; i++) {
        kudzu_mtgp32_init(&states[i], &sets[i], (unsigned int)(seed ^ seed >> 32) + i + 1);
        states[i].pIdx = i;
        states[i].k = k;
    }
}

// Copies the sets to `p`, memory of the device. CURAND_STATUS_ALLOCATION_FAILED,
// CURAND_STATUS_INITIALIZATION_FAILED where it cannot be copied.
static inline curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[],
                                                       mtgp32_kernel_params_t *p) {
    mtgp32_kernel_params_t *made = (mtgp32_kernel_params_t *)malloc(sizeof *made);
    if (!made)
        return CURAND_STATUS_ALLOCATION_FAILED;
    kudzu_mtgp32_constants(made, params);
    const cudaError_t copied = cudaMemcpy(p, made, sizeof *made, cudaMemcpyHostToDevice);
    free(made);
    return copied ? CURAND_STATUS_INITIALIZATION_FAILED : CURAND_STATUS_SUCCESS;
}

// Makes n states in `s`, memory of the device; k is what curandMakeMTGP32Constants has filled.
// CURAND_STATUS_OUT_OF_RANGE: more than there are sets.
static inline curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *s,
                                                         mtgp32_params_fast_t params[],
                                                         mtgp32_kernel_params_t *k, int n,
                                                         unsigned long long seed) {
    if (n < 0 || n > CURAND_NUM_MTGP32_PARAMS)
        return CURAND_STATUS_OUT_OF_RANGE;
    curandStateMtgp32_t *made = (curandStateMtgp32_t *)malloc((n ? n : 1) * sizeof *made);
    if (!made)
        return CURAND_STATUS_ALLOCATION_FAILED;
    kudzu_mtgp32_states(made, params, k, n, seed);
    const cudaError_t copied = cudaMemcpy(s, made, n * sizeof *made, cudaMemcpyHostToDevice);
    free(made);
    return copied ? CURAND_STATUS_INITIALIZATION_FAILED : CURAND_STATUS_SUCCESS;
}

#endif
