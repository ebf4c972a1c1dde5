// Numbers of 32 bits that become such of 64: an index that lies below zero in threads that have
// been sent elsewhere. `if (x > 2) use(s[x - 3])` comes with x - 3 as a number without sign, for
// those who pass the test have none: in a vector whose other lanes do not pass, its lanes then are
// no neighbours.
#ifndef KUDZU_PASSES_KNOWN_SIGN_H
#define KUDZU_PASSES_KNOWN_SIGN_H

#include "passes/flow/flow.h"

// Extends with their sign what tests on the way show to be 0 to 2^31 - 1, and the block's size
// alone does not: in all threads that come there the result is the same. fl: of f; extensions of
// lanes at known distances are looked at, where a guard asks whether any wraps (NULL: all
// extensions). ntid: threads of a block in each dimension, 0: not known. Returns whether there was
// such an extension; `change`: it is made.
bool known_sign(struct kir_func *f, const struct flow *fl, const uint32_t ntid[3], bool change);

#endif
