// Texture and surface objects (guide 6.2.14): the driver's, described in the runtime's terms.
#include <string.h>

#include "runtime/memory/array.h"

// ---- To the driver ----------------------------------------------------------------------------

static cudaError_t to_resource(const char *function, const struct cudaResourceDesc *r,
                               CUDA_RESOURCE_DESC *out) {
    memset(out, 0, sizeof *out);
    out->resType = (CUresourcetype)r->resType; // the same numbers
    switch (r->resType) {
    case cudaResourceTypeArray:
        out->res.array.hArray = (CUarray)r->res.array.array;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        out->res.mipmap.hMipmappedArray = (CUmipmappedArray)r->res.mipmap.mipmap;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        out->res.linear.devPtr = (CUdeviceptr)r->res.linear.devPtr;
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return rt_texel_format(function, &r->res.linear.desc, &out->res.linear.format,
                               &out->res.linear.numChannels);
    case cudaResourceTypePitch2D:
        out->res.pitch2D.devPtr = (CUdeviceptr)r->res.pitch2D.devPtr;
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return rt_texel_format(function, &r->res.pitch2D.desc, &out->res.pitch2D.format,
                               &out->res.pitch2D.numChannels);
    default:
        return rt_fail(function, cudaErrorInvalidValue, "%d is no type of a resource",
                       (int)r->resType);
    }
}

