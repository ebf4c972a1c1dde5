// Nodes of graphs: adding them, their parameters, parameters in executable graphs (guide 6.2.8.7).
// The runtime's parameters name kernels by their entry and copies by direction.
#include <string.h>

#include "runtime/memory/array.h"
#include "runtime/memory/copy.h"

_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS),
               "same layout");
_Static_assert(sizeof(struct cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS), "same layout");
_Static_assert(sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS), "same layout");
_Static_assert(sizeof(struct cudaExternalSemaphoreSignalNodeParams) ==
                   sizeof(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS),
               "same layout");
_Static_assert(sizeof(struct cudaExternalSemaphoreSignalParams) ==
                   sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS),
               "same layout");
_Static_assert(sizeof(struct cudaExternalSemaphoreWaitParams) ==
                   sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS),
               "same layout");
_Static_assert(sizeof(struct cudaGraphNodeParams) == sizeof(CUgraphNodeParams), "same size");

// ---- Parameters of the driver -------------------------------------------------------------

static cudaError_t of_kernel(const char *function, const struct cudaKernelNodeParams *p,
                             CUDA_KERNEL_NODE_PARAMS *k) {
    if (!p)
        return rt_fail(function, cudaErrorInvalidValue, "the node's parameters are NULL");
    memset(k, 0, sizeof *k);
    RT_TRY(rt_function(function, p->func, &k->func));
    k->gridDimX = p->gridDim.x;
    k->gridDimY = p->gridDim.y;
    k->gridDimZ = p->gridDim.z;
    k->blockDimX = p->blockDim.x;
    k->blockDimY = p->blockDim.y;
    k->blockDimZ = p->blockDim.z;
    k->sharedMemBytes = p->sharedMemBytes;
    k->kernelParams = p->kernelParams;
    k->extra = p->extra;
    return cudaSuccess;
}

static cudaError_t of_copy(const char *function, const struct cudaMemcpy3DParms *p,
                           CUDA_MEMCPY3D *copy) {
    bool nothing;
    RT_TRY(rt_describe_3d(function, copy, p, &nothing));
    if (nothing)
        return rt_fail(function, cudaErrorInvalidValue, "a node that copies nothing");
    return cudaSuccess;
}

static struct cudaMemcpy3DParms flat(void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind) {
    return (struct cudaMemcpy3DParms){.srcPtr = {(void *)src, count, count, 1},
                                      .dstPtr = {dst, count, count, 1},
                                      .extent = {count, 1, 1},
                                      .kind = kind};
}

static cudaError_t to_symbol(const char *function, const void *symbol, const void *src,
                             size_t count, size_t offset, enum cudaMemcpyKind kind,
                             struct cudaMemcpy3DParms *p) {
    void *dst;
    RT_TRY(rt_symbol_direction(function, kind, cudaMemcpyHostToDevice));
    RT_TRY(rt_symbol_place(function, symbol, count, offset, &dst));
    *p = flat(dst, src, count, kind);
    return cudaSuccess;
}

static cudaError_t from_symbol(const char *function, void *dst, const void *symbol, size_t count,
                               size_t offset, enum cudaMemcpyKind kind,
                               struct cudaMemcpy3DParms *p) {
    void *src;
    RT_TRY(rt_symbol_direction(function, kind, cudaMemcpyDeviceToHost));
    RT_TRY(rt_symbol_place(function, symbol, count, offset, &src));
    *p = flat(dst, src, count, kind);
    return cudaSuccess;
}

static cudaError_t current(CUcontext *ctx) {
    return rt_result(RT_CALL(cuCtxGetCurrent, ctx));
}

// ---- Kernels ------------------------------------------------------------------------------

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS k;
    RT_ENTER();
    RT_TRY(of_kernel(__func__, pNodeParams, &k));
    return rt_result(
        RT_CALL(cuGraphAddKernelNode, pGraphNode, graph, pDependencies, numDependencies, &k));
}

