// Fetches through texture objects (guide 10.8). Written as PTX, so the same program runs on a GPU.
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#include "texture_types.h"
#include "vector_functions.h"

#if defined(__cplusplus) && defined(__CUDA__)

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

#define KUDZU_UNPACK(...) __VA_ARGS__
// name<T>(object, parameters) and name(&result, object, parameters), and below them the instruction
// for each register type: its name up to the number of components, the type of its coordinates,
// what follows the object in its address and behind it, by the names of the asm operands.
#define KUDZU_FETCH_AS(type, constraint, ptx, name, instruction, ctype, address, parameters, ...)  \
    static __device__ __inline__ void __kudzu_##name(type *t, cudaTextureObject_t o,               \
                                                     KUDZU_UNPACK parameters) {                    \
        __asm__(instruction ".v4." ptx "." ctype " {%0, %1, %2, %3}, [%[o], " address ";"          \
                : "=" constraint(t[0]), "=" constraint(t[1]), "=" constraint(t[2]),                \
                  "=" constraint(t[3])                                                             \
                : [o] "l"(o), __VA_ARGS__);                                                        \
    }
#define KUDZU_FETCH(name, instruction, ctype, address, parameters, arguments, ...)                 \
    KUDZU_FETCH_AS(float, "f", "f32", name, instruction, ctype, address, parameters, __VA_ARGS__)  \
    KUDZU_FETCH_AS(int, "r", "s32", name, instruction, ctype, address, parameters, __VA_ARGS__)    \
    KUDZU_FETCH_AS(unsigned int, "r", "u32", name, instruction, ctype, address, parameters,        \
                   __VA_ARGS__)                                                                    \
    template <class T>                                                                             \
    static __device__ __inline__ T name(cudaTextureObject_t object, KUDZU_UNPACK parameters) {     \
        typename __kudzu_texel<T>::type t[4];                                                      \
        __kudzu_##name(t, object, KUDZU_UNPACK arguments);                                         \
        return __kudzu_texel<T>::make(t);                                                          \
    }                                                                                              \
    template <class T>                                                                             \
    static __device__ __inline__ void name(T *result, cudaTextureObject_t object,                  \
                                           KUDZU_UNPACK parameters) {                              \
        *result = name<T>(object, KUDZU_UNPACK arguments);                                         \
    }

// The same, with a last parameter that tells whether all texels lie in memory, as in sparse arrays
// they need not: name<T>(object, parameters, &resident) and name(&result, ...).
#define KUDZU_SPARSE_AS(type, constraint, ptx, name, instruction, ctype, address, parameters, ...) \
    static __device__ __inline__ bool __kudzu_sparse_##name(type *t, cudaTextureObject_t o,        \
                                                            KUDZU_UNPACK parameters) {             \
        int resident;                                                                              \
        __asm__("{ .reg .pred %%p; " instruction ".v4." ptx "." ctype                              \
                " {%0, %1, %2, %3}|%%p, [%[o], " address "; selp.b32 %4, 1, 0, %%p; }"             \
                : "=" constraint(t[0]), "=" constraint(t[1]), "=" constraint(t[2]),                \
                  "=" constraint(t[3]), "=r"(resident)                                             \
                : [o] "l"(o), __VA_ARGS__);                                                        \
        return resident != 0;                                                                      \
    }
#define KUDZU_SPARSE(name, instruction, ctype, address, parameters, arguments, ...)                \
    KUDZU_SPARSE_AS(float, "f", "f32", name, instruction, ctype, address, parameters, __VA_ARGS__) \
    KUDZU_SPARSE_AS(int, "r", "s32", name, instruction, ctype, address, parameters, __VA_ARGS__)   \
    KUDZU_SPARSE_AS(unsigned int, "r", "u32", name, instruction, ctype, address, parameters,       \
                    __VA_ARGS__)                                                                   \
    template <class T>                                                                             \
    static __device__ __inline__ T name(cudaTextureObject_t object, KUDZU_UNPACK parameters,       \
                                        bool *isResident) {                                        \
        typename __kudzu_texel<T>::type t[4];                                                      \
        *isResident = __kudzu_sparse_##name(t, object, KUDZU_UNPACK arguments);                    \
        return __kudzu_texel<T>::make(t);                                                          \
    }                                                                                              \
    template <class T>                                                                             \
    static __device__ __inline__ void name(T *result, cudaTextureObject_t object,                  \
                                           KUDZU_UNPACK parameters, bool *isResident) {            \
        *result = name<T>(object, KUDZU_UNPACK arguments, isResident);                             \
    }

