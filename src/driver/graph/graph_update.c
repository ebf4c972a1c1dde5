// Changes of executable graphs: of the whole, by comparison with another graph, and of single nodes
// (guide 6.2.8.7.5). Either takes effect with the next launch.
#include <stdlib.h>
#include <string.h>

#include "driver/graph/graph_exec.h"
#include "driver/graph/graph_updatable.h"
#include "driver/graph/user_object.h"
#include "driver/memory/copy.h"

// ---- What may change ----------------------------------------------------------------------

static bool flat_copy(const CUDA_MEMCPY3D *c) {
    return c->Height == 1 && c->Depth == 1;
}

static bool same_copy(const CUDA_MEMCPY3D *a, const CUDA_MEMCPY3D *b) {
    return a->srcXInBytes == b->srcXInBytes && a->srcY == b->srcY && a->srcZ == b->srcZ &&
           a->srcMemoryType == b->srcMemoryType && a->srcHost == b->srcHost &&
           a->srcDevice == b->srcDevice && a->srcArray == b->srcArray &&
           a->srcPitch == b->srcPitch && a->srcHeight == b->srcHeight &&
           a->dstXInBytes == b->dstXInBytes && a->dstY == b->dstY && a->dstZ == b->dstZ &&
           a->dstMemoryType == b->dstMemoryType && a->dstHost == b->dstHost &&
           a->dstDevice == b->dstDevice && a->dstArray == b->dstArray &&
           a->dstPitch == b->dstPitch && a->dstHeight == b->dstHeight &&
           a->WidthInBytes == b->WidthInBytes && a->Height == b->Height && a->Depth == b->Depth;
}

// Where one side of a copy lies: its device, or -1 for the host's own memory.
static int place(CUmemorytype type, CUdeviceptr device, const void *host) {
    struct kd_memory m;
    if (type == CU_MEMORYTYPE_ARRAY)
        return -2;
    uint64_t address = type == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)host : device;
    if (!kd_memory_find(address, &m) || m.kind == KD_MEMORY_PINNED ||
        m.kind == KD_MEMORY_REGISTERED || m.kind == KD_MEMORY_MANAGED)
        return -1;
    return kd_device_index(m.device);
}

static bool same_places(const CUDA_MEMCPY3D *a, const CUDA_MEMCPY3D *b) {
    return place(a->srcMemoryType, a->srcDevice, a->srcHost) ==
               place(b->srcMemoryType, b->srcDevice, b->srcHost) &&
           place(a->dstMemoryType, a->dstDevice, a->dstHost) ==
               place(b->dstMemoryType, b->dstDevice, b->dstHost);
}

static CUresult may_copy(const CUDA_MEMCPY_NODE_PARAMS *old, const CUDA_MEMCPY_NODE_PARAMS *new) {
    const CUDA_MEMCPY3D *a = &old->copyParams, *b = &new->copyParams;
    if (same_copy(a, b))
        return CUDA_SUCCESS;
    REQUIRE(flat_copy(a) && flat_copy(b), CUDA_ERROR_INVALID_VALUE,
            "only copies along one dimension can change");
    REQUIRE(same_places(a, b), CUDA_ERROR_INVALID_VALUE,
            "the kind of memory or the device of a copy cannot change");
    return CUDA_SUCCESS;
}

static CUresult may_set(const CUDA_MEMSET_NODE_PARAMS_v2 *a, const CUDA_MEMSET_NODE_PARAMS_v2 *b) {
    bool same_area = a->dst == b->dst && a->width == b->width && a->height == b->height &&
                     a->pitch == b->pitch && a->elementSize == b->elementSize;
    REQUIRE(same_area || (a->height == 1 && b->height == 1), CUDA_ERROR_INVALID_VALUE,
            "only memory sets along one dimension can change");
    REQUIRE(place(CU_MEMORYTYPE_DEVICE, a->dst, NULL) == place(CU_MEMORYTYPE_DEVICE, b->dst, NULL),
            CUDA_ERROR_INVALID_VALUE, "the device of a memory set cannot change");
    return CUDA_SUCCESS;
}

