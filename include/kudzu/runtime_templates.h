// C++ forms of the runtime API: typed pointers, kernels and device variables given
// by name, occupancy searches. <cuda_runtime.h> includes this, behind what it needs, which would be named
// by another path from here, and lists of dependencies would have both.
#ifndef KUDZU_RUNTIME_TEMPLATES_H
#define KUDZU_RUNTIME_TEMPLATES_H

#ifdef __cplusplus

#ifndef __CHANNEL_DESCRIPTOR_H__
#include "../channel_descriptor.h"
#endif
#ifndef __CUDA_RUNTIME_API_H__
#include "../cuda_runtime_api.h"
#endif
#ifndef __DRIVER_FUNCTIONS_H__
#include "../driver_functions.h"
#endif

#include "registration.h"

#define KUDZU_HOST static __inline__ __host__
#define KUDZU_BOTH static __inline__ __host__ __device__ // device code has it, too (guide 13.3.1.8)

// ---- Launches -------------------------------------------------------------------------------

template <class T>
KUDZU_HOST cudaError_t cudaLaunchKernel(T *func, dim3 gridDim, dim3 blockDim, void **args,
                                        size_t sharedMem = 0, cudaStream_t stream = 0) {
    return ::cudaLaunchKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}

template <class T>
KUDZU_HOST cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 gridDim, dim3 blockDim,
                                                   void **args, size_t sharedMem = 0,
                                                   cudaStream_t stream = 0) {
    return ::cudaLaunchCooperativeKernel((const void *)func, gridDim, blockDim, args, sharedMem,
                                         stream);
}

#if __cplusplus >= 201103L
// The arguments are converted to the kernel's parameter types, as in a <<<>>> launch.
template <class... Params, class... Args>
KUDZU_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                          void (*kernel)(Params...), Args &&...args) {
    return [&](Params... coerced) {
        void *pointers[sizeof...(Params) + 1] = {(void *)&coerced..., nullptr};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
    }(static_cast<Args &&>(args)...);
}

template <class... Args>
KUDZU_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                          const cudaKernel_t kernel, Args &&...args) {
    void *pointers[sizeof...(Args) + 1] = {(void *)&args..., nullptr};
    return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
}
#endif

// ---- User objects ---------------------------------------------------------------------------

// An object that was made with new and is deleted with the last reference (guide 6.2.8.7.4).
template <class T>
KUDZU_HOST cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, T *objectToWrap,
                                            unsigned int initialRefcount, unsigned int flags) {
    struct kudzu_delete {
        static void CUDART_CB call(void *object) {
            delete static_cast<T *>(object);
        }
    };
    return ::cudaUserObjectCreate(object_out, objectToWrap, kudzu_delete::call, initialRefcount,
                                  flags);
}

// ---- Functions ------------------------------------------------------------------------------

template <class T>
KUDZU_BOTH cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T *entry) {
    return ::cudaFuncGetAttributes(attr, (const void *)entry);
}

template <class T>
KUDZU_HOST cudaError_t cudaFuncSetAttribute(T *func, cudaFuncAttribute attr, int value) {
    return ::cudaFuncSetAttribute((const void *)func, attr, value);
}

template <class T>
KUDZU_HOST cudaError_t cudaFuncSetCacheConfig(T *func, cudaFuncCache cacheConfig) {
    return ::cudaFuncSetCacheConfig((const void *)func, cacheConfig);
}

template <class T>
KUDZU_HOST cudaError_t cudaFuncSetSharedMemConfig(T *func, cudaSharedMemConfig config) {
    return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}

template <class T> KUDZU_HOST cudaError_t cudaFuncGetName(const char **name, T *func) {
    return ::cudaFuncGetName(name, (const void *)func);
}

template <class T> KUDZU_HOST cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, T *func) {
    return ::cudaGetKernel(kernelPtr, (const void *)func);
}

template <class T>
KUDZU_HOST cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, T *symbol) {
    return ::cudaGetFuncBySymbol(functionPtr, (const void *)symbol);
}

// ---- Memory ---------------------------------------------------------------------------------

template <class T> KUDZU_BOTH cudaError_t cudaMalloc(T **devPtr, size_t size) {
    return ::cudaMalloc((void **)(void *)devPtr, size);
}

