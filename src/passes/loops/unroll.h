// Loops whose iterations can be counted, written out iteration by iteration.
#ifndef KUDZU_PASSES_UNROLL_H
#define KUDZU_PASSES_UNROLL_H

#include "ir/ir.h"

// Writes out the loops of f that have barriers or touch shared memory, as long as f has at most
// `most` instructions, for blocks of ntid threads (0: not known). True when all of those loops are
// gone; f is valid in any case.
bool unroll_loops(struct kir_func *f, const uint32_t ntid[3], uint32_t most);

#endif
