// Executable graphs: instantiation, launch, end (guide 6.2.8.7).
#define _GNU_SOURCE // recursive mutexes
#include "driver/graph/graph_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/code/launch.h"
#include "driver/graph/capture.h"
#include "driver/graph/capture_state.h"
#include "driver/graph/graph_memory.h"
#include "driver/graph/graph_updatable.h"
#include "driver/graph/user_object.h"
#include "driver/interop/external_semaphore.h"
#include "driver/memory/copy.h"
#include "support/environment.h"

CUresult drv_exec_find(CUgraphExec handle, struct drv_exec **out) {
    *out = drv_object_find(handle, DRV_GRAPH_EXEC);
    if (*out)
        TRY(drv_call_lock(&(*out)->lock));
    REQUIRE(*out && drv_object_alive(&(*out)->object), CUDA_ERROR_INVALID_VALUE,
            "%p is no executable graph, or one that was destroyed", (void *)handle);
    return CUDA_SUCCESS;
}

CUresult drv_exec_node(struct drv_exec *exec, CUgraphNode handle, struct drv_node **out,
                       size_t *place) {
    struct drv_node *n;
    TRY(drv_node_find(handle, &n));
    size_t low = 0, high = exec->nnodes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (exec->nodes[middle].id < n->id)
            low = middle + 1;
        else
            high = middle;
    }
    REQUIRE(low < exec->nnodes && exec->nodes[low].id == n->id, CUDA_ERROR_INVALID_VALUE,
            "the executable graph was not made of a graph with this node");
    *out = exec->nodes[low].node;
    if (place)
        *place = low;
    return CUDA_SUCCESS;
}

// ---- What nodes do ------------------------------------------------------------------------

static CUresult context_of(CUcontext handle, struct drv_context **ctx) {
    return handle ? drv_context_find(handle, ctx) : drv_context_current(ctx);
}

atomic_bool drv_graphs_abroad;

