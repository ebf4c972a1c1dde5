// libcudart.so.13: where version 13 gave a name another meaning, it is that one. The headers are
// those of 12.9, so that the prototypes stand here.
//
// Usage: test_version_13 [old]   old: the driver is of version 12
#define __CUDART_API_VERSION_INTERNAL
#include "cuda_runtime_api.h"
#include "runtime/device_prop_v13.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp_v13 *, int);
cudaError_t cudaChooseDevice(int *, const struct cudaDeviceProp_v13 *);
cudaError_t cudaDeviceGetAttribute(int *, enum cudaDeviceAttr, int);
cudaError_t cudaMallocManaged(void **, size_t, unsigned int);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMemAdvise(const void *, size_t, enum cudaMemoryAdvise, struct cudaMemLocation);
cudaError_t cudaMemPrefetchAsync(const void *, size_t, struct cudaMemLocation, unsigned int,
                                 cudaStream_t);
cudaError_t cudaMemPrefetchBatchAsync(void **, size_t *, size_t, struct cudaMemLocation *, size_t *,
                                      size_t, unsigned long long, cudaStream_t);
cudaError_t cudaMemDiscardBatchAsync(void **, size_t *, size_t, unsigned long long, cudaStream_t);
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **, size_t *, size_t, struct cudaMemLocation *,
                                                size_t *, size_t, unsigned long long, cudaStream_t);
cudaError_t cudaMemRangeGetAttribute(void *, size_t, enum cudaMemRangeAttribute, const void *,
                                     size_t);
cudaError_t cudaMemcpyBatchAsync(void *const *, const void *const *, const size_t *, size_t,
                                 struct cudaMemcpyAttributes *, size_t *, size_t, cudaStream_t);
cudaError_t cudaMemcpy3DBatchAsync(size_t, struct cudaMemcpy3DBatchOp *, unsigned long long,
                                   cudaStream_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, enum cudaMemcpyKind);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamBeginCapture(cudaStream_t, enum cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, enum cudaStreamCaptureStatus *,
                                     unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **,
                                     const cudaGraphEdgeData **, size_t *);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t *,
                                                const cudaGraphEdgeData *, size_t, unsigned int);
cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned int);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                             const cudaGraphEdgeData *, size_t, struct cudaGraphNodeParams *);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t);
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *,
                                     const cudaGraphEdgeData *, size_t);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t *,
                                        const cudaGraphNode_t *, const cudaGraphEdgeData *, size_t);
cudaError_t cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *,
                              cudaGraphEdgeData *, size_t *);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t, cudaGraphNode_t *, cudaGraphEdgeData *,
                                         size_t *);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t, cudaGraphNode_t *, cudaGraphEdgeData *,
                                           size_t *);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *, struct cudaMemLocation *,
                                     enum cudaMemAllocationType);
cudaError_t cudaMemGetMemPool(cudaMemPool_t *, struct cudaMemLocation *,
                              enum cudaMemAllocationType);
cudaError_t cudaMemSetMemPool(struct cudaMemLocation *, enum cudaMemAllocationType, cudaMemPool_t);
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *, const enum cudaAtomicOperation *,
                                                unsigned int, int);
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *, const enum cudaAtomicOperation *,
                                               unsigned int, int, int);
cudaError_t cudaGetDriverEntryPoint(const char *, void **, unsigned long long,
                                    enum cudaDriverEntryPointQueryResult *);
cudaError_t cudaLogsCurrent(cudaLogIterator *, unsigned int);
cudaError_t cudaLogsDumpToMemory(cudaLogIterator *, char *, size_t *, unsigned int);
cudaError_t cudaLogsDumpToFile(cudaLogIterator *, const char *, unsigned int);
cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t, void *, cudaLogsCallbackHandle *);
cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle);
cudaError_t cudaGetLastError(void);

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)
#define OK(call) CHECK((call) == cudaSuccess)

