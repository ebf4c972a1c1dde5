// Texture and surface references, which version 12 took away (guide of version 11, 3.2.13.1.2 and
// 3.2.13.2.2): the driver's, found by the address of the variable in host code. What the variable
// says of sampling counts when it is bound.
#include <string.h>

#include "runtime/memory/array.h"

enum { ALIGNMENT = 256 }; // of what cudaMalloc returns

// What cannot be: filtering of integers as such, words as fractions of the largest one.
static cudaError_t check_sampling(const char *function, const struct textureReference *texref,
                                  const struct cudaChannelFormatDesc *d,
                                  enum cudaTextureReadMode mode) {
    bool integer = d->f != cudaChannelFormatKindFloat;
    if (integer && d->x == 32 && mode == cudaReadModeNormalizedFloat)
        return rt_fail(function, cudaErrorInvalidNormSetting,
                       "integers of 32 bits are not read as floating-point values");
    if (integer && mode == cudaReadModeElementType && texref->filterMode == cudaFilterModeLinear)
        return rt_fail(function, cudaErrorInvalidFilterSetting,
                       "linear filtering needs reads that give floating-point values");
    return cudaSuccess;
}

static cudaError_t set_sampling(const struct textureReference *texref, const struct rt_texture *t) {
    unsigned int flags = (t->read_mode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
                         (texref->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
                         (texref->sRGB ? CU_TRSF_SRGB : 0);
    for (int dim = 0; dim < 3; dim++)
        RT_TRY(rt_result(RT_CALL(cuTexRefSetAddressMode, t->handle, dim,
                                 (CUaddress_mode)texref->addressMode[dim])));
    RT_TRY(rt_result(RT_CALL(cuTexRefSetFilterMode, t->handle, (CUfilter_mode)texref->filterMode)));
    return rt_result(RT_CALL(cuTexRefSetFlags, t->handle, flags));
}

static cudaError_t set_mipmap_sampling(const struct textureReference *texref,
                                       const struct rt_texture *t) {
    RT_TRY(rt_result(
        RT_CALL(cuTexRefSetMipmapFilterMode, t->handle, (CUfilter_mode)texref->mipmapFilterMode)));
    RT_TRY(rt_result(RT_CALL(cuTexRefSetMipmapLevelBias, t->handle, texref->mipmapLevelBias)));
    RT_TRY(rt_result(RT_CALL(cuTexRefSetMipmapLevelClamp, t->handle, texref->minMipmapLevelClamp,
                             texref->maxMipmapLevelClamp)));
    if (!texref->maxAnisotropy)
        return cudaSuccess;
    return rt_result(RT_CALL(cuTexRefSetMaxAnisotropy, t->handle, texref->maxAnisotropy));
}

// What all bindings begin with.
static cudaError_t prepare(const char *function, const struct textureReference *texref,
                           const struct cudaChannelFormatDesc *desc, struct rt_texture *t,
                           CUarray_format *format, unsigned int *channels) {
    RT_ENTER();
    RT_TRY(rt_texture(function, texref, t));
    RT_TRY(rt_texel_format(function, desc, format, channels));
    RT_TRY(check_sampling(function, texref, desc, t->read_mode));
    return set_sampling(texref, t);
}

// No more bytes than the allocation has from devPtr on, and texels than a texture can have.
static cudaError_t limit_size(const void *devPtr, size_t texel, size_t *size) {
    CUdeviceptr base;
    size_t all;
    int most, device;
    RT_TRY(rt_result(RT_CALL(cuMemGetAddressRange, &base, &all, (CUdeviceptr)devPtr)));
    RT_TRY(rt_current_device(&device));
    RT_TRY(rt_result(RT_CALL(cuDeviceGetAttribute, &most,
                             CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, device)));
    size_t rest = all - (size_t)((CUdeviceptr)devPtr - base);
    if (*size > rest)
        *size = rest;
    if (*size / texel > (size_t)most)
        *size = (size_t)most * texel;
    return cudaSuccess;
}

// offset: in bytes, how far devPtr lies behind the address that was bound, to be added to what the
// kernel fetches. NULL where devPtr is aligned, as allocations are.
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texref,
                            const void *devPtr, const struct cudaChannelFormatDesc *desc,
                            size_t size) {
    struct rt_texture t;
    CUarray_format format;
    unsigned int channels;
    size_t behind = 0;
    RT_REQUIRE(texref && devPtr && desc, cudaErrorInvalidValue,
               "texref, devPtr and desc must not be NULL");
    RT_TRY(prepare(__func__, texref, desc, &t, &format, &channels));
    RT_TRY(limit_size(devPtr, (size_t)desc->x / 8 * channels, &size));
    RT_TRY(rt_result(RT_CALL(cuTexRefSetFormat, t.handle, format, (int)channels)));
    RT_TRY(rt_result(
        RT_CALL(cuTexRefSetAddress, offset ? &behind : NULL, t.handle, (CUdeviceptr)devPtr, size)));
    if (offset)
        *offset = behind;
    rt_texture_bound(texref, true, behind);
    return cudaSuccess;
}

// offset: as for cudaBindTexture, in bytes of a row.
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texref,
                              const void *devPtr, const struct cudaChannelFormatDesc *desc,
                              size_t width, size_t height, size_t pitch) {
    struct rt_texture t;
    CUDA_ARRAY_DESCRIPTOR d = {.Height = height};
    RT_REQUIRE(texref && devPtr && desc, cudaErrorInvalidValue,
               "texref, devPtr and desc must not be NULL");
    RT_TRY(prepare(__func__, texref, desc, &t, &d.Format, &d.NumChannels));
    size_t texel = (size_t)desc->x / 8 * d.NumChannels, behind = (size_t)devPtr % ALIGNMENT;
    RT_REQUIRE(!behind || offset, cudaErrorInvalidValue,
               "%p is no multiple of %d, and offset is NULL", devPtr, ALIGNMENT);
    RT_REQUIRE(behind % texel == 0, cudaErrorInvalidValue,
               "%p lies no whole number of texels behind a multiple of %d", devPtr, ALIGNMENT);
    d.Width = width + behind / texel;
    RT_TRY(rt_result(
        RT_CALL(cuTexRefSetAddress2D, t.handle, &d, (CUdeviceptr)devPtr - behind, pitch)));
    if (offset)
        *offset = behind;
    rt_texture_bound(texref, true, behind);
    return cudaSuccess;
}

