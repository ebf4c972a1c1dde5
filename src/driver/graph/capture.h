// Stream capture (guide 6.2.8.7.3): operations submitted to a capturing stream become nodes of a
// graph instead of being run.
//
// Whoever submits an operation asks drv_capture_enter first. One lock is held while captures are
// looked at or changed, so that several threads may submit to the streams of one capture.
#ifndef KUDZU_DRIVER_CAPTURE_H
#define KUDZU_DRIVER_CAPTURE_H

#include "driver/driver.h"

extern atomic_int drv_captures; // that are under way, invalidated ones too

CUresult drv_capture_enter_slow(struct kd_queue *q, struct drv_context *ctx, bool *captured);
CUresult drv_capture_refuse_slow(struct kd_queue *q, struct drv_context *ctx, const char *what);
CUresult drv_capture_unsafe_slow(void);

// Whether an operation for q (of ctx) is to be captured: then it is given to drv_capture_add.
// CUDA_ERROR_STREAM_CAPTURE_INVALIDATED: its capture failed before;
// CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: q is the legacy stream, and a blocking stream is capturing.
static inline CUresult drv_capture_enter(struct kd_queue *q, struct drv_context *ctx,
                                         bool *captured) {
    *captured = false;
    if (__builtin_expect(drv_captures == 0, 1))
        return CUDA_SUCCESS;
    return drv_capture_enter_slow(q, ctx, captured);
}

// The same for copies and sets, whose forms without Async cannot be captured and are unsafe calls.
static inline CUresult drv_capture_enter_copy(struct kd_queue *q, struct drv_context *ctx,
                                              bool async, bool *captured);

// For what cannot be done with a capturing stream; it invalidates the capture and answers
// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED. `what` is a participle: "queried".
static inline CUresult drv_capture_refuse(struct kd_queue *q, struct drv_context *ctx,
                                          const char *what) {
    if (__builtin_expect(drv_captures == 0, 1))
        return CUDA_SUCCESS;
    return drv_capture_refuse_slow(q, ctx, what);
}

// For calls that may wait for the device or change what captured work stands on: prohibited while
// the thread, or any other by a global capture, is capturing (cuThreadExchangeStreamCaptureMode).
static inline CUresult drv_capture_unsafe(void) {
    if (__builtin_expect(drv_captures == 0, 1))
        return CUDA_SUCCESS;
    return drv_capture_unsafe_slow();
}

static inline CUresult drv_capture_enter_copy(struct kd_queue *q, struct drv_context *ctx,
                                              bool async, bool *captured) {
    if (async)
        return drv_capture_enter(q, ctx, captured);
    *captured = false;
    TRY(drv_capture_refuse(q, ctx, "waited for"));
    return drv_capture_unsafe();
}

// For waiting for a whole context: no stream of it may be capturing.
CUresult drv_capture_refuse_context(struct drv_context *ctx);

struct drv_node;
// Adds a node to the graph that q is captured into, behind what the stream depends on, and makes it
// what the stream depends on. A failure invalidates the capture. out may be NULL.
CUresult drv_capture_add(struct kd_queue *q, CUgraphNodeParams *params, struct drv_node **out);
// The same for a kernel node with attributes: those inherited from the stream, and its own, which
// come before them. Programmatic stream serialization makes the edge from
// a kernel before it a programmatic one.
CUresult drv_capture_kernel(struct kd_queue *q, CUgraphNodeParams *params,
                            const CUlaunchAttribute *inherited, unsigned ninherited,
                            CUlaunchAttribute *attributes, unsigned nattributes);

// ---- Events -------------------------------------------------------------------------------

// Records in q, which is capturing. `port` is that of a kernel node, for events of a launch; 0: all
// that came before.
CUresult drv_capture_record(struct kd_queue *q, struct drv_event *e, unsigned char port);
// Adds a node that records the event each time that the graph runs.
CUresult drv_capture_record_node(struct kd_queue *q, struct drv_event *e);
// q waits for an event: *done when that is all there is to do. CUDA_ERROR_STREAM_CAPTURE_MERGE: it
// is of another capture; CUDA_ERROR_STREAM_CAPTURE_ISOLATION: q is capturing and the event was
// recorded outside; CUDA_ERROR_CAPTURED_EVENT: its capture has ended.
CUresult drv_capture_wait(struct kd_queue *q, struct drv_context *ctx, struct drv_event *e,
                          bool external, bool *done);
// For queries of and waits for an event: CUDA_ERROR_CAPTURED_EVENT when it stands for nodes of a
// graph.
CUresult drv_capture_refuse_event(struct drv_event *e);
// The event is recorded outside of captures, or freed.
void drv_capture_forget_event(struct drv_event *e);

// ---- Ends ---------------------------------------------------------------------------------

void drv_capture_forget_queue(struct kd_queue *q);        // it is being freed
void drv_capture_forget_context(struct drv_context *ctx); // and all its queues

#endif