static CUDA_TEXTURE_DESC to_texture(const struct cudaTextureDesc *t) {
    CUDA_TEXTURE_DESC out = {
        .filterMode = (CUfilter_mode)t->filterMode,
        .flags = (t->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
                 (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
                 (t->sRGB ? CU_TRSF_SRGB : 0) |
                 (t->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
                 (t->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0),
        .maxAnisotropy = t->maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
        .mipmapLevelBias = t->mipmapLevelBias,
        .minMipmapLevelClamp = t->minMipmapLevelClamp,
        .maxMipmapLevelClamp = t->maxMipmapLevelClamp,
    };
    for (int i = 0; i < 3; i++)
        out.addressMode[i] = (CUaddress_mode)t->addressMode[i];
    memcpy(out.borderColor, t->borderColor, sizeof out.borderColor);
    return out;
}

// Linear filtering of reads that give integers: cudaErrorInvalidFilterSetting. Integers of formats
// whose texels are no integers: cudaErrorInvalidNormSetting.
static cudaError_t check_filter(const char *function, const CUDA_RESOURCE_DESC *r,
                                const CUDA_TEXTURE_DESC *t) {
    CUDA_ARRAY3D_DESCRIPTOR d = {.Format = r->res.pitch2D.format};
    if (r->resType == CU_RESOURCE_TYPE_LINEAR)
        return cudaSuccess;
    CUarray array = r->res.array.hArray;
    if (r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        RT_TRY(
            rt_result(RT_CALL(cuMipmappedArrayGetLevel, &array, r->res.mipmap.hMipmappedArray, 0)));
    if (r->resType != CU_RESOURCE_TYPE_PITCH2D)
        RT_TRY(rt_result(RT_CALL(cuArray3DGetDescriptor, &d, array)));
    if (rt_gives_fractions(d.Format) && t->flags & CU_TRSF_READ_AS_INTEGER)
        return rt_fail(function, cudaErrorInvalidNormSetting,
                       "normalized texels are read with cudaReadModeNormalizedFloat");
    if (t->filterMode != CU_TR_FILTER_MODE_LINEAR)
        return cudaSuccess;
    bool is_float = d.Format == CU_AD_FORMAT_FLOAT || d.Format == CU_AD_FORMAT_HALF ||
                    d.Format == CU_AD_FORMAT_BC6H_UF16 || d.Format == CU_AD_FORMAT_BC6H_SF16;
    bool is_word = d.Format == CU_AD_FORMAT_UNSIGNED_INT32 || d.Format == CU_AD_FORMAT_SIGNED_INT32;
    if (!is_float && (is_word || t->flags & CU_TRSF_READ_AS_INTEGER))
        return rt_fail(function, cudaErrorInvalidFilterSetting,
                       "linear filtering needs reads that give floating-point values");
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                    const struct cudaResourceDesc *pResDesc,
                                    const struct cudaTextureDesc *pTexDesc,
                                    const struct cudaResourceViewDesc *pResViewDesc) {
    CUDA_RESOURCE_DESC resource;
    RT_REQUIRE(pTexObject && pResDesc && pTexDesc, cudaErrorInvalidValue,
               "pTexObject, pResDesc and pTexDesc must not be NULL");
    RT_REQUIRE((unsigned int)pTexDesc->readMode <= cudaReadModeNormalizedFloat,
               cudaErrorInvalidValue, "%d is no read mode", (int)pTexDesc->readMode);
    RT_TRY(to_resource(__func__, pResDesc, &resource));
    CUDA_TEXTURE_DESC texture = to_texture(pTexDesc);
    RT_ENTER();
    if (!pResViewDesc || pResViewDesc->format == cudaResViewFormatNone)
        RT_TRY(check_filter(__func__, &resource, &texture));
    CUDA_RESOURCE_VIEW_DESC view = {0};
    if (pResViewDesc)
        view = (CUDA_RESOURCE_VIEW_DESC){
            .format = (CUresourceViewFormat)pResViewDesc->format, // the same numbers
            .width = pResViewDesc->width,
            .height = pResViewDesc->height,
            .depth = pResViewDesc->depth,
            .firstMipmapLevel = pResViewDesc->firstMipmapLevel,
            .lastMipmapLevel = pResViewDesc->lastMipmapLevel,
            .firstLayer = pResViewDesc->firstLayer,
            .lastLayer = pResViewDesc->lastLayer,
        };
    return rt_result(
        RT_CALL(cuTexObjectCreate, pTexObject, &resource, &texture, pResViewDesc ? &view : NULL));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject) {
    RT_ENTER();
    return rt_result(RT_CALL(cuTexObjectDestroy, texObject));
}

// ---- From the driver --------------------------------------------------------------------------

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaTextureObject_t texObject) {
    CUDA_RESOURCE_DESC r;
    RT_REQUIRE(pResDesc, cudaErrorInvalidValue, "pResDesc must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuTexObjectGetResourceDesc, &r, texObject)));
    memset(pResDesc, 0, sizeof *pResDesc);
    pResDesc->resType = (enum cudaResourceType)r.resType;
    if (r.resType == CU_RESOURCE_TYPE_LINEAR) {
        pResDesc->res.linear.devPtr = (void *)r.res.linear.devPtr;
        pResDesc->res.linear.sizeInBytes = r.res.linear.sizeInBytes;
        return rt_channel_desc(__func__, r.res.linear.format, r.res.linear.numChannels,
                               &pResDesc->res.linear.desc);
    }
    if (r.resType == CU_RESOURCE_TYPE_PITCH2D) {
        pResDesc->res.pitch2D.devPtr = (void *)r.res.pitch2D.devPtr;
        pResDesc->res.pitch2D.width = r.res.pitch2D.width;
        pResDesc->res.pitch2D.height = r.res.pitch2D.height;
        pResDesc->res.pitch2D.pitchInBytes = r.res.pitch2D.pitchInBytes;
        return rt_channel_desc(__func__, r.res.pitch2D.format, r.res.pitch2D.numChannels,
                               &pResDesc->res.pitch2D.desc);
    }
    pResDesc->res.array.array = (cudaArray_t)r.res.array.hArray;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                            cudaTextureObject_t texObject) {
    CUDA_TEXTURE_DESC t;
    RT_REQUIRE(pTexDesc, cudaErrorInvalidValue, "pTexDesc must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuTexObjectGetTextureDesc, &t, texObject)));
    *pTexDesc = (struct cudaTextureDesc){
        .filterMode = (enum cudaTextureFilterMode)t.filterMode,
        .readMode = t.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType
                                                      : cudaReadModeNormalizedFloat,
        .sRGB = (t.flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (t.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = t.maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)t.mipmapFilterMode,
        .mipmapLevelBias = t.mipmapLevelBias,
        .minMipmapLevelClamp = t.minMipmapLevelClamp,
        .maxMipmapLevelClamp = t.maxMipmapLevelClamp,
        .disableTrilinearOptimization = (t.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
        .seamlessCubemap = (t.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0,
    };
    for (int i = 0; i < 3; i++)
        pTexDesc->addressMode[i] = (enum cudaTextureAddressMode)t.addressMode[i];
    memcpy(pTexDesc->borderColor, t.borderColor, sizeof t.borderColor);
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                 cudaTextureObject_t texObject) {
    CUDA_RESOURCE_VIEW_DESC v;
    RT_REQUIRE(pResViewDesc, cudaErrorInvalidValue, "pResViewDesc must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuTexObjectGetResourceViewDesc, &v, texObject)));
    *pResViewDesc = (struct cudaResourceViewDesc){
        .format = (enum cudaResourceViewFormat)v.format,
        .width = v.width,
        .height = v.height,
        .depth = v.depth,
        .firstMipmapLevel = v.firstMipmapLevel,
        .lastMipmapLevel = v.lastMipmapLevel,
        .firstLayer = v.firstLayer,
        .lastLayer = v.lastLayer,
    };
    return cudaSuccess;
}

// ---- Surfaces ---------------------------------------------------------------------------------

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                    const struct cudaResourceDesc *pResDesc) {
    CUDA_RESOURCE_DESC resource;
    RT_REQUIRE(pSurfObject && pResDesc, cudaErrorInvalidValue,
               "pSurfObject and pResDesc must not be NULL");
    RT_REQUIRE(pResDesc->resType == cudaResourceTypeArray, cudaErrorInvalidValue,
               "surfaces are made of arrays");
    RT_TRY(to_resource(__func__, pResDesc, &resource));
    RT_ENTER();
    return rt_result(RT_CALL(cuSurfObjectCreate, pSurfObject, &resource));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
    RT_ENTER();
    return rt_result(RT_CALL(cuSurfObjectDestroy, surfObject));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaSurfaceObject_t surfObject) {
    CUDA_RESOURCE_DESC r;
    RT_REQUIRE(pResDesc, cudaErrorInvalidValue, "pResDesc must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuSurfObjectGetResourceDesc, &r, surfObject)));
    *pResDesc = (struct cudaResourceDesc){.resType = cudaResourceTypeArray};
    pResDesc->res.array.array = (cudaArray_t)r.res.array.hArray;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                 const struct cudaChannelFormatDesc *fmtDesc,
                                                 int device) {
    CUarray_format format;
    unsigned int channels;
    RT_REQUIRE(maxWidthInElements && fmtDesc, cudaErrorInvalidValue,
               "maxWidthInElements and fmtDesc must not be NULL");
    RT_TRY(rt_check_device(__func__, device));
    RT_TRY(rt_texel_format(__func__, fmtDesc, &format, &channels));
    return rt_result(RT_CALL(cuDeviceGetTexture1DLinearMaxWidth, maxWidthInElements, format,
                             channels, (CUdevice)device));
}
