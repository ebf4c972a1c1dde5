// Mipmapped arrays (guide 6.2.14.1.4): each level half as large as the one before it, layers and
// faces as many.
#include "driver/memory/sparse.h"

#include <stdlib.h>

const struct drv_layout drv_layout_own = {1, 1, 512};
// Tiles of 4 by 4 texels that begin a cache line (llvmpipe_texture_layout).
const struct drv_layout drv_layout_mesa = {64, 4, 64};

CUresult drv_mipmap_find(CUmipmappedArray handle, struct drv_mipmap **out) {
    *out = drv_object_find(handle, DRV_MIPMAP);
    REQUIRE(*out, CUDA_ERROR_INVALID_HANDLE, "%p is no mipmapped array, or one that was destroyed",
            (void *)handle);
    return CUDA_SUCCESS;
}

// Work that was submitted before the last holder let go may still use the memory.
static void mipmap_release(struct drv_object *o) {
    struct drv_mipmap *m = (struct drv_mipmap *)o;
    if (m->tiles)
        drv_tiles_close(m->tiles);
    drv_memory_end_in(o->context->c, m->base);
    if (m->tiles)
        drv_tiles_end(m->tiles);
    free(m->layers);
    free(m);
}

static void level_release(struct drv_object *o) {
    (void)o; // part of the mipmapped array
}

static size_t half(size_t n) {
    return n > 1 ? n / 2 : n;
}

static CUDA_ARRAY3D_DESCRIPTOR next_level(CUDA_ARRAY3D_DESCRIPTOR d) {
    d.Width = half(d.Width);
    d.Height = half(d.Height);
    if (!(d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
        d.Depth = half(d.Depth);
    return d;
}

// 1 + the logarithm of the largest dimension.
static unsigned most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    bool layered = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    size_t largest = d->Width > d->Height ? d->Width : d->Height;
    if (!layered && d->Depth > largest)
        largest = d->Depth;
    unsigned n = 1;
    while (largest >>= 1)
        n++;
    return n < DRV_MAX_LEVELS ? n : DRV_MAX_LEVELS;
}

static uint64_t aligned(uint64_t n, unsigned to) {
    return (n + to - 1) / to * to;
}

// An array over memory at `base`, laid out so; returns its bytes. Blocks and lines lie without
// gaps.
static uint64_t lay_out(struct drv_array *a, const CUDA_ARRAY3D_DESCRIPTOR *d,
                        const struct drv_layout *layout, uint64_t base) {
    drv_array_fill(a, d, base);
    if (drv_block_side(d->Format) == 1 && !drv_planar_find(d->Format)) {
        a->pitch = aligned(a->pitch, layout->row);
        a->slice = a->pitch * (d->Height ? aligned(a->rows, layout->rows) : 1);
    }
    return aligned(a->slice * a->slices, layout->level);
}

static void destroy_levels(struct drv_mipmap *m) {
    for (unsigned k = 0; k < m->levels; k++)
        if (m->level[k].object.handle)
            drv_object_destroy(&m->level[k].object);
    for (unsigned k = 0; m->layers && k < m->levels * m->level[0].slices; k++)
        if (m->layers[k].object.handle)
            drv_object_destroy(&m->layers[k].object);
}

static bool make_levels(struct drv_context *ctx, struct drv_mipmap *m,
                        const struct drv_layout *layout) {
    CUDA_ARRAY3D_DESCRIPTOR d = m->descriptor;
    uint64_t at = m->base;
    for (unsigned k = 0; k < m->levels; k++) {
        struct drv_array *a = &m->level[k];
        if (m->tiles && !m->tiles->deferred)
            drv_tiles_level(m->tiles, k, &d, a);
        else
            at += lay_out(a, &d, layout, at);
        a->level = true;
        a->object.parent = &m->object;
        if (!drv_object_add(&a->object, DRV_ARRAY, ctx, level_release))
            return false;
        d = next_level(d);
    }
    return true;
}

static uint64_t bytes_of(CUDA_ARRAY3D_DESCRIPTOR d, unsigned levels,
                         const struct drv_layout *layout) {
    struct drv_array a;
    uint64_t bytes = 0;
    for (unsigned k = 0; k < levels; k++, d = next_level(d))
        bytes += lay_out(&a, &d, layout, 0);
    return bytes;
}

// The memory at `base` becomes the array's, on failure too.
static CUresult create_over(struct drv_context *ctx, const CUDA_ARRAY3D_DESCRIPTOR *d,
                            const struct drv_layout *layout, unsigned levels, uint64_t base,
                            struct drv_tiles *tiles, CUmipmappedArray *out) {
    struct drv_mipmap *m = calloc(1, sizeof *m);
    if (!m) {
        drv_array_memory_free(base, tiles);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a mipmapped array");
    }
    m->descriptor = *d;
    m->levels = levels;
    m->base = base;
    m->tiles = tiles;
    if (!drv_object_add(&m->object, DRV_MIPMAP, ctx, mipmap_release)) {
        drv_array_memory_free(base, tiles);
        free(m);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a mipmapped array");
    }
    if (!make_levels(ctx, m, layout)) {
        destroy_levels(m);
        drv_object_destroy(&m->object);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handles for the levels of a mipmapped array");
    }
    *out = m->object.handle;
    return CUDA_SUCCESS;
}

CUresult drv_mipmap_create(struct drv_context *ctx, const CUDA_ARRAY3D_DESCRIPTOR *d,
                           unsigned levels, CUmipmappedArray *out) {
    TRY(drv_array_check(d, true));
    unsigned most = most_levels(d);
    levels = levels < 1 ? 1 : levels > most ? most : levels;
    uint64_t base;
    struct drv_tiles *tiles;
    TRY(drv_array_memory(ctx, d, levels, bytes_of(*d, levels, &drv_layout_own), &tiles, &base));
    return create_over(ctx, d, &drv_layout_own, levels, base, tiles, out);
}

// numMipmapLevels is brought into the range that the sizes allow.
CUresult cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
                                const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                unsigned int numMipmapLevels) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pHandle);
    REQUIRE_POINTER(pMipmappedArrayDesc);
    return drv_mipmap_create(ctx, pMipmappedArrayDesc, numMipmapLevels, pHandle);
}

