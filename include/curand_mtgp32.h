// The types of MTGP32 (Saito and Matsumoto's Mersenne Twister for graphic processors, period
// 2^11213 - 1): a set of parameters, and a state that the threads of
// one block draw from together (curand_kernel.h, curand_mtgp32_host.h).
#ifndef CURAND_MTGP32_H_
#define CURAND_MTGP32_H_

#define MTGPDC_MEXP 11213
#define MTGPDC_N 351
#define MTGPDC_FLOOR_2P 256
#define MTGPDC_CEIL_2P 512
#define MTGPDC_PARAM_TABLE mtgp32dc_params_fast_11213
#define MTGP32_STATE_SIZE 1024
#define MTGP32_STATE_MASK 1023
#define CURAND_NUM_MTGP32_PARAMS 200
#define MTGP32_TBL_SIZE 16

// One set of parameters: where its recursion and its tempering read, and the images of four bits
// under their matrices; the last one gives the bits of a float from 1 to 2.
struct mtgp32_params_fast {
    int mexp, pos, sh1, sh2;
    unsigned int tbl[MTGP32_TBL_SIZE], tmp_tbl[MTGP32_TBL_SIZE], flt_tmp_tbl[MTGP32_TBL_SIZE];
    unsigned int mask;
    unsigned char poly_sha1[21];
};
typedef struct mtgp32_params_fast mtgp32_params_fast_t;

// All sets, as kernels read them.
struct mtgp32_kernel_params {
    unsigned int pos_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int param_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TBL_SIZE];
    unsigned int temper_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TBL_SIZE];
    unsigned int single_temper_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TBL_SIZE];
    unsigned int sh1_tbl[CURAND_NUM_MTGP32_PARAMS], sh2_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int mask[1];
};
typedef struct mtgp32_kernel_params mtgp32_kernel_params_t;

// A ring of words, the first of the last 351, and the set of parameters.
struct curandStateMtgp32 {
    unsigned int s[MTGP32_STATE_SIZE];
    int offset, pIdx;
    mtgp32_kernel_params_t *k;
};
typedef struct curandStateMtgp32 curandStateMtgp32_t;

#endif
