// Texture and surface objects (guide 6.2.14): over arrays, linear memory and pitched memory.
#include "device/helpers/block_texel.h"
#include "driver/memory/array.h"
#include "driver/memory/copy.h"
#include "driver/memory/sparse.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = 256, // that of allocations: CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT
    PITCH_ALIGNMENT = 32,
    MAX_LINEAR_TEXELS = 1 << 28,
    MAX_PITCHED_WIDTH = 131072,
    MAX_PITCHED_HEIGHT = 65000,
    MAX_PITCH = 2097120,
    MAX_ANISOTROPY = 16,
};

struct drv_texture {
    struct drv_object object;
    uint64_t handle; // the device's: what kernels are passed
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view;
    bool has_view;
};

static void texture_release(struct drv_object *o) {
    struct drv_texture *t = (struct drv_texture *)o;
    kd_texture_free(t->handle);
    free(t);
}

static CUresult texture_find(uint64_t handle, bool surface, struct drv_texture **out) {
    struct kd_texture t;
    REQUIRE(kd_texture_find(handle, &t) && t.surface == surface, CUDA_ERROR_INVALID_VALUE,
            "%#llx is no %s object, or one that was destroyed", (unsigned long long)handle,
            surface ? "surface" : "texture");
    *out = drv_object_find(t.owner, DRV_TEXTURE);
    REQUIRE(*out, CUDA_ERROR_INVALID_VALUE, "%#llx was destroyed", (unsigned long long)handle);
    return CUDA_SUCCESS;
}

// ---- Resources ----------------------------------------------------------------------------

static bool is_normalized(CUarray_format format) {
    return (int)format >= CU_AD_FORMAT_UNORM_INT8X1 && (int)format <= CU_AD_FORMAT_SNORM_INT16X4;
}

static CUresult set_format(CUarray_format format, unsigned channels, struct kd_texture *t) {
    TRY(drv_format_check(format, channels, "the resource"));
    bool is_float = format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF;
    bool is_signed = format == CU_AD_FORMAT_SIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT16 ||
                     format == CU_AD_FORMAT_SIGNED_INT32 ||
                     (is_normalized(format) && format >= CU_AD_FORMAT_SNORM_INT8X1);
    t->fractions = is_normalized(format);
    t->texel = is_float ? KD_TEXEL_FLOAT : is_signed ? KD_TEXEL_SIGNED : KD_TEXEL_UNSIGNED;
    t->bytes = (uint8_t)drv_format_bytes(format);
    t->channels = (uint8_t)channels;
    return CUDA_SUCCESS;
}

// Texels of blocks are given as those of the format that comes nearest.
static CUresult set_array_format(CUarray_format format, unsigned channels, struct kd_texture *t) {
    t->block = (uint8_t)drv_format_block(format);
    if (!t->block)
        return set_format(format, channels, t);
    bool is_float = t->block == KD_BLOCK_BC6_UNSIGNED || t->block == KD_BLOCK_BC6_SIGNED;
    bool is_signed = t->block == KD_BLOCK_BC4_SIGNED || t->block == KD_BLOCK_BC5_SIGNED;
    t->texel = is_float ? KD_TEXEL_FLOAT : is_signed ? KD_TEXEL_SIGNED : KD_TEXEL_UNSIGNED;
    t->bytes = is_float ? 2 : 1;
    t->channels = (uint8_t)drv_format_channels(format);
    t->fractions = !is_float;
    t->srgb = format == CU_AD_FORMAT_BC1_UNORM_SRGB || format == CU_AD_FORMAT_BC2_UNORM_SRGB ||
              format == CU_AD_FORMAT_BC3_UNORM_SRGB || format == CU_AD_FORMAT_BC7_UNORM_SRGB;
    return CUDA_SUCCESS;
}

static void set_level(const struct drv_array *a, struct kd_texture *t, unsigned level) {
    const CUDA_ARRAY3D_DESCRIPTOR *d = &a->descriptor;
    bool layered = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    t->level[level] = (struct kd_image_level){.base = a->base,
                                              .pitch = a->pitch,
                                              .slice = a->slice,
                                              .width = d->Width,
                                              .height = d->Height ? d->Height : 1,
                                              .depth = layered ? 1 : a->slices};
    if (drv_array_level(a))
        t->level[level] = *drv_array_level(a);
    t->layers = layered ? (uint32_t)a->slices : 1;
    t->cube = d->Flags & CUDA_ARRAY3D_CUBEMAP;
}