template <class T>
KUDZU_HOST cudaError_t cudaMallocManaged(T **devPtr, size_t size,
                                         unsigned int flags = cudaMemAttachGlobal) {
    return ::cudaMallocManaged((void **)(void *)devPtr, size, flags);
}

template <class T>
KUDZU_HOST cudaError_t cudaMallocPitch(T **devPtr, size_t *pitch, size_t width, size_t height) {
    return ::cudaMallocPitch((void **)(void *)devPtr, pitch, width, height);
}

KUDZU_HOST cudaError_t cudaMallocHost(void **ptr, size_t size, unsigned int flags) {
    return ::cudaHostAlloc(ptr, size, flags);
}

template <class T>
KUDZU_HOST cudaError_t cudaMallocHost(T **ptr, size_t size, unsigned int flags = 0) {
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

template <class T> KUDZU_HOST cudaError_t cudaHostAlloc(T **ptr, size_t size, unsigned int flags) {
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

template <class T>
KUDZU_HOST cudaError_t cudaHostGetDevicePointer(T **pDevice, void *pHost, unsigned int flags) {
    return ::cudaHostGetDevicePointer((void **)(void *)pDevice, pHost, flags);
}

template <class T>
KUDZU_HOST cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *devPtr, size_t length = 0,
                                                unsigned int flags = cudaMemAttachSingle) {
    return ::cudaStreamAttachMemAsync(stream, (void *)devPtr, length, flags);
}

template <class T>
KUDZU_HOST cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaStream_t stream) {
    return ::cudaMallocAsync((void **)(void *)ptr, size, stream);
}

KUDZU_HOST cudaError_t cudaMallocAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                       cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}

template <class T>
KUDZU_HOST cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaMemPool_t memPool,
                                       cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}

template <class T>
KUDZU_HOST cudaError_t cudaMallocFromPoolAsync(T **ptr, size_t size, cudaMemPool_t memPool,
                                               cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}

// ---- Device variables -----------------------------------------------------------------------

template <class T> KUDZU_HOST cudaError_t cudaGetSymbolAddress(void **devPtr, const T &symbol) {
    return ::cudaGetSymbolAddress(devPtr, (const void *)&symbol);
}

template <class T> KUDZU_HOST cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

template <class T>
KUDZU_HOST cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
                                          size_t offset = 0,
                                          cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}

template <class T>
KUDZU_HOST cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count,
                                               size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                               cudaStream_t stream = 0) {
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}

template <class T>
KUDZU_HOST cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
                                            size_t offset = 0,
                                            cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}

template <class T>
KUDZU_HOST cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count,
                                                 size_t offset = 0,
                                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                 cudaStream_t stream = 0) {
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

template <class T>
KUDZU_HOST cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode,
                                                      cudaGraph_t graph,
                                                      const cudaGraphNode_t *pDependencies,
                                                      size_t numDependencies, const T &symbol,
                                                      const void *src, size_t count, size_t offset,
                                                      cudaMemcpyKind kind) {
    return ::cudaGraphAddMemcpyNodeToSymbol(pGraphNode, graph, pDependencies, numDependencies,
                                            (const void *)&symbol, src, count, offset, kind);
}

template <class T>
KUDZU_HOST cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode,
                                                        cudaGraph_t graph,
                                                        const cudaGraphNode_t *pDependencies,
                                                        size_t numDependencies, void *dst,
                                                        const T &symbol, size_t count,
                                                        size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphAddMemcpyNodeFromSymbol(pGraphNode, graph, pDependencies, numDependencies,
                                              dst, (const void *)&symbol, count, offset, kind);
}

template <class T>
KUDZU_HOST cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol,
                                                            const void *src, size_t count,
                                                            size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, count, offset,
                                                  kind);
}

template <class T>
KUDZU_HOST cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                              const T &symbol, size_t count,
                                                              size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, count, offset,
                                                    kind);
}

template <class T>
KUDZU_HOST cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                                cudaGraphNode_t node,
                                                                const T &symbol, const void *src,
                                                                size_t count, size_t offset,
                                                                cudaMemcpyKind kind) {
    return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(hGraphExec, node, (const void *)&symbol, src,
                                                      count, offset, kind);
}

template <class T>
KUDZU_HOST cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                                  cudaGraphNode_t node, void *dst,
                                                                  const T &symbol, size_t count,
                                                                  size_t offset,
                                                                  cudaMemcpyKind kind) {
    return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(hGraphExec, node, dst,
                                                        (const void *)&symbol, count, offset, kind);
}

