// Counters of which only the low half is wanted behind their loop.
#ifndef KUDZU_PASSES_NARROW_EXITS_H
#define KUDZU_PASSES_NARROW_EXITS_H

#include "ir/ir.h"

// Moves conversions of 64-bit integers to 32 bits that stand behind a loop into it, to what they
// convert, where nothing else behind the loop uses that. f is valid before and after.
void narrow_exits(struct kir_func *f);

#endif
