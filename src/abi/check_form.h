// Where a kernel's threads access an array of which each has elements of its own, if it is launched
// so (passes/check/check_form.c, device/check/check_arrays.c): behind the kernel's list of struct
// kd_check_array stand as many forms.
#ifndef KUDZU_ABI_CHECK_FORM_H
#define KUDZU_ABI_CHECK_FORM_H

#include <stdint.h>

// The numbers of threads and blocks that a term is a multiple of, and what is known when the kernel
// is launched.
enum kd_check_number {
    KD_CHECK_NO_NUMBER,
    KD_CHECK_TID, // .x, .y, .z
    KD_CHECK_CTAID = KD_CHECK_TID + 3,
    KD_CHECK_NUMBERS = KD_CHECK_CTAID + 3,
    // How often a loop has added the term, which any thread may have done any number of times. Of
    // 32 bits: its sum may have wrapped.
    KD_CHECK_LOOP = KD_CHECK_NUMBERS,
    KD_CHECK_LOOP_OF_32
};
enum kd_check_factor {
    KD_CHECK_NO_FACTOR,
    KD_CHECK_NTID, // .x, .y, .z
    KD_CHECK_NCTAID = KD_CHECK_NTID + 3,
    KD_CHECK_PARAMETER = KD_CHECK_NCTAID + 3 // + where in the parameters: 32 bits, signed
};
// times, times its number, times its factors. most: what `times` could have become on the way, as
// terms were added and subtracted.
enum { KD_CHECK_FACTORS = 3 };
struct kd_check_term {
    int64_t times, most;
    uint32_t number; // enum kd_check_number
    uint32_t factor[KD_CHECK_FACTORS];
};
// Bytes [from, to) plus terms without numbers, which all threads have in common.
enum { KD_CHECK_FIXED = 3 };
struct kd_check_part {
    int64_t from, to;
    uint64_t terms;
    struct kd_check_term term[KD_CHECK_FIXED];
};
// Of a form: a number's term, `of` times it without factors, plus all that the loop adds is below
// `times` times `bound` times factors, and not below 0. times: 0: nobody knows; number: 0: none.
struct kd_check_limit {
    int64_t times, of, bound;
    uint32_t number;
    uint32_t factor[KD_CHECK_FACTORS];
};
// The parts, of which there is one at least, from the array's beginning plus the sum of the terms
// on. Sums over `scale` were computed in 32 bits. parts: 0: nobody knows. alone: bit k: only
// threads of one threadIdx.x, .y, .z, blockIdx.x, .y, .z (in that order) come to an access.
enum { KD_CHECK_TERMS = 8, KD_CHECK_PARTS = 8 };
struct kd_check_form {
    int64_t scale;
    uint32_t terms, parts;
    uint64_t alone;
    struct kd_check_limit limit; // there is one loop, then
    struct kd_check_term term[KD_CHECK_TERMS];
    struct kd_check_part part[KD_CHECK_PARTS];
};

#endif
