// Dependencies between the nodes of a graph, with their edge data (guide 6.2.8.7.1.2).
#include <stdlib.h>
#include <string.h>

#include "driver/graph/graph.h"

static const CUgraphEdgeData no_data;

static bool same_data(const CUgraphEdgeData *a, const CUgraphEdgeData *b) {
    return a->from_port == b->from_port && a->to_port == b->to_port && a->type == b->type;
}

static bool is_default(const CUgraphEdgeData *d) {
    return same_data(d, &no_data);
}

// ---- Lists of edges -----------------------------------------------------------------------

static bool reserve(struct drv_edges *e, size_t n) {
    if (n <= e->room)
        return true;
    size_t room = e->room ? 2 * e->room : 2;
    if (room < n)
        room = n;
    struct drv_edge *at = realloc(e->at, room * sizeof *at);
    if (!at)
        return false;
    e->at = at;
    e->room = room;
    return true;
}

static size_t position(const struct drv_edges *e, const struct drv_node *n) {
    size_t i = 0;
    while (i < e->n && e->at[i].node != n)
        i++;
    return i;
}

static void take_out(struct drv_edges *e, const struct drv_node *n) {
    size_t i = position(e, n);
    if (i == e->n)
        return;
    e->n--;
    memmove(&e->at[i], &e->at[i + 1], (e->n - i) * sizeof e->at[0]);
}

// Looks where there are fewer edges. NULL: no such edge.
static struct drv_edge *find(struct drv_node *from, struct drv_node *to) {
    if (from->out.n <= to->in.n) {
        size_t i = position(&from->out, to);
        return i < from->out.n ? &from->out.at[i] : NULL;
    }
    size_t i = position(&to->in, from);
    return i < to->in.n ? &to->in.at[i] : NULL;
}

CUresult drv_edges_clone(struct drv_edges *to, const struct drv_edges *from,
                         const struct drv_clone *nodes) {
    REQUIRE(reserve(to, from->n), CUDA_ERROR_OUT_OF_MEMORY, "no memory for edges");
    for (size_t i = 0; i < from->n; i++)
        to->at[i] = (struct drv_edge){nodes[from->at[i].node->index].node, from->at[i].data};
    to->n = from->n;
    return CUDA_SUCCESS;
}

// ---- Rules --------------------------------------------------------------------------------

CUresult drv_edge_check(const struct drv_node *from, const struct drv_node *to,
                        const CUgraphEdgeData *data) {
    static const unsigned char zero[sizeof data->reserved];
    REQUIRE(!memcmp(data->reserved, zero, sizeof zero), CUDA_ERROR_INVALID_VALUE,
            "the reserved bytes of edge data must be 0");
    REQUIRE(data->to_port == 0, CUDA_ERROR_INVALID_VALUE, "no node has an incoming port %d",
            data->to_port);
    bool kernel = from->params.type == CU_GRAPH_NODE_TYPE_KERNEL;
    REQUIRE(data->from_port == 0 ||
                (kernel && data->from_port <= CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER),
            CUDA_ERROR_INVALID_VALUE, "a node of this type has no outgoing port %d",
            data->from_port);
    REQUIRE(data->type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT ||
                data->type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
            CUDA_ERROR_INVALID_VALUE, "%d is no type of an edge", data->type);
    bool both = kernel && (!to || to->params.type == CU_GRAPH_NODE_TYPE_KERNEL);
    REQUIRE(data->type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT || both, CUDA_ERROR_INVALID_VALUE,
            "programmatic edges are between kernel nodes");
    REQUIRE(data->type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT || data->from_port != 0,
            CUDA_ERROR_INVALID_VALUE,
            "a programmatic edge leaves the programmatic or the launch order port");
    return CUDA_SUCCESS;
}

static CUresult insert(struct drv_node *from, struct drv_node *to, const CUgraphEdgeData *data) {
    REQUIRE(reserve(&from->out, from->out.n + 1) && reserve(&to->in, to->in.n + 1),
            CUDA_ERROR_OUT_OF_MEMORY, "no memory for an edge");
    from->out.at[from->out.n++] = (struct drv_edge){to, *data};
    to->in.at[to->in.n++] = (struct drv_edge){from, *data};
    from->graph->nedges++;
    return CUDA_SUCCESS;
}

