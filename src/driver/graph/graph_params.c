// Parameters of nodes: checked and copied, with everything that they point to, when they are set.
#include <stdlib.h>
#include <string.h>

#include "driver/code/launch.h"
#include "driver/graph/graph.h"
#include "driver/graph/graph_conditional.h"
#include "driver/graph/graph_memory.h"
#include "driver/memory/copy.h"

// What replaces a node's parameters once everything has been checked.
struct taken {
    CUgraphNodeParams params;
    void *owned;
    size_t owned_bytes, packed_offset;
    struct drv_graph **graphs;
    unsigned ngraphs;
    struct drv_graph_memory *memory;
};

static CUresult own(struct taken *t, size_t bytes) {
    t->owned = calloc(1, bytes ? bytes : 1);
    REQUIRE(t->owned, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node's parameters");
    t->owned_bytes = bytes;
    return CUDA_SUCCESS;
}

static void *shifted(const void *pointer, const void *from, void *to) {
    return pointer ? (char *)to + ((const char *)pointer - (const char *)from) : NULL;
}

// Pointers into `from`, an earlier place of `owned`, now lead into it where it is.
static void relocate(struct taken *t, const void *from) {
    void *to = t->owned;
    CUgraphNodeParams *p = &t->params;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        p->kernel.kernelParams = shifted(p->kernel.kernelParams, from, to);
        for (size_t i = 0; p->kernel.kernelParams && p->kernel.kernelParams[i]; i++)
            p->kernel.kernelParams[i] = shifted(p->kernel.kernelParams[i], from, to);
        break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        p->extSemSignal.extSemArray = shifted(p->extSemSignal.extSemArray, from, to);
        p->extSemSignal.paramsArray = shifted(p->extSemSignal.paramsArray, from, to);
        break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        p->extSemWait.extSemArray = shifted(p->extSemWait.extSemArray, from, to);
        p->extSemWait.paramsArray = shifted(p->extSemWait.paramsArray, from, to);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        p->alloc.accessDescs = shifted(p->alloc.accessDescs, from, to);
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        p->memOp.paramArray = shifted(p->memOp.paramArray, from, to);
        break;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        p->conditional.phGraph_out = t->owned;
        break;
    default:
        break;
    }
}

// ---- Kernels ------------------------------------------------------------------------------

CUresult drv_params_function(const CUDA_KERNEL_NODE_PARAMS *p, struct drv_function **out) {
    if (p->func)
        return drv_function_find(p->func, NULL, out);
    REQUIRE(p->kern, CUDA_ERROR_INVALID_VALUE, "func and kern are both NULL");
    struct drv_context *ctx = NULL;
    if (p->ctx)
        TRY(drv_context_find(p->ctx, &ctx));
    return drv_function_find((CUfunction)p->kern, ctx, out);
}

bool drv_params_no_blocks(const CUDA_KERNEL_NODE_PARAMS *p) {
    return !p->gridDimX || !p->gridDimY || !p->gridDimZ;
}

// `owned`: an array of pointers that ends with NULL, then the parameters as code wants them.
static CUresult take_kernel(struct taken *t, const CUDA_KERNEL_NODE_PARAMS *p) {
    struct drv_function *f;
    TRY(drv_params_function(p, &f));
    CUlaunchConfig shape = {
        p->gridDimX,  p->gridDimY,       p->gridDimZ, p->blockDimX, p->blockDimY,
        p->blockDimZ, p->sharedMemBytes, NULL,        NULL,         0};
    if (drv_params_no_blocks(p)) // the executable graph may get others before it is launched
        shape.gridDimX = shape.gridDimY = shape.gridDimZ = 1;
    TRY(drv_launch_check_shape(&shape));
    const struct kj_kernel *info = kd_kernel_info(f->k);
    REQUIRE(info->param_bytes <= DRV_MAX_PARAM_BYTES, CUDA_ERROR_INVALID_VALUE,
            "kernel %s has %u bytes of parameters; 32764 are possible", info->name,
            info->param_bytes);
    size_t pointers = (info->nparams + 1) * sizeof(void *);
    t->packed_offset = (pointers + 63) & ~(size_t)63;
    TRY(own(t, t->packed_offset + info->param_bytes));
    uint8_t *packed = (uint8_t *)t->owned + t->packed_offset;
    TRY(drv_launch_params(info, p->kernelParams, p->extra, packed));
    t->params.kernel.kernelParams = t->owned;
    t->params.kernel.extra = NULL;
    for (uint32_t i = 0; i < info->nparams; i++)
        t->params.kernel.kernelParams[i] = packed + info->params[i].offset;
    return CUDA_SUCCESS;
}

