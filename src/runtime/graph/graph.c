// Graphs (guide 6.2.8.7): structure, executable graphs, user objects. Nodes and their parameters
// are in graph_node.c.
#include "runtime/runtime.h"

_Static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData), "same layout");
_Static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS),
               "same layout");
_Static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo),
               "same layout");

// A function of the runtime whose arguments are those of the driver's function.
#define FORWARD(name, parameters, function, ...)                                                   \
    cudaError_t name parameters {                                                                  \
        RT_ENTER();                                                                                \
        return rt_result(RT_CALL(function, __VA_ARGS__));                                          \
    }

// ---- Structure ----------------------------------------------------------------------------

FORWARD(cudaGraphCreate, (cudaGraph_t * pGraph, unsigned int flags), cuGraphCreate, pGraph, flags)
FORWARD(cudaGraphDestroy, (cudaGraph_t graph), cuGraphDestroy, graph)
FORWARD(cudaGraphClone, (cudaGraph_t * pGraphClone, cudaGraph_t originalGraph), cuGraphClone,
        pGraphClone, originalGraph)
FORWARD(cudaGraphNodeFindInClone,
        (cudaGraphNode_t * pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph),
        cuGraphNodeFindInClone, pNode, originalNode, clonedGraph)
FORWARD(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes),
        cuGraphGetNodes, graph, nodes, numNodes)
FORWARD(cudaGraphGetRootNodes,
        (cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes),
        cuGraphGetRootNodes, graph, pRootNodes, pNumRootNodes)
FORWARD(cudaGraphGetEdges,
        (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *numEdges),
        cuGraphGetEdges, graph, from, to, numEdges)
FORWARD(cudaGraphGetEdges_v2,
        (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edgeData,
         size_t *numEdges),
        cuGraphGetEdges_v2, graph, from, to, (CUgraphEdgeData *)edgeData, numEdges)
FORWARD(cudaGraphNodeGetDependencies,
        (cudaGraphNode_t node, cudaGraphNode_t *pDependencies, size_t *pNumDependencies),
        cuGraphNodeGetDependencies, node, pDependencies, pNumDependencies)
FORWARD(cudaGraphNodeGetDependencies_v2,
        (cudaGraphNode_t node, cudaGraphNode_t *pDependencies, cudaGraphEdgeData *edgeData,
         size_t *pNumDependencies),
        cuGraphNodeGetDependencies_v2, node, pDependencies, (CUgraphEdgeData *)edgeData,
        pNumDependencies)
FORWARD(cudaGraphNodeGetDependentNodes,
        (cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes, size_t *pNumDependentNodes),
        cuGraphNodeGetDependentNodes, node, pDependentNodes, pNumDependentNodes)
FORWARD(cudaGraphNodeGetDependentNodes_v2,
        (cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes, cudaGraphEdgeData *edgeData,
         size_t *pNumDependentNodes),
        cuGraphNodeGetDependentNodes_v2, node, pDependentNodes, (CUgraphEdgeData *)edgeData,
        pNumDependentNodes)
FORWARD(cudaGraphAddDependencies,
        (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
         size_t numDependencies),
        cuGraphAddDependencies, graph, from, to, numDependencies)
FORWARD(cudaGraphAddDependencies_v2,
        (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
         const cudaGraphEdgeData *edgeData, size_t numDependencies),
        cuGraphAddDependencies_v2, graph, from, to, (const CUgraphEdgeData *)edgeData,
        numDependencies)
FORWARD(cudaGraphRemoveDependencies,
        (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
         size_t numDependencies),
        cuGraphRemoveDependencies, graph, from, to, numDependencies)
FORWARD(cudaGraphRemoveDependencies_v2,
        (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
         const cudaGraphEdgeData *edgeData, size_t numDependencies),
        cuGraphRemoveDependencies_v2, graph, from, to, (const CUgraphEdgeData *)edgeData,
        numDependencies)
