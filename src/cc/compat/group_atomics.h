// Programs that include <cooperative_groups.h> and use what NVIDIA's brings along: <cuda/atomic>
// (cuda::atomic_ref, cuda::memory_order_relaxed, ...), and the groups' thread_scope. To read that
// in each program with groups would take 30 ms a pass, so it is done in another attempt.
#ifndef KUDZU_CC_GROUP_ATOMICS_H
#define KUDZU_CC_GROUP_ATOMICS_H

#include "cc/processes/cc.h"

// Whether clang's messages (in files) tell of such names.
bool group_atomics_are_missing(struct arena *arena, const cc_strings *diagnostics);

#endif
