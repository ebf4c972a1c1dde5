// Memory of graphs: allocation nodes own ranges of addresses (guide, chapter 16).
#ifndef KUDZU_DRIVER_GRAPH_MEMORY_H
#define KUDZU_DRIVER_GRAPH_MEMORY_H

#include "driver/graph.h"

struct drv_graph_memory;

// Checks the parameters of an allocation node that is being made, gives it addresses (p->dptr) and
// one reference to them.
CUresult drv_graph_memory_take(struct drv_node *node, CUDA_MEM_ALLOC_NODE_PARAMS *p,
                               struct drv_graph_memory **out);
void drv_graph_memory_hold(struct drv_graph_memory *m);
void drv_graph_memory_drop(struct drv_graph_memory *m);
// Checks the address of a free node that is being made.
CUresult drv_graph_memory_free(struct drv_node *node, CUdeviceptr dptr);

#endif