static CUresult kernel(struct drv_exec *exec, const struct drv_node *n, struct kd_graph_node *k) {
    const CUDA_KERNEL_NODE_PARAMS *p = &n->params.kernel;
    struct drv_function *f;
    TRY(drv_params_function(p, &f));
    bool no_launches = exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH || drv_in_body(n);
    REQUIRE(!no_launches || !kd_kernel_info(f->k)->launches, CUDA_ERROR_NOT_SUPPORTED,
            "kernel %s can launch kernels, copies or sets, which no kernel may in a graph for "
            "launches from the device or in the body of a conditional node",
            kd_kernel_info(f->k)->name);
    if (drv_params_no_blocks(p)) {
        k->kind = KD_NODE_EMPTY;
        return CUDA_SUCCESS;
    }
    const CUlaunchAttributeValue *v = drv_node_attribute(n, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    unsigned grid[3] = {p->gridDimX, p->gridDimY, p->gridDimZ}, cluster[3];
    unsigned wanted[3] = {v ? v->clusterDim.x : 0, v ? v->clusterDim.y : 0,
                          v ? v->clusterDim.z : 0};
    TRY(drv_function_cluster(f, wanted, grid, cluster));
    bool clusters = cluster[0] * cluster[1] * cluster[2] > 1;
    v = drv_node_attribute(n, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    k->kind = KD_NODE_LAUNCH;
    k->context = f->object.context->c;
    k->launch = (struct kd_launch_config){
        .kernel = f->k,
        .grid = {grid[0], grid[1], grid[2]},
        .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
        .cluster = {clusters ? cluster[0] : 0, clusters ? cluster[1] : 0,
                    clusters ? cluster[2] : 0},
        .shared_bytes = p->sharedMemBytes,
        .params = drv_params_packed(n),
        .param_bytes = kd_kernel_info(f->k)->param_bytes,
        .cooperative = v && v->cooperative,
    };
    v = drv_node_attribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY);
    k->own_priority = exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    k->priority = v ? v->priority : 0;
    return CUDA_SUCCESS;
}

struct host_call {
    CUhostFn fn;
    void *user;
};

static void call_host(void *arg, enum kd_status status) {
    const struct host_call *c = arg;
    drv_in_callback++;
    rights_call_end(false);
    c->fn(c->user);
    rights_call_begin();
    drv_in_callback--;
}

// What a description points to.
struct scratch {
    struct host_call call;
    struct kd_value_op values[DRV_MAX_VALUE_OPS];
};

static CUresult values(struct kd_graph_node *k, struct drv_context *ctx,
                       const struct kd_value_op *list, uint32_t n) {
    k->kind = KD_NODE_VALUES;
    k->context = ctx->c;
    k->values.list = list;
    k->values.n = n;
    return CUDA_SUCCESS;
}

static CUresult describe(struct drv_exec *exec, const struct drv_node *n, struct scratch *s,
                         struct kd_graph_node *k) {
    const CUgraphNodeParams *p = &n->params;
    struct drv_context *ctx;
    struct drv_event *event;
    struct drv_side a, b;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return kernel(exec, n, k);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        TRY(context_of(p->memcpy.copyCtx, &ctx));
        k->kind = KD_NODE_COPY;
        k->context = ctx->c;
        return drv_copy_plan(&p->memcpy.copyParams, ctx, &k->copy, &a, &b);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        TRY(context_of(p->memset.ctx, &ctx));
        k->kind = KD_NODE_SET;
        k->context = ctx->c;
        return drv_set_plan(p->memset.dst, p->memset.pitch, p->memset.value, p->memset.elementSize,
                            p->memset.width, p->memset.height, ctx, &k->set, &a);
    case CU_GRAPH_NODE_TYPE_HOST:
        s->call = (struct host_call){p->host.fn, p->host.userData};
        k->kind = KD_NODE_HOST;
        k->host.fn = call_host;
        k->host.arg = &s->call;
        k->host.arg_bytes = sizeof s->call;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        TRY(drv_event_find(p->eventRecord.event, &event));
        k->kind = p->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD ? KD_NODE_RECORD : KD_NODE_WAIT;
        k->event = event->e;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        TRY(context_of(p->memOp.ctx, &ctx));
        TRY(drv_value_ops(p->memOp.paramArray, p->memOp.count, p->memOp.flags, s->values));
        return values(k, ctx, s->values, p->memOp.count);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        k->kind = KD_NODE_CONDITION;
        return drv_conditional_describe(n, &k->condition);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        TRY(drv_semaphore_signals(&p->extSemSignal, s->values, &ctx));
        return values(k, ctx, s->values, p->extSemSignal.numExtSems);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        TRY(drv_semaphore_waits(&p->extSemWait, s->values, &ctx));
        return values(k, ctx, s->values, p->extSemWait.numExtSems);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        k->kind = drv_graph_memory_describe(n, &k->set) ? KD_NODE_SET : KD_NODE_EMPTY;
        return CUDA_SUCCESS;
    default:
        k->kind = KD_NODE_EMPTY;
        return CUDA_SUCCESS;
    }
}

CUresult drv_exec_apply(struct drv_exec *exec, struct drv_node *copy) {
    struct kd_graph_node k = {0};
    struct scratch s;
    TRY(describe(exec, copy, &s, &k));
    if (k.context) {
        exec->mixed |= exec->context && exec->context != k.context;
        exec->context = k.context;
    }
    return drv_status(kd_graph_set(exec->k, copy->slot, &k), NULL);
}

// ---- Structure ----------------------------------------------------------------------------

// True when the nodes can be put in an order; *stuck is one that cannot. `order` has room for all.
static bool acyclic(struct drv_graph *g, struct drv_node **order, struct drv_node **stuck) {
    size_t ready = 0;
    for (struct drv_node *n = g->first; n; n = n->next) {
        n->index = n->in.n;
        if (!n->index)
            order[ready++] = n;
    }
    for (size_t i = 0; i < ready; i++)
        for (size_t e = 0; e < order[i]->out.n; e++)
            if (--order[i]->out.at[e].node->index == 0)
                order[ready++] = order[i]->out.at[e].node;
    for (struct drv_node *n = g->first; n && ready < g->nnodes; n = n->next)
        if (n->index) {
            *stuck = n;
            return false;
        }
    return true;
}

