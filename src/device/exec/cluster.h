// Clusters of blocks: their shared memory, side by side, and their barrier. All blocks of a cluster
// run on one runner, in turns, so that nothing here is locked. A block of a launch without clusters
// is a cluster of its own.
#ifndef KUDZU_DEVICE_CLUSTER_H
#define KUDZU_DEVICE_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"

struct runner;
struct resident;

struct cluster {
    uint8_t *map;  // the windows with unmapped room between them; NULL: the block's own memory
    uint8_t *base; // where the first window's stretch begins
    uint64_t map_size, window;
    bool describes;   // windows stand at its beginning (KD_CODE_DESCRIBES), else at its end
    uint32_t blocks;  // windows
    uint32_t size;    // blocks of the cluster
    uint32_t present; // that have not left
    uint32_t arrived; // of those present, at the barrier
    uint32_t phase;   // how often the barrier has opened
    struct resident *members[KD_CLUSTER_MAX_BLOCKS]; // NULL: has left
    struct cluster *next;
};

// Memory for `blocks` windows of `window` bytes; NULL: there is none.
struct cluster *cluster_take(struct runner *r, uint32_t blocks, uint64_t window, bool describes);
// The window of one block.
uint8_t *cluster_window(const struct cluster *c, uint32_t rank);
// A block of the cluster has ended, or never ran. The last one gives the memory back.
void cluster_leave(struct runner *r, struct resident *s);
// A unit (warp or thread) of the block has ended.
void cluster_unit_ended(struct resident *s, uint32_t unit);
// Something has happened in block s that others may have waited for.
void cluster_unpark(struct cluster *c, const struct resident *s);
// Can no block of the cluster go on by itself? Only when none of them runs.
bool cluster_stuck(const struct cluster *c);

#endif
