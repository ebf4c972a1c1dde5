// Graphs (guide 6.2.8.7): nodes with parameters of their own, edges with edge data, and what makes
// them. CUDA does not let a program use a graph from two threads at a time; a program that does all
// the same must not find freed memory: one lock for all graphs is held from the first lookup of a
// graph or node to the end of the call. An executable graph has a lock of its own, so that launches
// go on beside it; it is taken first.
//
// Everything a node refers to through pointers is copied when its parameters are set. The order of
// a graph's nodes is that of their creation, the order of a node's edges that in which they were
// added: whole-graph update pairs nodes by both.
#ifndef KUDZU_DRIVER_GRAPH_H
#define KUDZU_DRIVER_GRAPH_H

#include "driver/driver.h"

struct drv_node;
struct host_call;

struct drv_edge {
    struct drv_node *node;
    CUgraphEdgeData data;
};
struct drv_edges {
    struct drv_edge *at;
    size_t n, room;
};

struct drv_node {
    struct drv_object object;
    struct drv_graph *graph;
    struct drv_node *next, *prev; // of the graph, in the order of creation
    uint64_t id;                  // unique in the process, ascending with creation
    uint64_t origin;              // id of the node that this is a clone of; 0: none
    CUgraphNode original;         // its handle, which may be stale
    struct drv_edges in, out;
    // By params.type; pointers in it lead into `owned`, handles of graphs are those of `graphs`.
    CUgraphNodeParams params;
    void *owned;
    size_t owned_bytes;
    size_t packed_offset;          // of a kernel's parameters in `owned`, as code wants them
    CUlaunchAttribute *attributes; // of a kernel node, those that were set
    unsigned nattributes;
    struct drv_graph **graphs; // a child graph, or the bodies of a conditional node
    unsigned ngraphs;
    struct drv_graph_memory *memory; // of an allocation node: the address range, held
    // `kudzu check`: of a memory node, the call that made it; NULL: not known.
    const struct host_call *call;
    bool memory_freed; // of an allocation node: a node of its graph frees it; of a free node: a
                       // later node allocates the same addresses
    uint64_t stamp;    // set to drv_graph_stamp()'s value by walks
    size_t index;      // scratch of walks
    uint32_t slot; // in an executable graph: its number there; a child graph has the next one too
    uint32_t first_region; // of a conditional node there: of its bodies
    bool launches; // of a kernel node there: the kernel that it was made with launches others
};

struct drv_graph_user_object {
    struct drv_user_object *object;
    unsigned count;
};

struct drv_clone {
    uint64_t origin;
    struct drv_node *node; // NULL: destroyed since
};

struct drv_graph {
    struct drv_object object;
    struct drv_node *first, *last;
    size_t nnodes, nedges;
    struct drv_node *parent; // whose child graph or body this is; NULL: a graph of its own
    bool moved;              // a child graph that was handed over, not cloned
    bool capturing;          // a stream captures into it
    unsigned execs;          // executable graphs made of it
    unsigned levels;         // of graphs below this one
    uint64_t origin;         // id of the graph that this is a clone of
    uint64_t id;
    struct drv_clone *clones; // of a clone: its nodes by their origin, ascending
    size_t nclones;
    struct drv_graph_user_object *objects;
    size_t nobjects;
    size_t memory_nodes; // allocation and free nodes, not those of child graphs
};

// Takes the lock of graphs until the end of the call.
CUresult drv_graphs_hold(void);
// CUDA_ERROR_INVALID_VALUE for what is no graph or node. Both hold the lock of graphs.
CUresult drv_graph_find(CUgraph handle, struct drv_graph **out);
CUresult drv_node_find(CUgraphNode handle, struct drv_node **out);

// A new number, larger than all stamps that nodes have.
uint64_t drv_graph_stamp(void);

// ---- Building -----------------------------------------------------------------------------