static CUresult may_launch(const struct drv_node *node, const CUDA_KERNEL_NODE_PARAMS *new) {
    struct drv_function *a, *b;
    TRY(drv_params_function(&node->params.kernel, &a));
    TRY(drv_params_function(new, &b));
    REQUIRE(a->object.context == b->object.context, CUDA_ERROR_INVALID_VALUE,
            "the context of a kernel node's function cannot change");
    REQUIRE(node->launches || !kd_kernel_info(b->k)->launches, CUDA_ERROR_INVALID_VALUE,
            "kernel %s can launch kernels, copies or sets; the node's first kernel could not",
            kd_kernel_info(b->k)->name);
    return CUDA_SUCCESS;
}

// Whether an executable node may get these parameters.
static CUresult may_change(const struct drv_node *node, const CUgraphNodeParams *p) {
    REQUIRE(node->params.type == p->type, CUDA_ERROR_INVALID_VALUE,
            "the node is of type %d, the parameters are of type %d", (int)node->params.type,
            (int)p->type);
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return may_launch(node, &p->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return may_copy(&node->params.memcpy, &p->memcpy);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return may_set(&node->params.memset, &p->memset);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: // the same fields
        REQUIRE(node->params.extSemWait.numExtSems == p->extSemWait.numExtSems,
                CUDA_ERROR_INVALID_VALUE, "the number of semaphores cannot change");
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        REQUIRE(node->params.alloc.dptr == p->alloc.dptr, CUDA_ERROR_INVALID_VALUE,
                "an allocation node cannot change");
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        REQUIRE(node->params.free.dptr == p->free.dptr, CUDA_ERROR_INVALID_VALUE,
                "a free node cannot change");
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        REQUIRE(node->params.conditional.type == p->conditional.type, CUDA_ERROR_INVALID_VALUE,
                "the type of a conditional node cannot change");
        return CUDA_SUCCESS;
    default:
        return CUDA_SUCCESS;
    }
}

// ---- One node -----------------------------------------------------------------------------

static CUresult change(struct drv_exec *exec, struct drv_node *copy, CUgraphNodeParams *p) {
    TRY(may_change(copy, p));
    struct drv_node draft = *copy; // what it owns is the copy's still
    draft.owned = NULL;
    draft.memory = NULL;
    CUresult result = drv_params_take(&draft, p);
    if (result == CUDA_SUCCESS)
        result = drv_exec_apply(exec, &draft);
    if (result != CUDA_SUCCESS) {
        free(draft.owned);
        return result;
    }
    free(copy->owned);
    copy->params = draft.params;
    copy->owned = draft.owned;
    copy->owned_bytes = draft.owned_bytes;
    copy->packed_offset = draft.packed_offset;
    bool semaphores = p->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL ||
                      p->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
    return semaphores ? drv_exec_hold(exec) : CUDA_SUCCESS;
}

static CUresult find_typed(CUgraphExec handle, CUgraphNode node, CUgraphNodeType type,
                           struct drv_exec **exec, struct drv_node **copy) {
    TRY(drv_exec_find(handle, exec));
    TRY(drv_exec_node(*exec, node, copy, NULL));
    REQUIRE((*copy)->params.type == type, CUDA_ERROR_INVALID_VALUE,
            "the node is of type %d, not %d", (int)(*copy)->params.type, (int)type);
    return CUDA_SUCCESS;
}

#define EXEC_SET_PARAMS(function, node_type, member, params_type)                                  \
    CUresult function(CUgraphExec hGraphExec, CUgraphNode hNode, const params_type *nodeParams) {  \
        ENTER();                                                                                   \
        REQUIRE_POINTER(nodeParams);                                                               \
        struct drv_exec *exec;                                                                     \
        struct drv_node *n;                                                                        \
        TRY(find_typed(hGraphExec, hNode, node_type, &exec, &n));                                  \
        CUgraphNodeParams p = {.type = node_type, .member = *nodeParams};                          \
        return change(exec, n, &p);                                                                \
    }

EXEC_SET_PARAMS(cuGraphExecKernelNodeSetParams_v2, CU_GRAPH_NODE_TYPE_KERNEL, kernel,
                CUDA_KERNEL_NODE_PARAMS)
// The form of versions 10 and 11, whose functions are of the current context.
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    CUDA_KERNEL_NODE_PARAMS p = drv_kernel_params_of_v1(nodeParams);
    return cuGraphExecKernelNodeSetParams_v2(hGraphExec, hNode, &p);
}

EXEC_SET_PARAMS(cuGraphExecHostNodeSetParams, CU_GRAPH_NODE_TYPE_HOST, host, CUDA_HOST_NODE_PARAMS)
EXEC_SET_PARAMS(cuGraphExecExternalSemaphoresSignalNodeSetParams,
                CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, extSemSignal, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS)