// The node's parameters stay its own: what kernelParams points to must not be changed.
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS k;
    RT_REQUIRE(pNodeParams, cudaErrorInvalidValue, "pNodeParams must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuGraphKernelNodeGetParams, node, &k)));
    *pNodeParams = (struct cudaKernelNodeParams){
        .func = (void *)rt_kernel_entry(k.func ? k.func : (CUfunction)k.kern),
        .gridDim = {k.gridDimX, k.gridDimY, k.gridDimZ},
        .blockDim = {k.blockDimX, k.blockDimY, k.blockDimZ},
        .sharedMemBytes = k.sharedMemBytes,
        .kernelParams = k.kernelParams,
        .extra = k.extra};
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS k;
    RT_ENTER();
    RT_TRY(of_kernel(__func__, pNodeParams, &k));
    return rt_result(RT_CALL(cuGraphKernelNodeSetParams, node, &k));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS k;
    RT_ENTER();
    RT_TRY(of_kernel(__func__, pNodeParams, &k));
    return rt_result(RT_CALL(cuGraphExecKernelNodeSetParams, hGraphExec, node, &k));
}

// The destination comes first, whatever older documents call the parameters.
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphKernelNodeCopyAttributes, hDst, hSrc));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            cudaLaunchAttributeValue *value_out) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphKernelNodeGetAttribute, hNode, (CUlaunchAttributeID)attr,
                             (CUlaunchAttributeValue *)value_out));
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            const cudaLaunchAttributeValue *value) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphKernelNodeSetAttribute, hNode, (CUlaunchAttributeID)attr,
                             (const CUlaunchAttributeValue *)value));
}

// ---- Copies -------------------------------------------------------------------------------

static cudaError_t add_copy(const char *function, cudaGraphNode_t *out, cudaGraph_t graph,
                            const cudaGraphNode_t *dependencies, size_t n,
                            const struct cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D copy;
    CUcontext ctx;
    RT_ENTER();
    RT_TRY(of_copy(function, p, &copy));
    RT_TRY(current(&ctx));
    return rt_result(RT_CALL(cuGraphAddMemcpyNode, out, graph, dependencies, n, &copy, ctx));
}

static cudaError_t set_copy(const char *function, cudaGraphNode_t node,
                            const struct cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D copy;
    RT_ENTER();
    RT_TRY(of_copy(function, p, &copy));
    return rt_result(RT_CALL(cuGraphMemcpyNodeSetParams, node, &copy));
}

static cudaError_t set_exec_copy(const char *function, cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const struct cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D copy;
    CUcontext ctx;
    RT_ENTER();
    RT_TRY(of_copy(function, p, &copy));
    RT_TRY(current(&ctx));
    return rt_result(RT_CALL(cuGraphExecMemcpyNodeSetParams, exec, node, &copy, ctx));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemcpy3DParms *pCopyParams) {
    return add_copy(__func__, pGraphNode, graph, pDependencies, numDependencies, pCopyParams);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p = flat(dst, src, count, kind);
    return add_copy(__func__, pGraphNode, graph, pDependencies, numDependencies, &p);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies, const void *symbol,
                                           const void *src, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p;
    RT_TRY(to_symbol(__func__, symbol, src, count, offset, kind, &p));
    return add_copy(__func__, pGraphNode, graph, pDependencies, numDependencies, &p);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies,
                                             size_t numDependencies, void *dst, const void *symbol,
                                             size_t count, size_t offset,
                                             enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p;
    RT_TRY(from_symbol(__func__, dst, symbol, count, offset, kind, &p));
    return add_copy(__func__, pGraphNode, graph, pDependencies, numDependencies, &p);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms *pNodeParams) {
    return set_copy(__func__, node, pNodeParams);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t count, enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p = flat(dst, src, count, kind);
    return set_copy(__func__, node, &p);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *src, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p;
    RT_TRY(to_symbol(__func__, symbol, src, count, offset, kind, &p));
    return set_copy(__func__, node, &p);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                   const void *symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p;
    RT_TRY(from_symbol(__func__, dst, symbol, count, offset, kind, &p));
    return set_copy(__func__, node, &p);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *pNodeParams) {
    return set_exec_copy(__func__, hGraphExec, node, pNodeParams);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p = flat(dst, src, count, kind);
    return set_exec_copy(__func__, hGraphExec, node, &p);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                     cudaGraphNode_t node, const void *symbol,
                                                     const void *src, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p;
    RT_TRY(to_symbol(__func__, symbol, src, count, offset, kind, &p));
    return set_exec_copy(__func__, hGraphExec, node, &p);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                       cudaGraphNode_t node, void *dst,
                                                       const void *symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p;
    RT_TRY(from_symbol(__func__, dst, symbol, count, offset, kind, &p));
    return set_exec_copy(__func__, hGraphExec, node, &p);
}

