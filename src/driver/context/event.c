// Events.
#include <stdlib.h>

#include "driver/graph/capture.h"

static void event_release(struct drv_object *o) {
    struct drv_event *e = (struct drv_event *)o;
    drv_capture_forget_event(e);
    kd_event_free(e->e);
    free(e);
}

CUresult drv_event_find(CUevent handle, struct drv_event **out) {
    *out = drv_object_find(handle, DRV_EVENT);
    REQUIRE(*out, drv_object_missing(handle, DRV_EVENT),
            "%p is no event, or one that was destroyed, alone or with its context", (void *)handle);
    return CUDA_SUCCESS;
}

CUresult drv_event_add(struct drv_context *ctx, struct kd_event *event, unsigned flags,
                       CUevent *handle) {
    struct drv_event *e = calloc(1, sizeof *e);
    if (!e)
        kd_event_free(event);
    REQUIRE(e, CUDA_ERROR_OUT_OF_MEMORY, "no memory for an event");
    e->e = event;
    e->flags = flags;
    if (!drv_object_add(&e->object, DRV_EVENT, ctx, event_release)) {
        event_release(&e->object);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for an event");
    }
    *handle = e->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(phEvent);
    REQUIRE(!(Flags & ~7u), CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of an event", Flags);
    REQUIRE(!(Flags & CU_EVENT_INTERPROCESS) || Flags & CU_EVENT_DISABLE_TIMING,
            CUDA_ERROR_INVALID_VALUE, "an event for several processes must be without timing");
    uint32_t flags = (Flags & CU_EVENT_INTERPROCESS ? KD_EVENT_SHARED : 0) |
                     (Flags & CU_EVENT_DISABLE_TIMING ? KD_EVENT_NO_TIMING : 0) |
                     (Flags & CU_EVENT_BLOCKING_SYNC ? KD_EVENT_BLOCKING_WAIT : 0);
    struct kd_event *device_event;
    TRY(drv_status(kd_event_new(ctx->c, flags, &device_event), ctx));
    return drv_event_add(ctx, device_event, Flags, phEvent);
}

// Event and stream must be of the same context: else CUDA_ERROR_INVALID_HANDLE.
static CUresult record(CUevent hEvent, CUstream hStream, bool external) {
    struct drv_event *e;
    struct kd_queue *q;
    struct drv_context *ctx;
    bool captured;
    TRY(drv_event_find(hEvent, &e));
    TRY(drv_stream_find(hStream, &q, &ctx));
    REQUIRE(e->object.context == ctx, CUDA_ERROR_INVALID_HANDLE,
            "event and stream belong to different contexts");
    TRY(drv_capture_enter(q, ctx, &captured));
    if (captured)
        return external ? drv_capture_record_node(q, e) : drv_capture_record(q, e, 0);
    REQUIRE(!external, CUDA_ERROR_ILLEGAL_STATE,
            "CU_EVENT_RECORD_EXTERNAL is for streams that are capturing");
    drv_capture_forget_event(e);
    return drv_status(kd_event_record(e->e, q), ctx);
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
    ENTER_FROM_HOST_FUNCTION();
    return record(hEvent, hStream, false);
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
    ENTER();
    REQUIRE(!(flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of a record", flags);
    return record(hEvent, hStream, flags != 0);
}

static CUresult refuse_captured(struct drv_event *e) {
    TRY(drv_capture_refuse_event(e));
    return drv_capture_unsafe();
}

// The event of the context happens when all of its earlier work has ended.
CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
    ENTER();
    struct drv_context *ctx;
    struct drv_event *e;
    TRY(drv_context_find(hCtx, &ctx));
    TRY(drv_event_find(hEvent, &e));
    REQUIRE(e->object.context == ctx, CUDA_ERROR_INVALID_HANDLE,
            "the event belongs to another context");
    TRY(drv_capture_refuse_context(ctx));
    drv_capture_forget_event(e);
    return drv_status(kd_event_record_context(e->e, ctx->c), ctx);
}

// All later work of the context waits for the event, which may be another context's.
CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
    ENTER();
    struct drv_context *ctx;
    struct drv_event *e;
    TRY(drv_context_find(hCtx, &ctx));
    TRY(drv_event_find(hEvent, &e));
    TRY(drv_capture_refuse_context(ctx));
    TRY(drv_capture_refuse_event(e));
    return drv_status(kd_event_wait_on_context(ctx->c, e->e), ctx);
}

// Both answer success for an event that was never recorded.
CUresult cuEventQuery(CUevent hEvent) {
    ENTER_FROM_HOST_FUNCTION();
    struct drv_event *e;
    TRY(drv_event_find(hEvent, &e));
    TRY(refuse_captured(e));
    return drv_status(kd_event_query(e->e), e->object.context);
}

CUresult cuEventSynchronize(CUevent hEvent) {
    ENTER_FROM_HOST_FUNCTION();
    struct drv_event *e;
    TRY(drv_event_find(hEvent, &e));
    TRY(refuse_captured(e));
    enum kd_status status = kd_event_wait(e->e);
    kd_pools_settle();
    return drv_status(status, e->object.context);
}

CUresult cuEventDestroy_v2(CUevent hEvent) {
    ENTER_FROM_HOST_FUNCTION();
    struct drv_event *e = drv_object_take(hEvent, DRV_EVENT);
    REQUIRE(e, CUDA_ERROR_INVALID_HANDLE, "%p is no event, or one that was destroyed",
            (void *)hEvent);
    return CUDA_SUCCESS;
}

static CUresult time_of(struct drv_event *e, uint64_t *ns) {
    REQUIRE(!(e->flags & CU_EVENT_DISABLE_TIMING), CUDA_ERROR_INVALID_HANDLE,
            "the event was created without timing");
    TRY(drv_capture_refuse_event(e));
    enum kd_status status = kd_event_time(e->e, ns);
    REQUIRE(status != KD_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
            "the event has not been recorded");
    return drv_status(status, e->object.context);
}

// Milliseconds from hStart to hEnd, exact to a microsecond or better. CUDA_ERROR_INVALID_HANDLE:
// not recorded, or without timing; CUDA_ERROR_NOT_READY: one is not complete.
CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
    ENTER_FROM_HOST_FUNCTION();
    REQUIRE_POINTER(pMilliseconds);
    struct drv_event *start, *end;
    uint64_t from, to;
    TRY(drv_event_find(hStart, &start));
    TRY(drv_event_find(hEnd, &end));
    REQUIRE(start->object.context == end->object.context, CUDA_ERROR_INVALID_HANDLE,
            "the events belong to different contexts");
    TRY(time_of(start, &from));
    TRY(time_of(end, &to));
    *pMilliseconds = (float)((double)((int64_t)(to - from)) / 1e6);
    return CUDA_SUCCESS;
}