static CUresult bind_array(const CUDA_RESOURCE_DESC *r, struct kd_texture *t) {
    struct drv_array *a;
    TRY(drv_array_find(r->res.array.hArray, &a));
    REQUIRE(!a->nplanes, CUDA_ERROR_INVALID_VALUE,
            "textures and surfaces are of one plane (cuArrayGetPlane), not of the whole array");
    set_level(a, t, 0);
    return set_array_format(a->descriptor.Format, a->descriptor.NumChannels, t);
}

static CUresult bind_mipmap(const CUDA_RESOURCE_DESC *r, struct kd_texture *t) {
    struct drv_mipmap *m;
    TRY(drv_mipmap_find(r->res.mipmap.hMipmappedArray, &m));
    t->levels = m->levels;
    for (unsigned k = 0; k < m->levels; k++)
        set_level(&m->level[k], t, k);
    return set_array_format(m->descriptor.Format, m->descriptor.NumChannels, t);
}

// `bytes` of device memory that begin at a multiple of 512.
static CUresult check_memory(CUdeviceptr ptr, uint64_t bytes) {
    struct drv_side side;
    REQUIRE(ptr % ALIGNMENT == 0, CUDA_ERROR_INVALID_VALUE,
            "%#llx is not a multiple of the texture alignment, %d", ptr, ALIGNMENT);
    return drv_side(ptr, bytes, DRV_SIDE_DEVICE, false, "the texture's memory", &side);
}

static CUresult bind_linear(const CUDA_RESOURCE_DESC *r, struct kd_texture *t) {
    TRY(set_format(r->res.linear.format, r->res.linear.numChannels, t));
    TRY(check_memory(r->res.linear.devPtr, r->res.linear.sizeInBytes));
    t->level[0].base = r->res.linear.devPtr;
    t->level[0].width = r->res.linear.sizeInBytes / (t->bytes * t->channels);
    t->level[0].height = 1;
    t->indexed = true;
    REQUIRE(t->level[0].width && t->level[0].width <= MAX_LINEAR_TEXELS, CUDA_ERROR_INVALID_VALUE,
            "%zu bytes are no texel, or more than %d texels", r->res.linear.sizeInBytes,
            MAX_LINEAR_TEXELS);
    return CUDA_SUCCESS;
}

static CUresult bind_pitched(const CUDA_RESOURCE_DESC *r, struct kd_texture *t) {
    size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height;
    size_t pitch = r->res.pitch2D.pitchInBytes;
    TRY(set_format(r->res.pitch2D.format, r->res.pitch2D.numChannels, t));
    REQUIRE(width && width <= MAX_PITCHED_WIDTH && height && height <= MAX_PITCHED_HEIGHT,
            CUDA_ERROR_INVALID_VALUE, "a pitched texture of %zu by %zu texels", width, height);
    size_t row = width * t->bytes * t->channels;
    REQUIRE(pitch >= row && pitch <= MAX_PITCH && pitch % PITCH_ALIGNMENT == 0,
            CUDA_ERROR_INVALID_VALUE,
            "a pitch of %zu bytes: it must be a multiple of %d, at least a row's %zu bytes and at "
            "most %d",
            pitch, PITCH_ALIGNMENT, row, MAX_PITCH);
    TRY(check_memory(r->res.pitch2D.devPtr, pitch * (height - 1) + row));
    t->level[0].base = r->res.pitch2D.devPtr;
    t->level[0].pitch = pitch;
    t->level[0].width = width;
    t->level[0].height = height;
    return CUDA_SUCCESS;
}

static CUresult bind(const CUDA_RESOURCE_DESC *r, struct kd_texture *t) {
    REQUIRE(!r->flags, CUDA_ERROR_INVALID_VALUE, "the flags of a resource must be 0");
    t->levels = t->layers = 1;
    t->level[0].height = t->level[0].depth = 1;
    switch ((int)r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return bind_array(r, t);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return bind_mipmap(r, t);
    case CU_RESOURCE_TYPE_LINEAR:
        return bind_linear(r, t);
    case CU_RESOURCE_TYPE_PITCH2D:
        return bind_pitched(r, t);
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no type of a resource", (int)r->resType);
    }
}

