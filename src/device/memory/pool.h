// Inside view of pools (pool.c): what memory.c asks about the areas that are segments.
#ifndef KUDZU_DEVICE_POOL_H
#define KUDZU_DEVICE_POOL_H

#include "device/memory/memory.h"

// All with the lock of memory.h.
struct allocation *pool_find(struct segment *s, uint64_t ptr, uint64_t *base);
// The free block that contains ptr and that what was submitted before may still use. False: none.
bool pool_find_leaving(struct segment *s, uint64_t ptr, struct kd_memory *out);
// Frees a block at once.
void pool_release(struct segment *s, struct allocation *a);
// A mapping of an imported pool's memory ends.
void pool_import_gone(struct area *area);
// Frees all blocks of a context.
void pool_release_context(struct segment *s, struct kd_context *c);
// Whether fn is true of a block in use; it is called for all.
bool pool_each(struct segment *s, const struct kd_context *c,
               bool (*fn)(struct allocation *, const struct kd_context *));
// Gives back all segments of a device without blocks in use: memory is short.
void pools_reclaim(struct kd_device *d);

#endif
