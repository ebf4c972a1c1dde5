// Memory of graphs (guide, chapter 16): what allocation nodes own.
#include "driver/graph_memory.h"

#include <stdlib.h>

struct drv_graph_memory {
    atomic_int references;
    uint64_t address, size, id; // the id tells whether the context that had it still lives
    struct drv_device *device;
};

void drv_graph_memory_hold(struct drv_graph_memory *m) {
    atomic_fetch_add(&m->references, 1);
}

void drv_graph_memory_drop(struct drv_graph_memory *m) {
    if (atomic_fetch_sub(&m->references, 1) != 1)
        return;
    struct kd_memory found;
    if (kd_memory_find(m->address, &found) && found.id == m->id)
        kd_memory_free(m->address);
    free(m);
}

CUresult drv_graph_memory_take(struct drv_node *node, CUDA_MEM_ALLOC_NODE_PARAMS *p,
                               struct drv_graph_memory **out) {
    struct drv_device *d;
    REQUIRE(p->poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
                p->poolProps.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
                p->poolProps.handleTypes == CU_MEM_HANDLE_TYPE_NONE,
            CUDA_ERROR_INVALID_VALUE,
            "allocations of graphs are pinned memory of a device, not to be exported");
    TRY(drv_device_find(p->poolProps.location.id, &d));
    REQUIRE(p->bytesize, CUDA_ERROR_INVALID_VALUE, "an allocation of 0 bytes");
    struct drv_context *ctx = d->primary;
    struct kd_memory found;
    if (!ctx->c) // the program made a context of its own
        TRY(drv_context_usable(&ctx));
    REQUIRE(ctx->device == d, CUDA_ERROR_INVALID_CONTEXT,
            "no context of the device is active or current");
    struct drv_graph_memory *m = calloc(1, sizeof *m);
    REQUIRE(m, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    CUresult result =
        drv_memory_allocate(ctx, KD_MEMORY_DEVICE, p->bytesize, DRV_MEMORY_GRAPH, &m->address);
    if (result != CUDA_SUCCESS) {
        free(m);
        return result;
    }
    m->references = 1;
    m->size = p->bytesize;
    m->device = d;
    m->id = kd_memory_find(m->address, &found) ? found.id : 0;
    node->graph->memory_nodes++;
    p->dptr = m->address;
    *out = m;
    return CUDA_SUCCESS;
}

CUresult drv_graph_memory_free(struct drv_node *node, CUdeviceptr dptr) {
    struct kd_memory m;
    REQUIRE(dptr && kd_memory_find(dptr, &m) && m.base == dptr && m.flags & DRV_MEMORY_GRAPH,
            CUDA_ERROR_INVALID_VALUE, "%#llx is not what an allocation node returned",
            (unsigned long long)dptr);
    for (struct drv_node *n = node->graph->first; n; n = n->next)
        if (n->params.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && n->params.alloc.dptr == dptr) {
            REQUIRE(!n->memory_freed, CUDA_ERROR_INVALID_VALUE,
                    "a node of the graph frees this allocation already");
            n->memory_freed = true;
        }
    node->graph->memory_nodes++;
    return CUDA_SUCCESS;
}
