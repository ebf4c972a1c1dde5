// Sizes, offsets and values of the CUDA 12 binary interface on 64-bit Linux.
#include <stddef.h>

#include "cuda_runtime_api.h"

#ifdef __cplusplus
#define SAME(a, b) static_assert((a) == (b), #a)
#define ALIGN(type) alignof(type)
#else
#define SAME(a, b) _Static_assert((a) == (b), #a)
#define ALIGN(type) _Alignof(type)
#endif

SAME(sizeof(struct cudaDeviceProp), 1032);
SAME(offsetof(struct cudaDeviceProp, uuid), 256);
SAME(offsetof(struct cudaDeviceProp, totalGlobalMem), 288);
SAME(offsetof(struct cudaDeviceProp, warpSize), 308);
SAME(offsetof(struct cudaDeviceProp, major), 360);
SAME(offsetof(struct cudaDeviceProp, multiProcessorCount), 388);
SAME(offsetof(struct cudaDeviceProp, sharedMemPerBlockOptin), 696);
SAME(sizeof(struct cudaFuncAttributes), 144);
SAME(sizeof(struct cudaPointerAttributes), 24);
SAME(sizeof(struct cudaPitchedPtr), 32);
SAME(sizeof(struct cudaMemcpy3DParms), 160);
SAME(offsetof(struct cudaMemcpy3DParms, kind), 152);
SAME(sizeof(struct cudaMemcpy3DPeerParms), 168);
SAME(sizeof(cudaLaunchAttributeValue), 64);
SAME(sizeof(cudaLaunchAttribute), 72);
SAME(offsetof(cudaLaunchAttribute, val), 8);
SAME(sizeof(cudaLaunchConfig_t), 56);
SAME(sizeof(struct cudaMemPoolProps), 88);
SAME(sizeof(struct cudaResourceDesc), 64);
SAME(sizeof(struct cudaResourceViewDesc), 48);
SAME(sizeof(struct cudaTextureDesc), 72);
SAME(sizeof(struct cudaChannelFormatDesc), 20);
SAME(sizeof(struct cudaGraphNodeParams), 256);
SAME(sizeof(struct cudaKernelNodeParams), 56);
SAME(sizeof(struct cudaKernelNodeParamsV2), 56);
SAME(sizeof(struct cudaMemsetParams), 40);
SAME(sizeof(cudaIpcMemHandle_t), 64);
SAME(sizeof(cudaUUID_t), 16);
SAME(sizeof(struct cudaExternalSemaphoreSignalParams), 144);
SAME(sizeof(struct cudaExternalSemaphoreWaitParams), 144);
SAME(sizeof(struct cudaExternalMemoryHandleDesc), 40);
SAME(sizeof(dim3), 12);

SAME(sizeof(char3), 3);
SAME(ALIGN(char4), 4);
SAME(ALIGN(short2), 4);
SAME(ALIGN(int2), 8);
SAME(ALIGN(int3), 4);
SAME(sizeof(float3), 12);
SAME(ALIGN(float4), 16);
SAME(ALIGN(double2), 16);
SAME(ALIGN(double3), 8);
SAME(ALIGN(double4), 16);
SAME(sizeof(double4), 32);
SAME(ALIGN(longlong2), 16);
SAME(ALIGN(longlong4), 16);
SAME(ALIGN(ulonglong1), 8);

SAME(cudaMemcpyHostToDevice, 1);
SAME(cudaMemcpyDefault, 4);
SAME(cudaMemoryTypeManaged, 3);
SAME(cudaDevAttrMaxThreadsPerBlock, 1);
SAME(cudaDevAttrComputeCapabilityMajor, 75);
SAME(cudaDevAttrCooperativeLaunch, 95);
SAME(cudaDevAttrMemoryPoolsSupported, 115);
SAME(cudaLimitMallocHeapSize, 2);
SAME(cudaFuncAttributeMaxDynamicSharedMemorySize, 8);
SAME(cudaLaunchAttributeClusterDimension, 4);
SAME(cudaStreamCaptureModeRelaxed, 2);
SAME(cudaGraphNodeTypeConditional, 13);
SAME(cudaEventInterprocess, 4);
SAME(cudaHostAllocWriteCombined, 4);
SAME(CUDART_VERSION, 12090);
