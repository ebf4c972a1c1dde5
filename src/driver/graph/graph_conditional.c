#include "driver/graph/graph_conditional.h"

#include <pthread.h>
#include <stdlib.h>

#include "driver/graph/user_object.h"

// A handle is the address of its value, which cudaGraphSetConditional writes. It lives as long as
// the graph it was made for, that graph's clones, and launches of their executable graphs.
struct drv_conditional {
    _Alignas(64) uint32_t value;
    unsigned default_value, flags;
    uint64_t graph; // its id
    bool used;      // a node has the handle
    struct kd_event *last_launch;
    struct drv_conditional *next;
};

static struct drv_conditional *all; // under the lock

static CUgraphConditionalHandle handle_of(const struct drv_conditional *c) {
    return (CUgraphConditionalHandle)(uintptr_t)&c->value;
}

// Under the lock.
static struct drv_conditional *find(CUgraphConditionalHandle handle) {
    struct drv_conditional *c = all;
    while (c && handle_of(c) != handle)
        c = c->next;
    return c;
}

static struct drv_conditional *find_locked(CUgraphConditionalHandle handle) {
    drv_lock();
    struct drv_conditional *c = find(handle);
    drv_unlock();
    return c;
}

// ---- Handles ------------------------------------------------------------------------------

static void CUDA_CB destroy(void *arg) {
    struct drv_conditional *c = arg;
    drv_lock();
    struct drv_conditional **at = &all;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    drv_unlock();
    kd_event_free(c->last_launch);
    free(c);
}

