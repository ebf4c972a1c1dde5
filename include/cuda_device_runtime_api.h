// What host code sees of the device runtime (guide 13): the streams that exist in device code.
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "driver_types.h"
#include "host_defines.h"
#include "vector_types.h"

// The older interface does not have them (guide 13.5.2).
#ifndef CUDA_FORCE_CDP1_IF_SUPPORTED
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#endif
#define cudaStreamGraphTailLaunch ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget ((cudaStream_t)0x0200000000000000)
#define cudaStreamGraphFireAndForgetAsSibling ((cudaStream_t)0x0300000000000000)

// What device code has and host code has not (guide 13.3.2): the functions beneath <<<>>>.
#if defined(__CUDA__) && defined(__cplusplus)
extern "C" {
#if defined(CUDA_FORCE_CDP1_IF_SUPPORTED) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 900)
// Of the older interface. A kernel that can call it is not loaded on compute capability 9.0:
// cudaErrorSymbolNotFound.
__device__ cudaError_t cudaDeviceSynchronize(void);
#endif
// Of Thrust and CUB 1.x, which call it where they wait for kernels of their own.
static inline __device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void) {
    return cudaErrorNotSupported;
}
// 64-byte aligned memory for a kernel's parameters, which lie in it in their order, each at a
// multiple of its alignment; NULL with an error of the calling thread's.
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
// Launches a kernel with the buffer, which is gone afterwards; NULL where it has no parameters.
__device__ cudaError_t cudaLaunchDevice(void *func, void *parameterBuffer, dim3 gridDimension,
                                        dim3 blockDimension, unsigned int sharedMemSize,
                                        cudaStream_t stream);
__device__ void *cudaGetParameterBufferV2(void *func, dim3 gridDimension, dim3 blockDimension,
                                          unsigned int sharedMemSize);
__device__ cudaError_t cudaLaunchDeviceV2(void *parameterBuffer, cudaStream_t stream);
// The executable graph that the calling kernel belongs to, where it was made for launches from the
// device; else NULL (guide 6.2.8.7.7.10).
static inline __device__ cudaGraphExec_t cudaGetCurrentGraphExec(void) {
    cudaGraphExec_t graph;
    asm("mov.u64 %0, %%current_graph_exec;" : "=l"(graph));
    return graph;
}
// Changes kernel nodes that have the attribute cudaLaunchAttributeDeviceUpdatableKernelNode, in the
// order of the list: for the launch that runs, as long as they have not begun, and for later ones.
// cudaErrorInvalidValue: a node is none of an executable graph, or has no such parameter.
__device__ cudaError_t cudaGraphKernelNodeUpdatesApply(const cudaGraphKernelNodeUpdate *updates,
                                                       size_t updateCount);
}

// `size` bytes of the node's parameters from `offset` on.
static inline __device__ cudaError_t cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t node,
                                                                 size_t offset, const void *value,
                                                                 size_t size) {
    cudaGraphKernelNodeUpdate update;
    update.node = node;
    update.field = cudaGraphKernelNodeFieldParam;
    update.updateData.param.pValue = value;
    update.updateData.param.offset = offset;
    update.updateData.param.size = size;
    return cudaGraphKernelNodeUpdatesApply(&update, 1);
}
template <class T>
static inline __device__ cudaError_t cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t node,
                                                                 size_t offset, const T &value) {
    return cudaGraphKernelNodeSetParam(node, offset, (const void *)&value, sizeof value);
}
static inline __device__ cudaError_t cudaGraphKernelNodeSetGridDim(cudaGraphDeviceNode_t node,
                                                                   dim3 gridDim) {
    cudaGraphKernelNodeUpdate update;
    update.node = node;
    update.field = cudaGraphKernelNodeFieldGridDim;
    update.updateData.gridDim.x = gridDim.x;
    update.updateData.gridDim.y = gridDim.y;
    update.updateData.gridDim.z = gridDim.z;
    return cudaGraphKernelNodeUpdatesApply(&update, 1);
}
// A node that is not enabled does nothing.
static inline __device__ cudaError_t cudaGraphKernelNodeSetEnabled(cudaGraphDeviceNode_t node,
                                                                   bool enable) {
    cudaGraphKernelNodeUpdate update;
    update.node = node;
    update.field = cudaGraphKernelNodeFieldEnabled;
    update.updateData.isEnabled = enable;
    return cudaGraphKernelNodeUpdatesApply(&update, 1);
}
#endif

#endif