CUresult drv_graph_new(struct drv_graph **out);
void drv_graph_free(struct drv_graph *g); // with its nodes and child graphs
// A copy with copies of all child graphs. Nodes know whose clones they are.
CUresult drv_graph_clone(const struct drv_graph *g, struct drv_graph **out);
// The clone of the node with this id; NULL: none.
struct drv_node *drv_clone_of(const struct drv_graph *clone, uint64_t id);
// Makes g part of a node, whose graph it must not contain. The node keeps it in `graphs`.
CUresult drv_graph_embed(struct drv_graph *g, struct drv_node *node);
bool drv_graph_has_memory_nodes(const struct drv_graph *g); // or a graph within it

// What cuGraphAddNode does: checks and copies `params` (of any type; outputs in it are written) and
// adds a node that depends on from[0..n). Edge data without an array is all zero.
// CUDA_ERROR_INVALID_VALUE: a dependency twice, or of another graph; edge data or parameters that
// make no sense.
CUresult drv_graph_add(struct drv_graph *g, struct drv_node *const *from,
                       const CUgraphEdgeData *data, size_t n, CUgraphNodeParams *params,
                       struct drv_node **out);
// New parameters of the node's own type.
CUresult drv_node_set_params(struct drv_node *node, CUgraphNodeParams *params);
void drv_node_destroy(struct drv_node *node);

// A node of this type at the end of the graph's list, without parameters and edges.
CUresult drv_node_new(struct drv_graph *g, CUgraphNodeType type, struct drv_node **out);
void drv_node_free(struct drv_node *node); // together with its graph

// Whether an edge with this data may leave `from` for `to` (NULL: not known yet).
CUresult drv_edge_check(const struct drv_node *from, const struct drv_node *to,
                        const CUgraphEdgeData *data);
// CUDA_ERROR_INVALID_VALUE: the edge exists, a node is of another graph, from and to are the same.
CUresult drv_edge_add(struct drv_node *from, struct drv_node *to, const CUgraphEdgeData *data);
CUresult drv_edge_remove(struct drv_node *from, struct drv_node *to, const CUgraphEdgeData *data);

// Dependencies of a new node, all or an error. data NULL: all zero.
CUresult drv_edges_add_all(struct drv_node *to, struct drv_node *const *from,
                           const CUgraphEdgeData *data, size_t n);
void drv_edges_remove_all(struct drv_node *node);
// Copies edges between nodes whose `index` says where in `nodes` their clones stand.
CUresult drv_edges_clone(struct drv_edges *to, const struct drv_edges *from,
                         const struct drv_clone *nodes);

CUresult drv_node_set_attribute(struct drv_node *node, CUlaunchAttributeID id,
                                const CUlaunchAttributeValue *value);
// NULL: the attribute was never set.
const CUlaunchAttributeValue *drv_node_attribute(const struct drv_node *node,
                                                 CUlaunchAttributeID id);

// ---- Parameters (graph_params.c) ----------------------------------------------------------

// Checks `params` and copies it into `node`, in place of what it had; fails without effect. Outputs
// in `params` (an address, graphs) are written.
CUresult drv_params_take(struct drv_node *node, CUgraphNodeParams *params);
CUresult drv_params_clone(struct drv_node *to, const struct drv_node *from);
void drv_params_free(struct drv_node *node);
// The kernel's parameters, as code wants them.
static inline const void *drv_params_packed(const struct drv_node *kernel) {
    return (const char *)kernel->owned + kernel->packed_offset;
}
CUDA_KERNEL_NODE_PARAMS drv_kernel_params_of_v1(const CUDA_KERNEL_NODE_PARAMS_v1 *p);
// A kernel node may have a grid without blocks, which does nothing when it is launched.
bool drv_params_no_blocks(const CUDA_KERNEL_NODE_PARAMS *p);
// The function of a kernel node, in the context that it runs in.
CUresult drv_params_function(const CUDA_KERNEL_NODE_PARAMS *p, struct drv_function **out);

#endif