static CUresult conditional_new(struct drv_context *ctx, struct drv_conditional **out) {
    struct drv_conditional *c = aligned_alloc(64, sizeof *c);
    REQUIRE(c, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a conditional handle");
    *c = (struct drv_conditional){0};
    CUresult result = drv_status(kd_event_new(ctx->c, KD_EVENT_NO_TIMING, &c->last_launch), ctx);
    if (result != CUDA_SUCCESS) {
        free(c);
        return result;
    }
    drv_lock();
    c->next = all;
    all = c;
    drv_unlock();
    *out = c;
    return CUDA_SUCCESS;
}

// The handle ends with the graph. CU_GRAPH_COND_ASSIGN_DEFAULT: each launch begins with
// defaultLaunchValue; else the value is what was set last.
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph,
                                        CUcontext ctx, unsigned int defaultLaunchValue,
                                        unsigned int flags) {
    ENTER();
    REQUIRE_POINTER(pHandle_out);
    REQUIRE(!(flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of a conditional handle", flags);
    struct drv_graph *g;
    struct drv_context *owner;
    struct drv_conditional *c;
    struct drv_user_object *o;
    TRY(drv_graph_find(hGraph, &g));
    TRY(ctx ? drv_context_find(ctx, &owner) : drv_context_current(&owner));
    TRY(conditional_new(owner, &c));
    c->default_value = defaultLaunchValue;
    c->flags = flags;
    c->graph = g->id;
    CUresult result = drv_user_object_new(c, destroy, &o);
    if (result != CUDA_SUCCESS) {
        destroy(c);
        return result;
    }
    result = drv_graph_hold(g, o, 1);
    drv_user_object_drop(o, 1); // the graph's reference is the only one
    if (result == CUDA_SUCCESS)
        *pHandle_out = handle_of(c);
    return result;
}

// ---- Nodes --------------------------------------------------------------------------------

static CUresult check_size(const CUDA_CONDITIONAL_NODE_PARAMS *p) {
    switch (p->type) {
    case CU_GRAPH_COND_TYPE_IF:
        REQUIRE(p->size == 1 || p->size == 2, CUDA_ERROR_INVALID_VALUE,
                "an IF node has one body or two, not %u", p->size);
        return CUDA_SUCCESS;
    case CU_GRAPH_COND_TYPE_WHILE:
        REQUIRE(p->size == 1, CUDA_ERROR_INVALID_VALUE, "a WHILE node has one body, not %u",
                p->size);
        return CUDA_SUCCESS;
    case CU_GRAPH_COND_TYPE_SWITCH:
        REQUIRE(p->size >= 1 && p->size <= 65536, CUDA_ERROR_INVALID_VALUE,
                "a SWITCH node has 1 to 65536 bodies, not %u", p->size);
        return CUDA_SUCCESS;
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no type of a conditional node", (int)p->type);
}

// Whether g is the graph with this id, or lies in it as a body or child graph.
static bool is_within(const struct drv_graph *g, uint64_t id) {
    while (g && g->id != id)
        g = g->parent ? g->parent->graph : NULL;
    return g != NULL;
}

CUresult drv_conditional_take(const struct drv_graph *g, const CUDA_CONDITIONAL_NODE_PARAMS *p) {
    TRY(check_size(p));
    if (p->ctx) {
        struct drv_context *ctx;
        TRY(drv_context_find(p->ctx, &ctx));
    }
    drv_lock();
    struct drv_conditional *c = find(p->handle);
    bool mine = c && is_within(g, c->graph), used = c && c->used;
    if (mine)
        c->used = true;
    drv_unlock();
    REQUIRE(c, CUDA_ERROR_INVALID_VALUE, "%#llx is no conditional handle",
            (unsigned long long)p->handle);
    REQUIRE(mine, CUDA_ERROR_INVALID_VALUE, "the conditional handle was made for another graph");
    REQUIRE(!used, CUDA_ERROR_INVALID_VALUE, "the conditional handle belongs to another node");
    return CUDA_SUCCESS;
}

CUresult drv_conditional_describe(const struct drv_node *n, struct kd_condition *out) {
    const CUDA_CONDITIONAL_NODE_PARAMS *p = &n->params.conditional;
    struct drv_conditional *c = find_locked(p->handle);
    REQUIRE(c, CUDA_ERROR_INVALID_VALUE, "the handle of a conditional node has ended");
    *out =
        (struct kd_condition){.kind = p->type == CU_GRAPH_COND_TYPE_IF      ? KD_CONDITION_IF
                                      : p->type == CU_GRAPH_COND_TYPE_WHILE ? KD_CONDITION_WHILE
                                                                            : KD_CONDITION_SWITCH,
                              .value = &c->value,
                              .first = n->first_region,
                              .n = n->ngraphs};
    return CUDA_SUCCESS;
}

// ---- What a body may hold -----------------------------------------------------------------

bool drv_in_body(const struct drv_node *n) {
    do
        n = n->graph->parent;
    while (n && n->params.type != CU_GRAPH_NODE_TYPE_CONDITIONAL);
    return n != NULL;
}

static bool of_array(const CUDA_MEMCPY3D *c) {
    return c->srcMemoryType == CU_MEMORYTYPE_ARRAY || c->dstMemoryType == CU_MEMORYTYPE_ARRAY;
}

static bool allowed(const struct drv_node *n) {
    switch (n->params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return true;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return !of_array(&n->params.memcpy.copyParams);
    default:
        return false;
    }
}

static CUresult check_handles(const struct drv_graph *g) {
    bool unused = false;
    drv_lock();
    for (const struct drv_conditional *c = all; c; c = c->next)
        unused = unused || (c->graph == g->id && !c->used);
    drv_unlock();
    REQUIRE(!unused, CUDA_ERROR_INVALID_VALUE,
            "a conditional handle of the graph belongs to no node");
    return CUDA_SUCCESS;
}

static CUresult check(const struct drv_graph *g, bool in_body, const struct drv_node **node) {
    TRY(check_handles(g));
    for (const struct drv_node *n = in_body || g->levels ? g->first : NULL; n; n = n->next) {
        bool conditional = n->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
        *node = n;
        REQUIRE(!in_body || allowed(n), CUDA_ERROR_NOT_SUPPORTED,
                "the body of a conditional node has a node of type %d, or copies an array",
                (int)n->params.type);
        *node = NULL;
        for (unsigned i = 0; i < n->ngraphs; i++)
            TRY(check(n->graphs[i], in_body || conditional, node));
    }
    return CUDA_SUCCESS;
}

CUresult drv_conditional_check(const struct drv_graph *g, const struct drv_node **node) {
    *node = NULL;
    return check(g, false, node);
}

// ---- Executable graphs --------------------------------------------------------------------

static size_t count(const struct drv_graph *g) {
    size_t n = 0;
    for (const struct drv_node *m = g->levels ? g->first : NULL; m; m = m->next) {
        n += m->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
        for (unsigned i = 0; i < m->ngraphs; i++)
            n += count(m->graphs[i]);
    }
    return n;
}

static void list_of(const struct drv_graph *g, struct drv_conditionals *list) {
    for (const struct drv_node *m = g->levels ? g->first : NULL; m; m = m->next) {
        struct drv_conditional *c = m->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL
                                        ? find_locked(m->params.conditional.handle)
                                        : NULL;
        bool known = !c;
        for (size_t i = 0; i < list->n && !known; i++)
            known = list->at[i] == c;
        if (!known)
            list->at[list->n++] = c;
        for (unsigned i = 0; i < m->ngraphs; i++)
            list_of(m->graphs[i], list);
    }
}

CUresult drv_conditionals_list(const struct drv_graph *g, struct drv_conditionals *out) {
    size_t n = count(g);
    free(out->at);
    *out = (struct drv_conditionals){0};
    if (!n)
        return CUDA_SUCCESS;
    out->at = malloc(n * sizeof(struct drv_conditional *));
    REQUIRE(out->at, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a list of conditional handles");
    list_of(g, out);
    return CUDA_SUCCESS;
}

CUresult drv_conditionals_set_cells(const struct drv_conditionals *list, struct kd_graph *k) {
    struct kd_graph_cell *cells = malloc((list->n + 1) * sizeof *cells);
    size_t n = 0;
    REQUIRE(cells, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the values of conditional nodes");
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i]->flags & CU_GRAPH_COND_ASSIGN_DEFAULT)
            cells[n++] = (struct kd_graph_cell){&list->at[i]->value, list->at[i]->default_value};
    CUresult result = drv_status(kd_graph_set_cells(k, cells, n), NULL);
    free(cells);
    return result;
}

static enum kd_status launch(const struct drv_conditionals *list, struct kd_graph *k,
                             struct kd_queue *q) {
    enum kd_status status = KD_OK;
    for (size_t i = 0; i < list->n && status == KD_OK; i++)
        status = kd_event_wait_on(q, list->at[i]->last_launch);
    if (status == KD_OK)
        status = kd_graph_launch(k, q);
    for (size_t i = 0; i < list->n && status == KD_OK; i++)
        status = kd_event_record(list->at[i]->last_launch, q);
    return status;
}

CUresult drv_conditionals_launch(const struct drv_conditionals *list, struct kd_graph *k,
                                 struct kd_queue *q, struct drv_context *ctx) {
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one);
    enum kd_status status = launch(list, k, q);
    pthread_mutex_unlock(&one);
    return drv_status(status, ctx);
}
