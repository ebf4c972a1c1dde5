// Nodes: creation, end, attributes.
#include <stdlib.h>
#include <string.h>

#include "driver/graph/graph.h"
#include "driver/graph/graph_updatable.h"

CUresult drv_node_find(CUgraphNode handle, struct drv_node **out) {
    TRY(drv_graphs_hold());
    *out = drv_object_peek(handle, DRV_GRAPH_NODE);
    REQUIRE(*out, CUDA_ERROR_INVALID_VALUE, "%p is no node of a graph, or one that was destroyed",
            (void *)handle);
    return CUDA_SUCCESS;
}

// ---- Life ---------------------------------------------------------------------------------

static void release(struct drv_object *o) {
    struct drv_node *n = (struct drv_node *)o;
    drv_params_free(n);
    free(n->attributes);
    free(n->in.at);
    free(n->out.at);
    free(n);
}

CUresult drv_node_new(struct drv_graph *g, CUgraphNodeType type, struct drv_node **out) {
    struct drv_node *n = calloc(1, sizeof *n);
    if (n && !drv_object_add(&n->object, DRV_GRAPH_NODE, NULL, release)) {
        free(n);
        n = NULL;
    }
    REQUIRE(n, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    n->params.type = type;
    n->id = drv_graph_stamp();
    n->graph = g;
    n->prev = g->last;
    if (g->last)
        g->last->next = n;
    else
        g->first = n;
    g->last = n;
    g->nnodes++;
    *out = n;
    return CUDA_SUCCESS;
}

void drv_node_free(struct drv_node *node) {
    drv_object_destroy(&node->object);
}

static void forget_clone(struct drv_graph *g, const struct drv_node *node) {
    for (size_t low = 0, high = g->nclones; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (g->clones[middle].origin == node->origin) {
            g->clones[middle].node = NULL;
            return;
        }
        if (g->clones[middle].origin < node->origin)
            low = middle + 1;
        else
            high = middle;
    }
}

void drv_node_destroy(struct drv_node *node) {
    struct drv_graph *g = node->graph;
    drv_edges_remove_all(node);
    if (node->origin)
        forget_clone(g, node);
    if (node->prev)
        node->prev->next = node->next;
    else
        g->first = node->next;
    if (node->next)
        node->next->prev = node->prev;
    else
        g->last = node->prev;
    g->nnodes--;
    drv_node_free(node);
}

bool drv_graph_has_memory_nodes(const struct drv_graph *g) {
    if (g->memory_nodes)
        return true;
    if (!g->levels)
        return false;
    for (const struct drv_node *n = g->first; n; n = n->next)
        for (unsigned i = 0; i < n->ngraphs; i++)
            if (drv_graph_has_memory_nodes(n->graphs[i]))
                return true;
    return false;
}

CUresult drv_graph_add(struct drv_graph *g, struct drv_node *const *from,
                       const CUgraphEdgeData *data, size_t n, CUgraphNodeParams *params,
                       struct drv_node **out) {
    struct drv_node *node;
    TRY(drv_node_new(g, params->type, &node));
    CUresult result = drv_edges_add_all(node, from, data, n);
    if (result == CUDA_SUCCESS)
        result = drv_params_take(node, params);
    if (result != CUDA_SUCCESS) {
        drv_node_destroy(node);
        return result;
    }
    *out = node;
    return CUDA_SUCCESS;
}

// CUDA_ERROR_NOT_SUPPORTED for allocation and free nodes, and in graphs that a node owns.
CUresult cuGraphDestroyNode(CUgraphNode hNode) {
    ENTER();
    struct drv_node *n;
    TRY(drv_node_find(hNode, &n));
    bool memory = n->params.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
                  n->params.type == CU_GRAPH_NODE_TYPE_MEM_FREE;
    REQUIRE(!memory && !n->graph->memory_nodes, CUDA_ERROR_NOT_SUPPORTED,
            "nodes of a graph with memory nodes cannot be destroyed");
    REQUIRE(!n->graph->capturing, CUDA_ERROR_INVALID_VALUE, "a stream is capturing into the graph");
    REQUIRE(!drv_node_updatable(n), CUDA_ERROR_INVALID_VALUE,
            "a node that the device updates cannot be destroyed");
    drv_node_destroy(n);
    return CUDA_SUCCESS;
}

// ---- Attributes of kernel nodes -----------------------------------------------------------

const CUlaunchAttributeValue *drv_node_attribute(const struct drv_node *node,
                                                 CUlaunchAttributeID id) {
    for (unsigned i = 0; i < node->nattributes; i++)
        if (node->attributes[i].id == id)
            return &node->attributes[i].value;
    return NULL;
}

static CUresult check_attribute(CUlaunchAttributeID id) {
    REQUIRE((unsigned)id <= CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT &&
                id != CU_LAUNCH_ATTRIBUTE_IGNORE && id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT &&
                id != CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT &&
                id != CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
            CUDA_ERROR_INVALID_VALUE, "%d is no attribute of a kernel node", (int)id);
    return CUDA_SUCCESS;
}

// Once the device may update a node, it always may.
static CUresult check_updatable(const struct drv_node *node, const CUlaunchAttributeValue *v) {
    int value = v->deviceUpdatableKernelNode.deviceUpdatable;
    REQUIRE(value == 0 || value == 1, CUDA_ERROR_INVALID_VALUE, "deviceUpdatable is 0 or 1, not %d",
            value);
    REQUIRE(value || !drv_node_updatable(node), CUDA_ERROR_INVALID_VALUE,
            "the device may update the node: that cannot be taken back");
    return CUDA_SUCCESS;
}

CUresult drv_node_set_attribute(struct drv_node *node, CUlaunchAttributeID id,
                                const CUlaunchAttributeValue *value) {
    TRY(check_attribute(id));
    TRY(drv_attribute_check(id, value));
    CUlaunchAttributeValue own = *value;
    if (id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) {
        TRY(check_updatable(node, value));
        own.deviceUpdatableKernelNode.devNode = drv_node_device_handle(node);
        value = &own;
    }
    for (unsigned i = 0; i < node->nattributes; i++)
        if (node->attributes[i].id == id) {
            node->attributes[i].value = *value;
            return CUDA_SUCCESS;
        }
    CUlaunchAttribute *a = realloc(node->attributes, (node->nattributes + 1) * sizeof *a);
    REQUIRE(a, CUDA_ERROR_OUT_OF_MEMORY, "no memory for an attribute");
    node->attributes = a;
    a += node->nattributes++;
    memset(a, 0, sizeof *a);
    a->id = id;
    a->value = *value;
    return CUDA_SUCCESS;
}

static CUresult find_kernel(CUgraphNode handle, struct drv_node **out) {
    TRY(drv_node_find(handle, out));
    REQUIRE((*out)->params.type == CU_GRAPH_NODE_TYPE_KERNEL, CUDA_ERROR_INVALID_VALUE,
            "attributes belong to kernel nodes");
    return CUDA_SUCCESS;
}

// What was never set is all zero, but for domains, which are mapped to themselves.
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       CUkernelNodeAttrValue *value_out) {
    ENTER();
    REQUIRE_POINTER(value_out);
    struct drv_node *n;
    TRY(find_kernel(hNode, &n));
    CUlaunchAttributeValue none = {0};
    TRY(check_attribute(attr));
    if (attr == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)
        none.memSyncDomainMap = (CUlaunchMemSyncDomainMap){0, 1};
    const CUlaunchAttributeValue *v = drv_node_attribute(n, attr);
    *value_out = v ? *v : none;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       const CUkernelNodeAttrValue *value) {
    ENTER();
    REQUIRE_POINTER(value);
    struct drv_node *n;
    TRY(find_kernel(hNode, &n));
    return drv_node_set_attribute(n, attr, value);
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
    ENTER();
    struct drv_node *to, *from;
    TRY(find_kernel(dst, &to));
    TRY(find_kernel(src, &from));
    REQUIRE(!drv_node_updatable(to) && !drv_node_updatable(from), CUDA_ERROR_INVALID_VALUE,
            "attributes of nodes that the device updates cannot be copied");
    for (unsigned i = 0; to != from && i < from->nattributes; i++)
        TRY(drv_node_set_attribute(to, from->attributes[i].id, &from->attributes[i].value));
    return CUDA_SUCCESS;
}