static void properties(void) {
    struct {
        struct cudaDeviceProp_v13 p;
        char behind[16];
    } have;
    int value, device = 9;
    memset(&have, 0x5a, sizeof have);
    OK(cudaGetDeviceProperties(&have.p, 0));
    for (size_t i = 0; i < sizeof have.behind; i++)
        CHECK(have.behind[i] == 0x5a);
    CHECK(!strncmp(have.p.name, "kudzu ", 6));
    CHECK(have.p.maxGridSize[1] == 65535 && have.p.totalConstMem == 65536);
    CHECK(have.p.warpSize == 32 && have.p.unifiedAddressing == 1 && have.p.clusterLaunch == 1);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK((size_t)value == have.p.sharedMemPerBlockOptin);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == have.p.multiProcessorCount);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrHostNumaId, 0));
    CHECK(value == have.p.hostNumaId);
    CHECK(have.p.deviceNumaId == -1 && have.p.deviceNumaConfig == 0);
    OK(cudaChooseDevice(&device, &have.p));
    CHECK(device == 0);
    CHECK(cudaGetDeviceProperties(NULL, 0) == cudaErrorInvalidValue);
    CHECK(cudaGetDeviceProperties(&have.p, 99) == cudaErrorInvalidDevice);
    CHECK(cudaChooseDevice(NULL, &have.p) == cudaErrorInvalidValue);
}

static void managed(cudaStream_t s) {
    struct cudaMemLocation host = {cudaMemLocationTypeHost, 0},
                           device = {cudaMemLocationTypeDevice, 0};
    void *p;
    int value = 5;
    size_t size = 4096, first = 0;
    OK(cudaMallocManaged(&p, size, cudaMemAttachGlobal));
    OK(cudaMemAdvise(p, size, cudaMemAdviseSetPreferredLocation, host));
    OK(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, p, size));
    CHECK(value == cudaCpuDeviceId);
    OK(cudaMemPrefetchAsync(p, size, device, 0, s));
    OK(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeLastPrefetchLocation, p, size));
    CHECK(value == 0);
    CHECK(cudaMemPrefetchAsync(p, size, device, 1, s) == cudaErrorInvalidValue);
    OK(cudaMemPrefetchBatchAsync(&p, &size, 1, &host, &first, 1, 0, s));
    OK(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeLastPrefetchLocation, p, size));
    CHECK(value == cudaCpuDeviceId);
    OK(cudaMemDiscardBatchAsync(&p, &size, 1, 0, s));
    OK(cudaMemDiscardAndPrefetchBatchAsync(&p, &size, 1, &device, &first, 1, 0, s));
    CHECK(cudaMemDiscardBatchAsync(&p, &size, 0, 0, s) == cudaErrorInvalidValue);
}

static void copies(cudaStream_t s) {
    char from[32], to[32] = {0};
    memset(from, 3, sizeof from);
    void *p;
    const void *src = from;
    size_t size = sizeof from, first = 0;
    struct cudaMemcpyAttributes attributes;
    struct cudaMemcpy3DBatchOp op;
    memset(&attributes, 0, sizeof attributes);
    memset(&op, 0, sizeof op);
    attributes.srcAccessOrder = op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    OK(cudaMalloc(&p, size));
    OK(cudaMemcpyBatchAsync(&p, &src, &size, 1, &attributes, &first, 1, s));
    op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = p;
    op.dst.op.ptr.ptr = to;
    op.extent.width = 8;
    op.extent.height = 4;
    op.extent.depth = 1;
    OK(cudaMemcpy3DBatchAsync(1, &op, 0, s));
    OK(cudaStreamSynchronize(s));
    CHECK(!memcmp(from, to, sizeof to));
    OK(cudaFree(p));
}

