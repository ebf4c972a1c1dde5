// Entry points that add nodes and read or replace their parameters. Each type has functions of its
// own and is served by cuGraphAddNode and cuGraphNodeSetParams too.
#include <stdlib.h>
#include <string.h>

#include "driver/graph/graph.h"

// ---- Adding -------------------------------------------------------------------------------

enum { FEW = 64 };

static CUresult find_all(const CUgraphNode *handles, size_t n, struct drv_node **nodes) {
    for (size_t i = 0; i < n; i++)
        TRY(drv_node_find(handles[i], &nodes[i]));
    return CUDA_SUCCESS;
}

static CUresult add(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                    const CUgraphEdgeData *data, size_t n, CUgraphNodeParams *params) {
    struct drv_graph *g;
    struct drv_node *few[FEW], **from = few, *node;
    REQUIRE(out, CUDA_ERROR_INVALID_VALUE, "phGraphNode cannot be NULL");
    TRY(drv_graph_find(graph, &g));
    REQUIRE(dependencies || !n, CUDA_ERROR_INVALID_VALUE,
            "dependencies cannot be NULL when there are %zu", n);
    REQUIRE(n <= g->nnodes, CUDA_ERROR_INVALID_VALUE, "%zu dependencies in a graph of %zu nodes", n,
            g->nnodes);
    if (n > FEW)
        from = malloc(n * sizeof *from);
    REQUIRE(from, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a list of dependencies");
    CUresult result = find_all(dependencies, n, from);
    if (result == CUDA_SUCCESS)
        result = drv_graph_add(g, from, data, n, params, &node);
    if (from != few)
        free(from);
    if (result == CUDA_SUCCESS)
        *out = node->object.handle;
    return result;
}

static CUresult add_general(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                            const CUgraphEdgeData *data, size_t n, CUgraphNodeParams *params) {
    REQUIRE(params, CUDA_ERROR_INVALID_VALUE, "nodeParams cannot be NULL");
    return add(out, graph, dependencies, data, n, params);
}

CUresult cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                        size_t numDependencies, CUgraphNodeParams *nodeParams) {
    ENTER();
    return add_general(phGraphNode, hGraph, dependencies, NULL, numDependencies, nodeParams);
}

CUresult cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                           const CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
                           size_t numDependencies, CUgraphNodeParams *nodeParams) {
    ENTER();
    return add_general(phGraphNode, hGraph, dependencies, dependencyData, numDependencies,
                       nodeParams);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                             const CUgraphNode *dependencies, size_t numDependencies) {
    ENTER();
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

// The child graph is cloned. CUDA_ERROR_NOT_SUPPORTED: it has memory nodes.
CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                  const CUgraphNode *dependencies, size_t numDependencies,
                                  CUgraph childGraph) {
    ENTER();
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {childGraph, 0}};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                   const CUgraphNode *dependencies, size_t numDependencies,
                                   CUevent event) {
    ENTER();
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord = {event}};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                 const CUgraphNode *dependencies, size_t numDependencies,
                                 CUevent event) {
    ENTER();
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {event}};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

// Any range that an allocation node returned, of this graph or another.
CUresult cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                               const CUgraphNode *dependencies, size_t numDependencies,
                               CUdeviceptr dptr) {
    ENTER();
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = {dptr}};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

// The address is returned in nodeParams->dptr.
CUresult cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                const CUgraphNode *dependencies, size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC, .alloc = *nodeParams};
    TRY(add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p));
    nodeParams->dptr = p.alloc.dptr;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
    ENTER();
    REQUIRE_POINTER(copyParams);
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy = {0, 0, ctx, *copyParams}};
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

static CUgraphNodeParams memset_params(const CUDA_MEMSET_NODE_PARAMS *m, CUcontext ctx) {
    return (CUgraphNodeParams){
        .type = CU_GRAPH_NODE_TYPE_MEMSET,
        .memset = {m->dst, m->pitch, m->value, m->elementSize, m->width, m->height, ctx}};
}

CUresult cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx) {
    ENTER();
    REQUIRE_POINTER(memsetParams);
    CUgraphNodeParams p = memset_params(memsetParams, ctx);
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);
}

