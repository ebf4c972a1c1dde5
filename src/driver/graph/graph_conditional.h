// Conditional nodes (guide 6.2.8.7.8): a value that kernels set decides whether, how often, or
// which of its bodies a node runs.
#ifndef KUDZU_DRIVER_GRAPH_CONDITIONAL_H
#define KUDZU_DRIVER_GRAPH_CONDITIONAL_H

#include "driver/graph/graph.h"

// Checks the parameters of a node of g; *phGraph_out is not touched. Its handle, made for g or for
// a graph that g lies in, is then the node's.
CUresult drv_conditional_take(const struct drv_graph *g, const CUDA_CONDITIONAL_NODE_PARAMS *p);
// Whether the node lies in the body of a conditional node, or in a graph within one.
bool drv_in_body(const struct drv_node *n);
// What the device has to know of such a node.
CUresult drv_conditional_describe(const struct drv_node *n, struct kd_condition *out);
// Whether all handles made for a graph belong to nodes, and all bodies of a graph's conditional
// nodes hold what they may. *node is the one that is wrong; NULL: a handle.
CUresult drv_conditional_check(const struct drv_graph *g, const struct drv_node **node);

// Handles of conditional nodes in a graph and in the graphs within it, each once.
struct drv_conditionals {
    struct drv_conditional **at;
    size_t n;
};
CUresult drv_conditionals_list(const struct drv_graph *g, struct drv_conditionals *out);
// Values that are set when a launch begins.
CUresult drv_conditionals_set_cells(const struct drv_conditionals *list, struct kd_graph *k);
// Launches `k` after all earlier launches of graphs with any of the same handles: kernels know a
// handle by number, so two executable graphs of one graph share its value.
CUresult drv_conditionals_launch(const struct drv_conditionals *list, struct kd_graph *k,
                                 struct kd_queue *q, struct drv_context *ctx);

#endif