// The device's shape while it is being collected.
struct plan {
    struct kd_graph_shape shape;
    uint32_t *from, *to, *region, *owner;
    uint8_t *port;
    struct drv_node **order;
    size_t nnodes; // of all levels, in the API's sense
    struct drv_exec *exec;
};

static void count(struct plan *p, const struct drv_graph *g) {
    size_t roots = 0, sinks = 0;
    p->shape.edges += (uint32_t)g->nedges;
    p->nnodes += g->nnodes;
    for (const struct drv_node *n = g->first; n; n = n->next) {
        bool child = n->params.type == CU_GRAPH_NODE_TYPE_GRAPH;
        p->shape.nodes += child ? 2 : 1;
        p->shape.edges += child;
        p->shape.regions += child ? 0 : n->ngraphs;
        roots += n->in.n == 0;
        sinks += n->out.n == 0;
        for (unsigned i = 0; i < n->ngraphs; i++)
            count(p, n->graphs[i]);
    }
    p->shape.edges += (uint32_t)(roots + sinks);
}

static void port_edge(struct plan *p, uint32_t from, uint32_t to, const CUgraphEdgeData *data) {
    bool overlaps = data && data->type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    p->port[p->shape.edges] = !overlaps ? KD_PORT_END
                              : data->from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
                                  ? KD_PORT_TRIGGER
                                  : KD_PORT_BEGIN;
    p->from[p->shape.edges] = from;
    p->to[p->shape.edges++] = to;
}

static void edge(struct plan *p, uint32_t from, uint32_t to) {
    port_edge(p, from, to, NULL);
}

static uint32_t slot(struct plan *p, uint32_t region) {
    p->region[p->shape.nodes] = region;
    return p->shape.nodes++;
}

static uint32_t end_slot(const struct drv_node *n) {
    return n->params.type == CU_GRAPH_NODE_TYPE_GRAPH ? n->slot + 1 : n->slot;
}

static void lay_out(struct plan *p, struct drv_graph *g, uint32_t region);

// A child graph lies between its node's two slots.
static void lay_out_child(struct plan *p, struct drv_node *n, uint32_t region) {
    struct drv_graph *child = n->graphs[0];
    lay_out(p, child, region);
    if (!child->first)
        edge(p, n->slot, n->slot + 1);
    for (struct drv_node *m = child->first; m; m = m->next) {
        if (!m->in.n)
            edge(p, n->slot, m->slot);
        if (!m->out.n)
            edge(p, end_slot(m), n->slot + 1);
    }
}

static void lay_out_bodies(struct plan *p, struct drv_node *n) {
    uint32_t first = p->shape.regions;
    p->shape.regions += n->ngraphs;
    for (unsigned i = 0; i < n->ngraphs; i++) {
        p->owner[first + i] = n->slot;
        lay_out(p, n->graphs[i], first + i);
    }
    n->first_region = first;
}

static void lay_out(struct plan *p, struct drv_graph *g, uint32_t region) {
    for (struct drv_node *n = g->first; n; n = n->next) {
        n->slot = slot(p, region);
        if (n->params.type == CU_GRAPH_NODE_TYPE_GRAPH)
            slot(p, region);
        p->exec->nodes[p->exec->nnodes++] = (struct drv_exec_node){n->origin, n};
    }
    for (struct drv_node *n = g->first; n; n = n->next) {
        for (size_t e = 0; e < n->out.n; e++)
            port_edge(p, end_slot(n), n->out.at[e].node->slot, &n->out.at[e].data);
        if (n->params.type == CU_GRAPH_NODE_TYPE_GRAPH)
            lay_out_child(p, n, region);
        else if (n->ngraphs)
            lay_out_bodies(p, n);
    }
}

