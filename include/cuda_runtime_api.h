// The CUDA runtime API, for C and C++: types, then the prototypes that are generated from the
// API description. <cuda_runtime.h> adds the C++ forms and the device language.
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

// The version of the interface that these headers describe; cudaRuntimeGetVersion() tells how far
// the library behind it is.
#include "kudzu/cuda_version.h"

#if KUDZU_CUDA_VERSION < 13000
#define CUDART_VERSION 12090
#else
#define CUDART_VERSION 13000
#endif

#include "host_defines.h"

#include "builtin_types.h"

#include "cuda_device_runtime_api.h"

// CUDA_API_PER_THREAD_DEFAULT_STREAM, defined before the first include, makes the default stream
// of each call that of the calling thread (guide 6.2.8.5.2).
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#ifdef __cplusplus
// The compiler calls these by name, whatever the macros below make of user code's calls.
extern "C" cudaError_t CUDARTAPI cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim,
                                                  void **args, size_t sharedMem,
                                                  cudaStream_t stream);
extern "C" cudaError_t CUDARTAPI cudaLaunchKernel_ptsz(const void *func, dim3 gridDim,
                                                       dim3 blockDim, void **args,
                                                       size_t sharedMem, cudaStream_t stream);
#endif
#define __CUDART_API_PER_THREAD_DEFAULT_STREAM
#define __CUDART_API_PTDS(api) api##_ptds
#define __CUDART_API_PTSZ(api) api##_ptsz
#else
#define __CUDART_API_PTDS(api) api
#define __CUDART_API_PTSZ(api) api
#endif

// What the device runtime (guide 13) has, too.
#if defined(__CUDA__) && defined(__cplusplus)
#define KUDZU_API_DEVICE __attribute__((host, device))
#endif
#if KUDZU_CUDA_VERSION < 13000
#include "kudzu/runtime_prototypes.h"
#else
#include "kudzu/runtime_prototypes_13.h"
#endif

#endif
