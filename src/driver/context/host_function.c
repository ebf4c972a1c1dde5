// Functions of the program that run in a stream. They must not call the driver (guide 6.2.8.5.6):
// calls from them answer CUDA_ERROR_NOT_PERMITTED, but for those that ENTER_FROM_HOST_FUNCTION
// names.
#include <stdlib.h>

#include "driver/graph/capture.h"

struct closure {
    CUstreamCallback callback; // or, when NULL:
    CUhostFn fn;
    CUstream stream;
    struct drv_context *context;
    void *user;
};

static void run(void *arg, enum kd_status status) {
    struct closure *c = arg;
    drv_in_callback++;
    if (c->callback) { // called in any case
        CUresult result = CUDA_SUCCESS;
        drv_api = "cuStreamAddCallback";
        if (status != KD_OK)
            result = drv_status(status, c->context);
        rights_call_end(false);
        c->callback(c->stream, result, c->user);
        rights_call_begin();
    } else if (status == KD_OK) {
        rights_call_end(false);
        c->fn(c->user);
        rights_call_begin();
    }
    drv_in_callback--;
    free(c);
}

static CUresult capture_host(struct kd_queue *q, CUhostFn fn, void *user) {
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = {fn, user}};
    return drv_capture_add(q, &params, NULL);
}

static CUresult submit(CUstream stream, CUstreamCallback callback, CUhostFn fn, void *user) {
    struct kd_queue *q;
    struct drv_context *ctx;
    bool captured;
    TRY(drv_stream_find(stream, &q, &ctx));
    if (callback)
        TRY(drv_capture_refuse(q, ctx, "given a callback"));
    TRY(drv_capture_enter(q, ctx, &captured));
    if (captured)
        return capture_host(q, fn, user);
    struct closure *c = malloc(sizeof *c);
    REQUIRE(c, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a host function");
    *c = (struct closure){callback, fn, stream, ctx, user};
    CUresult result = drv_status(kd_submit_host(q, run, c, true), ctx);
    if (result != CUDA_SUCCESS)
        free(c);
    return result;
}

// The callback is called also when the context has an error, which is then its status.
CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                             unsigned int flags) {
    ENTER();
    REQUIRE_POINTER(callback);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    return submit(hStream, callback, NULL, userData);
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
    ENTER_FROM_HOST_FUNCTION();
    REQUIRE_POINTER(fn);
    return submit(hStream, NULL, fn, userData);
}

// How the thread that calls the function waits for its turn is the device's own affair.
CUresult cuLaunchHostFunc_v2(CUstream hStream, CUhostFn fn, void *userData, unsigned int syncMode) {
    ENTER();
    REQUIRE_POINTER(fn);
    REQUIRE(syncMode <= CU_HOST_TASK_SPINWAIT, CUDA_ERROR_INVALID_VALUE, "%u is no way to wait",
            syncMode);
    return submit(hStream, NULL, fn, userData);
}
