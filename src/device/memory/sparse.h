// Where the texels of sparse arrays lie, and whether they do (guide 10.8.1.6). Such an array has
// addresses of its own, cut into tiles of 64 KB: pages of physical memory are mapped there. A level
// of an image that is large enough is a box of tiles, in which texels lie row by row; smaller ones
// lie row by row in the tiles of the mip tail.
#ifndef KUDZU_DEVICE_SPARSE_H
#define KUDZU_DEVICE_SPARSE_H

#include <stdatomic.h>

#include "device/device.h"

struct kd_sparse {
    uint64_t base, tiles;                       // no tiles: the array is gone
    _Atomic(uint64_t) *resident;                // a bit a tile; `words` of them
    uint64_t words;                             // there is room for
    struct kd_image_level level[KD_MAX_LEVELS]; // as the driver laid them out
    struct kd_sparse *next;                     // of those that are free
};

// The address of byte x of row y of slice n (of the depth, or a layer).
static inline uint64_t kd_image_address(const struct kd_image_level *l, uint64_t x, uint64_t y,
                                        uint64_t n) {
    if (!l->tiled)
        return l->base + n * l->slice + y * l->pitch + x;
    uint64_t tile = (n >> l->shift[2]) * l->down + (y >> l->shift[1]);
    tile = tile * l->across + (x >> l->shift[0]);
    uint64_t in = n & ((1u << l->shift[2]) - 1);
    in = in << l->shift[1] | (y & ((1u << l->shift[1]) - 1));
    in = in << l->shift[0] | (x & ((1u << l->shift[0]) - 1));
    return l->base + (tile << KD_TILE_SHIFT) + in;
}

// How many bytes from byte x of a row on, which has this address, lie one after the other in one
// tile.
static inline uint64_t kd_image_run(const struct kd_image_level *l, uint64_t x, uint64_t address) {
    if (l->tiled)
        return (1u << l->shift[0]) - (x & ((1u << l->shift[0]) - 1));
    return KD_TILE - (address & (KD_TILE - 1));
}

// An address that kd_image_address gave of a level of s: memory is mapped there.
static inline bool kd_sparse_is_resident(const struct kd_sparse *s, uint64_t address) {
    uint64_t tile = (address - s->base) >> KD_TILE_SHIFT;
    return tile < s->tiles &&
           atomic_load_explicit(&s->resident[tile / 64], memory_order_acquire) >> tile % 64 & 1;
}

#endif
