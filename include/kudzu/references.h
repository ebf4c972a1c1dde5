// Texture and surface references whole: fetches, accesses, and the forms of the runtime's functions
// that take a reference. `kudzu cc` includes this in sources that use them.
#ifndef KUDZU_REFERENCES_H
#define KUDZU_REFERENCES_H

#include "cuda_runtime_api.h"
#include "surface_functions.h"
#include "texture_fetch_functions.h"

#if defined(__cplusplus) && defined(__CUDA__)

#define KUDZU_HOST static __inline__ __host__
#define KUDZU_TEXTURE                                                                              \
    template <class T, int dim, enum cudaTextureReadMode readMode> KUDZU_HOST cudaError_t

// Where no format is given it is that of T.
KUDZU_TEXTURE cudaBindTexture(size_t *offset, const texture<T, dim, readMode> &tex,
                              const void *devPtr, const struct cudaChannelFormatDesc &desc,
                              size_t size = 0xffffffffu) {
    return ::cudaBindTexture(offset, (const textureReference *)&tex, devPtr, &desc, size);
}
KUDZU_TEXTURE cudaBindTexture(size_t *offset, const texture<T, dim, readMode> &tex,
                              const void *devPtr, size_t size = 0xffffffffu) {
    return cudaBindTexture(offset, tex, devPtr, tex.channelDesc, size);
}
KUDZU_TEXTURE cudaBindTexture2D(size_t *offset, const texture<T, dim, readMode> &tex,
                                const void *devPtr, const struct cudaChannelFormatDesc &desc,
                                size_t width, size_t height, size_t pitch) {
    return ::cudaBindTexture2D(offset, (const textureReference *)&tex, devPtr, &desc, width, height,
                               pitch);
}
KUDZU_TEXTURE cudaBindTexture2D(size_t *offset, const texture<T, dim, readMode> &tex,
                                const void *devPtr, size_t width, size_t height, size_t pitch) {
    return ::cudaBindTexture2D(offset, (const textureReference *)&tex, devPtr, &tex.channelDesc,
                               width, height, pitch);
}
KUDZU_TEXTURE cudaBindTextureToArray(const texture<T, dim, readMode> &tex, cudaArray_const_t array,
                                     const struct cudaChannelFormatDesc &desc) {
    return ::cudaBindTextureToArray((const textureReference *)&tex, array, &desc);
}
KUDZU_TEXTURE cudaBindTextureToArray(const texture<T, dim, readMode> &tex,
                                     cudaArray_const_t array) {
    struct cudaChannelFormatDesc desc;
    cudaError_t error = ::cudaGetChannelDesc(&desc, array);
    return error == cudaSuccess ? cudaBindTextureToArray(tex, array, desc) : error;
}
KUDZU_TEXTURE cudaBindTextureToMipmappedArray(const texture<T, dim, readMode> &tex,
                                              cudaMipmappedArray_const_t mipmappedArray,
                                              const struct cudaChannelFormatDesc &desc) {
    return ::cudaBindTextureToMipmappedArray((const textureReference *)&tex, mipmappedArray, &desc);
}
KUDZU_TEXTURE cudaBindTextureToMipmappedArray(const texture<T, dim, readMode> &tex,
                                              cudaMipmappedArray_const_t mipmappedArray) {
    cudaArray_t level;
    struct cudaChannelFormatDesc desc;
    cudaError_t error = ::cudaGetMipmappedArrayLevel(&level, mipmappedArray, 0);
    if (error == cudaSuccess)
        error = ::cudaGetChannelDesc(&desc, level);
    return error == cudaSuccess ? cudaBindTextureToMipmappedArray(tex, mipmappedArray, desc)
                                : error;
}
KUDZU_TEXTURE cudaUnbindTexture(const texture<T, dim, readMode> &tex) {
    return ::cudaUnbindTexture((const textureReference *)&tex);
}
KUDZU_TEXTURE cudaGetTextureAlignmentOffset(size_t *offset, const texture<T, dim, readMode> &tex) {
    return ::cudaGetTextureAlignmentOffset(offset, (const textureReference *)&tex);
}
KUDZU_TEXTURE cudaGetTextureReference(const struct textureReference **texref,
                                      const texture<T, dim, readMode> &tex) {
    return ::cudaGetTextureReference(texref, (const void *)&tex);
}

template <class T, int dim>
KUDZU_HOST cudaError_t cudaBindSurfaceToArray(const surface<T, dim> &surf, cudaArray_const_t array,
                                              const struct cudaChannelFormatDesc &desc) {
    return ::cudaBindSurfaceToArray((const surfaceReference *)&surf, array, &desc);
}
template <class T, int dim>
KUDZU_HOST cudaError_t cudaBindSurfaceToArray(const surface<T, dim> &surf,
                                              cudaArray_const_t array) {
    struct cudaChannelFormatDesc desc;
    cudaError_t error = ::cudaGetChannelDesc(&desc, array);
    return error == cudaSuccess ? cudaBindSurfaceToArray(surf, array, desc) : error;
}
template <class T, int dim>
KUDZU_HOST cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surfref,
                                               const surface<T, dim> &surf) {
    return ::cudaGetSurfaceReference(surfref, (const void *)&surf);
}

#undef KUDZU_TEXTURE
#undef KUDZU_HOST

#endif

#endif
