// What tells graphs and nodes apart, and what a node was made with.
#include "driver/graph/graph_exec.h"

// *graphId: no other graph or executable graph of the process has it.
CUresult cuGraphGetId(CUgraph hGraph, unsigned int *graphId) {
    ENTER();
    REQUIRE_POINTER(graphId);
    struct drv_graph *g;
    TRY(drv_graph_find(hGraph, &g));
    *graphId = (unsigned)g->id;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int *graphId) {
    ENTER();
    REQUIRE_POINTER(graphId);
    struct drv_exec *exec;
    TRY(drv_exec_find(hGraphExec, &exec));
    *graphId = (unsigned)exec->graph->id;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetContainingGraph(CUgraphNode hNode, CUgraph *phGraph) {
    ENTER();
    REQUIRE_POINTER(phGraph);
    struct drv_node *node;
    TRY(drv_node_find(hNode, &node));
    *phGraph = node->graph->object.handle;
    return CUDA_SUCCESS;
}

// *nodeId: no other node of the graph has it.
CUresult cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int *nodeId) {
    ENTER();
    REQUIRE_POINTER(nodeId);
    struct drv_node *node;
    TRY(drv_node_find(hNode, &node));
    *nodeId = (unsigned)node->id;
    return CUDA_SUCCESS;
}

// *toolsNodeId: no other node of the process has or had it.
CUresult cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long *toolsNodeId) {
    ENTER();
    REQUIRE_POINTER(toolsNodeId);
    struct drv_node *node;
    TRY(drv_node_find(hNode, &node));
    *toolsNodeId = node->id;
    return CUDA_SUCCESS;
}

// Pointers in the parameters are the node's own: they last until it is destroyed or set anew.
CUresult cuGraphNodeGetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    struct drv_node *node;
    TRY(drv_node_find(hNode, &node));
    *nodeParams = node->params;
    return CUDA_SUCCESS;
}