CUresult drv_edge_add(struct drv_node *from, struct drv_node *to, const CUgraphEdgeData *data) {
    if (!data)
        data = &no_data;
    REQUIRE(from->graph == to->graph, CUDA_ERROR_INVALID_VALUE,
            "an edge between nodes of different graphs");
    REQUIRE(from != to, CUDA_ERROR_INVALID_VALUE, "a node cannot depend on itself");
    TRY(drv_edge_check(from, to, data));
    REQUIRE(!find(from, to), CUDA_ERROR_INVALID_VALUE, "the edge exists already");
    return insert(from, to, data);
}

CUresult drv_edge_remove(struct drv_node *from, struct drv_node *to, const CUgraphEdgeData *data) {
    struct drv_edge *e = find(from, to);
    REQUIRE(e, CUDA_ERROR_INVALID_VALUE, "there is no such edge");
    REQUIRE(same_data(&e->data, data ? data : &no_data), CUDA_ERROR_INVALID_VALUE,
            "the edge has other edge data");
    take_out(&from->out, to);
    take_out(&to->in, from);
    from->graph->nedges--;
    return CUDA_SUCCESS;
}

CUresult drv_edges_add_all(struct drv_node *to, struct drv_node *const *from,
                           const CUgraphEdgeData *data, size_t n) {
    uint64_t stamp = drv_graph_stamp();
    for (size_t i = 0; i < n; i++) {
        REQUIRE(from[i]->graph == to->graph, CUDA_ERROR_INVALID_VALUE,
                "dependency %zu is a node of another graph", i);
        REQUIRE(from[i]->stamp != stamp, CUDA_ERROR_INVALID_VALUE, "dependency %zu is given twice",
                i);
        from[i]->stamp = stamp;
        TRY(drv_edge_check(from[i], to, data ? &data[i] : &no_data));
    }
    for (size_t i = 0; i < n; i++)
        TRY(insert(from[i], to, data ? &data[i] : &no_data));
    return CUDA_SUCCESS;
}

void drv_edges_remove_all(struct drv_node *node) {
    for (size_t i = 0; i < node->in.n; i++)
        take_out(&node->in.at[i].node->out, node);
    for (size_t i = 0; i < node->out.n; i++)
        take_out(&node->out.at[i].node->in, node);
    node->graph->nedges -= node->in.n + node->out.n;
    node->in.n = node->out.n = 0;
}

// ---- Adding and removing ------------------------------------------------------------------

static CUresult find_in(const struct drv_graph *g, CUgraphNode handle, struct drv_node **out) {
    TRY(drv_node_find(handle, out));
    REQUIRE((*out)->graph == g, CUDA_ERROR_INVALID_VALUE, "%p is a node of another graph",
            (void *)handle);
    return CUDA_SUCCESS;
}

static void undo(CUgraphNode const *from, CUgraphNode const *to, size_t n) {
    while (n--) {
        struct drv_node *a = drv_object_peek(from[n], DRV_GRAPH_NODE);
        struct drv_node *b = drv_object_peek(to[n], DRV_GRAPH_NODE);
        take_out(&a->out, b);
        take_out(&b->in, a);
        a->graph->nedges--;
    }
}

// All edges or none.
static CUresult add(CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                    const CUgraphEdgeData *data, size_t n) {
    struct drv_graph *g;
    TRY(drv_graph_find(handle, &g));
    REQUIRE(!n || (from && to), CUDA_ERROR_INVALID_VALUE, "from and to cannot be NULL");
    for (size_t i = 0; i < n; i++) {
        struct drv_node *a, *b;
        CUresult result = find_in(g, from[i], &a);
        if (result == CUDA_SUCCESS)
            result = find_in(g, to[i], &b);
        if (result == CUDA_SUCCESS)
            result = drv_edge_add(a, b, data ? &data[i] : NULL);
        if (result != CUDA_SUCCESS) {
            undo(from, to, i);
            return result;
        }
    }
    return CUDA_SUCCESS;
}

// Edges before the first one that does not exist are removed.
static CUresult remove_edges(CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                             const CUgraphEdgeData *data, size_t n) {
    struct drv_graph *g;
    TRY(drv_graph_find(handle, &g));
    REQUIRE(!g->memory_nodes, CUDA_ERROR_NOT_SUPPORTED,
            "edges of a graph with memory nodes cannot be removed");
    REQUIRE(!n || (from && to), CUDA_ERROR_INVALID_VALUE, "from and to cannot be NULL");
    for (size_t i = 0; i < n; i++) {
        struct drv_node *a, *b;
        TRY(find_in(g, from[i], &a));
        TRY(find_in(g, to[i], &b));
        TRY(drv_edge_remove(a, b, data ? &data[i] : NULL));
    }
    return CUDA_SUCCESS;
}

