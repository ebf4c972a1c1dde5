// The layout of sparse arrays: which tiles their levels have (guide 10.8.1.6).
#include "driver/memory/sparse.h"

#include "device/memory/sparse.h"

#include <stdlib.h>

enum { LEVEL_ALIGNMENT = 512, ROW_ALIGNMENT = 16 }; // of the mip tail

static bool is_sparse(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    return d->Flags & CUDA_ARRAY3D_SPARSE;
}

bool drv_has_tiles(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    return d->Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING);
}

CUresult drv_tiles_check(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    if (!drv_has_tiles(d))
        return CUDA_SUCCESS;
    REQUIRE(!is_sparse(d) || !(d->Flags & CUDA_ARRAY3D_DEFERRED_MAPPING), CUDA_ERROR_INVALID_VALUE,
            "an array is sparse or gets its memory as a whole later, not both");
    REQUIRE(d->Height && !(d->Flags & CUDA_ARRAY3D_CUBEMAP), CUDA_ERROR_INVALID_VALUE,
            "memory is mapped at arrays of two dimensions, with and without layers, and of three");
    REQUIRE(!is_sparse(d) || !drv_planar_find(d->Format), CUDA_ERROR_INVALID_VALUE,
            "an array of planes cannot be sparse");
    return CUDA_SUCCESS;
}

static bool is_layered(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    return d->Flags & CUDA_ARRAY3D_LAYERED;
}

// Tiles of 64 KB, as nearly squares or cubes as elements of a power of two of bytes let them.
static void shape_tile(const CUDA_ARRAY3D_DESCRIPTOR *d, uint8_t shift[3]) {
    static const uint8_t flat[5][3] = {{8, 8, 0}, {8, 7, 0}, {7, 7, 0}, {7, 6, 0}, {6, 6, 0}};
    static const uint8_t deep[5][3] = {{6, 5, 5}, {5, 5, 5}, {5, 5, 4}, {5, 4, 4}, {4, 4, 4}};
    unsigned bytes = (unsigned)__builtin_ctz(drv_element_bytes(d));
    const uint8_t *of = d->Depth && !is_layered(d) ? deep[bytes] : flat[bytes];
    for (unsigned k = 0; k < 3; k++)
        shift[k] = of[k];
}

// Elements along each dimension of a level.
struct size {
    uint64_t n[3];
};

static struct size size_of(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    uint64_t side = drv_block_side(d->Format);
    return (struct size){{(d->Width + side - 1) / side, (d->Height + side - 1) / side,
                          d->Depth && !is_layered(d) ? d->Depth : 1}};
}

static uint64_t aligned(uint64_t n, uint64_t to) {
    return (n + to - 1) / to * to;
}

static uint64_t tiles_along(uint64_t n, unsigned shift) {
    return (n + (1u << shift) - 1) >> shift;
}

static uint64_t texels_of(size_t n) {
    return n > 1 ? n / 2 : n;
}

// The next level, as mipmap.c has them.
static CUDA_ARRAY3D_DESCRIPTOR smaller(CUDA_ARRAY3D_DESCRIPTOR d) {
    d.Width = texels_of(d.Width);
    d.Height = texels_of(d.Height);
    if (!is_layered(&d))
        d.Depth = texels_of(d.Depth);
    return d;
}

// Lays out all levels, from address `base` on; where the levels of the device are not NULL, they
// are filled in.
static void lay_out(struct drv_tiles *t, CUDA_ARRAY3D_DESCRIPTOR d, struct kd_sparse *s) {
    uint64_t base = s ? kd_sparse_base(s) : 0, tile = 0, in_tail = 0;
    unsigned bytes = drv_element_bytes(&d);
    t->tail_level = t->levels;
    for (unsigned k = 0; k < t->levels; k++, d = smaller(d)) {
        struct size size = size_of(&d);
        struct kd_image_level l = {
            .sparse = s, .width = d.Width, .height = d.Height, .depth = size.n[2]};
        for (unsigned i = 0; i < 3 && t->tail_level == t->levels; i++)
            if (size.n[i] < 1u << t->shift[i])
                t->tail_level = k;
        if (t->tail_level == k)
            t->tail = tile;
        if (t->tail_level == t->levels) {
            l.tiled = true;
            for (unsigned i = 0; i < 3; i++)
                l.shift[i] = t->shift[i];
            l.shift[0] += (uint8_t)__builtin_ctz(bytes);
            l.across = (uint32_t)tiles_along(size.n[0], t->shift[0]);
            l.down = (uint32_t)tiles_along(size.n[1], t->shift[1]);
            l.base = base + (tile << KD_TILE_SHIFT);
            l.slice = (uint64_t)l.across * l.down << KD_TILE_SHIFT; // from layer to layer
            tile += (uint64_t)l.across * l.down * tiles_along(size.n[2], t->shift[2]) * t->layers;
        } else {
            l.base = base + (t->tail << KD_TILE_SHIFT) + in_tail;
            l.pitch = aligned(size.n[0] * bytes, ROW_ALIGNMENT);
            l.slice = l.pitch * size.n[1];
            in_tail = aligned(in_tail + l.slice * size.n[2], LEVEL_ALIGNMENT);
        }
        if (s)
            *kd_sparse_level(s, k) = l;
    }
    t->tail_tiles = (in_tail + KD_TILE - 1) >> KD_TILE_SHIFT;
    t->tiles = tile + t->tail_tiles * t->layers;
    for (unsigned k = t->tail_level; s && t->layers > 1 && k < t->levels; k++)
        kd_sparse_level(s, k)->slice = t->tail_tiles << KD_TILE_SHIFT;
}