// An array of 8 or 16 bytes that are two or four words, as one of blocks: each element becomes 4 by
// 4 texels.
static CUresult view_blocks(CUresourceViewFormat format, struct kd_texture *t) {
    static const CUarray_format formats[] = {CU_AD_FORMAT_BC1_UNORM, CU_AD_FORMAT_BC2_UNORM,
                                             CU_AD_FORMAT_BC3_UNORM, CU_AD_FORMAT_BC4_UNORM,
                                             CU_AD_FORMAT_BC4_SNORM, CU_AD_FORMAT_BC5_UNORM,
                                             CU_AD_FORMAT_BC5_SNORM, CU_AD_FORMAT_BC6H_UF16,
                                             CU_AD_FORMAT_BC6H_SF16, CU_AD_FORMAT_BC7_UNORM};
    unsigned n = (unsigned)format - CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
    REQUIRE(n < sizeof formats / sizeof *formats, CUDA_ERROR_INVALID_VALUE, "%d is no view format",
            (int)format);
    unsigned bytes = kd_block_bytes(drv_format_block(formats[n]));
    bool words = t->texel == KD_TEXEL_UNSIGNED && t->bytes == 4;
    bool same = t->block && kd_block_bytes(t->block) == bytes;
    REQUIRE(same || (words && (unsigned)t->channels * 4 == bytes), CUDA_ERROR_INVALID_VALUE,
            "a view with blocks of %u bytes is of an array of %u unsigned words", bytes, bytes / 4);
    for (unsigned k = 0; k < t->levels && !same; k++) {
        t->level[k].width *= drv_block_side(formats[n]);
        t->level[k].height *= drv_block_side(formats[n]);
    }
    return set_array_format(formats[n], 1, t);
}