EXEC_SET_PARAMS(cuGraphExecExternalSemaphoresWaitNodeSetParams, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
                extSemWait, CUDA_EXT_SEM_WAIT_NODE_PARAMS)
EXEC_SET_PARAMS(cuGraphExecBatchMemOpNodeSetParams, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, memOp,
                CUDA_BATCH_MEM_OP_NODE_PARAMS)

// CUDA_ERROR_INVALID_VALUE: more than one dimension; other kinds of memory or other devices.
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
    ENTER();
    REQUIRE_POINTER(copyParams);
    struct drv_exec *exec;
    struct drv_node *n;
    TRY(find_typed(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_MEMCPY, &exec, &n));
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy = {0, 0, ctx, *copyParams}};
    return change(exec, n, &p);
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                                        CUcontext ctx) {
    ENTER();
    REQUIRE_POINTER(memsetParams);
    struct drv_exec *exec;
    struct drv_node *n;
    TRY(find_typed(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_MEMSET, &exec, &n));
    const CUDA_MEMSET_NODE_PARAMS *m = memsetParams;
    CUgraphNodeParams p = {
        .type = CU_GRAPH_NODE_TYPE_MEMSET,
        .memset = {m->dst, m->pitch, m->value, m->elementSize, m->width, m->height, ctx}};
    return change(exec, n, &p);
}

