// What tells graphs and nodes apart.
#include "runtime/runtime.h"

cudaError_t cudaGraphGetId(cudaGraph_t hGraph, unsigned int *graphID) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphGetId, hGraph, graphID));
}

cudaError_t cudaGraphExecGetId(cudaGraphExec_t hGraphExec, unsigned int *graphID) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphExecGetId, hGraphExec, graphID));
}

cudaError_t cudaGraphNodeGetContainingGraph(cudaGraphNode_t hNode, cudaGraph_t *phGraph) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphNodeGetContainingGraph, hNode, phGraph));
}

cudaError_t cudaGraphNodeGetLocalId(cudaGraphNode_t hNode, unsigned int *nodeId) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphNodeGetLocalId, hNode, nodeId));
}

cudaError_t cudaGraphNodeGetToolsId(cudaGraphNode_t hNode, unsigned long long *toolsNodeId) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphNodeGetToolsId, hNode, toolsNodeId));
}
