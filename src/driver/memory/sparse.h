// Arrays to which memory is given by cuMemMapArrayAsync: sparse ones tile by tile, those with
// deferred mapping as a whole.
#ifndef KUDZU_DRIVER_SPARSE_H
#define KUDZU_DRIVER_SPARSE_H

#include "driver/memory/array.h"
#include "driver/memory/virtual_memory.h"

#include <stdatomic.h>

// The addresses of such an array, or of all levels of a mipmapped one. Levels of at least one tile
// along each dimension are boxes of tiles, one after the other, each with its layers one after the
// other; then comes the mip tail, of each layer: the levels that are smaller.
struct drv_tiles {
    atomic_uint holders; // the array, and mappings that are queued
    struct kd_sparse *s;
    bool deferred;
    unsigned levels, layers;      // layers: at least 1
    uint8_t side, shift[3];       // texels along an element; elements of a tile, as powers of two
    uint64_t tiles;               // of all
    unsigned tail_level;          // the first level of the tail; as many as levels: there is none
    uint64_t tail, tail_tiles;    // the tail's first tile, and its tiles of each layer
    struct drv_allocation **held; // of each tile; NULL: nothing is mapped. Under drv_virtual_lock
    bool gone;                    // the array has ended; under that lock too
};

bool drv_has_tiles(const CUDA_ARRAY3D_DESCRIPTOR *d);
// What the flags ask for, checked: sizes and format were checked before.
CUresult drv_tiles_check(const CUDA_ARRAY3D_DESCRIPTOR *d);
// `bytes`: of an array with deferred mapping. The addresses are memory of the context's.
CUresult drv_tiles_new(struct drv_context *ctx, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels,
                       uint64_t bytes, struct drv_tiles **out);
uint64_t drv_tiles_base(const struct drv_tiles *t);
// What level k of a sparse array is, but for the object; `d` describes the level.
void drv_tiles_level(struct drv_tiles *t, unsigned k, const CUDA_ARRAY3D_DESCRIPTOR *d,
                     struct drv_array *a);
// How the device finds the texels of a sparse array; NULL: it is none, they lie in rows.
const struct kd_image_level *drv_array_level(const struct drv_array *a);
// The array ends: nothing is mapped any more, then its addresses have ended too.
void drv_tiles_close(struct drv_tiles *t);
void drv_tiles_end(struct drv_tiles *t);

#endif
