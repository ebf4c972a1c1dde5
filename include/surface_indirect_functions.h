// Loads and stores of surface objects (guide 10.9). x counts bytes. Written as PTX, so the same
// program runs on a GPU.
#ifndef __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#include "surface_types.h"

#if defined(__cplusplus) && defined(__CUDA__)

#define KUDZU_UNPACK(...) __VA_ARGS__

// One access of the size of a T; mode: what happens outside.
#define KUDZU_LOAD(geometry, address, mode, ...)                                                   \
    switch (sizeof(T)) {                                                                           \
    case 1:                                                                                        \
        __asm__ volatile("suld.b." geometry ".b8." mode " %0, [%[o], " address "];"                \
                         : "=h"(v.half)                                                            \
                         : [o] "l"(object), __VA_ARGS__                                            \
                         : "memory");                                                              \
        break;                                                                                     \
    case 2:                                                                                        \
        __asm__ volatile("suld.b." geometry ".b16." mode " %0, [%[o], " address "];"               \
                         : "=h"(v.half)                                                            \
                         : [o] "l"(object), __VA_ARGS__                                            \
                         : "memory");                                                              \
        break;                                                                                     \
    case 4:                                                                                        \
        __asm__ volatile("suld.b." geometry ".b32." mode " %0, [%[o], " address "];"               \
                         : "=r"(v.word)                                                            \
                         : [o] "l"(object), __VA_ARGS__                                            \
                         : "memory");                                                              \
        break;                                                                                     \
    case 8:                                                                                        \
        __asm__ volatile("suld.b." geometry ".b64." mode " %0, [%[o], " address "];"               \
                         : "=l"(v.wide[0])                                                         \
                         : [o] "l"(object), __VA_ARGS__                                            \
                         : "memory");                                                              \
        break;                                                                                     \
    default:                                                                                       \
        __asm__ volatile("suld.b." geometry ".v2.b64." mode " {%0, %1}, [%[o], " address "];"      \
                         : "=l"(v.wide[0]), "=l"(v.wide[1])                                        \
                         : [o] "l"(object), __VA_ARGS__                                            \
                         : "memory");                                                              \
    }
#define KUDZU_STORE(geometry, address, mode, ...)                                                  \
    switch (sizeof(T)) {                                                                           \
    case 1:                                                                                        \
        __asm__ volatile("sust.b." geometry ".b8." mode " [%[o], " address                         \
                         "], %[v];" ::[o] "l"(object),                                             \
                         [v] "h"(v.half), __VA_ARGS__                                              \
                         : "memory");                                                              \
        break;                                                                                     \
    case 2:                                                                                        \
        __asm__ volatile("sust.b." geometry ".b16." mode " [%[o], " address                        \
                         "], %[v];" ::[o] "l"(object),                                             \
                         [v] "h"(v.half), __VA_ARGS__                                              \
                         : "memory");                                                              \
        break;                                                                                     \
    case 4:                                                                                        \
        __asm__ volatile("sust.b." geometry ".b32." mode " [%[o], " address                        \
                         "], %[v];" ::[o] "l"(object),                                             \
                         [v] "r"(v.word), __VA_ARGS__                                              \
                         : "memory");                                                              \
        break;                                                                                     \
    case 8:                                                                                        \
        __asm__ volatile("sust.b." geometry ".b64." mode " [%[o], " address                        \
                         "], %[v];" ::[o] "l"(object),                                             \
                         [v] "l"(v.wide[0]), __VA_ARGS__                                           \
                         : "memory");                                                              \
        break;                                                                                     \
    default:                                                                                       \
        __asm__ volatile("sust.b." geometry ".v2.b64." mode " [%[o], " address                     \
                         "], {%[v], %[w]};" ::[o] "l"(object),                                     \
                         [v] "l"(v.wide[0]), [w] "l"(v.wide[1]), __VA_ARGS__                       \
                         : "memory");                                                              \
    }
