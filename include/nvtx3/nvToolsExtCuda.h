// Names for the objects of the driver API. They belong to profilers, and no profiler listens.
#ifndef NVTOOLSEXTCUDA_H_V3
#define NVTOOLSEXTCUDA_H_V3

#include <cuda.h>

#include "nvToolsExt.h"

#define KUDZU_NVTX_NAME(kind, type)                                                                \
    static __inline__                                                                              \
        __attribute__((unused)) void nvtxName##kind##A(type object, const char *name) {            \
        (void)object, (void)name;                                                                  \
    }                                                                                              \
    static __inline__                                                                              \
        __attribute__((unused)) void nvtxName##kind##W(type object, const wchar_t *name) {         \
        (void)object, (void)name;                                                                  \
    }
KUDZU_NVTX_NAME(CuDevice, CUdevice)
KUDZU_NVTX_NAME(CuContext, CUcontext)
KUDZU_NVTX_NAME(CuStream, CUstream)
KUDZU_NVTX_NAME(CuEvent, CUevent)
#undef KUDZU_NVTX_NAME

#ifdef UNICODE
#define nvtxNameCuDevice nvtxNameCuDeviceW
#define nvtxNameCuContext nvtxNameCuContextW
#define nvtxNameCuStream nvtxNameCuStreamW
#define nvtxNameCuEvent nvtxNameCuEventW
#else
#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA
#endif

#endif