CUresult drv_mipmap_layer(struct drv_mipmap *m, unsigned level, unsigned layer, CUarray *out) {
    const struct drv_array *whole = &m->level[level];
    unsigned layers = (unsigned)m->level[0].slices;
    if (!m->layers)
        m->layers = calloc((size_t)m->levels * layers, sizeof *m->layers);
    REQUIRE(m->layers, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the layers of an array");
    struct drv_array *a = &m->layers[level * layers + layer];
    if (!a->object.handle) {
        CUDA_ARRAY3D_DESCRIPTOR d = whole->descriptor;
        d.Depth = 0;
        d.Flags &= ~(unsigned)(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
        drv_array_fill(a, &d, whole->base + layer * whole->slice);
        a->level = true;
        a->object.parent = &m->object;
        REQUIRE(drv_object_add(&a->object, DRV_ARRAY, m->object.context, level_release),
                CUDA_ERROR_OUT_OF_MEMORY, "no handle for a layer of an array");
    }
    *out = a->object.handle;
    return CUDA_SUCCESS;
}

CUresult drv_mipmap_map(struct drv_context *ctx, int fd, uint64_t offset, uint64_t size,
                        const struct drv_layout *layout, const CUDA_ARRAY3D_DESCRIPTOR *d,
                        unsigned levels, CUmipmappedArray *out) {
    TRY(drv_array_check(d, true));
    REQUIRE(!drv_has_tiles(d), CUDA_ERROR_INVALID_VALUE,
            "an array over memory that is there is neither sparse nor mapped later");
    REQUIRE(levels && levels <= most_levels(d), CUDA_ERROR_INVALID_VALUE,
            "an array of these sizes has 1 to %u levels, not %u", most_levels(d), levels);
    uint64_t bytes = bytes_of(*d, levels, layout), base;
    unsigned texel = drv_element_bytes(d);
    REQUIRE(offset % texel == 0, CUDA_ERROR_INVALID_VALUE,
            "images of texels of %u bytes cannot begin at %llu", texel, (unsigned long long)offset);
    REQUIRE(offset <= size && bytes <= size - offset, CUDA_ERROR_INVALID_VALUE,
            "%llu bytes of images from %llu on are more than the memory's %llu",
            (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)size);
    TRY(drv_status(kd_memory_map_file(kd_context_device(ctx->c), ctx->c, fd, offset, bytes,
                                      DRV_MEMORY_EXTERNAL, &base),
                   ctx));
    return create_over(ctx, d, layout, levels, base, NULL, out);
}

CUresult cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray,
                                  unsigned int level) {
    ENTER_CONTEXT(ctx);
    struct drv_mipmap *m;
    REQUIRE_POINTER(pLevelArray);
    TRY(drv_mipmap_find(hMipmappedArray, &m));
    REQUIRE(level < m->levels, CUDA_ERROR_INVALID_VALUE, "level %u of %u", level, m->levels);
    *pLevelArray = m->level[level].object.handle;
    return CUDA_SUCCESS;
}

CUresult drv_mipmap_destroy(struct drv_mipmap *m) {
    TRY(drv_status(kd_context_wait(m->object.context->c), m->object.context));
    REQUIRE(drv_object_end(&m->object), CUDA_ERROR_INVALID_HANDLE,
            "%p was destroyed by another thread", m->object.handle);
    destroy_levels(m);
    drv_object_drop(&m->object);
    return CUDA_SUCCESS;
}

// Waits for the array's context.
CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
    ENTER_CONTEXT(current);
    struct drv_mipmap *m;
    TRY(drv_mipmap_find(hMipmappedArray, &m));
    REQUIRE(!m->of_graphics, CUDA_ERROR_INVALID_HANDLE,
            "the array of a graphics resource ends with its registration");
    return drv_mipmap_destroy(m);
}