static CUresult change_event(CUgraphExec handle, CUgraphNode node, CUgraphNodeType type,
                             CUevent event) {
    struct drv_exec *exec;
    struct drv_node *n;
    TRY(find_typed(handle, node, type, &exec, &n));
    CUgraphNodeParams p = {.type = type, .eventRecord = {event}};
    return change(exec, n, &p);
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUevent event) {
    ENTER();
    return change_event(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                          CUevent event) {
    ENTER();
    return change_event(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

// ---- Whole graphs -------------------------------------------------------------------------

// Walks the two graphs from their sinks towards their roots, along the edges in their order, and
// pairs their nodes: `index` of a node is its partner's place in `pairs`.
struct pairing {
    struct drv_exec *exec;
    CUgraphExecUpdateResultInfo *info;
    struct pair {
        struct drv_node *old, *new;
    } * pairs;
    size_t n;
    uint64_t stamp;
};

static bool differ(struct pairing *p, CUgraphExecUpdateResult result, const struct drv_node *node,
                   const struct drv_node *from) {
    p->info->result = result;
    p->info->errorNode = node ? node->object.handle : NULL;
    p->info->errorFromNode = from ? from->object.handle : NULL;
    return false;
}

// `to`: the new node whose edge led here, NULL for sinks.
static bool pair(struct pairing *p, struct drv_node *old, struct drv_node *new,
                 const struct drv_node *to) {
    bool old_known = old->stamp == p->stamp, new_known = new->stamp == p->stamp;
    if (old_known && new_known && old->index == new->index)
        return true;
    if (old_known || new_known)
        return differ(p, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, to ? to : new,
                      to ? new : NULL);
    old->stamp = new->stamp = p->stamp;
    old->index = new->index = p->n;
    p->pairs[p->n++] = (struct pair){old, new};
    return true;
}

static bool pair_sinks(struct pairing *p, struct drv_graph *old, struct drv_graph *new) {
    struct drv_node *a = old->first, *b = new->first;
    for (;; a = a->next, b = b->next) {
        while (a && a->out.n)
            a = a->next;
        while (b && b->out.n)
            b = b->next;
        if (!a || !b)
            break;
        if (!pair(p, a, b, NULL))
            return false;
    }
    if (a || b)
        return differ(p, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b, NULL);
    return true;
}

static bool same_edge_data(const CUgraphEdgeData *a, const CUgraphEdgeData *b) {
    return a->from_port == b->from_port && a->to_port == b->to_port && a->type == b->type;
}

static bool pair_dependencies(struct pairing *p, struct drv_node *old, struct drv_node *new) {
    if (old->in.n != new->in.n)
        return differ(p, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, new, NULL);
    for (size_t e = 0; e < new->in.n; e++) {
        if (!same_edge_data(&old->in.at[e].data, &new->in.at[e].data))
            return differ(p, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, new, new->in.at[e].node);
        if (!pair(p, old->in.at[e].node, new->in.at[e].node, new))
            return false;
    }
    return true;
}

static bool cooperative(const struct drv_node *n) {
    const CUlaunchAttributeValue *v = drv_node_attribute(n, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    return v && v->cooperative;
}

static bool compatible(struct pairing *p, struct drv_node *old, struct drv_node *new) {
    if (old->params.type != new->params.type)
        return differ(p, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, new, NULL);
    if (old->ngraphs != new->ngraphs)
        return differ(p, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, new, NULL);
    if (may_change(old, &new->params) != CUDA_SUCCESS)
        return differ(p,
                      new->params.type == CU_GRAPH_NODE_TYPE_KERNEL
                          ? CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE
                          : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
                      new, NULL);
    if (new->params.type == CU_GRAPH_NODE_TYPE_KERNEL && cooperative(old) != cooperative(new))
        return differ(p, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED, new, NULL);
    return true;
}

static bool pair_graphs(struct pairing *p, struct drv_graph *old, struct drv_graph *new) {
    size_t first = p->n;
    if (old->nnodes != new->nnodes)
        return differ(p, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL, NULL);
    if (!pair_sinks(p, old, new))
        return false;
    for (size_t i = first; i < p->n; i++)
        if (!pair_dependencies(p, p->pairs[i].old, p->pairs[i].new) ||
            !compatible(p, p->pairs[i].old, p->pairs[i].new))
            return false;
    if (p->n - first != new->nnodes) // the new graph has a cycle
        return differ(p, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL, NULL);
    size_t last = p->n;
    for (size_t i = first; i < last && old->levels; i++)
        for (unsigned k = 0; k < p->pairs[i].old->ngraphs; k++)
            if (!pair_graphs(p, p->pairs[i].old->graphs[k], p->pairs[i].new->graphs[k]))
                return false;
    return true;
}

// Parameters and attributes of `new` become those of `old`. Nodes of child graphs have pairs of
// their own, the references to user objects come with the graph.
static CUresult take_over(struct drv_exec *exec, struct drv_node *old, const struct drv_node *new) {
    for (unsigned k = 0; k < old->ngraphs; k++)
        TRY(drv_graph_hold_same(old->graphs[k], new->graphs[k]));
    if (old->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
        old->params.conditional.handle = new->params.conditional.handle;
        return drv_exec_apply(exec, old);
    }
    if (old->ngraphs || old->params.type == CU_GRAPH_NODE_TYPE_EMPTY)
        return CUDA_SUCCESS;
    TRY(drv_params_clone(old, new));
    return drv_exec_apply(exec, old);
}

static CUresult update(struct drv_exec *exec, struct drv_graph *old, struct drv_graph *new,
                       CUgraphExecUpdateResultInfo *info) {
    struct pairing p = {.exec = exec, .info = info, .stamp = drv_graph_stamp()};
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR;
    p.pairs = malloc((exec->nnodes + 1) * sizeof *p.pairs);
    REQUIRE(p.pairs, CUDA_ERROR_OUT_OF_MEMORY, "no memory to compare graphs");
    bool same = pair_graphs(&p, old, new);
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < p.n && same && result == CUDA_SUCCESS; i++) {
        result = take_over(exec, p.pairs[i].old, p.pairs[i].new);
        if (result != CUDA_SUCCESS)
            info->errorNode = p.pairs[i].new->object.handle;
        if (result == CUDA_ERROR_NOT_SUPPORTED)
            info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    }
    free(p.pairs);
    REQUIRE(same, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
            "the graphs differ in more than parameters: result %d", (int)info->result);
    REQUIRE(result == CUDA_SUCCESS, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
            "a node's parameters were refused");
    TRY(drv_conditionals_list(exec->graph, &exec->conditionals));
    TRY(drv_conditionals_set_cells(&exec->conditionals, exec->k));
    TRY(drv_graph_hold_same(old, new));
    TRY(drv_exec_hold(exec));
    info->result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    return CUDA_SUCCESS;
}

// CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE: resultInfo tells why, and at which node of hGraph.
CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                              CUgraphExecUpdateResultInfo *resultInfo) {
    ENTER();
    REQUIRE_POINTER(resultInfo);
    struct drv_exec *exec;
    struct drv_graph *g;
    *resultInfo = (CUgraphExecUpdateResultInfo){CU_GRAPH_EXEC_UPDATE_ERROR, NULL, NULL};
    TRY(drv_exec_find(hGraphExec, &exec));
    TRY(drv_graph_find(hGraph, &g));
    resultInfo->result = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    REQUIRE(!drv_graph_updatable(g) && !drv_graph_updatable(exec->graph),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
            "a graph with nodes that the device updates cannot be updated as a whole");
    resultInfo->result = CU_GRAPH_EXEC_UPDATE_ERROR;
    REQUIRE(!g->moved && !g->capturing, CUDA_ERROR_INVALID_VALUE,
            "the graph belongs to a node of another graph, or a stream captures into it");
    return update(exec, exec->graph, g, resultInfo);
}

// The form of versions 10 and 11.
CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                           CUgraphExecUpdateResult *updateResult_out) {
    ENTER();
    REQUIRE_POINTER(updateResult_out);
    struct drv_exec *exec;
    struct drv_graph *g;
    CUgraphExecUpdateResultInfo info = {CU_GRAPH_EXEC_UPDATE_ERROR, NULL, NULL};
    TRY(drv_exec_find(hGraphExec, &exec));
    TRY(drv_graph_find(hGraph, &g));
    CUresult result = update(exec, exec->graph, g, &info);
    *updateResult_out = info.result;
    if (hErrorNode_out)
        *hErrorNode_out = info.errorNode;
    return result;
}

static CUresult update_child(struct drv_exec *exec, struct drv_node *node, CUgraph handle) {
    struct drv_graph *child;
    CUgraphExecUpdateResultInfo info;
    TRY(drv_graph_find(handle, &child));
    CUresult result = update(exec, node->graphs[0], child, &info);
    return result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE ? CUDA_ERROR_INVALID_VALUE : result;
}

// The child graph must be like the one that the node has: else CUDA_ERROR_INVALID_VALUE.
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUgraph childGraph) {
    ENTER();
    struct drv_exec *exec;
    struct drv_node *n;
    TRY(find_typed(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_GRAPH, &exec, &n));
    return update_child(exec, n, childGraph);
}