static enum cudaMemcpyKind kind_of(const CUDA_MEMCPY3D *c) {
    if (c->srcMemoryType == CU_MEMORYTYPE_UNIFIED || c->dstMemoryType == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    bool from = c->srcMemoryType == CU_MEMORYTYPE_HOST, to = c->dstMemoryType == CU_MEMORYTYPE_HOST;
    return from ? (to ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                : (to ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
}

// Where an array takes part, sizes and positions in it are in texels.
static cudaError_t in_texels(const char *function, struct cudaMemcpy3DParms *p) {
    struct rt_element src = {1, 1}, dst = {1, 1};
    if (p->srcArray)
        RT_TRY(rt_element_of(function, p->srcArray, &src));
    if (p->dstArray)
        RT_TRY(rt_element_of(function, p->dstArray, &dst));
    struct rt_element e = p->srcArray ? src : dst;
    p->extent.width = p->extent.width / e.bytes * e.side;
    p->extent.height *= e.side;
    p->srcPos.x = p->srcPos.x / src.bytes * src.side;
    p->srcPos.y *= src.side;
    p->dstPos.x = p->dstPos.x / dst.bytes * dst.side;
    p->dstPos.y *= dst.side;
    return cudaSuccess;
}

static void *address(CUmemorytype type, const void *host, CUdeviceptr device) {
    if (type == CU_MEMORYTYPE_ARRAY)
        return NULL;
    return type == CU_MEMORYTYPE_HOST ? (void *)host : (void *)(uintptr_t)device;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemcpy3DParms *pNodeParams) {
    CUDA_MEMCPY3D c;
    RT_REQUIRE(pNodeParams, cudaErrorInvalidValue, "pNodeParams must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuGraphMemcpyNodeGetParams, node, &c)));
    *pNodeParams = (struct cudaMemcpy3DParms){
        .srcArray = c.srcMemoryType == CU_MEMORYTYPE_ARRAY ? (cudaArray_t)c.srcArray : NULL,
        .srcPos = {c.srcXInBytes, c.srcY, c.srcZ},
        .srcPtr = {address(c.srcMemoryType, c.srcHost, c.srcDevice), c.srcPitch, c.WidthInBytes,
                   c.srcHeight},
        .dstArray = c.dstMemoryType == CU_MEMORYTYPE_ARRAY ? (cudaArray_t)c.dstArray : NULL,
        .dstPos = {c.dstXInBytes, c.dstY, c.dstZ},
        .dstPtr = {address(c.dstMemoryType, c.dstHost, c.dstDevice), c.dstPitch, c.WidthInBytes,
                   c.dstHeight},
        .extent = {c.WidthInBytes, c.Height, c.Depth},
        .kind = kind_of(&c)};
    return in_texels(__func__, pNodeParams);
}

// ---- Memory sets --------------------------------------------------------------------------

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemsetParams *pMemsetParams) {
    CUcontext ctx;
    RT_ENTER();
    RT_TRY(current(&ctx));
    return rt_result(RT_CALL(cuGraphAddMemsetNode, pGraphNode, graph, pDependencies,
                             numDependencies, (const CUDA_MEMSET_NODE_PARAMS *)pMemsetParams, ctx));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemsetParams *pNodeParams) {
    RT_ENTER();
    return rt_result(
        RT_CALL(cuGraphMemsetNodeGetParams, node, (CUDA_MEMSET_NODE_PARAMS *)pNodeParams));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *pNodeParams) {
    RT_ENTER();
    return rt_result(
        RT_CALL(cuGraphMemsetNodeSetParams, node, (const CUDA_MEMSET_NODE_PARAMS *)pNodeParams));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *pNodeParams) {
    CUcontext ctx;
    RT_ENTER();
    RT_TRY(current(&ctx));
    return rt_result(RT_CALL(cuGraphExecMemsetNodeSetParams, hGraphExec, node,
                             (const CUDA_MEMSET_NODE_PARAMS *)pNodeParams, ctx));
}

// ---- Nodes with the driver's parameters ---------------------------------------------------

#define FORWARD(name, parameters, function, ...)                                                   \
    cudaError_t name parameters {                                                                  \
        RT_ENTER();                                                                                \
        return rt_result(RT_CALL(function, __VA_ARGS__));                                          \
    }
#define FORWARD_ADD(name, function, type, as)                                                      \
    cudaError_t name(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,                               \
                     const cudaGraphNode_t *pDependencies, size_t numDependencies, type params) {  \
        RT_ENTER();                                                                                \
        return rt_result(                                                                          \
            RT_CALL(function, pGraphNode, graph, pDependencies, numDependencies, (as)params));     \
    }

FORWARD_ADD(cudaGraphAddHostNode, cuGraphAddHostNode, const struct cudaHostNodeParams *,
            const CUDA_HOST_NODE_PARAMS *)
FORWARD(cudaGraphHostNodeGetParams, (cudaGraphNode_t node, struct cudaHostNodeParams *pNodeParams),
        cuGraphHostNodeGetParams, node, (CUDA_HOST_NODE_PARAMS *)pNodeParams)
FORWARD(cudaGraphHostNodeSetParams,
        (cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams),
        cuGraphHostNodeSetParams, node, (const CUDA_HOST_NODE_PARAMS *)pNodeParams)
FORWARD(cudaGraphExecHostNodeSetParams,
        (cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
         const struct cudaHostNodeParams *pNodeParams),
        cuGraphExecHostNodeSetParams, hGraphExec, node, (const CUDA_HOST_NODE_PARAMS *)pNodeParams)

FORWARD_ADD(cudaGraphAddChildGraphNode, cuGraphAddChildGraphNode, cudaGraph_t, CUgraph)
FORWARD(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t *pGraph),
        cuGraphChildGraphNodeGetGraph, node, pGraph)
FORWARD(cudaGraphExecChildGraphNodeSetParams,
        (cudaGraphExec_t hGraphExec, cudaGraphNode_t node, cudaGraph_t childGraph),
        cuGraphExecChildGraphNodeSetParams, hGraphExec, node, childGraph)
FORWARD(cudaGraphAddEmptyNode,
        (cudaGraphNode_t * pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
         size_t numDependencies),
        cuGraphAddEmptyNode, pGraphNode, graph, pDependencies, numDependencies)

FORWARD_ADD(cudaGraphAddEventRecordNode, cuGraphAddEventRecordNode, cudaEvent_t, CUevent)
FORWARD(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event_out),
        cuGraphEventRecordNodeGetEvent, node, event_out)
FORWARD(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
        cuGraphEventRecordNodeSetEvent, node, event)
FORWARD(cudaGraphExecEventRecordNodeSetEvent,
        (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event),
        cuGraphExecEventRecordNodeSetEvent, hGraphExec, hNode, event)
FORWARD_ADD(cudaGraphAddEventWaitNode, cuGraphAddEventWaitNode, cudaEvent_t, CUevent)
FORWARD(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event_out),
        cuGraphEventWaitNodeGetEvent, node, event_out)
