// Texture objects (guide 6.2.14.1.1): over arrays, linear memory and pitched memory.
#include "driver/array.h"
#include "driver/copy.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = 512, // CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT
    PITCH_ALIGNMENT = 32,
    MAX_LINEAR_TEXELS = 1 << 28,
    MAX_PITCHED_WIDTH = 131072,
    MAX_PITCHED_HEIGHT = 65000,
    MAX_PITCH = 2097120,
};

struct drv_texture {
    struct drv_object object;
    uint64_t handle; // the device's: what kernels are passed
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
};

static void texture_release(struct drv_object *o) {
    struct drv_texture *t = (struct drv_texture *)o;
    kd_texture_free(t->handle);
    free(t);
}

static CUresult texture_find(CUtexObject handle, struct drv_texture **out) {
    struct kd_texture t;
    REQUIRE(kd_texture_find(handle, &t), CUDA_ERROR_INVALID_VALUE,
            "%#llx is no texture object, or one that was destroyed", handle);
    *out = t.owner;
    return CUDA_SUCCESS;
}

// ---- Resources ----------------------------------------------------------------------------

static CUresult set_format(CUarray_format format, unsigned channels, struct kd_texture *t) {
    TRY(drv_format_check(format, channels, "the resource"));
    bool is_float = format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF;
    bool is_signed = format == CU_AD_FORMAT_SIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT16 ||
                     format == CU_AD_FORMAT_SIGNED_INT32;
    t->texel = is_float ? KD_TEXEL_FLOAT : is_signed ? KD_TEXEL_SIGNED : KD_TEXEL_UNSIGNED;
    t->bytes = (uint8_t)drv_format_bytes(format);
    t->channels = (uint8_t)channels;
    return CUDA_SUCCESS;
}

static CUresult bind_array(const CUDA_RESOURCE_DESC *r, struct kd_texture *t) {
    struct drv_array *a;
    TRY(drv_array_find(r->res.array.hArray, &a));
    t->base = a->base;
    t->pitch = a->pitch;
    t->width = a->descriptor.Width;
    t->height = a->rows;
    return set_format(a->descriptor.Format, a->descriptor.NumChannels, t);
}

// `bytes` of device memory that begin at a multiple of 512.
static CUresult check_memory(CUdeviceptr ptr, uint64_t bytes) {
    struct drv_side side;
    REQUIRE(ptr % ALIGNMENT == 0, CUDA_ERROR_INVALID_VALUE,
            "%#llx is not a multiple of the texture alignment, %d", ptr, ALIGNMENT);
    return drv_side(ptr, bytes, DRV_SIDE_DEVICE, "the texture's memory", &side);
}

static CUresult bind_linear(const CUDA_RESOURCE_DESC *r, struct kd_texture *t) {
    TRY(set_format(r->res.linear.format, r->res.linear.numChannels, t));
    TRY(check_memory(r->res.linear.devPtr, r->res.linear.sizeInBytes));
    t->base = r->res.linear.devPtr;
    t->width = r->res.linear.sizeInBytes / (t->bytes * t->channels);
    t->height = 1;
    t->indexed = true;
    REQUIRE(t->width && t->width <= MAX_LINEAR_TEXELS, CUDA_ERROR_INVALID_VALUE,
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
    t->base = r->res.pitch2D.devPtr;
    t->pitch = pitch;
    t->width = width;
    t->height = height;
    return CUDA_SUCCESS;
}

static CUresult bind(const CUDA_RESOURCE_DESC *r, struct kd_texture *t) {
    REQUIRE(!r->flags, CUDA_ERROR_INVALID_VALUE, "the flags of a resource must be 0");
    switch ((int)r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return bind_array(r, t);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        FAIL(CUDA_ERROR_NOT_SUPPORTED, "mipmapped arrays are not built yet");
    case CU_RESOURCE_TYPE_LINEAR:
        return bind_linear(r, t);
    case CU_RESOURCE_TYPE_PITCH2D:
        return bind_pitched(r, t);
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no type of a resource", (int)r->resType);
    }
}

// ---- Sampling -----------------------------------------------------------------------------

static CUresult set_sampling(const CUDA_TEXTURE_DESC *d, struct kd_texture *t) {
    const unsigned harmless =
        CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP; // mipmaps, cubemaps
    const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES;
    REQUIRE(!(d->flags & CU_TRSF_SRGB), CUDA_ERROR_NOT_SUPPORTED, "sRGB reads are not built yet");
    REQUIRE(!(d->flags & ~(known | harmless)), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of a texture", d->flags);
    for (unsigned k = 0; k < 3; k++)
        REQUIRE((unsigned)d->addressMode[k] <= CU_TR_ADDRESS_MODE_BORDER, CUDA_ERROR_INVALID_VALUE,
                "%d is no addressing mode", (int)d->addressMode[k]);
    REQUIRE((unsigned)d->filterMode <= CU_TR_FILTER_MODE_LINEAR, CUDA_ERROR_INVALID_VALUE,
            "%d is no filtering mode", (int)d->filterMode);
    t->normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
    t->as_float = !(d->flags & CU_TRSF_READ_AS_INTEGER);
    t->filtered = d->filterMode == CU_TR_FILTER_MODE_LINEAR && !t->indexed;
    bool floats = t->texel == KD_TEXEL_FLOAT || (t->as_float && t->bytes < 4);
    REQUIRE(!t->filtered || floats, CUDA_ERROR_INVALID_VALUE,
            "linear filtering needs reads that give floating-point values");
    for (unsigned k = 0; k < 2; k++)
        t->addressing[k] = (uint8_t)d->addressMode[k]; // the same numbers
    memcpy(t->border, d->borderColor, sizeof t->border);
    return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                           const CUDA_TEXTURE_DESC *pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC *pResViewDesc) {
    ENTER_CONTEXT(ctx);
    struct kd_texture sampler = {0};
    REQUIRE_POINTER(pTexObject);
    REQUIRE_POINTER(pResDesc);
    REQUIRE_POINTER(pTexDesc);
    TRY(bind(pResDesc, &sampler));
    TRY(set_sampling(pTexDesc, &sampler));
    REQUIRE(!pResViewDesc || pResDesc->resType == CU_RESOURCE_TYPE_ARRAY, CUDA_ERROR_INVALID_VALUE,
            "only arrays have views");
    REQUIRE(!pResViewDesc, CUDA_ERROR_NOT_SUPPORTED, "resource views are not built yet");
    struct drv_texture *t = calloc(1, sizeof *t);
    REQUIRE(t, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a texture object");
    t->resource = *pResDesc;
    t->texture = *pTexDesc;
    sampler.owner = t;
    CUresult result = drv_status(kd_texture_new(&sampler, &t->handle), ctx);
    if (result != CUDA_SUCCESS) {
        free(t);
        return result;
    }
    if (!drv_object_add(&t->object, DRV_TEXTURE, ctx, texture_release)) {
        texture_release(&t->object);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a texture object");
    }
    *pTexObject = t->handle;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texObject) {
    ENTER_CONTEXT(ctx);
    struct drv_texture *t;
    TRY(texture_find(texObject, &t));
    drv_object_destroy(&t->object);
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject) {
    ENTER_CONTEXT(ctx);
    struct drv_texture *t;
    REQUIRE_POINTER(pResDesc);
    TRY(texture_find(texObject, &t));
    *pResDesc = t->resource;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject) {
    ENTER_CONTEXT(ctx);
    struct drv_texture *t;
    REQUIRE_POINTER(pTexDesc);
    TRY(texture_find(texObject, &t));
    *pTexDesc = t->texture;
    return CUDA_SUCCESS;
}