// The types whose functions differ in names alone: nodeParams is copied into `member`.
#define ADD_NODE(function, node_type, member, params_type)                                         \
    CUresult function(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,   \
                      size_t numDependencies, const params_type *nodeParams) {                     \
        ENTER();                                                                                   \
        REQUIRE_POINTER(nodeParams);                                                               \
        CUgraphNodeParams p = {.type = node_type, .member = *nodeParams};                          \
        return add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &p);                  \
    }

ADD_NODE(cuGraphAddKernelNode_v2, CU_GRAPH_NODE_TYPE_KERNEL, kernel, CUDA_KERNEL_NODE_PARAMS)
// The form of versions 10 and 11, here and below: without kern and ctx.
CUDA_KERNEL_NODE_PARAMS drv_kernel_params_of_v1(const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
    CUDA_KERNEL_NODE_PARAMS now = {0};
    memcpy(&now, p, sizeof *p); // its first fields
    return now;
}

CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    CUDA_KERNEL_NODE_PARAMS p = drv_kernel_params_of_v1(nodeParams);
    return cuGraphAddKernelNode_v2(phGraphNode, hGraph, dependencies, numDependencies, &p);
}

ADD_NODE(cuGraphAddHostNode, CU_GRAPH_NODE_TYPE_HOST, host, CUDA_HOST_NODE_PARAMS)
ADD_NODE(cuGraphAddExternalSemaphoresSignalNode, CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, extSemSignal,
         CUDA_EXT_SEM_SIGNAL_NODE_PARAMS)
ADD_NODE(cuGraphAddExternalSemaphoresWaitNode, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, extSemWait,
         CUDA_EXT_SEM_WAIT_NODE_PARAMS)
ADD_NODE(cuGraphAddBatchMemOpNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, memOp,
         CUDA_BATCH_MEM_OP_NODE_PARAMS)

// ---- Reading and replacing ----------------------------------------------------------------

static CUresult find_typed(CUgraphNode handle, CUgraphNodeType type, struct drv_node **out) {
    TRY(drv_node_find(handle, out));
    REQUIRE((*out)->params.type == type, CUDA_ERROR_INVALID_VALUE, "the node is of type %d, not %d",
            (int)(*out)->params.type, (int)type);
    return CUDA_SUCCESS;
}

// Pointers in what is read lead into the node: they are valid until its parameters change.
#define GET_PARAMS(function, node_type, member, params_type)                                       \
    CUresult function(CUgraphNode hNode, params_type *out) {                                       \
        ENTER();                                                                                   \
        REQUIRE(out, CUDA_ERROR_INVALID_VALUE, "the parameters' address cannot be NULL");          \
        struct drv_node *n;                                                                        \
        TRY(find_typed(hNode, node_type, &n));                                                     \
        *out = n->params.member;                                                                   \
        return CUDA_SUCCESS;                                                                       \
    }

#define SET_PARAMS(function, node_type, member, params_type)                                       \
    CUresult function(CUgraphNode hNode, const params_type *nodeParams) {                          \
        ENTER();                                                                                   \
        REQUIRE_POINTER(nodeParams);                                                               \
        struct drv_node *n;                                                                        \
        TRY(find_typed(hNode, node_type, &n));                                                     \
        CUgraphNodeParams p = {.type = node_type, .member = *nodeParams};                          \
        return drv_params_take(n, &p);                                                             \
    }

GET_PARAMS(cuGraphKernelNodeGetParams_v2, CU_GRAPH_NODE_TYPE_KERNEL, kernel,
           CUDA_KERNEL_NODE_PARAMS)
SET_PARAMS(cuGraphKernelNodeSetParams_v2, CU_GRAPH_NODE_TYPE_KERNEL, kernel,
           CUDA_KERNEL_NODE_PARAMS)
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    CUDA_KERNEL_NODE_PARAMS p;
    TRY(cuGraphKernelNodeGetParams_v2(hNode, &p));
    memcpy(nodeParams, &p, sizeof *nodeParams);
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode,
                                    const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    CUDA_KERNEL_NODE_PARAMS p = drv_kernel_params_of_v1(nodeParams);
    return cuGraphKernelNodeSetParams_v2(hNode, &p);
}