// Kernel, memcpy, memset, host, event and semaphore nodes; child graphs too.
CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                  CUgraphNodeParams *nodeParams) {
    ENTER();
    REQUIRE_POINTER(nodeParams);
    struct drv_exec *exec;
    struct drv_node *n;
    TRY(drv_exec_find(hGraphExec, &exec));
    TRY(drv_exec_node(exec, hNode, &n, NULL));
    switch (n->params.type) {
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    case CU_GRAPH_NODE_TYPE_EMPTY:
        FAIL(CUDA_ERROR_NOT_SUPPORTED, "parameters of nodes of type %d cannot change",
             (int)n->params.type);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        REQUIRE(nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH, CUDA_ERROR_INVALID_VALUE,
                "the node is a child graph, the parameters are of type %d", (int)nodeParams->type);
        return update_child(exec, n, nodeParams->graph.graph);
    default:
        return change(exec, n, nodeParams);
    }
}

// ---- Enabling -----------------------------------------------------------------------------

static CUresult find_switchable(CUgraphExec handle, CUgraphNode node, struct drv_exec **exec,
                                struct drv_node **copy, size_t *at) {
    TRY(drv_exec_find(handle, exec));
    TRY(drv_exec_node(*exec, node, copy, at));
    CUgraphNodeType type = (*copy)->params.type;
    REQUIRE(type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
                type == CU_GRAPH_NODE_TYPE_MEMSET,
            CUDA_ERROR_INVALID_VALUE, "only kernel, memcpy and memset nodes can be disabled");
    return CUDA_SUCCESS;
}

// A disabled node does nothing, and keeps its parameters.
CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
    ENTER();
    struct drv_exec *exec;
    struct drv_node *n;
    size_t at;
    TRY(find_switchable(hGraphExec, hNode, &exec, &n, &at));
    TRY(drv_status(kd_graph_enable(exec->k, n->slot, isEnabled != 0), NULL));
    exec->disabled[at] = !isEnabled;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled) {
    ENTER();
    REQUIRE_POINTER(isEnabled);
    struct drv_exec *exec;
    struct drv_node *n;
    size_t at;
    TRY(find_switchable(hGraphExec, hNode, &exec, &n, &at));
    *isEnabled = !exec->disabled[at];
    return CUDA_SUCCESS;
}