// ---- Copies and sets ----------------------------------------------------------------------

// Where the operation runs; NULL: the current context, which is then written down.
static CUresult take_context(CUcontext *handle, struct drv_context **ctx) {
    TRY(*handle ? drv_context_find(*handle, ctx) : drv_context_current(ctx));
    *handle = (*ctx)->handle;
    return CUDA_SUCCESS;
}

static CUresult take_memcpy(CUDA_MEMCPY_NODE_PARAMS *p) {
    REQUIRE(p->flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    struct drv_context *ctx;
    TRY(take_context(&p->copyCtx, &ctx));
    const CUDA_MEMCPY3D *c = &p->copyParams;
    REQUIRE(c->WidthInBytes && c->Height && c->Depth, CUDA_ERROR_INVALID_VALUE,
            "a node that copies %zu x %zu x %zu bytes", c->WidthInBytes, c->Height, c->Depth);
    struct kd_copy copy;
    struct drv_side dst, src;
    return drv_copy_plan(c, ctx, &copy, &dst, &src);
}

static CUresult take_memset(CUDA_MEMSET_NODE_PARAMS_v2 *p) {
    struct drv_context *ctx;
    TRY(take_context(&p->ctx, &ctx));
    REQUIRE(p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4,
            CUDA_ERROR_INVALID_VALUE, "elements of %u bytes; 1, 2 and 4 are possible",
            p->elementSize);
    REQUIRE(p->width && p->height, CUDA_ERROR_INVALID_VALUE, "a node that sets %zu x %zu elements",
            p->width, p->height);
    struct kd_set set;
    struct drv_side side;
    return drv_set_plan(p->dst, p->pitch, p->value, p->elementSize, p->width, p->height, ctx, &set,
                        &side);
}

// ---- Semaphores, batches ------------------------------------------------------------------

// Handles and parameters one after the other in `owned`.
static CUresult take_semaphores(struct taken *t, CUexternalSemaphore **handles, const void **params,
                                size_t bytes, unsigned n) {
    REQUIRE(n && *handles && *params, CUDA_ERROR_INVALID_VALUE,
            "extSemArray, paramsArray and numExtSems must be given");
    for (unsigned i = 0; i < n; i++)
        REQUIRE(drv_object_find((*handles)[i], DRV_EXTERNAL_SEMAPHORE), CUDA_ERROR_INVALID_HANDLE,
                "%p is no external semaphore", (void *)(*handles)[i]);
    TRY(own(t, n * (sizeof **handles + bytes)));
    char *behind = (char *)t->owned + n * sizeof **handles;
    memcpy(t->owned, *handles, n * sizeof **handles);
    memcpy(behind, *params, n * bytes);
    *handles = t->owned;
    *params = behind;
    return CUDA_SUCCESS;
}

static CUresult take_signal(struct taken *t) {
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *p = &t->params.extSemSignal;
    const void *params = p->paramsArray;
    TRY(take_semaphores(t, &p->extSemArray, &params, sizeof p->paramsArray[0], p->numExtSems));
    p->paramsArray = params;
    return CUDA_SUCCESS;
}

static CUresult take_wait(struct taken *t) {
    CUDA_EXT_SEM_WAIT_NODE_PARAMS *p = &t->params.extSemWait;
    const void *params = p->paramsArray;
    TRY(take_semaphores(t, &p->extSemArray, &params, sizeof p->paramsArray[0], p->numExtSems));
    p->paramsArray = params;
    return CUDA_SUCCESS;
}

static CUresult take_batch(struct taken *t) {
    CUDA_BATCH_MEM_OP_NODE_PARAMS *p = &t->params.memOp;
    struct kd_value_op ops[DRV_MAX_VALUE_OPS];
    struct drv_context *ctx;
    TRY(take_context(&p->ctx, &ctx));
    REQUIRE(p->count, CUDA_ERROR_INVALID_VALUE, "a node without operations");
    TRY(drv_value_ops(p->paramArray, p->count, p->flags, ops));
    TRY(own(t, p->count * sizeof *p->paramArray));
    memcpy(t->owned, p->paramArray, p->count * sizeof *p->paramArray);
    p->paramArray = t->owned;
    return CUDA_SUCCESS;
}

// ---- Child graphs -------------------------------------------------------------------------

static bool contains(const struct drv_graph *g, const struct drv_graph *below) {
    for (; below; below = below->parent ? below->parent->graph : NULL)
        if (below == g)
            return true;
    return false;
}

static CUresult take_child(struct taken *t, struct drv_node *node) {
    CUDA_CHILD_GRAPH_NODE_PARAMS *p = &t->params.graph;
    struct drv_graph *child;
    TRY(drv_graph_find(p->graph, &child));
    bool move = p->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    REQUIRE(move || p->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE, CUDA_ERROR_INVALID_VALUE,
            "%d is no ownership of a child graph", (int)p->ownership);
    REQUIRE(!child->capturing, CUDA_ERROR_INVALID_VALUE, "a stream is capturing into the graph");
    REQUIRE(!contains(child, node->graph), CUDA_ERROR_INVALID_VALUE,
            "a graph cannot become a child of itself or of a graph within it");
    t->graphs = calloc(1, sizeof *t->graphs);
    REQUIRE(t->graphs, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a child graph");
    if (move) {
        REQUIRE(!child->parent, CUDA_ERROR_INVALID_VALUE, "the graph belongs to a node already");
        TRY(drv_graph_embed(child, node));
        child->moved = true;
    } else {
        REQUIRE(!drv_graph_has_memory_nodes(child), CUDA_ERROR_NOT_SUPPORTED,
                "a child graph with memory nodes can be moved to its parent, not cloned");
        TRY(drv_graph_clone(child, &child));
        CUresult result = drv_graph_embed(child, node);
        if (result != CUDA_SUCCESS) {
            drv_graph_free(child);
            return result;
        }
    }
    p->graph = child->object.handle;
    t->graphs[t->ngraphs++] = child;
    return CUDA_SUCCESS;
}

// The node owns the list of its bodies.
static void name_bodies(struct taken *t) {
    CUgraph *bodies = t->owned;
    for (unsigned i = 0; i < t->ngraphs; i++)
        bodies[i] = t->graphs[i]->object.handle;
    t->params.conditional.phGraph_out = bodies;
}

// The bodies are empty at first.
static CUresult take_conditional(struct taken *t, struct drv_node *node) {
    unsigned n = t->params.conditional.size;
    TRY(drv_conditional_take(node->graph, &t->params.conditional));
    TRY(own(t, n * sizeof(CUgraph)));
    t->graphs = calloc(n, sizeof *t->graphs);
    REQUIRE(t->graphs, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the bodies of a node");
    for (unsigned i = 0; i < n; i++) {
        TRY(drv_graph_new(&t->graphs[i]));
        t->ngraphs++;
        TRY(drv_graph_embed(t->graphs[i], node));
    }
    name_bodies(t);
    return CUDA_SUCCESS;
}

// ---- All types ----------------------------------------------------------------------------

static CUresult take(struct taken *t, struct drv_node *node) {
    struct drv_event *event;
    switch (t->params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS given = t->params.kernel;
        return take_kernel(t, &given);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return take_memcpy(&t->params.memcpy);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return take_memset(&t->params.memset);
    case CU_GRAPH_NODE_TYPE_HOST:
        REQUIRE(t->params.host.fn, CUDA_ERROR_INVALID_VALUE, "fn cannot be NULL");
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return take_child(t, node);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: // both have the event alone
        return drv_event_find(t->params.eventRecord.event, &event);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        return take_signal(t);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return take_wait(t);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        if (t->params.alloc.accessDescCount) {
            size_t bytes = t->params.alloc.accessDescCount * sizeof(CUmemAccessDesc);
            REQUIRE(t->params.alloc.accessDescs && t->params.alloc.accessDescCount <= 65536,
                    CUDA_ERROR_INVALID_VALUE, "accessDescs and its count make no sense");
            TRY(own(t, bytes));
            memcpy(t->owned, t->params.alloc.accessDescs, bytes);
        }
        t->params.alloc.accessDescs = t->owned;
        return drv_graph_memory_take(node, &t->params.alloc, &t->memory);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return drv_graph_memory_free(node, t->params.free.dptr, &t->memory);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return take_batch(t);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return take_conditional(t, node);
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no type of a node", (int)t->params.type);
}

static void drop(struct taken *t) {
    for (unsigned i = 0; i < t->ngraphs; i++)
        drv_graph_free(t->graphs[i]);
    free(t->graphs);
    free(t->owned);
}

static void put(struct drv_node *node, const struct taken *t) {
    drv_params_free(node);
    node->params = t->params;
    node->owned = t->owned;
    node->owned_bytes = t->owned_bytes;
    node->packed_offset = t->packed_offset;
    node->graphs = t->graphs;
    node->ngraphs = t->ngraphs;
    node->memory = t->memory;
}

CUresult drv_params_take(struct drv_node *node, CUgraphNodeParams *params) {
    for (int i = 0; i < 3; i++)
        REQUIRE(params->reserved0[i] == 0, CUDA_ERROR_INVALID_VALUE, "reserved0 must be zero");
    REQUIRE(params->reserved2 == 0, CUDA_ERROR_INVALID_VALUE, "reserved2 must be zero");
    struct taken t = {.params = *params};
    REQUIRE(params->type == node->params.type, CUDA_ERROR_INVALID_VALUE,
            "the node is of type %d, the parameters are of type %d", (int)node->params.type,
            (int)params->type);
    CUresult result = take(&t, node);
    if (result != CUDA_SUCCESS) {
        drop(&t);
        return result;
    }
    put(node, &t);
    if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        params->alloc.dptr = t.params.alloc.dptr;
    if (params->type == CU_GRAPH_NODE_TYPE_GRAPH)
        params->graph.graph = t.params.graph.graph;
    if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        params->conditional.phGraph_out = t.params.conditional.phGraph_out;
    return CUDA_SUCCESS;
}

static CUresult clone_graphs(struct drv_node *to, const struct drv_node *from, struct taken *t) {
    if (!from->ngraphs)
        return CUDA_SUCCESS;
    t->graphs = calloc(from->ngraphs, sizeof *t->graphs);
    REQUIRE(t->graphs, CUDA_ERROR_OUT_OF_MEMORY, "no memory for child graphs");
    for (unsigned i = 0; i < from->ngraphs; i++) {
        TRY(drv_graph_clone(from->graphs[i], &t->graphs[i]));
        t->ngraphs++;
        TRY(drv_graph_embed(t->graphs[i], to));
    }
    if (t->params.type == CU_GRAPH_NODE_TYPE_GRAPH)
        t->params.graph.graph = t->graphs[0]->object.handle;
    else
        name_bodies(t);
    return CUDA_SUCCESS;
}

static CUresult clone_attributes(struct drv_node *to, const struct drv_node *from) {
    CUlaunchAttribute *a = NULL;
    if (from->nattributes) {
        a = malloc(from->nattributes * sizeof *a);
        REQUIRE(a, CUDA_ERROR_OUT_OF_MEMORY, "no memory for attributes");
        memcpy(a, from->attributes, from->nattributes * sizeof *a);
    }
    for (unsigned i = 0; i < from->nattributes; i++)
        if (a[i].id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
            a[i].value.deviceUpdatableKernelNode.devNode = (CUgraphDeviceNode)to->object.handle;
    free(to->attributes);
    to->attributes = a;
    to->nattributes = from->nattributes;
    return CUDA_SUCCESS;
}

CUresult drv_params_clone(struct drv_node *to, const struct drv_node *from) {
    struct taken t = {
        .params = from->params, .packed_offset = from->packed_offset, .memory = from->memory};
    CUresult result = clone_attributes(to, from);
    if (result == CUDA_SUCCESS && from->owned) {
        result = own(&t, from->owned_bytes);
        if (result == CUDA_SUCCESS) {
            memcpy(t.owned, from->owned, from->owned_bytes);
            relocate(&t, from->owned);
        }
    }
    if (result == CUDA_SUCCESS)
        result = clone_graphs(to, from, &t);
    if (result != CUDA_SUCCESS) {
        drop(&t);
        return result;
    }
    if (t.memory)
        drv_graph_memory_hold(t.memory);
    to->memory_freed = from->memory_freed;
    to->call = from->call;
    put(to, &t);
    return CUDA_SUCCESS;
}

void drv_params_free(struct drv_node *node) {
    for (unsigned i = 0; i < node->ngraphs; i++)
        drv_graph_free(node->graphs[i]);
    free(node->graphs);
    free(node->owned);
    if (node->memory)
        drv_graph_memory_drop(node->memory);
    node->graphs = NULL;
    node->ngraphs = 0;
    node->owned = NULL;
    node->memory = NULL;
}
