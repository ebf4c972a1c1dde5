// Graphs as objects: creation, end, clones, and queries about their nodes.
#include "driver/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "driver/graph/user_object.h"

enum { MAX_LEVELS = 128 }; // of graphs within graphs

CUresult drv_graph_find(CUgraph handle, struct drv_graph **out) {
    TRY(drv_graphs_hold());
    *out = drv_object_peek(handle, DRV_GRAPH);
    REQUIRE(*out, CUDA_ERROR_INVALID_VALUE, "%p is no graph, or one that was destroyed",
            (void *)handle);
    return CUDA_SUCCESS;
}

uint64_t drv_graph_stamp(void) {
    static _Atomic uint64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

// ---- Life ---------------------------------------------------------------------------------

static void release(struct drv_object *o) {
    struct drv_graph *g = (struct drv_graph *)o;
    for (size_t i = 0; i < g->nobjects; i++)
        drv_user_object_drop(g->objects[i].object, g->objects[i].count);
    free(g->objects);
    free(g->clones);
    free(g);
}

CUresult drv_graph_new(struct drv_graph **out) {
    struct drv_graph *g = calloc(1, sizeof *g);
    if (g && !drv_object_add(&g->object, DRV_GRAPH, NULL, release)) {
        free(g);
        g = NULL;
    }
    REQUIRE(g, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
    g->id = drv_graph_stamp();
    *out = g;
    return CUDA_SUCCESS;
}

void drv_graph_free(struct drv_graph *g) {
    if (!g)
        return;
    for (struct drv_node *n = g->first; n;) {
        struct drv_node *next = n->next;
        drv_node_free(n);
        n = next;
    }
    drv_object_destroy(&g->object);
}

CUresult drv_graph_embed(struct drv_graph *g, struct drv_node *node) {
    unsigned level = g->levels + 1;
    struct drv_graph *above = node->graph;
    unsigned depth = 0;
    for (const struct drv_graph *p = above; p; p = p->parent ? p->parent->graph : NULL)
        depth++;
    REQUIRE(level + depth <= MAX_LEVELS, CUDA_ERROR_INVALID_VALUE,
            "graphs within graphs: %u levels are the most", (unsigned)MAX_LEVELS);
    g->parent = node;
    for (; above; above = above->parent ? above->parent->graph : NULL, level++)
        if (above->levels < level)
            above->levels = level;
    return CUDA_SUCCESS;
}

// ---- Clones -------------------------------------------------------------------------------

static CUresult clone_objects(struct drv_graph *to, const struct drv_graph *from) {
    for (size_t i = 0; i < from->nobjects; i++)
        TRY(drv_graph_hold(to, from->objects[i].object, from->objects[i].count));
    return CUDA_SUCCESS;
}

// The clones stand at the index of their origin, so edges need no search.
static CUresult clone_nodes(struct drv_graph *to, const struct drv_graph *from) {
    to->clones = calloc(from->nnodes + 1, sizeof *to->clones);
    REQUIRE(to->clones, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a clone of %zu nodes",
            from->nnodes);
    for (struct drv_node *n = from->first; n; n = n->next) {
        struct drv_node *copy;
        TRY(drv_node_new(to, n->params.type, &copy));
        n->index = to->nclones;
        copy->index = to->nclones;
        copy->origin = n->id;
        copy->original = n->object.handle;
        to->clones[to->nclones++] = (struct drv_clone){n->id, copy};
        TRY(drv_params_clone(copy, n));
    }
    return CUDA_SUCCESS;
}

static CUresult clone_edges(struct drv_graph *to, const struct drv_graph *from) {
    for (const struct drv_node *n = from->first; n; n = n->next) {
        TRY(drv_edges_clone(&to->clones[n->index].node->in, &n->in, to->clones));
        TRY(drv_edges_clone(&to->clones[n->index].node->out, &n->out, to->clones));
    }
    to->nedges = from->nedges;
    return CUDA_SUCCESS;
}

CUresult drv_graph_clone(const struct drv_graph *g, struct drv_graph **out) {
    struct drv_graph *copy;
    TRY(drv_graph_new(&copy));
    copy->origin = g->id;
    CUresult result = clone_nodes(copy, g);
    if (result == CUDA_SUCCESS)
        result = clone_edges(copy, g);
    if (result == CUDA_SUCCESS)
        result = clone_objects(copy, g);
    if (result != CUDA_SUCCESS) {
        drv_graph_free(copy);
        return result;
    }
    copy->memory_nodes = g->memory_nodes;
    *out = copy;
    return CUDA_SUCCESS;
}

struct drv_node *drv_clone_of(const struct drv_graph *clone, uint64_t id) {
    size_t low = 0, high = clone->nclones;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (clone->clones[middle].origin < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < clone->nclones && clone->clones[low].origin == id ? clone->clones[low].node : NULL;
}

// ---- Entry points -------------------------------------------------------------------------

CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags) {
    ENTER();
    REQUIRE_POINTER(phGraph);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    struct drv_graph *g;
    TRY(drv_graphs_hold());
    TRY(drv_graph_new(&g));
    *phGraph = g->object.handle;
    return CUDA_SUCCESS;
}

// Executable graphs made of it go on.
CUresult cuGraphDestroy(CUgraph hGraph) {
    ENTER();
    struct drv_graph *g;
    TRY(drv_graph_find(hGraph, &g));
    REQUIRE(!g->parent, CUDA_ERROR_INVALID_VALUE,
            "the graph belongs to a node of another graph and ends with it");
    REQUIRE(!g->capturing, CUDA_ERROR_INVALID_VALUE, "a stream is capturing into the graph");
    drv_graph_free(g);
    return CUDA_SUCCESS;
}

// CUDA_ERROR_INVALID_VALUE for graphs with allocation or free nodes: an address has one owner.
CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph) {
    ENTER();
    REQUIRE_POINTER(phGraphClone);
    struct drv_graph *g, *copy;
    TRY(drv_graph_find(originalGraph, &g));
    REQUIRE(!drv_graph_has_memory_nodes(g), CUDA_ERROR_NOT_SUPPORTED,
            "a graph with memory nodes cannot be cloned");
    TRY(drv_graph_clone(g, &copy));
    *phGraphClone = copy->object.handle;
    return CUDA_SUCCESS;
}

// The original may have been destroyed since: its number is all that is compared.
CUresult cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode,
                                CUgraph hClonedGraph) {
    ENTER();
    REQUIRE_POINTER(phNode);
    struct drv_graph *g;
    struct drv_node *original;
    TRY(drv_graph_find(hClonedGraph, &g));
    TRY(drv_node_find(hOriginalNode, &original));
    struct drv_node *n = drv_clone_of(g, original->id);
    REQUIRE(n, CUDA_ERROR_INVALID_VALUE, "the graph has no clone of this node");
    *phNode = n->object.handle;
    return CUDA_SUCCESS;
}

