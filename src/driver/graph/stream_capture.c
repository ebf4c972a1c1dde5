// Beginning and ending the capture of streams, and what is known of it (guide 6.2.8.7.3).
#include <stdlib.h>
#include <string.h>

#include "driver/graph/capture.h"
#include "driver/graph/capture_state.h"
#include "driver/graph/graph.h"

// ---- Begin --------------------------------------------------------------------------------

static CUresult check_begin(struct kd_queue *q, struct drv_context *ctx, CUstreamCaptureMode mode) {
    REQUIRE((unsigned)mode <= CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_INVALID_VALUE,
            "%d is no capture mode", (int)mode);
    REQUIRE(q != kd_context_legacy_queue(ctx->c), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "the legacy stream cannot be captured");
    REQUIRE(!capture_of(q), CUDA_ERROR_ILLEGAL_STATE, "the stream is capturing already");
    return CUDA_SUCCESS;
}

static CUresult begin(struct kd_queue *q, struct drv_context *ctx, CUstreamCaptureMode mode) {
    struct drv_graph *g;
    TRY(check_begin(q, ctx, mode));
    TRY(drv_graph_new(&g));
    g->capturing = true;
    if (capture_new(g->object.handle, true, mode, q, ctx))
        return CUDA_SUCCESS;
    drv_graph_free(g);
    FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a capture");
}

static CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode) {
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(stream, &q, &ctx));
    capture_lock();
    CUresult result = begin(q, ctx, mode);
    capture_unlock();
    return result;
}

// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: the legacy stream; CUDA_ERROR_ILLEGAL_STATE: the stream
// captures already.
CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
    ENTER();
    return begin_capture(hStream, mode);
}

