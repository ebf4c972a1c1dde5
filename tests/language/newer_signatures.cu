// The forms of functions that lose their suffix in CUDA 13 stand beside those of CUDA 12.
#include "check.h"

__global__ void set(int *p, int value) {
    *p += value;
}

static void prefetched(int *p) {
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    CUDA(cudaMemAdvise(p, 64, cudaMemAdviseSetPreferredLocation, device));
    CUDA(cudaMemAdvise(p, 64, cudaMemAdviseUnsetPreferredLocation, 0));
    CUDA(cudaMemPrefetchAsync(p, 64, device, 0));
    CUDA(cudaMemPrefetchAsync(p, 64, 0, 0));
    CUDA(cudaDeviceSynchronize());
}

static cudaGraphNode_t node(cudaGraph_t graph, cudaGraphNode_t *after, int *p, int value) {
    cudaGraphNodeParams params = {};
    void *args[] = {&p, &value};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = (void *)set;
    params.kernel.gridDim = params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = args;
    cudaGraphNode_t n;
    CUDA(cudaGraphAddNode(&n, graph, after, NULL, after ? 1 : 0, &params));
    return n;
}

static void edges(int *p) {
    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = node(graph, NULL, p, 1), b = node(graph, &a, p, 2),
                    c = node(graph, NULL, p, 4);
    cudaGraphEdgeData edge = {}, found[4];
    CUDA(cudaGraphAddDependencies(graph, &b, &c, &edge, 1));
    cudaGraphNode_t from[4], to[4];
    size_t n = 4;
    CUDA(cudaGraphGetEdges(graph, from, to, found, &n));
    CHECK(n == 2 && found[0].type == cudaGraphDependencyTypeDefault);
    n = 4;
    CUDA(cudaGraphGetEdges(graph, from, to, &n));
    CHECK(n == 2);
    n = 4;
    CUDA(cudaGraphNodeGetDependencies(c, from, found, &n));
    CHECK(n == 1 && from[0] == b);
    n = 4;
    CUDA(cudaGraphNodeGetDependentNodes(a, to, found, &n));
    CHECK(n == 1 && to[0] == b);
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK(*p == 7);
    CUDA(cudaGraphRemoveDependencies(graph, &b, &c, &edge, 1));
    n = 4;
    CUDA(cudaGraphNodeGetDependencies(c, from, &n));
    CHECK(n == 0);
}

static void captured(int *p) {
    cudaStream_t stream;
    cudaGraph_t graph;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    set<<<1, 1, 0, stream>>>(p, 8);
    cudaStreamCaptureStatus status;
    unsigned long long id;
    const cudaGraphNode_t *nodes;
    const cudaGraphEdgeData *data;
    size_t n = 0;
    CUDA(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &data, &n));
    CHECK(status == cudaStreamCaptureStatusActive && n == 1);
    CUDA(cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0,
                                             cudaStreamSetCaptureDependencies));
    CUDA(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &data, &n));
    CHECK(n == 0);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphDestroy(graph));
}

int main() {
    int *p = shared_array<int>(16);
    prefetched(p);
    edges(p);
    captured(p);
    return failures;
}