// ---- Queries ------------------------------------------------------------------------------

// Handles go to `out` (NULL: count only), *room of them; what is left of the room becomes NULL.
struct handles {
    CUgraphNode *out;
    size_t room, n;
};

static void put(struct handles *h, const struct drv_node *n) {
    if (h->out && h->n < h->room)
        h->out[h->n] = n->object.handle;
    h->n++;
}

static void put_done(struct handles *h, size_t *count) {
    for (size_t i = h->n; h->out && i < h->room; i++)
        h->out[i] = NULL;
    *count = h->out && h->room < h->n ? h->room : h->n;
}

// When `nodes` has more room than needed the rest is set to NULL, and *numNodes to what was
// written; without `nodes` it becomes the number of nodes. So do the other queries.
CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes) {
    ENTER();
    REQUIRE_POINTER(numNodes);
    struct drv_graph *g;
    TRY(drv_graph_find(hGraph, &g));
    struct handles h = {nodes, *numNodes, 0};
    for (struct drv_node *n = g->first; n; n = n->next)
        put(&h, n);
    put_done(&h, numNodes);
    return CUDA_SUCCESS;
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes) {
    ENTER();
    REQUIRE_POINTER(numRootNodes);
    struct drv_graph *g;
    TRY(drv_graph_find(hGraph, &g));
    struct handles h = {rootNodes, *numRootNodes, 0};
    for (struct drv_node *n = g->first; n; n = n->next)
        if (!n->in.n)
            put(&h, n);
    put_done(&h, numRootNodes);
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type) {
    ENTER();
    REQUIRE_POINTER(type);
    struct drv_node *n;
    TRY(drv_node_find(hNode, &n));
    *type = n->params.type;
    return CUDA_SUCCESS;
}
