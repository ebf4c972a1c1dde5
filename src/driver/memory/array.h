// CUDA arrays (guide 6.2.14.3). One is rows of texels, without gaps, in device memory that only
// the array's handle leads to.
#ifndef KUDZU_DRIVER_ARRAY_H
#define KUDZU_DRIVER_ARRAY_H

#include "driver/driver.h"

struct drv_tiles;
struct drv_array {
    struct drv_object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor; // Height 0: one-dimensional
    uint64_t base, row;                 // bytes of a row
    uint64_t pitch, slice;              // bytes from row to row, from slice to slice
    uint64_t rows, slices;    // at least 1; rows: of blocks, where the texels lie in blocks;
                              // slices: of the depth, layers, faces
    bool level;               // of a mipmapped array, or a plane of one: it owns the memory
    struct drv_array *planes; // of an array of planes, which has no texels itself
    unsigned nplanes;
    struct drv_tiles *tiles; // NULL: it has all its memory (sparse.h)
    unsigned number;         // of its level among theirs
};

// An array of planes: the first of one component, at full size; two more of the same size, or one
// of two components. How many texels of the first a texel of the others is for.
struct drv_planar {
    CUarray_format component;
    unsigned planes, across, down;
};
// NULL: another format.
const struct drv_planar *drv_planar_find(CUarray_format format);
CUresult drv_planar_check(const CUDA_ARRAY3D_DESCRIPTOR *d, bool mipmapped);
uint64_t drv_planar_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d);
// Gives an array its planes. False: no memory or handles; those that there are, are destroyed as
// others.
bool drv_planes_make(struct drv_context *ctx, struct drv_array *a);
void drv_planes_destroy(struct drv_array *a);

enum { DRV_MAX_LEVELS = 18 };

// A mipmapped array: levels are arrays, one after the other in one allocation.
struct drv_mipmap {
    struct drv_object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    unsigned levels;
    struct drv_array level[DRV_MAX_LEVELS]; // objects that hold the mipmapped array
    struct drv_array *layers; // of all levels, as level[] are; those asked for have handles
    uint64_t base;
    struct drv_tiles *tiles; // as an array's
    bool of_graphics;        // it ends with the registration of a graphics resource
};
// `levels` is brought into the range that the sizes allow.
CUresult drv_mipmap_create(struct drv_context *ctx, const CUDA_ARRAY3D_DESCRIPTOR *d,
                           unsigned levels, CUmipmappedArray *out);
// A layer or face of a level as an array of two dimensions; both are there. One thread at a time.
CUresult drv_mipmap_layer(struct drv_mipmap *m, unsigned level, unsigned layer, CUarray *out);
// Waits for the array's context. CUDA_ERROR_INVALID_HANDLE: another thread destroyed it.
CUresult drv_mipmap_destroy(struct drv_mipmap *m);
// CUDA_ERROR_INVALID_HANDLE when there is no such mipmapped array.
CUresult drv_mipmap_find(CUmipmappedArray handle, struct drv_mipmap **out);
// How texels lie in memory: rows begin at multiples of `row` bytes, slices and layers at multiples
// of `rows` rows, levels at multiples of `level` bytes.
struct drv_layout {
    unsigned row, rows, level;
};
// Of kudzu's own arrays, and of images of Mesa's software rendering.
extern const struct drv_layout drv_layout_own, drv_layout_mesa;
// A mipmapped array over part of a file, from `offset` on. Destroying it ends the mapping.
CUresult drv_mipmap_map(struct drv_context *ctx, int fd, uint64_t offset, uint64_t size,
                        const struct drv_layout *layout, const CUDA_ARRAY3D_DESCRIPTOR *d,
                        unsigned levels, CUmipmappedArray *out);
// Memory for an array, or all levels of one; where it comes later, *tiles, else NULL.
CUresult drv_array_memory(struct drv_context *ctx, const CUDA_ARRAY3D_DESCRIPTOR *d,
                          unsigned levels, uint64_t bytes, struct drv_tiles **tiles,
                          uint64_t *base);
void drv_array_memory_free(uint64_t base, struct drv_tiles *tiles); // nothing has used it
// What an array over memory at `base` is, but for the object. Rows and slices have no gaps.
void drv_array_fill(struct drv_array *a, const CUDA_ARRAY3D_DESCRIPTOR *d, uint64_t base);
uint64_t drv_array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d);
CUresult drv_array_check(const CUDA_ARRAY3D_DESCRIPTOR *d, bool mipmapped);
// CUDA_ERROR_INVALID_HANDLE when there is no such array.
CUresult drv_array_find(CUarray handle, struct drv_array **out);

// Bytes of one component; 0: no format of a component.
unsigned drv_format_bytes(CUarray_format format);
// How texels are compressed (enum kd_block_format): block by block, or not at all.
unsigned drv_format_block(CUarray_format format);
// Texels along each edge of a block; 1: each is one.
unsigned drv_block_side(CUarray_format format);
// Bytes of what copies move as a whole: a texel or a block.
unsigned drv_element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d);
// The channels of a format that tells their number itself; 0: of any other.
unsigned drv_format_channels(CUarray_format format);
// Checks a format and a number of channels, for what `name` describes.
CUresult drv_format_check(CUarray_format format, unsigned channels, const char *name);

#endif