// A geometry's three fetches: at level 0, at a level, with gradients; each by the macro FETCH.
#define KUDZU_FETCHES(FETCH, name, geometry, address, parameters, arguments, gradient,             \
                      dx_elements, dy_elements, dx_operands, dy_operands, ...)                     \
    FETCH(name, "tex." geometry, "f32", address "]", parameters, arguments, __VA_ARGS__)           \
    FETCH(name##Lod, "tex.level." geometry, "f32", address "], %[lod]",                            \
          (KUDZU_UNPACK parameters, float level), (KUDZU_UNPACK arguments, level),                 \
          __VA_ARGS__, [lod] "f"(level))                                                           \
    FETCH(name##Grad, "tex.grad." geometry, "f32", address "], " dx_elements ", " dy_elements,     \
          (KUDZU_UNPACK parameters, gradient dx, gradient dy), (KUDZU_UNPACK arguments, dx, dy),   \
          __VA_ARGS__, KUDZU_UNPACK dx_operands, KUDZU_UNPACK dy_operands)
#define KUDZU_STEP1(d) "{%[" #d "x]}"
#define KUDZU_STEP2(d) "{%[" #d "x], %[" #d "y]}"
#define KUDZU_STEP3(d) "{%[" #d "x], %[" #d "y], %[" #d "z], %[" #d "z]}"
#define KUDZU_FETCHES_1D(FETCH, name, geometry, address, parameters, arguments, ...)               \
    KUDZU_FETCHES(FETCH, name, geometry, address, parameters, arguments, float, KUDZU_STEP1(dx),   \
                  KUDZU_STEP1(dy), ([dxx] "f"(dx)), ([dyx] "f"(dy)), __VA_ARGS__)
#define KUDZU_FETCHES_2D(FETCH, name, geometry, address, parameters, arguments, ...)               \
    KUDZU_FETCHES(FETCH, name, geometry, address, parameters, arguments, float2, KUDZU_STEP2(dx),  \
                  KUDZU_STEP2(dy), ([dxx] "f"(dx.x), [dxy] "f"(dx.y)),                             \
                  ([dyx] "f"(dy.x), [dyy] "f"(dy.y)), __VA_ARGS__)
#define KUDZU_FETCHES_3D(FETCH, name, geometry, address, parameters, arguments, ...)               \
    KUDZU_FETCHES(FETCH, name, geometry, address, parameters, arguments, float4, KUDZU_STEP3(dx),  \
                  KUDZU_STEP3(dy), ([dxx] "f"(dx.x), [dxy] "f"(dx.y), [dxz] "f"(dx.z)),            \
                  ([dyx] "f"(dy.x), [dyy] "f"(dy.y), [dyz] "f"(dy.z)), __VA_ARGS__)

KUDZU_FETCH(tex1Dfetch, "tex.1d", "s32", "{%[x]}]", (int x), (x), [x] "r"(x))
KUDZU_FETCHES_1D(KUDZU_FETCH, tex1D, "1d", "{%[x]}", (float x), (x), [x] "f"(x))
KUDZU_FETCHES_1D(KUDZU_FETCH, tex1DLayered, "a1d", "{%[l], %[x]}", (float x, int layer),
                 (x, layer), [x] "f"(x), [l] "r"(layer))
KUDZU_FETCHES_3D(KUDZU_FETCH, texCubemap, "cube", "{%[x], %[y], %[z], %[z]}",
                 (float x, float y, float z), (x, y, z), [x] "f"(x), [y] "f"(y), [z] "f"(z))
