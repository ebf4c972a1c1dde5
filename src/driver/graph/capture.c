#define _GNU_SOURCE // recursive mutexes
#include "driver/graph/capture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "driver/graph/capture_state.h"
#include "driver/graph/graph.h"
#include "driver/graph/graph_updatable.h"

atomic_int drv_captures;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct capture *captures;
static _Thread_local unsigned graphs_held; // by calls of the thread
static _Thread_local CUstreamCaptureMode mode_of_thread = CU_STREAM_CAPTURE_MODE_GLOBAL;

void capture_lock(void) {
    pthread_mutex_lock(&lock);
}

void capture_unlock(void) {
    pthread_mutex_unlock(&lock);
}

static void let_graphs(void *ignored) {
    (void)ignored;
    graphs_held--;
    capture_unlock();
}

CUresult drv_graphs_hold(void) {
    if (graphs_held)
        return CUDA_SUCCESS;
    capture_lock();
    graphs_held++;
    REQUIRE(drv_call_note(let_graphs, NULL), CUDA_ERROR_OUT_OF_MEMORY, "no memory for a call");
    return CUDA_SUCCESS;
}

uint64_t capture_thread(void) {
    static _Atomic uint64_t next = 1;
    static _Thread_local uint64_t number;
    if (!number)
        number = next++;
    return number;
}

// ---- Dependencies -------------------------------------------------------------------------

static const CUgraphEdgeData full;

static bool is_full(const CUgraphEdgeData *data) {
    return memcmp(data, &full, sizeof full) == 0;
}

bool capture_add_dependency(struct dependencies *d, CUgraphNode node, const CUgraphEdgeData *data) {
    for (size_t i = 0; i < d->n; i++) {
        if (d->nodes[i] != node)
            continue;
        if (is_full(data)) // says more than what is there
            d->data[i] = full;
        return true;
    }
    if (d->n == d->room) {
        size_t room = d->room ? 2 * d->room : 4;
        CUgraphNode *nodes = realloc(d->nodes, room * sizeof(CUgraphNode));
        if (nodes)
            d->nodes = nodes;
        CUgraphEdgeData *edges = realloc(d->data, room * sizeof(CUgraphEdgeData));
        if (edges)
            d->data = edges;
        if (!nodes || !edges)
            return false;
        d->room = room;
    }
    d->nodes[d->n] = node;
    d->data[d->n++] = *data;
    return true;
}

bool capture_join_dependencies(struct dependencies *d, const struct dependencies *more) {
    bool ok = true;
    for (size_t i = 0; i < more->n; i++)
        ok = capture_add_dependency(d, more->nodes[i], &more->data[i]) && ok;
    return ok;
}

void capture_free_dependencies(struct dependencies *d) {
    free(d->nodes);
    free(d->data);
    *d = (struct dependencies){0};
}

// ---- Captures and their streams -----------------------------------------------------------

struct capturing *capture_of(const struct kd_queue *q) {
    for (struct capture *c = captures; c; c = c->next)
        for (struct capturing *s = c->streams; s; s = s->next)
            if (s->q == q)
                return s;
    return NULL;
}

struct capture *capture_with_id(uint64_t id) {
    struct capture *c = captures;
    while (c && c->id != id)
        c = c->next;
    return c;
}

struct capturing *capture_add_stream(struct capture *c, struct kd_queue *q,
                                     struct drv_context *ctx) {
    struct capturing *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (struct capturing){.capture = c, .q = q, .context = ctx};
    struct capturing **last = &c->streams;
    while (*last)
        last = &(*last)->next;
    return *last = s;
}

static void free_stream(struct capturing *s) {
    capture_free_dependencies(&s->dependencies);
    free(s);
}

struct capture *capture_new(CUgraph graph, bool own_graph, CUstreamCaptureMode mode,
                            struct kd_queue *q, struct drv_context *ctx) {
    static uint64_t next_id = 1;
    struct capture *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct capture){next_id++, graph, own_graph, mode, capture_thread(), q, .next = captures};
    if (!capture_add_stream(c, q, ctx)) {
        free(c);
        return NULL;
    }
    captures = c;
    drv_captures++;
    return c;
}

void capture_free(struct capture *c) {
    struct capture **at = &captures;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    while (c->streams) {
        struct capturing *s = c->streams;
        c->streams = s->next;
        free_stream(s);
    }
    free(c);
    drv_captures--;
}

// Takes the graph from the capture; NULL when the program has destroyed it.
struct drv_graph *capture_graph(struct capture *c) {
    struct drv_graph *g = drv_object_peek(c->graph, DRV_GRAPH);
    return g;
}

