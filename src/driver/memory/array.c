// CUDA arrays: creation and description (guide 6.2.14.3).
#include "driver/memory/array.h"

#include "device/helpers/block_texel.h"
#include "driver/graph/capture.h"
#include "driver/memory/sparse.h"

#include <stdlib.h>

// As the device's attributes say.
enum { MAX_WIDTH = 131072, MAX_HEIGHT = 65536, MAX_3D = 16384, MAX_LAYERED = 32768 };
enum { MAX_LINE = 32768 }; // rows of surfaces without height, images with levels or for gathers
enum { MAX_LAYERS = 2048, MAX_FACES = 2046, FACES = 6 };
enum { MAX_3D_FLAT = 8192, MAX_3D_DEEP = 32768 }; // fewer rows allow more slices

unsigned drv_format_bytes(CUarray_format format) {
    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_UNORM_INT8X1:
    case CU_AD_FORMAT_UNORM_INT8X2:
    case CU_AD_FORMAT_UNORM_INT8X4:
    case CU_AD_FORMAT_SNORM_INT8X1:
    case CU_AD_FORMAT_SNORM_INT8X2:
    case CU_AD_FORMAT_SNORM_INT8X4:
    case CU_AD_FORMAT_YUY2:
    case CU_AD_FORMAT_AYUV:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_UNORM_INT16X1:
    case CU_AD_FORMAT_UNORM_INT16X2:
    case CU_AD_FORMAT_UNORM_INT16X4:
    case CU_AD_FORMAT_SNORM_INT16X1:
    case CU_AD_FORMAT_SNORM_INT16X2:
    case CU_AD_FORMAT_SNORM_INT16X4:
    case CU_AD_FORMAT_Y210:
    case CU_AD_FORMAT_Y216:
    case CU_AD_FORMAT_Y416:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

unsigned drv_format_block(CUarray_format format) {
    static const uint8_t blocks[] = {
        KD_BLOCK_BC1,          KD_BLOCK_BC1,        KD_BLOCK_BC2,          KD_BLOCK_BC2,
        KD_BLOCK_BC3,          KD_BLOCK_BC3,        KD_BLOCK_BC4_UNSIGNED, KD_BLOCK_BC4_SIGNED,
        KD_BLOCK_BC5_UNSIGNED, KD_BLOCK_BC5_SIGNED, KD_BLOCK_BC6_UNSIGNED, KD_BLOCK_BC6_SIGNED,
        KD_BLOCK_BC7,          KD_BLOCK_BC7};
    unsigned n = (unsigned)format - CU_AD_FORMAT_BC1_UNORM;
    if (format == CU_AD_FORMAT_UNORM_INT_101010_2 || format == CU_AD_FORMAT_Y410)
        return KD_BLOCK_PACKED_1010102;
    return n < sizeof blocks ? blocks[n] : KD_BLOCK_NONE;
}

unsigned drv_block_side(CUarray_format format) {
    unsigned block = drv_format_block(format);
    return block ? kd_block_side(block) : 1;
}

unsigned drv_format_channels(CUarray_format format) {
    static const uint8_t of_blocks[] = {0, 4, 4, 4, 1, 1, 2, 2, 3, 3, 4, 4};
    static const uint8_t of_numbers[] = {1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 2, 4};
    unsigned n = (unsigned)format - CU_AD_FORMAT_UNORM_INT8X1;
    // Packed video: an element is a pixel, which of 4:2:2 has its brightness and one of two
    // colours.
    if (format == CU_AD_FORMAT_YUY2 || format == CU_AD_FORMAT_Y210 || format == CU_AD_FORMAT_Y216)
        return 2;
    if (format == CU_AD_FORMAT_AYUV || format == CU_AD_FORMAT_Y416)
        return 4;
    return n < sizeof of_numbers ? of_numbers[n] : of_blocks[drv_format_block(format)];
}

unsigned drv_element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    unsigned block = drv_format_block(d->Format);
    return block ? kd_block_bytes(block) : drv_format_bytes(d->Format) * d->NumChannels;
}

CUresult drv_format_check(CUarray_format format, unsigned channels, const char *name) {
    REQUIRE(!drv_format_block(format), CUDA_ERROR_INVALID_VALUE,
            "%s: compressed and packed texels lie in arrays alone", name);
    REQUIRE(drv_format_bytes(format), CUDA_ERROR_INVALID_VALUE, "%s: %#x is no format", name,
            (unsigned)format);
    REQUIRE(channels == 1 || channels == 2 || channels == 4, CUDA_ERROR_INVALID_VALUE,
            "%s: texels have 1, 2 or 4 channels, not %u", name, channels);
    REQUIRE(!drv_format_channels(format) || channels == drv_format_channels(format),
            CUDA_ERROR_INVALID_VALUE, "%s: format %#x has %u channels, not %u", name,
            (unsigned)format, drv_format_channels(format), channels);
    return CUDA_SUCCESS;
}