KUDZU_FETCHES_3D(KUDZU_FETCH, texCubemapLayered, "acube", "{%[l], %[x], %[y], %[z]}",
                 (float x, float y, float z, int layer),
                 (x, y, z, layer), [x] "f"(x), [y] "f"(y), [z] "f"(z), [l] "r"(layer))
// Those that arrays may be sparse for.
#define KUDZU_PLANES(FETCH)                                                                        \
    KUDZU_FETCHES_2D(FETCH, tex2D, "2d", "{%[x], %[y]}", (float x, float y),                       \
                     (x, y), [x] "f"(x), [y] "f"(y))                                               \
    KUDZU_FETCHES_3D(FETCH, tex3D, "3d", "{%[x], %[y], %[z], %[z]}", (float x, float y, float z),  \
                     (x, y, z), [x] "f"(x), [y] "f"(y), [z] "f"(z))                                \
    KUDZU_FETCHES_2D(FETCH, tex2DLayered, "a2d", "{%[l], %[x], %[y], %[y]}",                       \
                     (float x, float y, int layer),                                                \
                     (x, y, layer), [x] "f"(x), [y] "f"(y), [l] "r"(layer))                        \
    FETCH(__kudzu_gather0, "tld4.r.2d", "f32", "{%[x], %[y]}]", (float x, float y),                \
          (x, y), [x] "f"(x), [y] "f"(y))                                                          \
    FETCH(__kudzu_gather1, "tld4.g.2d", "f32", "{%[x], %[y]}]", (float x, float y),                \
          (x, y), [x] "f"(x), [y] "f"(y))                                                          \
    FETCH(__kudzu_gather2, "tld4.b.2d", "f32", "{%[x], %[y]}]", (float x, float y),                \
          (x, y), [x] "f"(x), [y] "f"(y))                                                          \
    FETCH(__kudzu_gather3, "tld4.a.2d", "f32", "{%[x], %[y]}]", (float x, float y),                \
          (x, y), [x] "f"(x), [y] "f"(y))
KUDZU_PLANES(KUDZU_FETCH)
KUDZU_PLANES(KUDZU_SPARSE)
#undef KUDZU_PLANES
#undef KUDZU_FETCHES_3D
#undef KUDZU_FETCHES_2D
#undef KUDZU_FETCHES_1D
#undef KUDZU_STEP3
#undef KUDZU_STEP2
#undef KUDZU_STEP1
#undef KUDZU_FETCHES
#undef KUDZU_SPARSE
#undef KUDZU_SPARSE_AS
#undef KUDZU_FETCH
#undef KUDZU_FETCH_AS
#undef KUDZU_UNPACK

// Component `comp` of the four texels that linear filtering would use.
template <class T>
static __device__ __inline__ T tex2Dgather(cudaTextureObject_t object, float x, float y,
                                           int comp = 0) {
    return comp == 1   ? __kudzu_gather1<T>(object, x, y)
           : comp == 2 ? __kudzu_gather2<T>(object, x, y)
           : comp == 3 ? __kudzu_gather3<T>(object, x, y)
                       : __kudzu_gather0<T>(object, x, y);
}
template <class T>
static __device__ __inline__ void tex2Dgather(T *result, cudaTextureObject_t object, float x,
                                              float y, int comp = 0) {
    *result = tex2Dgather<T>(object, x, y, comp);
}
template <class T>
static __device__ __inline__ T tex2Dgather(cudaTextureObject_t object, float x, float y,
                                           bool *isResident, int comp = 0) {
    return comp == 1   ? __kudzu_gather1<T>(object, x, y, isResident)
           : comp == 2 ? __kudzu_gather2<T>(object, x, y, isResident)
           : comp == 3 ? __kudzu_gather3<T>(object, x, y, isResident)
                       : __kudzu_gather0<T>(object, x, y, isResident);
}
template <class T>
static __device__ __inline__ void tex2Dgather(T *result, cudaTextureObject_t object, float x,
                                              float y, bool *isResident, int comp = 0) {
    *result = tex2Dgather<T>(object, x, y, isResident, comp);
}

#endif

#endif
