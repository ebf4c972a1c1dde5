// Fetches through texture references: those of texture_indirect_functions.h, with the handle that
// is in the reference.
#ifndef __TEXTURE_FETCH_FUNCTIONS_H__
#define __TEXTURE_FETCH_FUNCTIONS_H__

#include "cuda_texture_types.h"
#include "texture_indirect_functions.h"

#if defined(__cplusplus) && defined(__CUDA__)

// What a fetch gives: the texel's type, or floats in its place.
template <class T, enum cudaTextureReadMode mode> struct __kudzu_fetched {
    typedef T type;
};
#define KUDZU_FETCHED(T, floats)                                                                   \
    template <> struct __kudzu_fetched<T, cudaReadModeNormalizedFloat> {                           \
        typedef floats type;                                                                       \
    };
#define KUDZU_FETCHED_VECTORS(scalar, vector)                                                      \
    KUDZU_FETCHED(scalar, float)                                                                   \
    KUDZU_FETCHED(vector##1, float1)                                                               \
    KUDZU_FETCHED(vector##2, float2) KUDZU_FETCHED(vector##4, float4)
KUDZU_FETCHED(char, float)
KUDZU_FETCHED_VECTORS(signed char, char)
KUDZU_FETCHED_VECTORS(unsigned char, uchar)
KUDZU_FETCHED_VECTORS(short, short)
KUDZU_FETCHED_VECTORS(unsigned short, ushort)
#undef KUDZU_FETCHED_VECTORS
#undef KUDZU_FETCHED

template <class T, int texType, enum cudaTextureReadMode mode>
static __device__ __inline__ cudaTextureObject_t
__kudzu_texture_object(texture<T, texType, mode> reference) {
    cudaTextureObject_t object;
    __asm__("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
    return object;
}

#define KUDZU_UNPACK(...) __VA_ARGS__
#define KUDZU_FETCH(name, texType, parameters, arguments)                                          \
    template <class T, enum cudaTextureReadMode mode>                                              \
    static __device__ __inline__ typename __kudzu_fetched<T, mode>::type name(                     \
        texture<T, texType, mode> t, KUDZU_UNPACK parameters) {                                    \
        return name<typename __kudzu_fetched<T, mode>::type>(__kudzu_texture_object(t),            \
                                                             KUDZU_UNPACK arguments);              \
    }
#define KUDZU_FETCHES(name, texType, gradient, parameters, arguments)                              \
    KUDZU_FETCH(name, texType, parameters, arguments)                                              \
    KUDZU_FETCH(name##Lod, texType, (KUDZU_UNPACK parameters, float level),                        \
                (KUDZU_UNPACK arguments, level))                                                   \
    KUDZU_FETCH(name##Grad, texType, (KUDZU_UNPACK parameters, gradient dPdx, gradient dPdy),      \
                (KUDZU_UNPACK arguments, dPdx, dPdy))

KUDZU_FETCH(tex1Dfetch, cudaTextureType1D, (int x), (x))
KUDZU_FETCHES(tex1D, cudaTextureType1D, float, (float x), (x))
KUDZU_FETCHES(tex2D, cudaTextureType2D, float2, (float x, float y), (x, y))
KUDZU_FETCHES(tex3D, cudaTextureType3D, float4, (float x, float y, float z), (x, y, z))
KUDZU_FETCHES(tex1DLayered, cudaTextureType1DLayered, float, (float x, int layer), (x, layer))
KUDZU_FETCHES(tex2DLayered, cudaTextureType2DLayered, float2, (float x, float y, int layer),
              (x, y, layer))
KUDZU_FETCHES(texCubemap, cudaTextureTypeCubemap, float4, (float x, float y, float z), (x, y, z))
KUDZU_FETCHES(texCubemapLayered, cudaTextureTypeCubemapLayered, float4,
              (float x, float y, float z, int layer), (x, y, z, layer))
#undef KUDZU_FETCHES
#undef KUDZU_FETCH
#undef KUDZU_UNPACK

// Component `comp` of the four texels that linear filtering would use.
template <class T, enum cudaTextureReadMode mode> struct __kudzu_gathered;
#define KUDZU_GATHERED_AS(T, mode, four)                                                           \
    template <> struct __kudzu_gathered<T, mode> {                                                 \
        typedef four type;                                                                         \
    };
#define KUDZU_GATHERED(T, four, floats)                                                            \
    KUDZU_GATHERED_AS(T, cudaReadModeElementType, four)                                            \
    KUDZU_GATHERED_AS(T, cudaReadModeNormalizedFloat, floats)
#define KUDZU_GATHERED_VECTORS(scalar, vector)                                                     \
    KUDZU_GATHERED(scalar, vector##4, float4)                                                      \
    KUDZU_GATHERED(vector##1, vector##4, float4)                                                   \
    KUDZU_GATHERED(vector##2, vector##4, float4) KUDZU_GATHERED(vector##4, vector##4, float4)
KUDZU_GATHERED(char, char4, float4)
KUDZU_GATHERED_VECTORS(signed char, char)
KUDZU_GATHERED_VECTORS(unsigned char, uchar)
KUDZU_GATHERED_VECTORS(short, short)
KUDZU_GATHERED_VECTORS(unsigned short, ushort)
KUDZU_GATHERED_VECTORS(int, int)
KUDZU_GATHERED_VECTORS(unsigned int, uint)
KUDZU_GATHERED_VECTORS(float, float)
#undef KUDZU_GATHERED_VECTORS
#undef KUDZU_GATHERED
#undef KUDZU_GATHERED_AS

template <class T, enum cudaTextureReadMode mode>
static __device__ __inline__ typename __kudzu_gathered<T, mode>::type
tex2Dgather(texture<T, cudaTextureType2D, mode> t, float x, float y, int comp = 0) {
    return tex2Dgather<typename __kudzu_gathered<T, mode>::type>(__kudzu_texture_object(t), x, y,
                                                                 comp);
}

#endif

#endif