CUresult drv_array_find(CUarray handle, struct drv_array **out) {
    *out = drv_object_find(handle, DRV_ARRAY);
    REQUIRE(*out, CUDA_ERROR_INVALID_HANDLE, "%p is no array, or one that was destroyed",
            (void *)handle);
    return CUDA_SUCCESS;
}

// Work that was submitted before the last holder let go may still use the memory.
static void array_release(struct drv_object *o) {
    struct drv_array *a = (struct drv_array *)o;
    if (a->tiles)
        drv_tiles_close(a->tiles);
    drv_memory_end_in(o->context->c, a->base);
    if (a->tiles)
        drv_tiles_end(a->tiles);
    free(a->planes);
    free(a);
}

static CUresult check_sizes(const CUDA_ARRAY3D_DESCRIPTOR *d, bool mipmapped) {
    bool layered = d->Flags & CUDA_ARRAY3D_LAYERED, cube = d->Flags & CUDA_ARRAY3D_CUBEMAP;
    bool surface = d->Flags & CUDA_ARRAY3D_SURFACE_LDST;
    bool deep = d->Depth && !layered && !cube;
    bool line = mipmapped || d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER || (surface && !d->Height);
    size_t width = deep ? MAX_3D : layered || cube ? MAX_LAYERED : line ? MAX_LINE : MAX_WIDTH;
    size_t height = deep ? MAX_3D : layered || cube ? MAX_LAYERED : line ? MAX_LINE : MAX_HEIGHT;
    size_t depth = deep ? MAX_3D : cube ? MAX_FACES : MAX_LAYERS;
    if (deep && !surface && d->Width <= MAX_3D_FLAT && d->Height <= MAX_3D_FLAT)
        depth = MAX_3D_DEEP;
    REQUIRE(d->Width && d->Width <= width && d->Height <= height && d->Depth <= depth,
            CUDA_ERROR_INVALID_VALUE,
            "an array of %zu by %zu by %zu texels: 1 to %zu by up to %zu by up to %zu are possible",
            d->Width, d->Height, d->Depth, width, height, depth);
    REQUIRE(!deep || d->Height, CUDA_ERROR_INVALID_VALUE, "an array with a depth needs a height");
    REQUIRE(!layered || d->Depth, CUDA_ERROR_INVALID_VALUE, "a layered array has no layers");
    REQUIRE(!cube || (d->Width == d->Height && d->Depth &&
                      (layered ? d->Depth % FACES == 0 : d->Depth == FACES)),
            CUDA_ERROR_INVALID_VALUE,
            "a cubemap has square faces, six of them, or a multiple of six when it has layers");
    return CUDA_SUCCESS;
}

// A format whose texels lie in blocks; compressed ones have two dimensions. Their number of
// channels need not be told.
static CUresult check_blocks(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    unsigned channels = drv_format_channels(d->Format);
    REQUIRE(d->NumChannels == channels || d->NumChannels == 1, CUDA_ERROR_INVALID_VALUE,
            "the array: format %#x has %u channels, not %u", (unsigned)d->Format, channels,
            d->NumChannels);
    if (drv_block_side(d->Format) == 1)
        return CUDA_SUCCESS;
    REQUIRE(d->Height, CUDA_ERROR_INVALID_VALUE,
            "an array of block-compressed texels needs a height");
    REQUIRE(!(d->Flags & CUDA_ARRAY3D_SURFACE_LDST), CUDA_ERROR_INVALID_VALUE,
            "block-compressed texels cannot be stored one by one: there are no surfaces of them");
    return CUDA_SUCCESS;
}

CUresult drv_array_check(const CUDA_ARRAY3D_DESCRIPTOR *d, bool mipmapped) {
    const unsigned known = CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER |
                           CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP |
                           CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_COLOR_ATTACHMENT |
                           CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING;
    if (drv_format_block(d->Format))
        TRY(check_blocks(d));
    else if (drv_planar_find(d->Format))
        TRY(drv_planar_check(d, mipmapped));
    else
        TRY(drv_format_check(d->Format, d->NumChannels, "the array"));
    REQUIRE(!(d->Flags & ~known), CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of an array",
            d->Flags);
    TRY(drv_tiles_check(d));
    REQUIRE(!(d->Flags & CUDA_ARRAY3D_DEPTH_TEXTURE) || d->NumChannels == 1,
            CUDA_ERROR_INVALID_VALUE, "depth has one channel, not %u", d->NumChannels);
    REQUIRE(!(d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER) || (d->Height && !d->Depth) ||
                d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP),
            CUDA_ERROR_INVALID_VALUE, "gathering needs two dimensions");
    return check_sizes(d, mipmapped);
}

