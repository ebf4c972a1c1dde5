// Accesses through surface references: those of surface_indirect_functions.h, with the handle that
// is in the reference.
#ifndef __SURFACE_FUNCTIONS_H__
#define __SURFACE_FUNCTIONS_H__

#include "cuda_surface_types.h"
#include "surface_indirect_functions.h"

#if defined(__cplusplus) && defined(__CUDA__)

template <int surfType>
static __device__ __inline__ cudaSurfaceObject_t
__kudzu_surface_object(surface<void, surfType> reference) {
    cudaSurfaceObject_t object;
    __asm__("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
    return object;
}

#define KUDZU_UNPACK(...) __VA_ARGS__
#define KUDZU_SURFACE(name, surfType, parameters, arguments)                                       \
    template <class T>                                                                             \
    static __device__ __inline__ T name##read(surface<void, surfType> s, KUDZU_UNPACK parameters,  \
                                              enum cudaSurfaceBoundaryMode mode =                  \
                                                  cudaBoundaryModeTrap) {                          \
        return name##read<T>(__kudzu_surface_object(s), KUDZU_UNPACK arguments, mode);             \
    }                                                                                              \
    template <class T>                                                                             \
    static __device__ __inline__ void name##read(                                                  \
        T *result, surface<void, surfType> s, KUDZU_UNPACK parameters,                             \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
        *result = name##read<T>(__kudzu_surface_object(s), KUDZU_UNPACK arguments, mode);          \
    }                                                                                              \
    template <class T>                                                                             \
    static __device__ __inline__ void name##write(                                                 \
        T data, surface<void, surfType> s, KUDZU_UNPACK parameters,                                \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
        name##write(data, __kudzu_surface_object(s), KUDZU_UNPACK arguments, mode);                \
    }
KUDZU_SURFACE(surf1D, cudaSurfaceType1D, (int x), (x))
KUDZU_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), (x, y))
KUDZU_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), (x, y, z))
KUDZU_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), (x, layer))
KUDZU_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), (x, y, layer))
KUDZU_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), (x, y, face))
KUDZU_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int layerFace),
              (x, y, layerFace))
#undef KUDZU_SURFACE
#undef KUDZU_UNPACK

#endif

#endif
