// Surface references, of the editions before version 12 (guide of version 11, 3.2.13.2.2):
// variables at file scope, which stand for the array that host code binds to them.
#ifndef __CUDA_SURFACE_TYPES_H__
#define __CUDA_SURFACE_TYPES_H__

#include "channel_descriptor.h"
#include "surface_types.h"

#if defined(__cplusplus) && defined(__CUDA__)

// T is void; surfType: cudaSurfaceType*.
template <class T, int surfType = cudaSurfaceType1D>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
    surface() : surfaceReference() {
        channelDesc = cudaCreateChannelDesc<T>();
    }
};
template <int surfType>
struct __attribute__((device_builtin_surface_type)) surface<void, surfType>
    : public surfaceReference {
    surface() : surfaceReference() {
    }
};

#endif

#endif