static void drop(struct capture *c) {
    struct drv_graph *g = capture_graph(c);
    if (g)
        g->capturing = false;
    if (g && c->own_graph)
        drv_graph_free(g);
    capture_free(c);
}

void drv_capture_forget_queue(struct kd_queue *q) {
    if (drv_captures == 0)
        return;
    capture_lock();
    struct capturing *s = capture_of(q);
    if (s && s->capture->origin == q) {
        drop(s->capture);
    } else if (s) {
        s->q = NULL; // what was captured from it stays, and has to be joined
    }
    capture_unlock();
}

static struct capture *with_stream_of(const struct drv_context *ctx) {
    for (struct capture *c = captures; c; c = c->next)
        for (struct capturing *s = c->streams; s; s = s->next)
            if (s->context == ctx)
                return c;
    return NULL;
}

void drv_capture_forget_context(struct drv_context *ctx) {
    if (drv_captures == 0)
        return;
    capture_lock();
    for (struct capture *c; (c = with_stream_of(ctx));)
        drop(c);
    capture_unlock();
}

// ---- What is prohibited -------------------------------------------------------------------

// The legacy stream stands for the blocking ones. Returns whether any of them is capturing.
static bool implicit(const struct drv_context *ctx, bool invalidate) {
    bool found = false;
    for (struct capture *c = captures; c; c = c->next) {
        for (struct capturing *s = c->streams; s; s = s->next) {
            if (!s->q || s->context != ctx || kd_queue_flags(s->q) & KD_QUEUE_NONBLOCKING)
                continue;
            found = true;
            c->invalid = c->invalid || invalidate;
        }
    }
    return found;
}

CUresult capture_check_legacy(struct kd_queue *q, struct drv_context *ctx, bool invalidate) {
    if (q != kd_context_legacy_queue(ctx->c) || !implicit(ctx, invalidate))
        return CUDA_SUCCESS;
    FAIL(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
         "the legacy stream waits for all blocking streams of the context, and one is capturing");
}

static CUresult invalidated(void) {
    FAIL(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
         "an error before has ended the capture of this stream");
}

static CUresult enter(struct kd_queue *q, struct drv_context *ctx, bool *captured) {
    TRY(capture_check_legacy(q, ctx, true));
    struct capturing *s = capture_of(q);
    if (s && s->capture->invalid)
        return invalidated();
    *captured = s != NULL;
    return CUDA_SUCCESS;
}

CUresult drv_capture_enter_slow(struct kd_queue *q, struct drv_context *ctx, bool *captured) {
    capture_lock();
    CUresult result = enter(q, ctx, captured);
    capture_unlock();
    return result;
}

