// Fetches through texture objects (guide 10.8): tex1Dfetch, tex1D, tex2D. Written as PTX, so the
// same program runs on a GPU.
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#include "texture_types.h"
#include "vector_functions.h"

#if defined(__cplusplus) && defined(__CUDA__)

// One fetch of four components of a register type.
#define KUDZU_TEX_FETCHES(type, constraint, ptx)                                                   \
    static __device__ __inline__ void __kudzu_tex1Dfetch(type *t, cudaTextureObject_t o, int x) {  \
        __asm__("tex.1d.v4." ptx ".s32 {%0, %1, %2, %3}, [%4, {%5}];"                              \
                : "=" constraint(t[0]), "=" constraint(t[1]), "=" constraint(t[2]),                \
                  "=" constraint(t[3])                                                             \
                : "l"(o), "r"(x));                                                                 \
    }                                                                                              \
    static __device__ __inline__ void __kudzu_tex1D(type *t, cudaTextureObject_t o, float x) {     \
        __asm__("tex.1d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5}];"                              \
                : "=" constraint(t[0]), "=" constraint(t[1]), "=" constraint(t[2]),                \
                  "=" constraint(t[3])                                                             \
                : "l"(o), "f"(x));                                                                 \
    }                                                                                              \
    static __device__ __inline__ void __kudzu_tex2D(type *t, cudaTextureObject_t o, float x,       \
                                                    float y) {                                     \
        __asm__("tex.2d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                          \
                : "=" constraint(t[0]), "=" constraint(t[1]), "=" constraint(t[2]),                \
                  "=" constraint(t[3])                                                             \
                : "l"(o), "f"(x), "f"(y));                                                         \
    }
KUDZU_TEX_FETCHES(float, "f", "f32")
KUDZU_TEX_FETCHES(int, "r", "s32")
KUDZU_TEX_FETCHES(unsigned int, "r", "u32")
#undef KUDZU_TEX_FETCHES

// How a texel type is fetched and made of components; types that are no texel have none.
template <class T> struct __kudzu_texel;

#define KUDZU_TEXEL(T, component, ...)                                                             \
    template <> struct __kudzu_texel<T> {                                                          \
        typedef component type;                                                                    \
        static __device__ __inline__ T make(const component *t) {                                  \
            return __VA_ARGS__;                                                                    \
        }                                                                                          \
    };
#define KUDZU_TEXEL_VECTORS(vector, scalar, component)                                             \
    KUDZU_TEXEL(vector##1, component, make_##vector##1((scalar)t[0]))                              \
    KUDZU_TEXEL(vector##2, component, make_##vector##2((scalar)t[0], (scalar)t[1]))                \
    KUDZU_TEXEL(vector##4, component,                                                              \
                make_##vector##4((scalar)t[0], (scalar)t[1], (scalar)t[2], (scalar)t[3]))
#define KUDZU_TEXELS(vector, scalar, component)                                                    \
    KUDZU_TEXEL(scalar, component, (scalar)t[0])                                                   \
    KUDZU_TEXEL_VECTORS(vector, scalar, component)

KUDZU_TEXEL(char, int, (char)t[0])
KUDZU_TEXELS(char, signed char, int)
KUDZU_TEXELS(uchar, unsigned char, unsigned int)
KUDZU_TEXELS(short, short, int)
KUDZU_TEXELS(ushort, unsigned short, unsigned int)
KUDZU_TEXELS(int, int, int)
KUDZU_TEXELS(uint, unsigned int, unsigned int)
KUDZU_TEXELS(float, float, float)
#undef KUDZU_TEXELS
#undef KUDZU_TEXEL_VECTORS
#undef KUDZU_TEXEL

template <class T> static __device__ __inline__ T tex1Dfetch(cudaTextureObject_t object, int x) {
    typename __kudzu_texel<T>::type t[4];
    __kudzu_tex1Dfetch(t, object, x);
    return __kudzu_texel<T>::make(t);
}
template <class T> static __device__ __inline__ T tex1D(cudaTextureObject_t object, float x) {
    typename __kudzu_texel<T>::type t[4];
    __kudzu_tex1D(t, object, x);
    return __kudzu_texel<T>::make(t);
}
template <class T>
static __device__ __inline__ T tex2D(cudaTextureObject_t object, float x, float y) {
    typename __kudzu_texel<T>::type t[4];
    __kudzu_tex2D(t, object, x, y);
    return __kudzu_texel<T>::make(t);
}

// The same with the result behind a pointer.
template <class T>
static __device__ __inline__ void tex1Dfetch(T *result, cudaTextureObject_t object, int x) {
    *result = tex1Dfetch<T>(object, x);
}
template <class T>
static __device__ __inline__ void tex1D(T *result, cudaTextureObject_t object, float x) {
    *result = tex1D<T>(object, x);
}
template <class T>
static __device__ __inline__ void tex2D(T *result, cudaTextureObject_t object, float x, float y) {
    *result = tex2D<T>(object, x, y);
}

#endif

#endif