template <class T>
KUDZU_HOST cudaError_t cudaLibraryGetGlobal(T **dptr, size_t *bytes, cudaLibrary_t library,
                                            const char *name) {
    return ::cudaLibraryGetGlobal((void **)(void *)dptr, bytes, library, name);
}

template <class T>
KUDZU_HOST cudaError_t cudaLibraryGetManaged(T **dptr, size_t *bytes, cudaLibrary_t library,
                                             const char *name) {
    return ::cudaLibraryGetManaged((void **)(void *)dptr, bytes, library, name);
}

// ---- Events and graphs ----------------------------------------------------------------------

KUDZU_HOST cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}

// The forms of versions 10 and 11, in which what is wrong comes back in arguments of its own.
KUDZU_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                            cudaGraphNode_t *pErrorNode, char *pLogBuffer,
                                            size_t bufferSize) {
    cudaGraphInstantiateParams params = {};
    cudaError_t error = ::cudaGraphInstantiateWithParams(pGraphExec, graph, &params);
    if (pErrorNode)
        *pErrorNode = params.errNode_out;
    if (pLogBuffer && bufferSize)
        pLogBuffer[0] = 0;
    return error;
}

KUDZU_HOST cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                           cudaGraphNode_t *hErrorNode_out,
                                           cudaGraphExecUpdateResult *updateResult_out) {
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t error = ::cudaGraphExecUpdate(hGraphExec, hGraph, &info);
    if (hErrorNode_out)
        *hErrorNode_out = info.errorNode;
    if (updateResult_out)
        *updateResult_out = info.result;
    return error;
}

// ---- Occupancy (guide 8.2.3.1) ----------------------------------------------------------------

template <class T>
KUDZU_BOTH cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, T func,
                                                                     int blockSize,
                                                                     size_t dynamicSMemSize) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void *)func, blockSize,
                                                           dynamicSMemSize);
}

template <class T>
KUDZU_BOTH cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, T func, int blockSize, size_t dynamicSMemSize, unsigned int flags) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, (const void *)func, blockSize, dynamicSMemSize, flags);
}

template <class T>
KUDZU_HOST cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, T *func,
                                                                 int numBlocks, int blockSize) {
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (const void *)func,
                                                       numBlocks, blockSize);
}

template <class T>
KUDZU_HOST cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, T *func,
                                                            const cudaLaunchConfig_t *config) {
    return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, (const void *)func, config);
}

template <class T>
KUDZU_HOST cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, T *func,
                                                      const cudaLaunchConfig_t *config) {
    return ::cudaOccupancyMaxActiveClusters(numClusters, (const void *)func, config);
}

namespace kudzu {
// A function object for kernels whose shared memory does not depend on the block size.
struct constant_bytes {
    size_t bytes;
    __host__ __device__ size_t operator()(int) const {
        return bytes;
    }
};
} // namespace kudzu

// Finds the block size, a multiple of the warp size, with the most resident threads on a
// multiprocessor; of several the largest. blockSizeToSMem(n) is the dynamic shared memory of a
// block of n threads. *minGridSize is the grid that fills the device.
template <class BytesOfBlock, class T>
KUDZU_BOTH cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *minGridSize, int *blockSize, T func, BytesOfBlock blockSizeToSMem, int blockSizeLimit = 0,
    unsigned int flags = 0) {
    if (!minGridSize || !blockSize || !func)
        return cudaErrorInvalidValue;
    int device, resident, limit, warp, processors;
    cudaFuncAttributes attr;
    cudaError_t error = ::cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = ::cudaDeviceGetAttribute(&resident, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (error == cudaSuccess)
        error = ::cudaDeviceGetAttribute(&limit, cudaDevAttrMaxThreadsPerBlock, device);
    if (error == cudaSuccess)
        error = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (error == cudaSuccess)
        error = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = ::cudaFuncGetAttributes(&attr, (const void *)func);
    if (error != cudaSuccess)
        return error;
    if (attr.maxThreadsPerBlock < limit)
        limit = attr.maxThreadsPerBlock;
    if (blockSizeLimit > 0 && blockSizeLimit < limit)
        limit = blockSizeLimit;

    int best = 0, best_size = 0, best_blocks = 0;
    for (int rounded = (limit + warp - 1) / warp * warp; rounded > 0; rounded -= warp) {
        int size = rounded < limit ? rounded : limit, blocks;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, (const void *)func, size, blockSizeToSMem(size), flags);
        if (error != cudaSuccess)
            return error;
        if (size * blocks > best) {
            best = size * blocks;
            best_size = size;
            best_blocks = blocks;
        }
        if (best == resident)
            break;
    }
    *minGridSize = best_blocks * processors;
    *blockSize = best_size;
    return cudaSuccess;
}