FORWARD(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
        cuGraphEventWaitNodeSetEvent, node, event)
FORWARD(cudaGraphExecEventWaitNodeSetEvent,
        (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event),
        cuGraphExecEventWaitNodeSetEvent, hGraphExec, hNode, event)

#define SIGNAL_PARAMS struct cudaExternalSemaphoreSignalNodeParams
#define WAIT_PARAMS struct cudaExternalSemaphoreWaitNodeParams
FORWARD_ADD(cudaGraphAddExternalSemaphoresSignalNode, cuGraphAddExternalSemaphoresSignalNode,
            const SIGNAL_PARAMS *, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)
FORWARD(cudaGraphExternalSemaphoresSignalNodeGetParams,
        (cudaGraphNode_t hNode, SIGNAL_PARAMS *params_out),
        cuGraphExternalSemaphoresSignalNodeGetParams, hNode,
        (CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)params_out)
FORWARD(cudaGraphExternalSemaphoresSignalNodeSetParams,
        (cudaGraphNode_t hNode, const SIGNAL_PARAMS *nodeParams),
        cuGraphExternalSemaphoresSignalNodeSetParams, hNode,
        (const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)nodeParams)
FORWARD(cudaGraphExecExternalSemaphoresSignalNodeSetParams,
        (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, const SIGNAL_PARAMS *nodeParams),
        cuGraphExecExternalSemaphoresSignalNodeSetParams, hGraphExec, hNode,
        (const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)nodeParams)
