// Loop variables of 64 bits of which only the low half is looked at.
#ifndef KUDZU_PASSES_NARROW_COUNTERS_H
#define KUDZU_PASSES_NARROW_COUNTERS_H

#include "ir/ir.h"

// Gives phis of 64-bit integers 32 bits where every use reads the low half alone. What no one uses
// afterwards stays. f is valid before and after.
void narrow_counters(struct kir_func *f);

#endif