template <class BytesOfBlock, class T>
KUDZU_BOTH cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize,
                                                                      int *blockSize, T func,
                                                                      BytesOfBlock blockSizeToSMem,
                                                                      int blockSizeLimit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, blockSizeToSMem, blockSizeLimit, cudaOccupancyDefault);
}

template <class T>
KUDZU_BOTH cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
                                                                   T func,
                                                                   size_t dynamicSMemSize = 0,
                                                                   int blockSizeLimit = 0,
                                                                   unsigned int flags = 0) {
    kudzu::constant_bytes bytes = {dynamicSMemSize};
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func,
                                                                   bytes, blockSizeLimit, flags);
}

template <class T>
KUDZU_BOTH cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, T func,
                                                          size_t dynamicSMemSize = 0,
                                                          int blockSizeLimit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(
        minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit, cudaOccupancyDefault);
}

#if KUDZU_CUDA_VERSION < 13000
// What the plain names mean from CUDA 13 on, beside what they mean in CUDA 12: the parameters tell
// which is called.
KUDZU_HOST cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies,
                                        const cudaGraphEdgeData *dependencyData,
                                        size_t numDependencies,
                                        struct cudaGraphNodeParams *nodeParams) {
    return cudaGraphAddNode_v2(pGraphNode, graph, pDependencies, dependencyData, numDependencies,
                               nodeParams);
}
KUDZU_HOST cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                const cudaGraphNode_t *to,
                                                const cudaGraphEdgeData *edgeData,
                                                size_t numDependencies) {
    return cudaGraphAddDependencies_v2(graph, from, to, edgeData, numDependencies);
}
KUDZU_HOST cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to,
                                                   const cudaGraphEdgeData *edgeData,
                                                   size_t numDependencies) {
    return cudaGraphRemoveDependencies_v2(graph, from, to, edgeData, numDependencies);
}
KUDZU_HOST cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                         cudaGraphNode_t *to, cudaGraphEdgeData *edgeData,
                                         size_t *numEdges) {
    return cudaGraphGetEdges_v2(graph, from, to, edgeData, numEdges);
}
KUDZU_HOST cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                    cudaGraphNode_t *pDependencies,
                                                    cudaGraphEdgeData *edgeData,
                                                    size_t *pNumDependencies) {
    return cudaGraphNodeGetDependencies_v2(node, pDependencies, edgeData, pNumDependencies);
}
KUDZU_HOST cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                      cudaGraphNode_t *pDependentNodes,
                                                      cudaGraphEdgeData *edgeData,
                                                      size_t *pNumDependentNodes) {
    return cudaGraphNodeGetDependentNodes_v2(node, pDependentNodes, edgeData, pNumDependentNodes);
}
KUDZU_HOST cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                           cudaGraphNode_t *dependencies,
                                                           const cudaGraphEdgeData *dependencyData,
                                                           size_t numDependencies,
                                                           unsigned int flags) {
    return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, dependencyData,
                                                  numDependencies, flags);
}
KUDZU_HOST cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                enum cudaStreamCaptureStatus *captureStatus_out,
                                                unsigned long long *id_out, cudaGraph_t *graph_out,
                                                const cudaGraphNode_t **dependencies_out,
                                                const cudaGraphEdgeData **edgeData_out,
                                                size_t *numDependencies_out) {
    return cudaStreamGetCaptureInfo_v3(stream, captureStatus_out, id_out, graph_out,
                                       dependencies_out, edgeData_out, numDependencies_out);
}
KUDZU_HOST cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                                     struct cudaMemLocation location) {
    return cudaMemAdvise_v2(devPtr, count, advice, location);
}
KUDZU_HOST cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
                                            struct cudaMemLocation location, unsigned int flags,
                                            cudaStream_t stream = 0) {
    return cudaMemPrefetchAsync_v2(devPtr, count, location, flags, stream);
}
#endif

#undef KUDZU_BOTH
#undef KUDZU_HOST

#endif

#endif
