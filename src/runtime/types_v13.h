// Types of version 13 of CUDA, which the library's own headers are not of.
#ifndef KUDZU_RUNTIME_TYPES_V13_H
#define KUDZU_RUNTIME_TYPES_V13_H

#include "cuda_runtime_api.h"

#define KUDZU_DEVICE_PROPERTIES_13 cudaDeviceProp_v13
#include "kudzu/device_properties_13.h"
#undef KUDZU_DEVICE_PROPERTIES_13

// Of execution contexts, which are not built.
typedef struct cudaDevResource_st cudaDevResource;
typedef struct cudaDevSmResourceGroupParams_st cudaDevSmResourceGroupParams;
typedef struct CUdevResourceDesc_st *cudaDevResourceDesc_t;
typedef struct cudaExecutionContext_st *cudaExecutionContext_t;
enum cudaDevResourceType { cudaDevResourceTypeInvalid = 0, cudaDevResourceTypeSm = 1 };
struct cudaGraphRecaptureCallbackData;

#endif
