// What all groups of a block have alike.
//
// Threads are compared by their place in their group: a value is alike when the n-th time that it
// is computed it is the same, lane by lane, in every group; a block is shared when all groups run
// it equally often, each time behind as many barriers.
#ifndef KUDZU_PASSES_ALIKE_H
#define KUDZU_PASSES_ALIKE_H

#include "passes/flow/flow.h"

struct alike {
    const uint8_t *values; // by value id
    const uint8_t *blocks; // by block id: shared
};

// fl: of a kernel, without teams. False: nothing is known, as a barrier may be reached by different
// ways, or as threads may order what they do with shared memory by other means than barriers.
bool find_alike(struct arena *a, const struct flow *fl, struct alike *out);

#endif