FORWARD_ADD(cudaGraphAddExternalSemaphoresWaitNode, cuGraphAddExternalSemaphoresWaitNode,
            const WAIT_PARAMS *, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *)
FORWARD(cudaGraphExternalSemaphoresWaitNodeGetParams,
        (cudaGraphNode_t hNode, WAIT_PARAMS *params_out),
        cuGraphExternalSemaphoresWaitNodeGetParams, hNode,
        (CUDA_EXT_SEM_WAIT_NODE_PARAMS *)params_out)
FORWARD(cudaGraphExternalSemaphoresWaitNodeSetParams,
        (cudaGraphNode_t hNode, const WAIT_PARAMS *nodeParams),
        cuGraphExternalSemaphoresWaitNodeSetParams, hNode,
        (const CUDA_EXT_SEM_WAIT_NODE_PARAMS *)nodeParams)
FORWARD(cudaGraphExecExternalSemaphoresWaitNodeSetParams,
        (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, const WAIT_PARAMS *nodeParams),
        cuGraphExecExternalSemaphoresWaitNodeSetParams, hGraphExec, hNode,
        (const CUDA_EXT_SEM_WAIT_NODE_PARAMS *)nodeParams)

// A graph's memory may be that of a device which the program has not used before (guide 16.7.1).
static cudaError_t use_device_of(const char *function, const struct cudaMemPoolProps *memory) {
    CUcontext ctx;
    if (memory->location.type != cudaMemLocationTypeDevice)
        return cudaSuccess; // the driver's to refuse
    RT_TRY(rt_check_device(function, memory->location.id));
    RT_TRY(rt_primary_context(memory->location.id, &ctx));
    return rt_enter();
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     struct cudaMemAllocNodeParams *nodeParams) {
    RT_ENTER();
    if (nodeParams)
        RT_TRY(use_device_of(__func__, &nodeParams->poolProps));
    return rt_result(RT_CALL(cuGraphAddMemAllocNode, pGraphNode, graph, pDependencies,
                             numDependencies, (CUDA_MEM_ALLOC_NODE_PARAMS *)nodeParams));
}
FORWARD(cudaGraphMemAllocNodeGetParams,
        (cudaGraphNode_t node, struct cudaMemAllocNodeParams *params_out),
        cuGraphMemAllocNodeGetParams, node, (CUDA_MEM_ALLOC_NODE_PARAMS *)params_out)
FORWARD_ADD(cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode, void *, CUdeviceptr)
FORWARD(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void *dptr_out),
        cuGraphMemFreeNodeGetParams, node, (CUdeviceptr *)dptr_out)

// ---- Nodes of any type --------------------------------------------------------------------

