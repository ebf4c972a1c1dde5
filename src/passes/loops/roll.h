// Straight-line code that does the same again and again at places a constant distance apart, as
// compilers make of a counted loop, becomes a loop: what groups of lanes are multiplies it, and a
// processor decodes it once.
#ifndef KUDZU_PASSES_ROLL_H
#define KUDZU_PASSES_ROLL_H

#include "ir/ir.h"

// Is there a block long enough for such a stretch?
bool has_long_block(const struct kir_func *f, unsigned copies);
// Rolls up the stretches of f, which each stand for `copies` of themselves. True when there
// were any.
bool roll_up(struct kir_func *f, unsigned copies);

#endif
