// Events in captures: a captured event is a set of nodes, and waiting for it places a stream in
// capture mode.
#include <stdlib.h>

#include "driver/graph/capture.h"
#include "driver/graph/capture_state.h"

static void forget(struct drv_event *e) {
    if (e->captured) {
        capture_free_dependencies(&e->captured->dependencies);
        free(e->captured);
    }
    e->captured = NULL;
}

void drv_capture_forget_event(struct drv_event *e) {
    if (!e->captured)
        return;
    capture_lock();
    forget(e);
    capture_unlock();
}

// The stream's dependencies; with a port, what they are as triggered there.
static CUresult record(struct capturing *s, struct drv_event *e, unsigned char port) {
    struct drv_captured_event *captured = calloc(1, sizeof *captured);
    REQUIRE(captured, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a captured event");
    captured->capture = s->capture->id;
    bool ok = capture_join_dependencies(&captured->dependencies, &s->dependencies);
    for (size_t i = 0; port && i < captured->dependencies.n; i++)
        captured->dependencies.data[i] =
            (CUgraphEdgeData){.from_port = port, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
    forget(e);
    e->captured = captured;
    REQUIRE(ok, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a captured event");
    return CUDA_SUCCESS;
}

CUresult drv_capture_record(struct kd_queue *q, struct drv_event *e, unsigned char port) {
    CUresult result = CUDA_SUCCESS;
    capture_lock();
    struct capturing *s = capture_of(q);
    if (s)
        result = record(s, e, port);
    capture_unlock();
    return result;
}

CUresult drv_capture_record_node(struct kd_queue *q, struct drv_event *e) {
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                .eventRecord = {e->object.handle}};
    return drv_capture_add(q, &params, NULL);
}

static CUresult external_wait(struct kd_queue *q, struct drv_event *e) {
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                                .eventWait = {e->object.handle}};
    return drv_capture_add(q, &params, NULL);
}

// The stream of a captured event's waiter joins the capture.
static CUresult join(struct kd_queue *q, struct drv_context *ctx, struct capturing *s,
                     struct capture *c, const struct drv_captured_event *captured) {
    if (s && s->capture != c) {
        s->capture->invalid = c->invalid = true;
        FAIL(CUDA_ERROR_STREAM_CAPTURE_MERGE, "stream and event belong to different captures");
    }
    if (q == kd_context_legacy_queue(ctx->c)) {
        c->invalid = true;
        FAIL(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the legacy stream cannot be captured");
    }
    if (!s)
        s = capture_add_stream(c, q, ctx);
    if (!s || !capture_join_dependencies(&s->dependencies, &captured->dependencies)) {
        c->invalid = true;
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the dependencies of a stream");
    }
    return CUDA_SUCCESS;
}

static CUresult wait(struct kd_queue *q, struct drv_context *ctx, struct drv_event *e, bool *done) {
    TRY(capture_check_legacy(q, ctx, true));
    struct capturing *s = capture_of(q);
    REQUIRE(!s || !s->capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "an error before has ended the capture of this stream");
    if (!e->captured) {
        if (!s)
            return CUDA_SUCCESS;
        s->capture->invalid = true;
        FAIL(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
             "the stream is capturing and the event was recorded outside of the capture: "
             "CU_EVENT_WAIT_EXTERNAL makes that a node");
    }
    struct capture *c = capture_with_id(e->captured->capture);
    if (!c && s)
        s->capture->invalid = true;
    REQUIRE(c, CUDA_ERROR_CAPTURED_EVENT,
            "the event was last recorded in a capture that has ended");
    REQUIRE(!c->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "an error before has ended the capture of this event");
    *done = true;
    return join(q, ctx, s, c, e->captured);
}

CUresult drv_capture_wait(struct kd_queue *q, struct drv_context *ctx, struct drv_event *e,
                          bool external, bool *done) {
    bool captured = false;
    *done = false;
    if (drv_captures == 0 && !e->captured)
        return CUDA_SUCCESS;
    if (external) {
        TRY(drv_capture_enter(q, ctx, &captured));
        *done = captured;
        return captured ? external_wait(q, e) : CUDA_SUCCESS;
    }
    capture_lock();
    CUresult result = wait(q, ctx, e, done);
    capture_unlock();
    return result;
}

// Asking about a captured event invalidates its capture.
CUresult drv_capture_refuse_event(struct drv_event *e) {
    if (!e->captured)
        return CUDA_SUCCESS;
    capture_lock();
    struct capture *c = e->captured ? capture_with_id(e->captured->capture) : NULL;
    if (c)
        c->invalid = true;
    capture_unlock();
    FAIL(CUDA_ERROR_CAPTURED_EVENT, "the event was last recorded in a capturing stream");
}