CUresult cuStreamBeginCapture(CUstream hStream) {
    ENTER();
    return begin_capture(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

// Nodes of graph g, and edges that may leave them.
static CUresult take_dependencies(struct dependencies *d, const struct drv_graph *g,
                                  const CUgraphNode *nodes, const CUgraphEdgeData *data, size_t n) {
    static const CUgraphEdgeData full;
    REQUIRE(nodes || !n, CUDA_ERROR_INVALID_VALUE, "dependencies cannot be NULL");
    for (size_t i = 0; i < n; i++) {
        struct drv_node *node;
        TRY(drv_node_find(nodes[i], &node));
        REQUIRE(node->graph == g, CUDA_ERROR_INVALID_VALUE,
                "dependencies[%zu] is a node of another graph", i);
        if (data)
            TRY(drv_edge_check(node, NULL, &data[i]));
        REQUIRE(capture_add_dependency(d, nodes[i], data ? &data[i] : &full),
                CUDA_ERROR_OUT_OF_MEMORY, "no memory for dependencies");
    }
    return CUDA_SUCCESS;
}

static CUresult begin_to(struct kd_queue *q, struct drv_context *ctx, struct drv_graph *g,
                         CUstreamCaptureMode mode, const struct dependencies *d) {
    TRY(check_begin(q, ctx, mode));
    REQUIRE(!g->capturing, CUDA_ERROR_INVALID_VALUE, "another stream captures into the graph");
    struct capture *c = capture_new(g->object.handle, false, mode, q, ctx);
    REQUIRE(c, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a capture");
    if (!capture_join_dependencies(&c->streams->dependencies, d)) {
        capture_free(c);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a capture");
    }
    g->capturing = true;
    return CUDA_SUCCESS;
}

// Captures into a graph that exists, behind the given nodes of it.
CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                     const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    struct drv_graph *g;
    struct dependencies d = {0};
    TRY(drv_stream_find(hStream, &q, &ctx));
    TRY(drv_graph_find(hGraph, &g));
    CUresult result = take_dependencies(&d, g, dependencies, dependencyData, numDependencies);
    if (result == CUDA_SUCCESS) {
        capture_lock();
        result = begin_to(q, ctx, g, mode, &d);
        capture_unlock();
    }
    capture_free_dependencies(&d);
    return result;
}

// ---- End ----------------------------------------------------------------------------------

static bool is_full(const CUgraphEdgeData *data) {
    return data->type == 0 && data->from_port == 0 && data->to_port == 0;
}

// Stamps what `node` waits for completely, and itself. Nodes on the way are linked in a list of
// their own, since the graph may be deep.
static CUresult stamp_ancestors(struct drv_node *node, uint64_t stamp, size_t nnodes) {
    struct drv_node **stack = malloc((nnodes + 1) * sizeof(struct drv_node *));
    size_t n = 0;
    REQUIRE(stack, CUDA_ERROR_OUT_OF_MEMORY, "no memory to walk the graph");
    if (node->stamp != stamp)
        stack[n++] = node;
    node->stamp = stamp;
    while (n) {
        const struct drv_edges *in = &stack[--n]->in;
        for (size_t i = 0; i < in->n; i++) {
            if (in->at[i].node->stamp == stamp || !is_full(&in->at[i].data))
                continue;
            in->at[i].node->stamp = stamp;
            stack[n++] = in->at[i].node;
        }
    }
    free(stack);
    return CUDA_SUCCESS;
}

static const char unjoined[] = "a stream that joined the capture was not joined to the stream in "
                               "which it began: record an event in it and wait for that";

static CUresult check_joined(const struct capture *c, const struct drv_graph *g) {
    const struct capturing *origin = c->streams;
    uint64_t stamp = drv_graph_stamp();
    for (size_t i = 0; i < origin->dependencies.n; i++) {
        struct drv_node *node = drv_object_peek(origin->dependencies.nodes[i], DRV_GRAPH_NODE);
        REQUIRE(is_full(&origin->dependencies.data[i]), CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                "an edge that does not wait for its node's end leads nowhere at the end of the "
                "capture");
        if (node)
            TRY(stamp_ancestors(node, stamp, g->nnodes));
    }
    for (const struct capturing *s = origin->next; s; s = s->next) {
        for (size_t i = 0; i < s->dependencies.n; i++) {
            const struct drv_node *node = drv_object_peek(s->dependencies.nodes[i], DRV_GRAPH_NODE);
            REQUIRE(!node || node->stamp == stamp, CUDA_ERROR_STREAM_CAPTURE_UNJOINED, unjoined);
        }
    }
    return CUDA_SUCCESS;
}

static CUresult check_end(const struct capture *c, const struct drv_graph *g) {
    REQUIRE(!c->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "an error before has ended the capture");
    REQUIRE(g, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "the graph that was captured into was destroyed");
    return check_joined(c, g);
}

static CUresult end(struct kd_queue *q, CUgraph *out) {
    struct capturing *s = capture_of(q);
    REQUIRE(s, CUDA_ERROR_ILLEGAL_STATE, "the stream is not capturing");
    struct capture *c = s->capture;
    if (c->origin != q)
        c->invalid = true;
    REQUIRE(c->origin == q, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
            "the capture began in another stream");
    REQUIRE(c->mode == CU_STREAM_CAPTURE_MODE_RELAXED || c->thread == capture_thread(),
            CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
            "the capture was begun by another thread, and not in relaxed mode");
    REQUIRE(out || !c->own_graph, CUDA_ERROR_INVALID_VALUE,
            "phGraph cannot be NULL: the graph would be lost");
    struct drv_graph *g = capture_graph(c);
    CUresult result = check_end(c, g);
    bool own = c->own_graph;
    CUgraph handle = c->graph;
    capture_free(c);
    if (g)
        g->capturing = false;
    if (result == CUDA_SUCCESS && out)
        *out = handle;
    else if (g && own)
        drv_graph_free(g);
    return result;
}

// Takes all streams of the capture out of capture mode, also when it fails: *phGraph is NULL then.
// Except CUDA_ERROR_STREAM_CAPTURE_UNMATCHED: the capture began in another stream;
// CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD: by another thread; CUDA_ERROR_ILLEGAL_STATE: it did not
// begin. phGraph may be NULL where the graph is the program's.
CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph) {
    ENTER();
    if (phGraph)
        *phGraph = NULL;
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    capture_lock();
    CUresult result = end(q, phGraph);
    capture_unlock();
    return result;
}

// ---- What is known ------------------------------------------------------------------------

struct info {
    CUstreamCaptureStatus *status;
    cuuint64_t *id;
    CUgraph *graph;
    const CUgraphNode **nodes;
    const CUgraphEdgeData **data;
    size_t *n;
};

static CUresult tell_dependencies(const struct info *i, const struct dependencies *d) {
    bool lossy = false;
    for (size_t k = 0; k < d->n; k++)
        lossy = lossy || !is_full(&d->data[k]);
    REQUIRE(!i->nodes || i->data || !lossy, CUDA_ERROR_LOSSY_QUERY,
            "the stream's dependencies have edge data, which is not asked for");
    if (i->nodes)
        *i->nodes = d->nodes;
    if (i->data)
        *i->data = d->data;
    if (i->n)
        *i->n = d->n;
    return CUDA_SUCCESS;
}

static CUresult tell(struct kd_queue *q, struct drv_context *ctx, const struct info *i) {
    TRY(capture_check_legacy(q, ctx, false));
    const struct capturing *s = capture_of(q);
    *i->status = !s                    ? CU_STREAM_CAPTURE_STATUS_NONE
                 : s->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                       : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (*i->status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_SUCCESS;
    TRY(tell_dependencies(i, &s->dependencies));
    if (i->id)
        *i->id = s->capture->id;
    if (i->graph)
        *i->graph = s->capture->graph;
    return CUDA_SUCCESS;
}

// CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: the stream is the legacy one and a blocking stream is
// capturing, which goes on.
static CUresult get_info(CUstream stream, const struct info *i) {
    REQUIRE(i->status, CUDA_ERROR_INVALID_VALUE, "captureStatus_out cannot be NULL");
    REQUIRE(!i->data || i->nodes, CUDA_ERROR_INVALID_VALUE,
            "edgeData_out is given without dependencies_out");
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(stream, &q, &ctx));
    capture_lock();
    CUresult result = tell(q, ctx, i);
    capture_unlock();
    return result;
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
    ENTER();
    return get_info(hStream, &(struct info){.status = captureStatus});
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                cuuint64_t *id_out) {
    ENTER();
    return get_info(hStream, &(struct info){.status = captureStatus_out, .id = id_out});
}

// The arrays are the stream's own: valid until the next call that uses it.
CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out,
                                   size_t *numDependencies_out) {
    ENTER();
    return get_info(hStream, &(struct info){captureStatus_out, id_out, graph_out, dependencies_out,
                                            NULL, numDependencies_out});
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out,
                                   const CUgraphEdgeData **edgeData_out,
                                   size_t *numDependencies_out) {
    ENTER();
    return get_info(hStream, &(struct info){captureStatus_out, id_out, graph_out, dependencies_out,
                                            edgeData_out, numDependencies_out});
}