// CUDA_ERROR_INVALID_VALUE: an edge exists already. Cycles are found at instantiation.
CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t numDependencies) {
    ENTER();
    return add(hGraph, from, to, NULL, numDependencies);
}

CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edgeData, size_t numDependencies) {
    ENTER();
    return add(hGraph, from, to, edgeData, numDependencies);
}

// CUDA_ERROR_INVALID_VALUE: an edge does not exist, or has other edge data.
CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t numDependencies) {
    ENTER();
    return remove_edges(hGraph, from, to, NULL, numDependencies);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                                      const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                      size_t numDependencies) {
    ENTER();
    return remove_edges(hGraph, from, to, edgeData, numDependencies);
}

// ---- Queries ------------------------------------------------------------------------------

static CUresult lossy(const CUgraphEdgeData *data) {
    REQUIRE(is_default(data), CUDA_ERROR_LOSSY_QUERY,
            "an edge has edge data, and there is no array to return it in");
    return CUDA_SUCCESS;
}

struct listing {
    CUgraphNode *from, *to;
    CUgraphEdgeData *data;
    size_t room, n;
    bool counting;
};

static CUresult put(struct listing *l, const struct drv_node *from, const struct drv_node *to,
                    const CUgraphEdgeData *data) {
    size_t i = l->n++;
    if (l->counting || i >= l->room)
        return CUDA_SUCCESS;
    if (l->data)
        l->data[i] = *data;
    else
        TRY(lossy(data));
    if (l->from)
        l->from[i] = from->object.handle;
    if (l->to)
        l->to[i] = to->object.handle;
    return CUDA_SUCCESS;
}

static void put_done(struct listing *l, size_t *count) {
    for (size_t i = l->n; !l->counting && i < l->room; i++) {
        if (l->from)
            l->from[i] = NULL;
        if (l->to)
            l->to[i] = NULL;
        if (l->data)
            l->data[i] = no_data;
    }
    *count = !l->counting && l->room < l->n ? l->room : l->n;
}

// Edges in the order of their first nodes.
static CUresult edges(CUgraph handle, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                      size_t *count) {
    struct drv_graph *g;
    REQUIRE_POINTER(count);
    TRY(drv_graph_find(handle, &g));
    REQUIRE(!from == !to, CUDA_ERROR_INVALID_VALUE, "from and to must both be given, or neither");
    struct listing l = {from, to, data, *count, 0, !from};
    for (struct drv_node *n = g->first; n; n = n->next)
        for (size_t i = 0; i < n->out.n; i++)
            TRY(put(&l, n, n->out.at[i].node, &n->out.at[i].data));
    put_done(&l, count);
    return CUDA_SUCCESS;
}

static CUresult neighbours(const struct drv_edges *e, CUgraphNode *nodes, CUgraphEdgeData *data,
                           size_t *count) {
    REQUIRE_POINTER(count);
    struct listing l = {nodes, NULL, data, *count, 0, !nodes};
    for (size_t i = 0; i < e->n; i++)
        TRY(put(&l, e->at[i].node, NULL, &e->at[i].data));
    put_done(&l, count);
    return CUDA_SUCCESS;
}

// CUDA_ERROR_LOSSY_QUERY: an edge has edge data, and this form cannot return it.
CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges) {
    ENTER();
    return edges(hGraph, from, to, NULL, numEdges);
}

CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edgeData, size_t *numEdges) {
    ENTER();
    return edges(hGraph, from, to, edgeData, numEdges);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies,
                                    size_t *numDependencies) {
    ENTER();
    struct drv_node *n;
    TRY(drv_node_find(hNode, &n));
    return neighbours(&n->in, dependencies, NULL, numDependencies);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                                       CUgraphEdgeData *edgeData, size_t *numDependencies) {
    ENTER();
    struct drv_node *n;
    TRY(drv_node_find(hNode, &n));
    return neighbours(&n->in, dependencies, edgeData, numDependencies);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                      size_t *numDependentNodes) {
    ENTER();
    struct drv_node *n;
    TRY(drv_node_find(hNode, &n));
    return neighbours(&n->out, dependentNodes, NULL, numDependentNodes);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                         CUgraphEdgeData *edgeData, size_t *numDependentNodes) {
    ENTER();
    struct drv_node *n;
    TRY(drv_node_find(hNode, &n));
    return neighbours(&n->out, dependentNodes, edgeData, numDependentNodes);
}