// A view has the format's kind and channels in threes: 1, 2 and 4 of each.
static CUresult view_format(CUresourceViewFormat format, struct kd_texture *t) {
    static const CUarray_format formats[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                             CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                             CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                             CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
    unsigned n = (unsigned)format, texel = t->bytes * t->channels;
    if (format == CU_RES_VIEW_FORMAT_NONE)
        return CUDA_SUCCESS;
    if (n > CU_RES_VIEW_FORMAT_FLOAT_4X32)
        return view_blocks(format, t);
    REQUIRE(!t->block, CUDA_ERROR_INVALID_VALUE,
            "the array's texels lie in blocks, and the view's do not");
    TRY(set_format(formats[(n - 1) / 3], 1u << (n - 1) % 3, t));
    REQUIRE(t->bytes * t->channels == texel, CUDA_ERROR_INVALID_VALUE,
            "the view's texels have %u bytes, the array's %u", t->bytes * t->channels, texel);
    return CUDA_SUCCESS;
}

static CUresult apply_view(const CUDA_RESOURCE_VIEW_DESC *v, struct kd_texture *t) {
    const struct kd_image_level *l = &t->level[0];
    TRY(view_format(v->format, t));
    REQUIRE(v->width == l->width && (v->height ? v->height : 1) == l->height &&
                (v->depth ? v->depth : 1) == (t->layers > 1 ? t->layers : l->depth),
            CUDA_ERROR_INVALID_VALUE, "the view's sizes are not those of the array");
    REQUIRE(v->firstMipmapLevel <= v->lastMipmapLevel && v->lastMipmapLevel < t->levels,
            CUDA_ERROR_INVALID_VALUE, "levels %u to %u of %u", v->firstMipmapLevel,
            v->lastMipmapLevel, t->levels);
    REQUIRE(v->firstLayer <= v->lastLayer && v->lastLayer < t->layers, CUDA_ERROR_INVALID_VALUE,
            "layers %u to %u of %u", v->firstLayer, v->lastLayer, t->layers);
    REQUIRE(!t->cube || (v->firstLayer % 6 == 0 && v->lastLayer % 6 == 5), CUDA_ERROR_INVALID_VALUE,
            "a view of a cubemap has all faces");
    t->levels = v->lastMipmapLevel - v->firstMipmapLevel + 1;
    t->layers = v->lastLayer - v->firstLayer + 1;
    memmove(t->level, t->level + v->firstMipmapLevel, t->levels * sizeof *t->level);
    for (unsigned k = 0; k < t->levels; k++)
        t->level[k].base += v->firstLayer * t->level[k].slice;
    return CUDA_SUCCESS;
}

// ---- Sampling -----------------------------------------------------------------------------

static CUresult check_sampling(const CUDA_TEXTURE_DESC *d) {
    // Filtering between levels is always exact.
    const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                           CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
    REQUIRE(!(d->flags & ~known), CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of a texture",
            d->flags);
    for (unsigned k = 0; k < 3; k++)
        REQUIRE((unsigned)d->addressMode[k] <= CU_TR_ADDRESS_MODE_BORDER, CUDA_ERROR_INVALID_VALUE,
                "%d is no addressing mode", (int)d->addressMode[k]);
    REQUIRE((unsigned)d->filterMode <= CU_TR_FILTER_MODE_LINEAR &&
                (unsigned)d->mipmapFilterMode <= CU_TR_FILTER_MODE_LINEAR,
            CUDA_ERROR_INVALID_VALUE, "%d and %d are no filtering modes", (int)d->filterMode,
            (int)d->mipmapFilterMode);
    return CUDA_SUCCESS;
}

// Of blocks: three colours of 8 bits.
static bool is_color(const struct kd_texture *t) {
    return t->channels == 4 && t->bytes == 1 && t->block != KD_BLOCK_PACKED_1010102;
}

static CUresult set_sampling(const CUDA_TEXTURE_DESC *d, struct kd_texture *t) {
    TRY(check_sampling(d));
    t->normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
    t->as_float = !(d->flags & CU_TRSF_READ_AS_INTEGER);
    // Formats that say so themselves are sRGB in any case.
    t->srgb |= d->flags & CU_TRSF_SRGB && (!t->block || is_color(t));
    t->seamless = d->flags & CU_TRSF_SEAMLESS_CUBEMAP;
    t->filtered = d->filterMode == CU_TR_FILTER_MODE_LINEAR && !t->indexed;
    t->mip_filtered = d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR && t->levels > 1;
    REQUIRE(t->as_float || !t->fractions, CUDA_ERROR_INVALID_VALUE,
            "normalized texels are not read as integers");
    bool floats = t->texel == KD_TEXEL_FLOAT || (t->as_float && t->bytes < 4);
    REQUIRE(!(t->filtered || t->mip_filtered) || floats, CUDA_ERROR_INVALID_VALUE,
            "linear filtering needs reads that give floating-point values");
    REQUIRE(t->levels == 1 || t->normalized, CUDA_ERROR_INVALID_VALUE,
            "textures with levels need normalized coordinates");
    for (unsigned k = 0; k < 3; k++)
        t->addressing[k] = (uint8_t)d->addressMode[k]; // the same numbers
    t->bias = d->mipmapLevelBias;
    t->anisotropy =
        (uint8_t)(d->maxAnisotropy < MAX_ANISOTROPY ? d->maxAnisotropy : MAX_ANISOTROPY);
    t->min_level = d->minMipmapLevelClamp;
    t->max_level = d->maxMipmapLevelClamp;
    memcpy(t->border, d->borderColor, sizeof t->border);
    return CUDA_SUCCESS;
}

// ---- Objects ------------------------------------------------------------------------------

static CUresult add_object(struct drv_context *ctx, struct kd_texture *sampler,
                           const struct drv_texture *made, uint64_t *handle) {
    struct drv_texture *t = malloc(sizeof *t);
    REQUIRE(t, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a texture or surface object");
    *t = *made;
    if (!drv_object_add(&t->object, DRV_TEXTURE, ctx, texture_release)) {
        free(t);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a texture or surface object");
    }
    sampler->owner = t->object.handle;
    CUresult result = drv_status(kd_texture_new(sampler, &t->handle), ctx);
    if (result != CUDA_SUCCESS)
        drv_object_destroy(&t->object);
    *handle = t->handle;
    return result;
}

CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                           const CUDA_TEXTURE_DESC *pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC *pResViewDesc) {
    ENTER_CONTEXT(ctx);
    struct kd_texture sampler = {0};
    REQUIRE_POINTER(pTexObject);
    REQUIRE_POINTER(pResDesc);
    REQUIRE_POINTER(pTexDesc);
    bool has_levels = pResDesc->resType == CU_RESOURCE_TYPE_ARRAY ||
                      pResDesc->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    REQUIRE(!pResViewDesc || has_levels, CUDA_ERROR_INVALID_VALUE, "only arrays have views");
    TRY(bind(pResDesc, &sampler));
    if (pResViewDesc)
        TRY(apply_view(pResViewDesc, &sampler));
    TRY(set_sampling(pTexDesc, &sampler));
    struct drv_texture t = {.resource = *pResDesc, .texture = *pTexDesc, .has_view = pResViewDesc};
    if (pResViewDesc)
        t.view = *pResViewDesc;
    uint64_t handle;
    TRY(add_object(ctx, &sampler, &t, &handle));
    *pTexObject = handle;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texObject) {
    ENTER_CONTEXT(ctx);
    struct drv_texture *t;
    TRY(texture_find(texObject, false, &t));
    REQUIRE(drv_object_destroy(&t->object), CUDA_ERROR_INVALID_VALUE,
            "%#llx was destroyed by another thread", texObject);
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject) {
    ENTER_CONTEXT(ctx);
    struct drv_texture *t;
    REQUIRE_POINTER(pResDesc);
    TRY(texture_find(texObject, false, &t));
    *pResDesc = t->resource;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject) {
    ENTER_CONTEXT(ctx);
    struct drv_texture *t;
    REQUIRE_POINTER(pTexDesc);
    TRY(texture_find(texObject, false, &t));
    *pTexDesc = t->texture;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
                                        CUtexObject texObject) {
    ENTER_CONTEXT(ctx);
    struct drv_texture *t;
    REQUIRE_POINTER(pResViewDesc);
    TRY(texture_find(texObject, false, &t));
    REQUIRE(t->has_view, CUDA_ERROR_INVALID_VALUE, "the texture object has no view");
    *pResViewDesc = t->view;
    return CUDA_SUCCESS;
}

// ---- Surfaces -----------------------------------------------------------------------------

// Packed texels as the words that they are.
static struct kd_texture as_words(struct kd_texture t) {
    t.block = KD_BLOCK_NONE;
    t.texel = KD_TEXEL_UNSIGNED;
    t.bytes = 4;
    t.channels = 1;
    t.fractions = false;
    return t;
}

CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc) {
    ENTER_CONTEXT(ctx);
    struct kd_texture surface = {.surface = true};
    struct drv_array *a;
    uint64_t handle;
    REQUIRE_POINTER(pSurfObject);
    REQUIRE_POINTER(pResDesc);
    REQUIRE(pResDesc->resType == CU_RESOURCE_TYPE_ARRAY, CUDA_ERROR_INVALID_VALUE,
            "surfaces are made of arrays");
    TRY(drv_array_find(pResDesc->res.array.hArray, &a));
    REQUIRE(a->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST, CUDA_ERROR_INVALID_VALUE,
            "the array was created without the flag for surface loads and stores");
    TRY(bind(pResDesc, &surface));
    surface.cube = false; // faces are layers
    if (surface.block)    // packed texels
        surface = as_words(surface);
    struct drv_texture t = {.resource = *pResDesc};
    TRY(add_object(ctx, &surface, &t, &handle));
    *pSurfObject = handle;
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject) {
    ENTER_CONTEXT(ctx);
    struct drv_texture *t;
    TRY(texture_find(surfObject, true, &t));
    REQUIRE(drv_object_destroy(&t->object), CUDA_ERROR_INVALID_VALUE,
            "%#llx was destroyed by another thread", surfObject);
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject) {
    ENTER_CONTEXT(ctx);
    struct drv_texture *t;
    REQUIRE_POINTER(pResDesc);
    TRY(texture_find(surfObject, true, &t));
    *pResDesc = t->resource;
    return CUDA_SUCCESS;
}

// Texels of linear memory that a texture object can have.
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
                                            unsigned numChannels, CUdevice dev) {
    ENTER();
    struct drv_device *d;
    REQUIRE_POINTER(maxWidthInElements);
    TRY(drv_device_find(dev, &d));
    TRY(drv_format_check(format, numChannels, "the texture"));
    *maxWidthInElements = MAX_LINEAR_TEXELS;
    return CUDA_SUCCESS;
}
