// A device's address space: one reservation, of which page ranges are backed on demand.
#ifndef KUDZU_DEVICE_ADDRESS_SPACE_H
#define KUDZU_DEVICE_ADDRESS_SPACE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/memory/range_tree.h"

struct pages {
    uint64_t base, size; // what may be touched
    uint64_t guard;      // bytes behind it that may not
};
struct address_space {
    pthread_mutex_t lock;
    uint64_t base, size;
    struct range *free; // page ranges that nobody has
    uint32_t guards;    // guard pages now in place
    // While memory is checked: what was given back, oldest first, and is not taken again soon.
    struct pages *kept;
    uint32_t nkept, kept_room;
};

// Reserves up to `size` bytes (less when the system grants no more). False: nothing at all.
bool address_space_open(struct address_space *s, uint64_t size);
void address_space_close(struct address_space *s);

// Zeroed pages for `size` bytes, aligned to `align` (a power of two, at least a page), with a
// guard page behind them while the system has mappings to spare. False: no room.
bool address_space_take(struct address_space *s, uint64_t size, uint64_t align, struct pages *out);
void address_space_give(struct address_space *s, const struct pages *p);

#endif