GET_PARAMS(cuGraphMemcpyNodeGetParams, CU_GRAPH_NODE_TYPE_MEMCPY, memcpy.copyParams, CUDA_MEMCPY3D)
GET_PARAMS(cuGraphHostNodeGetParams, CU_GRAPH_NODE_TYPE_HOST, host, CUDA_HOST_NODE_PARAMS)
SET_PARAMS(cuGraphHostNodeSetParams, CU_GRAPH_NODE_TYPE_HOST, host, CUDA_HOST_NODE_PARAMS)
GET_PARAMS(cuGraphChildGraphNodeGetGraph, CU_GRAPH_NODE_TYPE_GRAPH, graph.graph, CUgraph)
GET_PARAMS(cuGraphEventRecordNodeGetEvent, CU_GRAPH_NODE_TYPE_EVENT_RECORD, eventRecord.event,
           CUevent)
GET_PARAMS(cuGraphEventWaitNodeGetEvent, CU_GRAPH_NODE_TYPE_WAIT_EVENT, eventWait.event, CUevent)
GET_PARAMS(cuGraphExternalSemaphoresSignalNodeGetParams, CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
           extSemSignal, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS)
SET_PARAMS(cuGraphExternalSemaphoresSignalNodeSetParams, CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
           extSemSignal, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS)
GET_PARAMS(cuGraphExternalSemaphoresWaitNodeGetParams, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
           extSemWait, CUDA_EXT_SEM_WAIT_NODE_PARAMS)
SET_PARAMS(cuGraphExternalSemaphoresWaitNodeSetParams, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
           extSemWait, CUDA_EXT_SEM_WAIT_NODE_PARAMS)
GET_PARAMS(cuGraphBatchMemOpNodeGetParams, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, memOp,
           CUDA_BATCH_MEM_OP_NODE_PARAMS)
SET_PARAMS(cuGraphBatchMemOpNodeSetParams, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, memOp,
           CUDA_BATCH_MEM_OP_NODE_PARAMS)
GET_PARAMS(cuGraphMemAllocNodeGetParams, CU_GRAPH_NODE_TYPE_MEM_ALLOC, alloc,
           CUDA_MEM_ALLOC_NODE_PARAMS)
GET_PARAMS(cuGraphMemFreeNodeGetParams, CU_GRAPH_NODE_TYPE_MEM_FREE, free.dptr, CUdeviceptr)

// The context stays that of the node.
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    struct drv_node *n;
    TRY(find_typed(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, &n));
    CUgraphNodeParams p = n->params;
    p.memcpy.copyParams = *nodeParams;
    return drv_params_take(n, &p);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    struct drv_node *n;
    TRY(find_typed(hNode, CU_GRAPH_NODE_TYPE_MEMSET, &n));
    const CUDA_MEMSET_NODE_PARAMS_v2 *m = &n->params.memset;
    *nodeParams =
        (CUDA_MEMSET_NODE_PARAMS){m->dst, m->pitch, m->value, m->elementSize, m->width, m->height};
    return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    struct drv_node *n;
    TRY(find_typed(hNode, CU_GRAPH_NODE_TYPE_MEMSET, &n));
    CUgraphNodeParams p = memset_params(nodeParams, n->params.memset.ctx);
    return drv_params_take(n, &p);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
    ENTER();
    struct drv_node *n;
    TRY(find_typed(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, &n));
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord = {event}};
    return drv_params_take(n, &p);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
    ENTER();
    struct drv_node *n;
    TRY(find_typed(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, &n));
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {event}};
    return drv_params_take(n, &p);
}

// For the types whose parameters can change: not child graphs, memory nodes, conditional nodes.
CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    struct drv_node *n;
    TRY(drv_node_find(hNode, &n));
    CUgraphNodeType type = n->params.type;
    REQUIRE(type != CU_GRAPH_NODE_TYPE_GRAPH && type != CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
                type != CU_GRAPH_NODE_TYPE_MEM_FREE && type != CU_GRAPH_NODE_TYPE_CONDITIONAL,
            CUDA_ERROR_NOT_SUPPORTED, "parameters of nodes of type %d cannot change", (int)type);
    return drv_params_take(n, nodeParams);
}