static void graphs(cudaStream_t s) {
    cudaGraph_t graph, captured;
    cudaGraphNode_t a, b, c, from[4], to[4];
    cudaGraphEdgeData edges[4];
    struct cudaGraphNodeParams params;
    size_t n = 4;
    memset(&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeEmpty;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
    OK(cudaGraphAddNode(&b, graph, &a, NULL, 1, &params));
    OK(cudaGraphAddNode(&c, graph, NULL, NULL, 0, &params));
    memset(edges, 0, sizeof edges);
    OK(cudaGraphAddDependencies(graph, &b, &c, edges, 1));
    OK(cudaGraphGetEdges(graph, from, to, edges, &n));
    CHECK(n == 2);
    n = 4;
    OK(cudaGraphNodeGetDependencies(c, from, edges, &n));
    CHECK(n == 1 && from[0] == b);
    n = 4;
    OK(cudaGraphNodeGetDependentNodes(a, to, edges, &n));
    CHECK(n == 1 && to[0] == b);
    OK(cudaGraphRemoveDependencies(graph, &b, &c, edges, 1));
    n = 4;
    OK(cudaGraphGetEdges(graph, from, to, edges, &n));
    CHECK(n == 1);

    enum cudaStreamCaptureStatus status;
    unsigned long long id;
    const cudaGraphNode_t *dependencies;
    const cudaGraphEdgeData *data;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaStreamGetCaptureInfo(s, &status, &id, &captured, &dependencies, &data, &n));
    CHECK(status == cudaStreamCaptureStatusActive && n == 0);
    OK(cudaGraphAddNode(&a, captured, NULL, NULL, 0, &params));
    OK(cudaStreamUpdateCaptureDependencies(s, &a, NULL, 1, cudaStreamSetCaptureDependencies));
    OK(cudaStreamGetCaptureInfo(s, &status, &id, &captured, &dependencies, &data, &n));
    CHECK(n == 1 && dependencies[0] == a);
    OK(cudaStreamEndCapture(s, &captured));
}

static void others(cudaStream_t s) {
    cudaEvent_t a, b;
    float ms = -1;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventRecord(a, s));
    OK(cudaEventRecord(b, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaEventElapsedTime(&ms, a, b));
    CHECK(ms >= 0);
    struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t p, q;
    OK(cudaMemGetDefaultMemPool(&p, &device, cudaMemAllocationTypePinned));
    OK(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, p));
    OK(cudaMemGetMemPool(&q, &device, cudaMemAllocationTypePinned));
    CHECK(p == q);
    enum cudaAtomicOperation operation = cudaAtomicOperationIntegerAdd;
    unsigned capabilities = 0;
    OK(cudaDeviceGetHostAtomicCapabilities(&capabilities, &operation, 1, 0));
    CHECK(capabilities & cudaAtomicCapabilityReduction);
    CHECK(cudaDeviceGetP2PAtomicCapabilities(&capabilities, &operation, 1, 0, 0) ==
          cudaErrorInvalidDevice);
    // The form of the function is that of this library's version.
    void *get_device;
    enum cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPoint("cuCtxGetDevice", &get_device, cudaEnableDefault, &found));
    int ordinal = 7;
    CHECK(((int (*)(int *, void *))get_device)(&ordinal, NULL) == 0 && ordinal == 0);
}

static void count_message(void *data, cudaLogLevel level, char *message, size_t length) {
    (void)level;
    *(int *)data += message && length > 0;
}

static void logs(void) {
    cudaLogIterator at;
    cudaLogsCallbackHandle handle;
    char text[2000];
    size_t size = sizeof text;
    int messages = 0;
    OK(cudaLogsRegisterCallback(count_message, &messages, &handle));
    OK(cudaLogsCurrent(&at, 0));
    struct cudaMemLocation nowhere = {cudaMemLocationTypeDevice, 50};
    cudaMemPool_t p;
    CHECK(cudaMemGetMemPool(&p, &nowhere, cudaMemAllocationTypePinned) == cudaErrorInvalidDevice);
    CHECK(messages == 1);
    OK(cudaLogsDumpToMemory(&at, text, &size, 0));
    CHECK(strstr(text, "50") != NULL);
    CHECK(cudaLogsDumpToFile(NULL, "/nonexistent/log", 0) != cudaSuccess);
    OK(cudaLogsUnregisterCallback(handle));
}

int main(int argc, char **argv) {
    int version = 0, count = 0;
    (void)argv;
    OK(cudaRuntimeGetVersion(&version));
    CHECK(version == 13000);
    if (argc > 1) {
        CHECK(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
        return failures != 0;
    }
    OK(cudaDriverGetVersion(&version));
    CHECK(version == 13000);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    properties();
    managed(s);
    copies(s);
    graphs(s);
    others(s);
    logs();
    return failures != 0;
}
