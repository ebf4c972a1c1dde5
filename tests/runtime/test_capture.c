// Stream capture through the runtime: the forms of its functions, statuses, errors.
#include "check.h"

static enum cudaStreamCaptureStatus status_of(cudaStream_t s) {
    enum cudaStreamCaptureStatus status = (enum cudaStreamCaptureStatus)99;
    CHECK_OK(cudaStreamIsCapturing(s, &status));
    return status;
}

static void captures(void) {
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t g = NULL, seen = NULL;
    enum cudaStreamCaptureStatus status;
    const cudaGraphNode_t *nodes;
    const cudaGraphEdgeData *edges;
    unsigned long long id = 0, other = 1;
    void *p;
    size_t n;
    CHECK_OK(cudaMalloc(&p, 4096));
    CHECK_OK(cudaStreamCreate(&s));
    CHECK_OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CHECK_OK(cudaEventCreate(&fork));
    CHECK_OK(cudaEventCreate(&join));
    CHECK_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(status_of(s) == cudaStreamCaptureStatusActive);
    CHECK_OK(cudaMemsetAsync(p, 1, 4096, s));
    CHECK_OK(cudaEventRecord(fork, s));
    CHECK_OK(cudaStreamWaitEvent(t, fork, 0));
    CHECK_OK(cudaMemcpyAsync(p, (char *)p + 1024, 1024, cudaMemcpyDeviceToDevice, t));
    CHECK_OK(cudaEventRecord(join, t));
    CHECK_OK(cudaStreamWaitEvent(s, join, cudaEventWaitDefault));
    CHECK_OK(cudaStreamGetCaptureInfo_v2(s, &status, &id, &seen, &nodes, &n));
    CHECK(status == cudaStreamCaptureStatusActive && seen != NULL && n == 2);
    CHECK_OK(cudaStreamGetCaptureInfo_v3(t, &status, &other, NULL, &nodes, &edges, &n));
    CHECK(id == other && n == 1 && edges[0].type == cudaGraphDependencyTypeDefault);
    cudaGraphNode_t node = nodes[0];
    CHECK_OK(cudaStreamUpdateCaptureDependencies(s, &node, 1, cudaStreamSetCaptureDependencies));
    CHECK_OK(cudaStreamUpdateCaptureDependencies_v2(s, &node, edges, 1,
                                                    cudaStreamAddCaptureDependencies));
    CHECK_OK(cudaStreamGetCaptureInfo_v2(s, &status, NULL, NULL, &nodes, &n));
    CHECK(n == 1 && nodes[0] == node);
    CHECK_OK(cudaStreamEndCapture(s, &g));
    CHECK(g == seen && status_of(s) == cudaStreamCaptureStatusNone &&
          status_of(t) == cudaStreamCaptureStatusNone);
    CHECK_OK(cudaStreamBeginCaptureToGraph(s, g, &node, NULL, 1, cudaStreamCaptureModeRelaxed));
    CHECK_OK(cudaStreamEndCapture(s, &seen));
    CHECK(g == seen);
    CHECK_OK(cudaEventDestroy(fork));
    CHECK_OK(cudaEventDestroy(join));
    CHECK_OK(cudaStreamDestroy(s));
    CHECK_OK(cudaStreamDestroy(t));
    CHECK_OK(cudaFree(p));
}

static void errors(void) {
    cudaStream_t s;
    cudaGraph_t g = (cudaGraph_t)1;
    void *p;
    CHECK_OK(cudaStreamCreate(&s));
    CHECK_ERROR(cudaErrorStreamCaptureUnsupported,
                cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    CHECK_ERROR(cudaErrorInvalidValue, cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)3));
    CHECK_ERROR(cudaErrorIllegalState, cudaStreamEndCapture(s, &g));
    CHECK_ERROR(cudaErrorIllegalState, cudaStreamUpdateCaptureDependencies(s, NULL, 0, 0));
    CHECK_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK_ERROR(cudaErrorIllegalState, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    if (on_kudzu()) // NVIDIA's driver ends the capture without a place for the graph
        CHECK_ERROR(cudaErrorInvalidValue, cudaStreamEndCapture(s, NULL));
    CHECK_ERROR(cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 16));
    CHECK(status_of(s) == cudaStreamCaptureStatusInvalidated);
    CHECK_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    CHECK(g == NULL);
    CHECK_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CHECK_ERROR(cudaErrorStreamCaptureImplicit, cudaStreamSynchronize(0));
    CHECK_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    CHECK_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CHECK_ERROR(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    CHECK_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    CHECK_OK(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == cudaStreamCaptureModeGlobal);
    CHECK_OK(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK_OK(cudaStreamDestroy(s));
}

int main(void) {
    captures();
    errors();
    return finish();
}