static int by_id(const void *a, const void *b) {
    const struct drv_exec_node *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static CUresult plan_memory(struct plan *p) {
    struct drv_exec *exec = p->exec;
    size_t edges = (size_t)p->shape.edges + 1;
    p->from = malloc(edges * sizeof *p->from);
    p->to = malloc(edges * sizeof *p->to);
    p->port = malloc(edges);
    p->region = malloc(((size_t)p->shape.nodes + 1) * sizeof *p->region);
    p->owner = malloc(((size_t)p->shape.regions + 1) * sizeof *p->owner);
    exec->nodes = malloc((p->nnodes + 1) * sizeof *exec->nodes);
    exec->disabled = calloc(p->nnodes + 1, sizeof *exec->disabled);
    REQUIRE(p->from && p->to && p->port && p->region && p->owner && exec->nodes && exec->disabled,
            CUDA_ERROR_OUT_OF_MEMORY, "no memory for an executable graph");
    return CUDA_SUCCESS;
}

static CUresult plan_all(struct plan *p) {
    struct drv_exec *exec = p->exec;
    p->shape.regions = 1;
    count(p, exec->graph);
    TRY(plan_memory(p));
    p->shape = (struct kd_graph_shape){.regions = 1};
    p->owner[0] = 0;
    lay_out(p, exec->graph, 0);
    p->shape.from = p->from;
    p->shape.to = p->to;
    p->shape.port = p->port;
    p->shape.region = p->region;
    p->shape.owner = p->owner;
    qsort(exec->nodes, exec->nnodes, sizeof *exec->nodes, by_id);
    return drv_status(kd_graph_new(&p->shape, &exec->k), NULL);
}

static CUresult make_shape(struct drv_exec *exec) {
    struct plan p = {.exec = exec};
    CUresult result = plan_all(&p);
    free(p.from);
    free(p.to);
    free(p.port);
    free(p.region);
    free(p.owner);
    return result;
}

// ---- References to user objects and memory ------------------------------------------------
// The copy owns some, to know them; the device holds as many until the last launch has ended.

struct references {
    struct drv_graph_memory **memory;
    struct drv_semaphore **semaphores;
    size_t nmemory, nsemaphores;
    size_t n;
    struct drv_graph_user_object at[];
};

static void drop_references(void *arg) {
    DEVICE_CALL();
    struct references *r = arg;
    for (size_t i = 0; i < r->n; i++)
        drv_user_object_drop(r->at[i].object, r->at[i].count);
    for (size_t i = 0; i < r->nmemory; i++)
        drv_graph_memory_unmap(r->memory[i]);
    for (size_t i = 0; i < r->nsemaphores; i++)
        drv_semaphore_drop(r->semaphores[i]);
    free(r->memory);
    free(r->semaphores);
    free(r);
}

static size_t count_references(const struct drv_graph *g) {
    size_t n = g->nobjects;
    for (const struct drv_node *m = g->levels ? g->first : NULL; m; m = m->next)
        for (unsigned i = 0; i < m->ngraphs; i++)
            n += count_references(m->graphs[i]);
    return n;
}

static void copy_references(const struct drv_graph *g, struct references *r) {
    for (size_t i = 0; i < g->nobjects; i++) {
        r->at[r->n++] = g->objects[i];
        drv_user_object_retain(g->objects[i].object, g->objects[i].count);
    }
    for (const struct drv_node *m = g->levels ? g->first : NULL; m; m = m->next)
        for (unsigned i = 0; i < m->ngraphs; i++)
            copy_references(m->graphs[i], r);
}

static CUresult hold_memory(const struct drv_exec *exec, struct references *r) {
    size_t n = 0;
    for (size_t i = 0; i < exec->nnodes; i++)
        n += exec->nodes[i].node->memory != NULL;
    r->memory = malloc((n + 1) * sizeof(struct drv_graph_memory *));
    REQUIRE(r->memory, CUDA_ERROR_OUT_OF_MEMORY, "no memory for references to memory");
    for (size_t i = 0; i < exec->nnodes; i++) {
        struct drv_graph_memory *m = exec->nodes[i].node->memory;
        if (!m)
            continue;
        drv_graph_memory_map(m);
        r->memory[r->nmemory++] = m;
    }
    return CUDA_SUCCESS;
}

static bool has_semaphores(const struct drv_node *n) {
    return n->params.type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL ||
           n->params.type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
}

// Nodes of both types have the same fields, but for the type of paramsArray.
static CUresult hold_semaphores(const struct drv_exec *exec, struct references *r) {
    size_t n = 0;
    for (size_t i = 0; i < exec->nnodes; i++)
        if (has_semaphores(exec->nodes[i].node))
            n += exec->nodes[i].node->params.extSemWait.numExtSems;
    if (!n)
        return CUDA_SUCCESS;
    r->semaphores = malloc(n * sizeof(struct drv_semaphore *));
    REQUIRE(r->semaphores, CUDA_ERROR_OUT_OF_MEMORY, "no memory for references to semaphores");
    for (size_t i = 0; i < exec->nnodes; i++) {
        const CUDA_EXT_SEM_WAIT_NODE_PARAMS *p = &exec->nodes[i].node->params.extSemWait;
        if (!has_semaphores(exec->nodes[i].node))
            continue;
        for (unsigned k = 0; k < p->numExtSems; k++) {
            TRY(drv_semaphore_hold(p->extSemArray[k], &r->semaphores[r->nsemaphores]));
            r->nsemaphores++;
        }
    }
    return CUDA_SUCCESS;
}

CUresult drv_exec_hold(struct drv_exec *exec) {
    size_t n = count_references(exec->graph);
    struct references *r = calloc(1, sizeof *r + n * sizeof r->at[0]);
    REQUIRE(r, CUDA_ERROR_OUT_OF_MEMORY, "no memory for references to user objects");
    copy_references(exec->graph, r);
    CUresult result = hold_memory(exec, r);
    if (result == CUDA_SUCCESS)
        result = hold_semaphores(exec, r);
    if (result == CUDA_SUCCESS)
        result = drv_status(kd_graph_hold(exec->k, drop_references, r), NULL);
    if (result != CUDA_SUCCESS)
        drop_references(r);
    return result;
}

// ---- Instantiation ------------------------------------------------------------------------

static void exec_release(struct drv_object *o) {
    struct drv_exec *exec = (struct drv_exec *)o;
    capture_lock();
    struct drv_graph *source = drv_object_peek(exec->source, DRV_GRAPH);
    if (source)
        source->execs--;
    drv_graph_memory_forget_exec(exec);
    drv_updatable_remove(exec);
    kd_graph_free(exec->k);
    drv_graph_free(exec->graph);
    capture_unlock();
    pthread_mutex_destroy(&exec->lock);
    free(exec->nodes);
    free(exec->disabled);
    free(exec->events);
    free(exec->memory);
    free(exec->conditionals.at);
    free(exec);
}

static CUresult check_order(struct drv_graph *g, struct drv_node **stuck) {
    struct drv_node **order = malloc((g->nnodes + 1) * sizeof *order);
    REQUIRE(order, CUDA_ERROR_OUT_OF_MEMORY, "no memory for an executable graph");
    bool ok = acyclic(g, order, stuck);
    free(order);
    REQUIRE(ok, CUDA_ERROR_INVALID_VALUE, "the graph has a cycle");
    for (struct drv_node *n = g->levels ? g->first : NULL; n; n = n->next)
        for (unsigned i = 0; i < n->ngraphs; i++)
            TRY(check_order(n->graphs[i], stuck));
    return CUDA_SUCCESS;
}

// Why an instantiation failed, for those who ask.
struct outcome {
    CUgraphInstantiateResult result;
    CUgraphNode node;
};

// Later functions may launch if the first one does (guide 6.2.8.7.5).
static CUresult note_launches(struct drv_node *n) {
    struct drv_function *f;
    if (n->params.type != CU_GRAPH_NODE_TYPE_KERNEL)
        return CUDA_SUCCESS;
    TRY(drv_params_function(&n->params.kernel, &f));
    n->launches = kd_kernel_info(f->k)->launches;
    return CUDA_SUCCESS;
}

static CUresult apply_all(struct drv_exec *exec, struct outcome *o) {
    for (size_t i = 0; i < exec->nnodes; i++) {
        struct drv_node *n = exec->nodes[i].node;
        CUresult result = drv_exec_apply(exec, n);
        if (result == CUDA_SUCCESS)
            result = note_launches(n);
        if (result == CUDA_SUCCESS)
            continue;
        o->node = n->original;
        o->result = result == CUDA_ERROR_NOT_SUPPORTED
                        ? CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED
                        : CUDA_GRAPH_INSTANTIATE_ERROR;
        return result;
    }
    return CUDA_SUCCESS;
}

static bool is_event(const struct drv_node *n) {
    return n->params.type == CU_GRAPH_NODE_TYPE_EVENT_RECORD ||
           n->params.type == CU_GRAPH_NODE_TYPE_WAIT_EVENT;
}

static CUresult list_events(struct drv_exec *exec) {
    size_t n = 0;
    for (size_t i = 0; i < exec->nnodes; i++)
        n += is_event(exec->nodes[i].node);
    exec->events = malloc((n + 1) * sizeof *exec->events);
    REQUIRE(exec->events, CUDA_ERROR_OUT_OF_MEMORY, "no memory for an executable graph");
    for (size_t i = 0; i < exec->nnodes; i++)
        if (is_event(exec->nodes[i].node))
            exec->events[exec->nevents++] = exec->nodes[i].node;
    return CUDA_SUCCESS;
}

static bool is_memory(const struct drv_node *n) {
    return n->params.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
           n->params.type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

static CUresult list_memory(struct drv_exec *exec) {
    size_t n = 0;
    for (size_t i = 0; i < exec->nnodes; i++)
        n += is_memory(exec->nodes[i].node);
    exec->memory = malloc((n + 1) * sizeof(struct drv_node *));
    REQUIRE(exec->memory, CUDA_ERROR_OUT_OF_MEMORY, "no memory for an executable graph");
    for (size_t i = 0; i < exec->nnodes; i++)
        if (is_memory(exec->nodes[i].node))
            exec->memory[exec->nmemory++] = exec->nodes[i].node;
    return CUDA_SUCCESS;
}

// What can be launched from the device has kernels, copies, sets and child graphs of one device.
static CUresult check_for_device(const struct drv_exec *exec, struct outcome *o) {
    REQUIRE(exec->nnodes, CUDA_ERROR_INVALID_VALUE,
            "a graph without nodes cannot be launched from the device");
    for (size_t i = 0; i < exec->nnodes; i++) {
        const struct drv_node *n = exec->nodes[i].node;
        CUgraphNodeType type = n->params.type;
        o->node = n->original;
        o->result = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
        REQUIRE(type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
                    type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_GRAPH,
                CUDA_ERROR_INVALID_VALUE,
                "a graph with nodes of type %d cannot be launched from the device", (int)type);
        const CUDA_MEMCPY3D *c = &n->params.memcpy.copyParams;
        REQUIRE(type != CU_GRAPH_NODE_TYPE_MEMCPY || (c->srcMemoryType != CU_MEMORYTYPE_ARRAY &&
                                                      c->dstMemoryType != CU_MEMORYTYPE_ARRAY),
                CUDA_ERROR_INVALID_VALUE,
                "a graph that copies arrays cannot be launched from the device");
    }
    *o = (struct outcome){0};
    return CUDA_SUCCESS;
}

static CUresult fill(struct drv_exec *exec, struct drv_graph *g, struct outcome *o) {
    TRY(drv_graph_clone(g, &exec->graph));
    TRY(make_shape(exec));
    if (exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
        TRY(check_for_device(exec, o));
    TRY(list_events(exec));
    TRY(list_memory(exec));
    drv_unloads_hold(); // what is counted has ended: else a function could be found that ends
    exec->checked = drv_unloads;
    drv_unloads_let();
    TRY(apply_all(exec, o));
    TRY(drv_updatable_add(exec));
    TRY(drv_conditionals_list(exec->graph, &exec->conditionals));
    TRY(drv_conditionals_set_cells(&exec->conditionals, exec->k));
    return drv_exec_hold(exec);
}

static CUresult check_flags(uint64_t flags) {
    uint64_t known =
        CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
        CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    REQUIRE(!(flags & ~known), CUDA_ERROR_INVALID_VALUE,
            "flags %#llx are not flags of an instantiation", (unsigned long long)flags);
    REQUIRE(!(flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) ||
                !(flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH),
            CUDA_ERROR_INVALID_VALUE,
            "a graph for launches from the device cannot free its allocations on launch");
    return CUDA_SUCCESS;
}

static CUresult check_source(struct drv_graph *g, uint64_t flags) {
    REQUIRE(!g->capturing, CUDA_ERROR_INVALID_VALUE, "a stream is capturing into the graph");
    REQUIRE(!g->moved, CUDA_ERROR_INVALID_VALUE,
            "the graph was moved into another one and cannot be instantiated by itself");
    bool once = flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH ||
                drv_graph_has_memory_nodes(g) || drv_graph_updatable(g);
    REQUIRE(!once || !g->execs, CUDA_ERROR_NOT_SUPPORTED,
            "a graph with memory nodes, with nodes that the device updates, or for the device to "
            "launch, has one executable graph at a time");
    return CUDA_SUCCESS;
}

static CUresult check_structure(struct drv_graph *g, struct outcome *o) {
    struct drv_node *stuck = NULL;
    CUresult result = check_order(g, &stuck);
    if (stuck)
        *o = (struct outcome){CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, stuck->object.handle};
    if (result != CUDA_SUCCESS)
        return result;
    const struct drv_node *wrong;
    result = drv_conditional_check(g, &wrong);
    if (result != CUDA_SUCCESS)
        *o = wrong ? (struct outcome){CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED,
                                      wrong->object.handle}
                   : (struct outcome){CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, NULL};
    return result;
}

// CUDA_GRAPHS_USE_NODE_PRIORITY, 0 or 1, comes before the flag (guide 22).
static uint64_t with_priorities_asked(uint64_t flags) {
    const char *value = environment_get("CUDA_GRAPHS_USE_NODE_PRIORITY");
    if (value && !strcmp(value, "1"))
        flags |= CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    else if (value && !strcmp(value, "0"))
        flags &= ~(uint64_t)CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    return flags;
}

static CUresult instantiate(CUgraphExec *out, struct drv_graph *g, uint64_t flags,
                            struct outcome *o) {
    *o = (struct outcome){CUDA_GRAPH_INSTANTIATE_ERROR, NULL};
    TRY(check_flags(flags));
    flags = with_priorities_asked(flags);
    TRY(check_source(g, flags));
    TRY(check_structure(g, o));
    struct drv_exec *exec = calloc(1, sizeof *exec);
    if (exec)
        exec->lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    if (exec && !drv_object_add(&exec->object, DRV_GRAPH_EXEC, NULL, exec_release)) {
        free(exec);
        exec = NULL;
    }
    REQUIRE(exec, CUDA_ERROR_OUT_OF_MEMORY, "no memory for an executable graph");
    exec->flags = flags;
    exec->source = g->object.handle;
    g->execs++;
    CUresult result = fill(exec, g, o);
    if (result != CUDA_SUCCESS) {
        drv_object_destroy(&exec->object);
        return result;
    }
    exec->uploaded = flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
        kd_graph_set_handle(exec->k, (uint64_t)(uintptr_t)exec->object.handle);
    o->result = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    *out = exec->object.handle;
    return CUDA_SUCCESS;
}

// CUDA_ERROR_INVALID_VALUE: a cycle; flags that do not exist. CUDA_ERROR_NOT_SUPPORTED: a second
// executable graph of a graph with memory nodes.
CUresult cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                                     unsigned long long flags) {
    ENTER();
    REQUIRE_POINTER(phGraphExec);
    struct drv_graph *g;
    struct outcome o;
    TRY(drv_graph_find(hGraph, &g));
    REQUIRE(!(flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD), CUDA_ERROR_INVALID_VALUE,
            "an upload needs a stream: cuGraphInstantiateWithParams");
    return instantiate(phGraphExec, g, flags, &o);
}

// The form of versions 10 and 11: what is wrong comes back as a node and a text.
CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode,
                               char *logBuffer, size_t bufferSize) {
    ENTER();
    REQUIRE_POINTER(phGraphExec);
    struct drv_graph *g;
    struct outcome o;
    TRY(drv_graph_find(hGraph, &g));
    CUresult result = instantiate(phGraphExec, g, 0, &o);
    if (phErrorNode)
        *phErrorNode = o.node;
    if (logBuffer && bufferSize)
        snprintf(logBuffer, bufferSize, "%s",
                 o.result == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE ? "the graph has a cycle"
                 : result != CUDA_SUCCESS                             ? drv_error_text(result)
                                                                      : "");
    return result;
}

// Memory is mapped when it is first touched, and code is there: the stream is checked.
static CUresult upload(CUstream stream) {
    struct kd_queue *q;
    struct drv_context *ctx;
    return drv_stream_find(stream, &q, &ctx);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
    ENTER();
    REQUIRE_POINTER(phGraphExec);
    REQUIRE_POINTER(instantiateParams);
    struct drv_graph *g;
    struct outcome o = {CUDA_GRAPH_INSTANTIATE_ERROR, NULL};
    instantiateParams->hErrNode_out = NULL;
    instantiateParams->result_out = o.result;
    TRY(drv_graph_find(hGraph, &g));
    if (instantiateParams->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
        TRY(upload(instantiateParams->hUploadStream));
    CUresult result = instantiate(phGraphExec, g, instantiateParams->flags, &o);
    struct drv_exec *exec;
    if (result == CUDA_SUCCESS && instantiateParams->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD &&
        drv_exec_find(*phGraphExec, &exec) == CUDA_SUCCESS)
        drv_graph_memory_upload(exec);
    instantiateParams->hErrNode_out = o.node;
    instantiateParams->result_out = o.result;
    return result;
}

// ---- Executable graphs --------------------------------------------------------------------

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags) {
    ENTER();
    REQUIRE_POINTER(flags);
    struct drv_exec *exec;
    TRY(drv_exec_find(hGraphExec, &exec));
    *flags = exec->flags;
    return CUDA_SUCCESS;
}

// Launches that are queued or running go on.
CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
    ENTER();
    struct drv_exec *exec;
    TRY(drv_exec_find(hGraphExec, &exec));
    drv_object_destroy(&exec->object); // locked: nobody else does
    return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
    ENTER();
    struct drv_exec *exec;
    TRY(drv_exec_find(hGraphExec, &exec));
    TRY(upload(hStream));
    drv_graph_memory_upload(exec);
    exec->uploaded = true;
    return CUDA_SUCCESS;
}