static CUresult refuse(struct kd_queue *q, struct drv_context *ctx, const char *what) {
    TRY(capture_check_legacy(q, ctx, true));
    struct capturing *s = capture_of(q);
    if (!s)
        return CUDA_SUCCESS;
    if (s->capture->invalid)
        return invalidated();
    s->capture->invalid = true;
    FAIL(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a stream that is capturing cannot be %s", what);
}

CUresult drv_capture_refuse_slow(struct kd_queue *q, struct drv_context *ctx, const char *what) {
    capture_lock();
    CUresult result = refuse(q, ctx, what);
    capture_unlock();
    return result;
}

CUresult drv_capture_refuse_context(struct drv_context *ctx) {
    bool found = false;
    if (drv_captures == 0)
        return CUDA_SUCCESS;
    capture_lock();
    for (struct capture *c = captures; c; c = c->next)
        for (struct capturing *s = c->streams; s; s = s->next)
            if (s->context == ctx)
                found = c->invalid = true;
    capture_unlock();
    REQUIRE(!found, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "a stream of the context is capturing: the context cannot be waited for");
    return CUDA_SUCCESS;
}

static bool prohibits(const struct capture *c) {
    if (c->thread == capture_thread())
        return c->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    return mode_of_thread == CU_STREAM_CAPTURE_MODE_GLOBAL &&
           c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult drv_capture_unsafe_slow(void) {
    bool found = false;
    if (mode_of_thread == CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_SUCCESS;
    capture_lock();
    for (struct capture *c = captures; c; c = c->next)
        if (prohibits(c))
            found = c->invalid = true;
    capture_unlock();
    REQUIRE(!found, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "this call is not allowed while streams are captured in this mode");
    return CUDA_SUCCESS;
}

// Sets the calling thread's mode and gives back the one before.
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    ENTER();
    REQUIRE_POINTER(mode);
    REQUIRE((unsigned)*mode <= CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_INVALID_VALUE,
            "%d is no capture mode", (int)*mode);
    CUstreamCaptureMode before = mode_of_thread;
    mode_of_thread = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

// ---- Nodes --------------------------------------------------------------------------------

// The dependencies as nodes: those that the program has destroyed meanwhile are left out.
static CUresult resolve(const struct dependencies *d, struct drv_node **nodes,
                        CUgraphEdgeData *data, size_t *n) {
    *n = 0;
    for (size_t i = 0; i < d->n; i++) {
        struct drv_node *node = drv_object_peek(d->nodes[i], DRV_GRAPH_NODE);
        if (!node)
            continue;
        nodes[*n] = node;
        data[(*n)++] = d->data[i];
    }
    return CUDA_SUCCESS;
}

static CUresult add_node(struct capturing *s, CUgraphNodeParams *params, struct drv_node **out) {
    struct dependencies *d = &s->dependencies;
    struct drv_graph *g = capture_graph(s->capture);
    REQUIRE(g, CUDA_ERROR_INVALID_VALUE, "the graph that is captured into was destroyed");
    struct drv_node **from = malloc((d->n + 1) * sizeof(struct drv_node *));
    CUgraphEdgeData *data = malloc((d->n + 1) * sizeof(CUgraphEdgeData));
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    size_t n;
    if (from && data) {
        resolve(d, from, data, &n);
        result = drv_graph_add(g, from, data, n, params, out);
    } else {
        drv_fail(result, "no memory for a node's dependencies");
    }
    free(from);
    free(data);
    if (result != CUDA_SUCCESS)
        return result;
    d->n = 0;
    REQUIRE(capture_add_dependency(d, (*out)->object.handle, &full), CUDA_ERROR_OUT_OF_MEMORY,
            "no memory for a dependency");
    return CUDA_SUCCESS;
}

// The stream's capture, which must be valid.
static CUresult capture_find(struct kd_queue *q, struct capturing **s) {
    *s = capture_of(q);
    REQUIRE(*s, CUDA_ERROR_ILLEGAL_STATE, "the capture of the stream has just ended");
    return (*s)->capture->invalid ? invalidated() : CUDA_SUCCESS;
}

CUresult drv_capture_add(struct kd_queue *q, CUgraphNodeParams *params, struct drv_node **out) {
    struct drv_node *node;
    struct capturing *s;
    capture_lock();
    CUresult result = capture_find(q, &s);
    if (result == CUDA_SUCCESS) {
        result = add_node(s, params, out ? out : &node);
        s->capture->invalid = result != CUDA_SUCCESS;
    }
    capture_unlock();
    return result;
}

// The kernel before it in the stream, if that is all it depends on.
static void serialize_programmatically(struct dependencies *d) {
    const struct drv_node *node = d->n == 1 ? drv_object_peek(d->nodes[0], DRV_GRAPH_NODE) : NULL;
    if (node && node->params.type == CU_GRAPH_NODE_TYPE_KERNEL && is_full(&d->data[0]))
        d->data[0] = (CUgraphEdgeData){.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                                       .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
}

// Attributes that tell something of the stream, not of the node.
static bool of_stream(CUlaunchAttributeID id) {
    return id == CU_LAUNCH_ATTRIBUTE_IGNORE ||
           id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
           id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT ||
           id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT ||
           id == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
}

static CUresult add_kernel(struct capturing *s, CUgraphNodeParams *params,
                           const CUlaunchAttribute *inherited, unsigned ninherited,
                           CUlaunchAttribute *attributes, unsigned nattributes) {
    struct drv_node *node;
    for (unsigned i = 0; i < nattributes; i++)
        if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
            attributes[i].value.programmaticStreamSerializationAllowed)
            serialize_programmatically(&s->dependencies);
    TRY(add_node(s, params, &node));
    for (unsigned i = 0; i < ninherited; i++)
        TRY(drv_node_set_attribute(node, inherited[i].id, &inherited[i].value));
    for (unsigned i = 0; i < nattributes; i++)
        if (!of_stream(attributes[i].id))
            TRY(drv_node_set_attribute(node, attributes[i].id, &attributes[i].value));
    for (unsigned i = 0; i < nattributes; i++)
        if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
            attributes[i].value.deviceUpdatableKernelNode.devNode =
                drv_node_updatable(node) ? drv_node_device_handle(node) : NULL;
    return CUDA_SUCCESS;
}

CUresult drv_capture_kernel(struct kd_queue *q, CUgraphNodeParams *params,
                            const CUlaunchAttribute *inherited, unsigned ninherited,
                            CUlaunchAttribute *attributes, unsigned nattributes) {
    struct capturing *s;
    capture_lock();
    CUresult result = capture_find(q, &s);
    if (result == CUDA_SUCCESS) {
        result = add_kernel(s, params, inherited, ninherited, attributes, nattributes);
        s->capture->invalid = result != CUDA_SUCCESS;
    }
    capture_unlock();
    return result;
}
