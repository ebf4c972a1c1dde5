// What check_race.c and check_sync.c keep of the threads of a block that is checked.
#ifndef KUDZU_DEVICE_CHECK_THREADS_H
#define KUDZU_DEVICE_CHECK_THREADS_H

#include "device/block.h"
#include "device/check.h"

// A barrier or an operation of a warp at which lanes have come that others have to come to.
struct check_meeting {
    const struct kd_check_site *site; // where the first one came; NULL: nobody has
    uint32_t what;                    // which kind of meeting
    uint32_t members, arrived;        // lanes
};
enum { CHECK_MEETINGS = 8 }; // of a warp that are remembered

// Of a warp whose lanes have not always synchronised together: how often each has, and what each
// knows of the others' counts.
struct check_clocks {
    uint32_t own[KD_WARP], known[KD_WARP][KD_WARP];
};

// Barriers that each thread has passed, and the warp's count of synchronisations, as each lane knew
// it when it took part in one.
struct check_threads {
    uint64_t grid, block;
    uint32_t epoch[MAX_UNITS], seen[MAX_UNITS];
    uint32_t warp[KD_MOST_WARPS];
    uint32_t ended[KD_MOST_WARPS]; // lanes
    bool apart[KD_MOST_WARPS];     // the warp's lanes have clocks of their own
    struct check_clocks *clocks;   // of each warp; NULL: none so far
    const struct kd_check_site *place[KD_MOST_WARPS], *last; // where code was last told of
    struct check_meeting meetings[KD_MOST_WARPS][CHECK_MEETINGS];
};
// Of the block that runs; begins anew with each block. NULL: no memory.
struct check_threads *check_threads_of(struct kd_block *b);

#endif