static cudaError_t of_any_kernel(const char *function, const struct cudaKernelNodeParamsV2 *p,
                                 CUDA_KERNEL_NODE_PARAMS *k) {
    struct cudaKernelNodeParams kernel = {p->func,           p->gridDim,      p->blockDim,
                                          p->sharedMemBytes, p->kernelParams, p->extra};
    return of_kernel(function, &kernel, k);
}

static cudaError_t of_any(const char *function, const struct cudaGraphNodeParams *p,
                          CUgraphNodeParams *out) {
    if (!p)
        return rt_fail(function, cudaErrorInvalidValue, "nodeParams must not be NULL");
    memset(out, 0, sizeof *out);
    out->type = (CUgraphNodeType)p->type; // the same numbers
    memcpy(out->reserved0, p->reserved0, sizeof out->reserved0);
    out->reserved2 = p->reserved2;
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return of_any_kernel(function, &p->kernel, &out->kernel);
    case cudaGraphNodeTypeMemcpy:
        if (p->memcpy.flags)
            return rt_fail(function, cudaErrorInvalidValue, "flags must be 0");
        RT_TRY(current(&out->memcpy.copyCtx));
        return of_copy(function, &p->memcpy.copyParams, &out->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        memcpy(&out->memset, &p->memset, sizeof p->memset);
        return current(&out->memset.ctx);
    case cudaGraphNodeTypeConditional:
        memcpy(&out->conditional, &p->conditional, sizeof p->conditional);
        return current(&out->conditional.ctx);
    case cudaGraphNodeTypeMemAlloc:
        RT_TRY(use_device_of(function, &p->alloc.poolProps));
        // fallthrough
    default: // the same fields
        memcpy(out->reserved1, p->reserved1, sizeof out->reserved1);
        return cudaSuccess;
    }
}

// What the driver has written into the parameters.
static void outputs(struct cudaGraphNodeParams *p, const CUgraphNodeParams *from) {
    if (p->type == cudaGraphNodeTypeMemAlloc)
        p->alloc.dptr = (void *)(uintptr_t)from->alloc.dptr;
    if (p->type == cudaGraphNodeTypeConditional)
        p->conditional.phGraph_out = from->conditional.phGraph_out;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t *pDependencies, size_t numDependencies,
                             struct cudaGraphNodeParams *nodeParams) {
    CUgraphNodeParams p;
    RT_ENTER();
    RT_TRY(of_any(__func__, nodeParams, &p));
    RT_TRY(
        rt_result(RT_CALL(cuGraphAddNode, pGraphNode, graph, pDependencies, numDependencies, &p)));
    outputs(nodeParams, &p);
    return cudaSuccess;
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                const cudaGraphNode_t *pDependencies,
                                const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                struct cudaGraphNodeParams *nodeParams) {
    CUgraphNodeParams p;
    RT_ENTER();
    RT_TRY(of_any(__func__, nodeParams, &p));
    RT_TRY(rt_result(RT_CALL(cuGraphAddNode_v2, pGraphNode, graph, pDependencies,
                             (const CUgraphEdgeData *)dependencyData, numDependencies, &p)));
    outputs(nodeParams, &p);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams) {
    CUgraphNodeParams p;
    RT_ENTER();
    RT_TRY(of_any(__func__, nodeParams, &p));
    return rt_result(RT_CALL(cuGraphNodeSetParams, node, &p));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *nodeParams) {
    CUgraphNodeParams p;
    RT_ENTER();
    RT_TRY(of_any(__func__, nodeParams, &p));
    return rt_result(RT_CALL(cuGraphExecNodeSetParams, graphExec, node, &p));
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out,
                                             cudaGraph_t graph, unsigned int defaultLaunchValue,
                                             unsigned int flags) {
    CUcontext ctx;
    CUgraphConditionalHandle handle = 0;
    RT_REQUIRE(pHandle_out, cudaErrorInvalidValue, "pHandle_out must not be NULL");
    RT_ENTER();
    RT_TRY(current(&ctx));
    RT_TRY(rt_result(
        RT_CALL(cuGraphConditionalHandleCreate, &handle, graph, ctx, defaultLaunchValue, flags)));
    *pHandle_out = handle;
    return cudaSuccess;
}
