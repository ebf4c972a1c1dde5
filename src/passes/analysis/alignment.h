// How many low bits of each value are zero, in every thread: what proves an access aligned, so
// that nothing has to be tested when it is made.
#ifndef KUDZU_PASSES_ALIGNMENT_H
#define KUDZU_PASSES_ALIGNMENT_H

#include "ir/ir.h"

// The 64-bit value at `offset` in a kernel's parameter block is a multiple of `align`.
struct aligned_param {
    uint32_t offset, align;
};

// What the address of a load, store or atomic must be a multiple of: its size, a power of two;
// 1 for other instructions.
unsigned alignment_needed(const struct kir_inst *i);

// By value id: so many low bits are zero, if the n parameters are multiples as they say.
uint8_t *alignment_find(struct arena *a, const struct kir_func *f,
                        const struct aligned_param *params, uint32_t n);

// The parameters of a kernel (pointers, as a rule) of which more must be known for its accesses
// to be proven aligned, by offset. Returns how many.
uint32_t alignment_wanted(struct arena *a, const struct kir_func *f, struct aligned_param **out);

// Is the address of i proven to be a multiple of what it must be, by zero bits of its operand?
bool alignment_proven(const uint8_t *zeros, const struct kir_inst *i);
unsigned alignment_zeros(const uint8_t *zeros, const struct kir_value *v);

#endif
