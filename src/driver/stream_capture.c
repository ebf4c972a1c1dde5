// Stream capture is not built: no stream ever captures, and these say so.
#include "driver/driver.h"

static CUresult not_capturing(CUstream stream, CUstreamCaptureStatus *status) {
    REQUIRE_POINTER(status);
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(stream, &q, &ctx));
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
    ENTER();
    return not_capturing(hStream, captureStatus);
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                cuuint64_t *id_out) {
    ENTER();
    return not_capturing(hStream, captureStatus_out);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out,
                                   size_t *numDependencies_out) {
    ENTER();
    return not_capturing(hStream, captureStatus_out);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out,
                                   const CUgraphEdgeData **edgeData_out,
                                   size_t *numDependencies_out) {
    ENTER();
    return not_capturing(hStream, captureStatus_out);
}

static _Thread_local CUstreamCaptureMode mode_of_thread = CU_STREAM_CAPTURE_MODE_GLOBAL;

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
