// Arithmetic on the sums of affine.h, modulo 2^bits.
#ifndef KUDZU_PASSES_AFFINE_SUM_H
#define KUDZU_PASSES_AFFINE_SUM_H

#include "passes/affine/affine.h"

struct affine_sum {
    struct affine_term term[AFFINE_TERMS];
    int64_t constant;
    uint8_t n;
    bool window;
};

struct affine_sum affine_constant(int64_t x);
struct affine_sum affine_value(const struct kir_value *v);
// Of 32 bits, in a sum of 64.
struct affine_sum affine_extended(const struct kir_value *v, bool is_signed);
struct affine_sum affine_sum_of(const struct affine_form *x);

// *s += times * x, s * x. False: there are too many terms or factors, and *s is what it was.
bool affine_add(struct affine_sum *s, const struct affine_sum *x, int64_t times);
bool affine_multiply(struct affine_sum *s, const struct affine_sum *x);

// Puts x, a factor's form, in its place, as if no sum of 32 bits wrapped. False: as above.
bool affine_open(struct affine_sum *s, unsigned term, unsigned factor, const struct affine_form *x);

// Constants as signed numbers of so many bits, without terms that are zero.
void affine_reduce(struct affine_sum *s, unsigned bits);

#endif
