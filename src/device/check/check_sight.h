// What check_intervals.c keeps of words of shared memory, and how a call's lanes are looked at: as
// vectors, where the machine has them.
#ifndef KUDZU_DEVICE_CHECK_SIGHT_H
#define KUDZU_DEVICE_CHECK_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"

// What a word's last accesses were: in which interval (TAG), how often the thread's warp had
// synchronised, the thread, and
enum {
    CHECK_WRITTEN = 1,
    CHECK_STRONG = 2,  // by strong accesses alone
    CHECK_SEVERAL = 4, // by more than this thread's warp
    // Where they are of one warp: it was written before the warp synchronised for the last time,
    // and since then several of its lanes have read it.
    CHECK_BEFORE = 8,
    CHECK_LANES = 16,
    CHECK_THREAD_SHIFT = 8,
    CHECK_SYNCS_SHIFT = 32,
    CHECK_TAG_SHIFT = 48,
    CHECK_MOST_TAG = 0xffff,
    CHECK_MOST_SYNCS = 0xffff
};

// What accesses by a call's lanes are to words, but for their threads.
struct check_now {
    uint64_t tag;
    uint32_t syncs;
    bool writes, strong, many; // many: a lane stands for several
};

// Weak accesses of a warp that has not synchronised, by n lanes from the thread on, each of 1 <<
// shift words.
struct check_row {
    uint64_t *word;
    const uint64_t *addresses;
    const uint32_t *epoch;
    uint64_t first, tag; // first: what a word becomes by the first thread's access
    uint32_t n, shift;
    bool writes;
};

// The offset, in the window, of each lane in a mask whose threads have passed so many barriers.
struct check_places {
    const uint64_t *addresses;
    uint64_t from, most; // from: added to each; most: that an offset may be
    uint32_t mask, epoch;
    const uint32_t *epochs; // of the lanes
    uint32_t *offset;
};

// Accesses of as many bytes by the lanes in a mask.
struct check_lanes {
    uint64_t *word;
    const uint32_t *offset, *seen; // seen: as that of struct check_threads, of the lanes
    uint32_t thread, mask, bytes;
};

struct check_sight_functions {
    // Are the lanes' accesses behind each other, by threads that have passed as many barriers?
    bool (*is_row)(const struct check_row *);
    // All others change words; false: it takes a closer look.
    bool (*see_row)(const struct check_row *);
    bool (*see_lanes)(const struct check_lanes *, const struct check_now *);
    // Lanes begin to write asynchronously; same: all to the first one's place.
    bool (*begin_copies)(const struct check_lanes *, const struct check_now *, bool same);
    // False: some are outside, or have passed another number of barriers.
    bool (*places)(const struct check_places *);
};
const struct check_sight_functions *check_sight_of_machine(void);

// The same where all lanes access the first one's address.
bool check_see_one(const struct check_lanes *l, const struct check_now *n);
bool check_place_of_all(const struct check_places *p);

// What a word becomes by a thread's access.
static inline uint64_t check_sight_own(const struct check_now *n, uint32_t thread) {
    return n->tag << CHECK_TAG_SHIFT | (uint64_t)n->syncs << CHECK_SYNCS_SHIFT |
           (uint64_t)thread << CHECK_THREAD_SHIFT;
}

// How many lanes a mask has that has all from the first one on; 0: it has others.
static inline uint32_t check_lanes_of(uint32_t mask) {
    if (mask & (mask + 1))
        return 0;
    return mask + 1 ? (uint32_t)__builtin_ctz(mask + 1) : KD_WARP;
}

#endif
