// Memory of graphs: allocation nodes own ranges of addresses (guide, chapter 16).
#ifndef KUDZU_DRIVER_GRAPH_MEMORY_H
#define KUDZU_DRIVER_GRAPH_MEMORY_H

#include "driver/graph/graph.h"
#include "driver/graph/graph_exec.h"

struct drv_graph_memory;

// Checks the parameters of an allocation node that is being made, gives it addresses (p->dptr) and
// one reference to them. Addresses that a node before it frees are used again.
CUresult drv_graph_memory_take(struct drv_node *node, CUDA_MEM_ALLOC_NODE_PARAMS *p,
                               struct drv_graph_memory **out);
void drv_graph_memory_hold(struct drv_graph_memory *m);
void drv_graph_memory_drop(struct drv_graph_memory *m);
// A reference of a node of an executable graph, which has the memory mapped once it is reserved.
void drv_graph_memory_map(struct drv_graph_memory *m);
void drv_graph_memory_unmap(struct drv_graph_memory *m);
// Checks the address of a free node that is being made; *out is set, and held, when the node's own
// graph allocates it.
CUresult drv_graph_memory_free(struct drv_node *node, CUdeviceptr dptr,
                               struct drv_graph_memory **out);

// `kudzu check`: what an allocation or free node does when it runs. False: nothing.
bool drv_graph_memory_describe(const struct drv_node *n, struct kd_set *out);

// Launches `exec` by the function given, and notes what it allocates and frees.
// CUDA_ERROR_INVALID_VALUE: it would allocate what has not been freed since its last launch, or
// free what is not allocated.
CUresult drv_graph_memory_launch(struct drv_exec *exec, struct kd_queue *q,
                                 CUresult (*launch)(struct drv_exec *, struct kd_queue *,
                                                    struct drv_context *),
                                 struct drv_context *ctx);
// The graph's memory is there before the first launch.
void drv_graph_memory_upload(struct drv_exec *exec);
void drv_graph_memory_forget_exec(struct drv_exec *exec);
// Frees an allocation outside of graphs, when q has come so far; q NULL: nothing uses it any more.
// *found false: the address is none of a graph.
CUresult drv_graph_memory_release(CUdeviceptr dptr, struct kd_queue *q, bool *found);
// Whether the allocation that begins at the address is allocated, by the calls so far.
bool drv_graph_memory_is_live(uint64_t address);
// Frees what is kept of graphs that are gone, for an allocation that found no memory. False: there
// was nothing. Not under the lock.
bool drv_graph_memory_give_back(void);

#endif
