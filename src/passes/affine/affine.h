// What each number of a function is made of: sums of products of other values, and between which
// numbers it lies, how many of its low bits are zero, which pointer parameter it is an address by.
//
// Found once, in one pass over the layout. Passes ask how a value changes (motion.h), instead of
// walking through the instructions that make it.
#ifndef KUDZU_PASSES_AFFINE_H
#define KUDZU_PASSES_AFFINE_H

#include "passes/analysis/number_range.h"
#include "passes/flow/cfg.h"

enum { AFFINE_FACTORS = 2, AFFINE_TERMS = 8 };

// times * factor[0] * factor[1]. The second one may be NULL; else ids do not fall. A factor of 32
// bits in a sum of 64 counts as a signed number, or as an unsigned one (by_zeros): one that may be
// no sum's, for that may wrap, stands for itself there.
struct affine_term {
    int64_t times;
    const struct kir_value *factor[AFFINE_FACTORS];
    bool by_zeros[AFFINE_FACTORS];
};

// The value is the constant and the terms, modulo 2^bits of its type, where and when it is made.
//
// Factors are values of the innermost loop that the value is made in, or what that loop takes from
// outside as it stands: what lies outside has a form of its own. A phi is its own factor.
struct affine_form {
    const struct affine_term *term;
    int64_t constant; // of 32 bits: as a signed number
    uint8_t n;
    bool window; // and what all threads of a block have alike: where a window of memory lies
};

struct affine {
    const struct cfg *cfg;
    struct affine_form *form;         // by value id
    const struct number_range *range; // by value id
    const uint8_t *zeros;             // by value id: alignment_find
    const struct kir_value **base;    // by value id: affine_base
};

// Of all values of the function, which live in `a`. ntid: threads of a block in each dimension, 0:
// not known.
struct affine *affine_find(struct arena *a, const struct cfg *c, const uint32_t ntid[3],
                           const uint8_t *zeros);

// Of any value; of constants, too. *own: room for the one term of those.
struct affine_form affine_form_of(const struct affine *f, const struct kir_value *v,
                                  struct affine_term *own);

// Is the value no sum of others?
bool affine_is_own(const struct affine_form *x, const struct kir_value *v);

// The pointer that v is an address by: the load of it from a kernel's parameters, 64 bits; NULL:
// not known.
const struct kir_value *affine_base(const struct affine *f, const struct kir_value *v);

// By how much v grows from one iteration of l to the next: a sum of values from outside l. False:
// that is not one sum, or not known. Sums that wrap are not looked for. term: room for
// AFFINE_TERMS.
bool affine_growth(const struct affine *f, const struct cfg_loop *l, const struct kir_value *v,
                   struct affine_term *term, struct affine_form *by);

// A line for each number of the function: its form and its other facts.
void affine_print(const struct affine *f, struct strbuf *out);

#endif
