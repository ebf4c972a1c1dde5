// Stream capture (guide 6.2.8.7.3).
#include "runtime/runtime.h"

_Static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData), "same layout");

// ---- Begin and end ----------------------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamBeginCapture, stream, (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *dependencyData,
                                          size_t numDependencies, enum cudaStreamCaptureMode mode) {
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamBeginCaptureToGraph, stream, graph, dependencies,
                             (const CUgraphEdgeData *)dependencyData, numDependencies,
                             (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph) {
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamEndCapture, stream, pGraph));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    RT_REQUIRE(mode, cudaErrorInvalidValue, "mode must not be NULL");
    RT_ENTER();
    CUstreamCaptureMode exchanged = (CUstreamCaptureMode)*mode;
    RT_TRY(rt_result(RT_CALL(cuThreadExchangeStreamCaptureMode, &exchanged)));
    *mode = (enum cudaStreamCaptureMode)exchanged;
    return cudaSuccess;
}

// ---- What is known ----------------------------------------------------------------------------

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *pCaptureStatus) {
    CUstreamCaptureStatus status;
    RT_REQUIRE(pCaptureStatus, cudaErrorInvalidValue, "pCaptureStatus must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuStreamIsCapturing, stream, &status)));
    *pCaptureStatus = (enum cudaStreamCaptureStatus)status;
    return cudaSuccess;
}

// The driver's identifier of a capture has the same width under another name.
static void tell(enum cudaStreamCaptureStatus *status_out, unsigned long long *id_out,
                 CUstreamCaptureStatus status, cuuint64_t id) {
    *status_out = (enum cudaStreamCaptureStatus)status;
    if (id_out && status == CU_STREAM_CAPTURE_STATUS_ACTIVE)
        *id_out = id;
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
    tell(captureStatus_out, id_out, status, id);
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     enum cudaStreamCaptureStatus *captureStatus_out,
                                     unsigned long long *id_out) {
    return cudaStreamGetCaptureInfo_v2(stream, captureStatus_out, id_out, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                                        enum cudaStreamCaptureStatus *captureStatus_out,
                                        unsigned long long *id_out, cudaGraph_t *graph_out,
                                        const cudaGraphNode_t **dependencies_out,
                                        const cudaGraphEdgeData **edgeData_out,
                                        size_t *numDependencies_out) {
    CUstreamCaptureStatus status;
    cuuint64_t id = 0;
    RT_REQUIRE(captureStatus_out, cudaErrorInvalidValue, "captureStatus_out must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuStreamGetCaptureInfo_v3, stream, &status, &id, graph_out,
                             dependencies_out, (const CUgraphEdgeData **)edgeData_out,
                             numDependencies_out)));
    tell(captureStatus_out, id_out, status, id);
    return cudaSuccess;
}

// ---- Changes ----------------------------------------------------------------------------------

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                size_t numDependencies, unsigned int flags) {
    RT_ENTER();
    return rt_result(
        RT_CALL(cuStreamUpdateCaptureDependencies, stream, dependencies, numDependencies, flags));
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream,
                                                   cudaGraphNode_t *dependencies,
                                                   const cudaGraphEdgeData *dependencyData,
                                                   size_t numDependencies, unsigned int flags) {
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamUpdateCaptureDependencies_v2, stream, dependencies,
                             (const CUgraphEdgeData *)dependencyData, numDependencies, flags));
}