static uint64_t row_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    uint64_t side = drv_block_side(d->Format);
    return (d->Width + side - 1) / side * drv_element_bytes(d);
}

static uint64_t rows_of(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    uint64_t side = drv_block_side(d->Format);
    return d->Height ? (d->Height + side - 1) / side : 1;
}

uint64_t drv_array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    if (drv_planar_find(d->Format))
        return drv_planar_bytes(d);
    return row_bytes(d) * rows_of(d) * (d->Depth ? d->Depth : 1);
}

void drv_array_fill(struct drv_array *a, const CUDA_ARRAY3D_DESCRIPTOR *d, uint64_t base) {
    a->descriptor = *d;
    // What is in planes is copied and read plane by plane.
    a->rows = drv_planar_find(d->Format) ? 0 : rows_of(d);
    a->slices = d->Depth ? d->Depth : 1;
    a->pitch = a->row = row_bytes(d);
    a->slice = a->pitch * a->rows;
    a->base = base;
}

CUresult drv_array_memory(struct drv_context *ctx, const CUDA_ARRAY3D_DESCRIPTOR *d,
                          unsigned levels, uint64_t bytes, struct drv_tiles **tiles,
                          uint64_t *base) {
    *tiles = NULL;
    if (!drv_has_tiles(d))
        return drv_memory_allocate(ctx, KD_MEMORY_DEVICE, bytes, DRV_MEMORY_ARRAY, base);
    TRY(drv_capture_unsafe());
    TRY(drv_tiles_new(ctx, d, levels, bytes, tiles));
    *base = drv_tiles_base(*tiles);
    return CUDA_SUCCESS;
}

void drv_array_memory_free(uint64_t base, struct drv_tiles *tiles) {
    kd_memory_free(base);
    if (tiles)
        drv_tiles_end(tiles);
}

static CUresult create(struct drv_context *ctx, CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    uint64_t base;
    struct drv_tiles *tiles;
    TRY(drv_array_check(d, false));
    TRY(drv_array_memory(ctx, d, 1, drv_array_bytes(d), &tiles, &base));
    struct drv_array *a = calloc(1, sizeof *a);
    if (a && tiles && !tiles->deferred)
        drv_tiles_level(tiles, 0, d, a);
    else if (a)
        drv_array_fill(a, d, base);
    if (a)
        a->tiles = tiles;
    if (!a || !drv_object_add(&a->object, DRV_ARRAY, ctx, array_release)) {
        free(a);
        drv_array_memory_free(base, tiles);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory or handle for an array");
    }
    if (drv_planar_find(d->Format) && !drv_planes_make(ctx, a)) {
        drv_planes_destroy(a);
        drv_object_destroy(&a->object);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory or handles for the planes of an array");
    }
    *out = a->object.handle;
    return CUDA_SUCCESS;
}

// A Height of 0 is a one-dimensional array.
CUresult cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pHandle);
    REQUIRE_POINTER(pAllocateArray);
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = pAllocateArray->Width,
                                 .Height = pAllocateArray->Height,
                                 .Format = pAllocateArray->Format,
                                 .NumChannels = pAllocateArray->NumChannels};
    return create(ctx, pHandle, &d);
}

CUresult cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pHandle);
    REQUIRE_POINTER(pAllocateArray);
    return create(ctx, pHandle, pAllocateArray);
}

// Waits for the array's context.
CUresult cuArrayDestroy(CUarray hArray) {
    ENTER_CONTEXT(current);
    struct drv_array *a;
    TRY(drv_array_find(hArray, &a));
    REQUIRE(!a->level, CUDA_ERROR_INVALID_HANDLE,
            "a level of a mipmapped array, or a plane of an array, is destroyed with it");
    TRY(drv_status(kd_context_wait(a->object.context->c), a->object.context));
    REQUIRE(drv_object_end(&a->object), CUDA_ERROR_INVALID_HANDLE,
            "%p was destroyed by another thread", (void *)hArray);
    drv_planes_destroy(a);
    drv_object_drop(&a->object);
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    ENTER_CONTEXT(ctx);
    struct drv_array *a;
    REQUIRE_POINTER(pArrayDescriptor);
    TRY(drv_array_find(hArray, &a));
    *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){.Width = a->descriptor.Width,
                                                .Height = a->descriptor.Height,
                                                .Format = a->descriptor.Format,
                                                .NumChannels = a->descriptor.NumChannels};
    return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    ENTER_CONTEXT(ctx);
    struct drv_array *a;
    REQUIRE_POINTER(pArrayDescriptor);
    TRY(drv_array_find(hArray, &a));
    *pArrayDescriptor = a->descriptor;
    return CUDA_SUCCESS;
}
