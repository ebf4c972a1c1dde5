// Executable graphs: a private copy of the graph that they were made of, and what the device runs.
#ifndef KUDZU_DRIVER_GRAPH_EXEC_H
#define KUDZU_DRIVER_GRAPH_EXEC_H

#include "driver/graph/graph.h"
#include "driver/graph/graph_conditional.h"

// Graphs were launched in streams of other contexts than those of their kernels, copies and sets:
// who waits for the work of a context waits for that of all.
extern atomic_bool drv_graphs_abroad;

struct drv_exec_node {
    uint64_t id;           // of the node that the graph had
    struct drv_node *node; // its copy
};

struct drv_exec {
    struct drv_object object;
    pthread_mutex_t lock;
    struct drv_graph *graph; // the copy, with child graphs and bodies
    CUgraph source;          // may have been destroyed since
    struct kd_graph *k;
    uint64_t flags;
    const struct kd_context *context; // of the nodes that have one; NULL: none so far
    bool mixed;                       // they are of several
    atomic_bool uploaded;             // launched, or uploaded: kernels may launch it
    struct drv_exec_node *nodes;      // of all levels, ascending by id
    size_t nnodes;
    bool *disabled;           // by place in `nodes`
    uint64_t checked;         // drv_unloads when all handles were last found valid
    struct drv_node **events; // event nodes
    size_t nevents;
    struct drv_node **memory; // allocation and free nodes
    size_t nmemory;
    struct drv_conditionals conditionals;
};

// Held and locked until the call ends: one call at a time uses an executable graph.
CUresult drv_exec_find(CUgraphExec handle, struct drv_exec **out);
// The copy of a node of the graph that `exec` was made of: else CUDA_ERROR_INVALID_VALUE.
CUresult drv_exec_node(struct drv_exec *exec, CUgraphNode handle, struct drv_node **out,
                       size_t *place);
// Gives the device what the copy's parameters say; fails without effect.
CUresult drv_exec_apply(struct drv_exec *exec, struct drv_node *copy);
CUresult drv_exec_launch(struct drv_exec *exec, CUstream stream);
// What the device runs holds the user objects that the copy and graphs in it have now.
CUresult drv_exec_hold(struct drv_exec *exec);

#endif
