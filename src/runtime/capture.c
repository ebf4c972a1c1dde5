// Whether streams are being captured into graphs (guide 6.2.8.7.3). Capture itself is not built.
#include "runtime/runtime.h"

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *pCaptureStatus) {
    CUstreamCaptureStatus status;
    RT_REQUIRE(pCaptureStatus, cudaErrorInvalidValue, "pCaptureStatus must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuStreamIsCapturing, stream, &status)));
    *pCaptureStatus = (enum cudaStreamCaptureStatus)status;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     enum cudaStreamCaptureStatus *captureStatus_out,
                                     unsigned long long *id_out) {
    return cudaStreamGetCaptureInfo_v2(stream, captureStatus_out, id_out, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                        enum cudaStreamCaptureStatus *captureStatus_out,
                                        unsigned long long *id_out, cudaGraph_t *graph_out,
                                        const cudaGraphNode_t **dependencies_out,
                                        size_t *numDependencies_out) {
    CUstreamCaptureStatus status;
    cuuint64_t id = 0;
    RT_REQUIRE(captureStatus_out, cudaErrorInvalidValue, "captureStatus_out must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuStreamGetCaptureInfo, stream, &status, &id, graph_out,
                             dependencies_out, numDependencies_out)));
    *captureStatus_out = (enum cudaStreamCaptureStatus)status;
    if (id_out)
        *id_out = id;
    return cudaSuccess;
}

// The edges' data are the default ones where the driver reports none.
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                                        enum cudaStreamCaptureStatus *captureStatus_out,
                                        unsigned long long *id_out, cudaGraph_t *graph_out,
                                        const cudaGraphNode_t **dependencies_out,
                                        const cudaGraphEdgeData **edgeData_out,
                                        size_t *numDependencies_out) {
    RT_TRY(cudaStreamGetCaptureInfo_v2(stream, captureStatus_out, id_out, graph_out,
                                       dependencies_out, numDependencies_out));
    if (edgeData_out)
        *edgeData_out = NULL;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    RT_REQUIRE(mode, cudaErrorInvalidValue, "mode must not be NULL");
    RT_ENTER();
    CUstreamCaptureMode exchanged = (CUstreamCaptureMode)*mode;
    RT_TRY(rt_result(RT_CALL(cuThreadExchangeStreamCaptureMode, &exchanged)));
    *mode = (enum cudaStreamCaptureMode)exchanged;
    return cudaSuccess;
}