#define KUDZU_BY_MODE(access, geometry, address, ...)                                              \
    if (mode == cudaBoundaryModeZero) {                                                            \
        access(geometry, address, "zero", __VA_ARGS__)                                             \
    } else if (mode == cudaBoundaryModeClamp) {                                                    \
        access(geometry, address, "clamp", __VA_ARGS__)                                            \
    } else {                                                                                       \
        access(geometry, address, "trap", __VA_ARGS__)                                             \
    }

// The bits of a T in the registers that hold them.
template <class T> union __kudzu_surface_value {
    _Static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 ||
                       sizeof(T) == 16,
                   "surface accesses have 1, 2, 4, 8 or 16 bytes");
    unsigned short half;
    unsigned int word;
    unsigned long long wide[2];
    char bytes[16];
    static __device__ __inline__ __kudzu_surface_value of(const T &t) {
        __kudzu_surface_value v = {};
        __builtin_memcpy(v.bytes, &t, sizeof(T));
        return v;
    }
    __device__ __inline__ T value() const {
        T t;
        __builtin_memcpy(&t, bytes, sizeof(T));
        return t;
    }
};

// name##read<T>(surface, coordinates), the same through a pointer, and name##write.
#define KUDZU_SURFACE(name, geometry, address, parameters, arguments, ...)                         \
    template <class T>                                                                             \
    static __device__ __inline__ T name##read(cudaSurfaceObject_t object, KUDZU_UNPACK parameters, \
                                              enum cudaSurfaceBoundaryMode mode =                  \
                                                  cudaBoundaryModeTrap) {                          \
        __kudzu_surface_value<T> v = {};                                                           \
        KUDZU_BY_MODE(KUDZU_LOAD, geometry, address, __VA_ARGS__)                                  \
        return v.value();                                                                          \
    }                                                                                              \
    template <class T>                                                                             \
    static __device__ __inline__ void name##read(                                                  \
        T *result, cudaSurfaceObject_t object, KUDZU_UNPACK parameters,                            \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
        *result = name##read<T>(object, KUDZU_UNPACK arguments, mode);                             \
    }                                                                                              \
    template <class T>                                                                             \
    static __device__ __inline__ void name##write(                                                 \
        T data, cudaSurfaceObject_t object, KUDZU_UNPACK parameters,                               \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
        const __kudzu_surface_value<T> v = __kudzu_surface_value<T>::of(data);                     \
        KUDZU_BY_MODE(KUDZU_STORE, geometry, address, __VA_ARGS__)                                 \
    }

KUDZU_SURFACE(surf1D, "1d", "{%[x]}", (int x), (x), [x] "r"(x))
KUDZU_SURFACE(surf2D, "2d", "{%[x], %[y]}", (int x, int y), (x, y), [x] "r"(x), [y] "r"(y))
KUDZU_SURFACE(surf3D, "3d", "{%[x], %[y], %[z], %[z]}", (int x, int y, int z),
              (x, y, z), [x] "r"(x), [y] "r"(y), [z] "r"(z))
KUDZU_SURFACE(surf1DLayered, "a1d", "{%[l], %[x]}", (int x, int layer),
              (x, layer), [x] "r"(x), [l] "r"(layer))
KUDZU_SURFACE(surf2DLayered, "a2d", "{%[l], %[x], %[y], %[y]}", (int x, int y, int layer),
              (x, y, layer), [x] "r"(x), [y] "r"(y), [l] "r"(layer))
KUDZU_SURFACE(surfCubemap, "a2d", "{%[l], %[x], %[y], %[y]}", (int x, int y, int face),
              (x, y, face), [x] "r"(x), [y] "r"(y), [l] "r"(face))
KUDZU_SURFACE(surfCubemapLayered, "a2d", "{%[l], %[x], %[y], %[y]}", (int x, int y, int layerFace),
              (x, y, layerFace), [x] "r"(x), [y] "r"(y), [l] "r"(layerFace))

#undef KUDZU_SURFACE
#undef KUDZU_BY_MODE
#undef KUDZU_STORE
#undef KUDZU_LOAD
#undef KUDZU_UNPACK

#endif

#endif