// Functions and contexts may have gone since the last launch: what is left is asked for again, and
// held by the call. Under drv_unloads_hold.
static CUresult check_handles(struct drv_exec *exec) {
    struct outcome ignored;
    uint64_t unloads = drv_unloads;
    if (exec->checked != unloads) {
        TRY(apply_all(exec, &ignored));
        exec->checked = unloads;
    }
    for (size_t i = 0; i < exec->nevents; i++) {
        struct drv_event *event;
        TRY(drv_event_find(exec->events[i]->params.eventRecord.event, &event));
    }
    return CUDA_SUCCESS;
}

// Becomes a child graph, a copy of the graph as it was instantiated.
static CUresult capture(struct drv_exec *exec, struct kd_queue *q) {
    CUgraphNodeParams params = {
        .type = CU_GRAPH_NODE_TYPE_GRAPH,
        .graph = {exec->graph->object.handle, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE}};
    return drv_capture_add(q, &params, NULL);
}

static CUresult submit(struct drv_exec *exec, struct kd_queue *q, struct drv_context *ctx) {
    return exec->conditionals.n ? drv_conditionals_launch(&exec->conditionals, exec->k, q, ctx)
                                : drv_status(kd_graph_launch(exec->k, q), ctx);
}

CUresult drv_exec_launch(struct drv_exec *exec, CUstream stream) {
    struct kd_queue *q;
    struct drv_context *ctx;
    bool captured;
    TRY(drv_stream_find(stream, &q, &ctx));
    TRY(drv_capture_enter(q, ctx, &captured));
    if (captured)
        return capture(exec, q);
    drv_unloads_hold();
    CUresult result = check_handles(exec);
    if (exec->mixed || (exec->context && exec->context != ctx->c))
        drv_graphs_abroad = true;
    exec->uploaded = exec->uploaded || result == CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        result =
            exec->nmemory ? drv_graph_memory_launch(exec, q, submit, ctx) : submit(exec, q, ctx);
    drv_unloads_let();
    TRY(result);
    return drv_launch_blocking ? drv_status(kd_queue_wait(q), ctx) : CUDA_SUCCESS;
}

// Follows earlier launches of the same executable graph.
CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
    ENTER();
    struct drv_exec *exec;
    TRY(drv_exec_find(hGraphExec, &exec));
    return drv_exec_launch(exec, hStream);
}
