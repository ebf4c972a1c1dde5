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
    KD_CHECK_NUMBERS = KD_CHECK_CTAID + 3
};
enum kd_check_factor {
    KD_CHECK_NO_FACTOR,
    KD_CHECK_NTID, // .x, .y, .z
    KD_CHECK_NCTAID = KD_CHECK_NTID + 3,
    KD_CHECK_PARAMETER = KD_CHECK_NCTAID + 3 // + where in the parameters: 32 bits, signed
};
// times, times its number, times its factors. most: what `times` could have become on the way, as
// terms were added and subtracted.
struct kd_check_term {
    int64_t times, most;
    uint32_t number; // enum kd_check_number
    uint32_t factor[2];
    uint32_t unused;
};
// Bytes [from, to) from the array's beginning plus the sum of the terms. Sums over `scale` were
// computed in 32 bits. terms: 0: nobody knows.
enum { KD_CHECK_TERMS = 8 };
struct kd_check_form {
    int64_t from, to, scale;
    uint64_t terms;
    struct kd_check_term term[KD_CHECK_TERMS];
};

#endif