CUresult drv_tiles_new(struct drv_context *ctx, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels,
                       uint64_t bytes, struct drv_tiles **out) {
    struct drv_tiles *t = calloc(1, sizeof *t);
    REQUIRE(t, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a sparse array");
    atomic_init(&t->holders, 1);
    t->deferred = !is_sparse(d);
    t->levels = levels;
    t->layers = is_layered(d) ? (unsigned)d->Depth : 1;
    t->side = (uint8_t)drv_block_side(d->Format);
    t->tiles = (bytes + KD_TILE - 1) >> KD_TILE_SHIFT;
    if (!t->deferred) {
        shape_tile(d, t->shift);
        lay_out(t, *d, NULL);
    }
    t->held = calloc(t->tiles, sizeof(struct drv_allocation *));
    CUresult result =
        t->held ? drv_status(kd_sparse_new(ctx->c, t->tiles, DRV_MEMORY_ARRAY, &t->s), ctx)
                : drv_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the tiles of an array");
    if (result != CUDA_SUCCESS) {
        free(t->held);
        free(t);
        return result;
    }
    if (!t->deferred)
        lay_out(t, *d, t->s);
    *out = t;
    return CUDA_SUCCESS;
}

uint64_t drv_tiles_base(const struct drv_tiles *t) {
    return kd_sparse_base(t->s);
}

void drv_tiles_level(struct drv_tiles *t, unsigned k, const CUDA_ARRAY3D_DESCRIPTOR *d,
                     struct drv_array *a) {
    const struct kd_image_level *l = kd_sparse_level(t->s, k);
    drv_array_fill(a, d, l->base);
    a->tiles = t;
    a->number = k;
    a->pitch = l->pitch;
    a->slice = l->slice;
}

const struct kd_image_level *drv_array_level(const struct drv_array *a) {
    return a->tiles && !a->tiles->deferred ? kd_sparse_level(a->tiles->s, a->number) : NULL;
}

// ---- What can be asked --------------------------------------------------------------------------

static void describe(const struct drv_tiles *t, CUDA_ARRAY_SPARSE_PROPERTIES *out) {
    *out = (CUDA_ARRAY_SPARSE_PROPERTIES){0};
    out->tileExtent.width = (unsigned)t->side << t->shift[0];
    out->tileExtent.height = (unsigned)t->side << t->shift[1];
    out->tileExtent.depth = 1u << t->shift[2];
}

static CUresult sparse_of(const struct drv_tiles *t) {
    REQUIRE(t && !t->deferred, CUDA_ERROR_INVALID_VALUE,
            "the array was not created with CUDA_ARRAY3D_SPARSE");
    return CUDA_SUCCESS;
}

// An array that is smaller than a tile along some dimension is all mip tail, one for all layers.
CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUarray array) {
    ENTER_CONTEXT(ctx);
    struct drv_array *a;
    REQUIRE_POINTER(sparseProperties);
    TRY(drv_array_find(array, &a));
    REQUIRE(!a->level, CUDA_ERROR_INVALID_VALUE,
            "a level of a mipmapped array, or a plane of an array, has no tiles of its own");
    TRY(sparse_of(a->tiles));
    describe(a->tiles, sparseProperties);
    if (a->tiles->tail_tiles) {
        sparseProperties->flags = CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL;
        sparseProperties->miptailSize = a->tiles->tiles << KD_TILE_SHIFT;
    }
    return CUDA_SUCCESS;
}

// The mip tail's size is that of each layer.
CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                             CUmipmappedArray mipmap) {
    ENTER_CONTEXT(ctx);
    struct drv_mipmap *m;
    REQUIRE_POINTER(sparseProperties);
    TRY(drv_mipmap_find(mipmap, &m));
    TRY(sparse_of(m->tiles));
    describe(m->tiles, sparseProperties);
    sparseProperties->miptailFirstLevel = m->tiles->tail_level;
    sparseProperties->miptailSize = m->tiles->tail_tiles << KD_TILE_SHIFT;
    return CUDA_SUCCESS;
}

static CUresult requirements(const struct drv_tiles *t, CUdevice device,
                             CUDA_ARRAY_MEMORY_REQUIREMENTS *out) {
    struct drv_device *d;
    TRY(drv_device_find(device, &d));
    REQUIRE(t && t->deferred, CUDA_ERROR_INVALID_VALUE,
            "the array was not created with CUDA_ARRAY3D_DEFERRED_MAPPING");
    *out =
        (CUDA_ARRAY_MEMORY_REQUIREMENTS){.size = t->tiles << KD_TILE_SHIFT, .alignment = KD_TILE};
    return CUDA_SUCCESS;
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                      CUarray array, CUdevice device) {
    ENTER_CONTEXT(ctx);
    struct drv_array *a;
    REQUIRE_POINTER(memoryRequirements);
    TRY(drv_array_find(array, &a));
    return requirements(a->level ? NULL : a->tiles, device, memoryRequirements);
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                               CUmipmappedArray mipmap, CUdevice device) {
    ENTER_CONTEXT(ctx);
    struct drv_mipmap *m;
    REQUIRE_POINTER(memoryRequirements);
    TRY(drv_mipmap_find(mipmap, &m));
    return requirements(m->tiles, device, memoryRequirements);
}
