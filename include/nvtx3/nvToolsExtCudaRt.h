// Names for the objects of the runtime API. They belong to profilers, and no profiler listens.
#ifndef NVTOOLSEXTCUDART_H_V3
#define NVTOOLSEXTCUDART_H_V3

#include <cuda_runtime_api.h>

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
KUDZU_NVTX_NAME(CudaDevice, int)
KUDZU_NVTX_NAME(CudaStream, cudaStream_t)
KUDZU_NVTX_NAME(CudaEvent, cudaEvent_t)
#undef KUDZU_NVTX_NAME

#ifdef UNICODE
#define nvtxNameCudaDevice nvtxNameCudaDeviceW
#define nvtxNameCudaStream nvtxNameCudaStreamW
#define nvtxNameCudaEvent nvtxNameCudaEventW
#else
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
#endif

#endif