FORWARD(cudaGraphDestroyNode, (cudaGraphNode_t node), cuGraphDestroyNode, node)
FORWARD(cudaGraphDebugDotPrint, (cudaGraph_t graph, const char *path, unsigned int flags),
        cuGraphDebugDotPrint, graph, path, flags | CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES)

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType) {
    CUgraphNodeType type;
    RT_REQUIRE(pType, cudaErrorInvalidValue, "pType must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuGraphNodeGetType, node, &type)));
    *pType = (enum cudaGraphNodeType)type; // the same numbers
    return cudaSuccess;
}

// ---- Executable graphs --------------------------------------------------------------------

FORWARD(cudaGraphInstantiate,
        (cudaGraphExec_t * pGraphExec, cudaGraph_t graph, unsigned long long flags),
        cuGraphInstantiateWithFlags, pGraphExec, graph, flags)
FORWARD(cudaGraphInstantiateWithFlags,
        (cudaGraphExec_t * pGraphExec, cudaGraph_t graph, unsigned long long flags),
        cuGraphInstantiateWithFlags, pGraphExec, graph, flags)
FORWARD(cudaGraphInstantiateWithParams,
        (cudaGraphExec_t * pGraphExec, cudaGraph_t graph,
         cudaGraphInstantiateParams *instantiateParams),
        cuGraphInstantiateWithParams, pGraphExec, graph,
        (CUDA_GRAPH_INSTANTIATE_PARAMS *)instantiateParams)
FORWARD(cudaGraphUpload, (cudaGraphExec_t graphExec, cudaStream_t stream), cuGraphUpload, graphExec,
        stream)
FORWARD(cudaGraphLaunch, (cudaGraphExec_t graphExec, cudaStream_t stream), cuGraphLaunch, graphExec,
        stream)
FORWARD(cudaGraphExecDestroy, (cudaGraphExec_t graphExec), cuGraphExecDestroy, graphExec)
FORWARD(cudaGraphExecUpdate,
        (cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphExecUpdateResultInfo *resultInfo),
        cuGraphExecUpdate, hGraphExec, hGraph, (CUgraphExecUpdateResultInfo *)resultInfo)
FORWARD(cudaGraphNodeSetEnabled,
        (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled),
        cuGraphNodeSetEnabled, hGraphExec, hNode, isEnabled)
FORWARD(cudaGraphNodeGetEnabled,
        (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int *isEnabled),
        cuGraphNodeGetEnabled, hGraphExec, hNode, isEnabled)

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags) {
    cuuint64_t got = 0;
    RT_REQUIRE(flags, cudaErrorInvalidValue, "flags must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuGraphExecGetFlags, graphExec, &got)));
    *flags = got;
    return cudaSuccess;
}

// ---- User objects -------------------------------------------------------------------------

FORWARD(cudaUserObjectCreate,
        (cudaUserObject_t * object_out, void *ptr, cudaHostFn_t destroy,
         unsigned int initialRefcount, unsigned int flags),
        cuUserObjectCreate, object_out, ptr, destroy, initialRefcount, flags)
FORWARD(cudaUserObjectRetain, (cudaUserObject_t object, unsigned int count), cuUserObjectRetain,
        object, count)
FORWARD(cudaUserObjectRelease, (cudaUserObject_t object, unsigned int count), cuUserObjectRelease,
        object, count)
FORWARD(cudaGraphRetainUserObject,
        (cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags),
        cuGraphRetainUserObject, graph, object, count, flags)
FORWARD(cudaGraphReleaseUserObject,
        (cudaGraph_t graph, cudaUserObject_t object, unsigned int count), cuGraphReleaseUserObject,
        graph, object, count)

// ---- Memory of graphs (guide, chapter 16) -------------------------------------------------

cudaError_t cudaDeviceGraphMemTrim(int device) {
    RT_TRY(rt_check_device(__func__, device));
    RT_ENTER();
    return rt_result(RT_CALL(cuDeviceGraphMemTrim, device));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value) {
    RT_TRY(rt_check_device(__func__, device));
    RT_ENTER();
    return rt_result(
        RT_CALL(cuDeviceGetGraphMemAttribute, device, (CUgraphMem_attribute)attr, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value) {
    RT_TRY(rt_check_device(__func__, device));
    RT_ENTER();
    return rt_result(
        RT_CALL(cuDeviceSetGraphMemAttribute, device, (CUgraphMem_attribute)attr, value));
}