// ---- Changes ------------------------------------------------------------------------------

static CUresult update(struct kd_queue *q, const CUgraphNode *nodes, const CUgraphEdgeData *data,
                       size_t n, unsigned flags) {
    struct capturing *s = capture_of(q);
    struct dependencies d = {0};
    REQUIRE(s, CUDA_ERROR_ILLEGAL_STATE, "the stream is not capturing");
    REQUIRE(!s->capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "an error before has ended the capture of this stream");
    if (flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES &&
        !capture_join_dependencies(&d, &s->dependencies))
        drv_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for dependencies");
    CUresult result = take_dependencies(&d, capture_graph(s->capture), nodes, data, n);
    if (result != CUDA_SUCCESS) {
        capture_free_dependencies(&d);
        return result;
    }
    capture_free_dependencies(&s->dependencies);
    s->dependencies = d;
    return CUDA_SUCCESS;
}

static CUresult update_dependencies(CUstream stream, const CUgraphNode *nodes,
                                    const CUgraphEdgeData *data, size_t n, unsigned flags) {
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(stream, &q, &ctx));
    REQUIRE(flags <= CU_STREAM_SET_CAPTURE_DEPENDENCIES, CUDA_ERROR_INVALID_VALUE,
            "flags %#x are neither CU_STREAM_ADD_ nor CU_STREAM_SET_CAPTURE_DEPENDENCIES", flags);
    capture_lock();
    CUresult result = update(q, nodes, data, n, flags);
    capture_unlock();
    return result;
}

// What the next captured operation depends on: added to, or set anew.
CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
                                           size_t numDependencies, unsigned int flags) {
    ENTER();
    return update_dependencies(hStream, dependencies, NULL, numDependencies, flags);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                              const CUgraphEdgeData *dependencyData,
                                              size_t numDependencies, unsigned int flags) {
    ENTER();
    return update_dependencies(hStream, dependencies, dependencyData, numDependencies, flags);
}