static cudaError_t same_format(const char *function, const struct cudaChannelFormatDesc *desc,
                               cudaArray_const_t array) {
    struct cudaChannelFormatDesc have;
    RT_TRY(cudaGetChannelDesc(&have, array));
    if (have.x != desc->x || have.y != desc->y || have.z != desc->z || have.w != desc->w ||
        have.f != desc->f)
        return rt_fail(function, cudaErrorInvalidValue,
                       "the array has texels of another format than desc");
    return cudaSuccess;
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texref, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc) {
    struct rt_texture t;
    CUarray_format format;
    unsigned int channels;
    RT_REQUIRE(texref && array && desc, cudaErrorInvalidValue,
               "texref, array and desc must not be NULL");
    RT_ENTER();
    RT_TRY(same_format(__func__, desc, array));
    RT_TRY(prepare(__func__, texref, desc, &t, &format, &channels));
    RT_TRY(rt_result(RT_CALL(cuTexRefSetArray, t.handle, (CUarray)array, CU_TRSA_OVERRIDE_FORMAT)));
    rt_texture_bound(texref, true, 0);
    return cudaSuccess;
}

cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texref,
                                            cudaMipmappedArray_const_t mipmappedArray,
                                            const struct cudaChannelFormatDesc *desc) {
    struct rt_texture t;
    cudaArray_t first;
    CUarray_format format;
    unsigned int channels;
    RT_REQUIRE(texref && mipmappedArray && desc, cudaErrorInvalidValue,
               "texref, mipmappedArray and desc must not be NULL");
    RT_ENTER();
    RT_TRY(cudaGetMipmappedArrayLevel(&first, mipmappedArray, 0));
    RT_TRY(same_format(__func__, desc, first));
    RT_TRY(prepare(__func__, texref, desc, &t, &format, &channels));
    RT_TRY(set_mipmap_sampling(texref, &t));
    RT_TRY(rt_result(RT_CALL(cuTexRefSetMipmappedArray, t.handle, (CUmipmappedArray)mipmappedArray,
                             CU_TRSA_OVERRIDE_FORMAT)));
    rt_texture_bound(texref, true, 0);
    return cudaSuccess;
}

// One that is not bound stays so.
cudaError_t cudaUnbindTexture(const struct textureReference *texref) {
    struct rt_texture t;
    RT_REQUIRE(texref, cudaErrorInvalidTexture, "texref must not be NULL");
    RT_ENTER();
    RT_TRY(rt_texture(__func__, texref, &t));
    if (t.bound)
        RT_TRY(rt_result(RT_CALL(cuTexRefSetAddress, NULL, t.handle, 0, 0)));
    rt_texture_bound(texref, false, 0);
    return cudaSuccess;
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texref) {
    struct rt_texture t;
    RT_REQUIRE(offset, cudaErrorInvalidValue, "offset must not be NULL");
    RT_REQUIRE(texref, cudaErrorInvalidTexture, "texref must not be NULL");
    RT_ENTER();
    RT_TRY(rt_texture(__func__, texref, &t));
    RT_REQUIRE(t.bound, cudaErrorInvalidTextureBinding,
               "nothing is bound to the texture reference");
    *offset = t.offset;
    return cudaSuccess;
}

// symbol: the address of the reference itself.
cudaError_t cudaGetTextureReference(const struct textureReference **texref, const void *symbol) {
    RT_REQUIRE(texref, cudaErrorInvalidValue, "texref must not be NULL");
    RT_REQUIRE(rt_is_reference(symbol, false), cudaErrorInvalidTexture,
               "%p is the address of no texture reference", symbol);
    *texref = symbol;
    return cudaSuccess;
}

// ---- Surfaces -----------------------------------------------------------------------------------

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surfref, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc) {
    CUsurfref handle;
    RT_REQUIRE(surfref && array && desc, cudaErrorInvalidValue,
               "surfref, array and desc must not be NULL");
    RT_ENTER();
    RT_TRY(same_format(__func__, desc, array));
    RT_TRY(rt_surface(__func__, surfref, &handle));
    return rt_result(RT_CALL(cuSurfRefSetArray, handle, (CUarray)array, 0));
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surfref, const void *symbol) {
    RT_REQUIRE(surfref, cudaErrorInvalidValue, "surfref must not be NULL");
    RT_REQUIRE(rt_is_reference(symbol, true), cudaErrorInvalidSurface,
               "%p is the address of no surface reference", symbol);
    *surfref = symbol;
    return cudaSuccess;
}
