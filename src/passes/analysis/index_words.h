// Indices in words of 32 bits. Compilers compute an index in the fewest bits that it needs: what
// `threadIdx.y * 8 + threadIdx.x` leaves of division by 32 is a sum of 16 bits for them, and a
// loop's 32-bit sum that they keep in a register of 64 has its upper half masked away. Which lanes
// are neighbours is known of sums of 32 bits, and of these extended.
#ifndef KUDZU_PASSES_INDEX_WORDS_H
#define KUDZU_PASSES_INDEX_WORDS_H

#include "ir/ir.h"

// Numbers of 16 bits that follow from numbers of threads and blocks, parameters and constants
// alone, and are extended to more, are computed in 32 bits: modulo 2^16 these are the same. What is
// read off their upper bits (shifts, upper halves, quotients) sees them without what is above 16
// bits. Of such numbers of 64 bits x & 0xffffffff becomes the low word, extended. What comes from
// memory or other threads keeps its bits: vectors of short numbers are shorter. Returns whether
// there was such a number; `change`: it is made.
bool index_words(struct kir_func *f, bool change);

#endif
