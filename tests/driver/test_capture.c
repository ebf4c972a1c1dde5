// Stream capture: what becomes of captured operations, and each documented error.
#include "check.h"

#include <pthread.h>

#include "kernels.h"

static CUcontext context;
static CUfunction fill, nothing;
static CUdeviceptr memory;
static char pageable[4096];

enum { BYTES = 4096 };

// ---- Helpers ------------------------------------------------------------------------------

static CUstream stream_new(unsigned flags) {
    CUstream s;
    NEED(cuStreamCreate(&s, flags));
    return s;
}

static CUevent event_new(void) {
    CUevent e;
    NEED(cuEventCreate(&e, CU_EVENT_DEFAULT));
    return e;
}

static void begin(CUstream s) {
    NEED(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

static CUstreamCaptureStatus status_of(CUstream s) {
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)99;
    OK(cuStreamIsCapturing(s, &status));
    return status;
}

static CUresult launch(CUfunction f, CUstream s) {
    unsigned a = 1, b = 2;
    void *params[] = {&memory, &a, &b};
    return cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, f == fill ? params : NULL, NULL);
}

static CUgraph end(CUstream s, size_t nodes, size_t edges) {
    CUgraph g = NULL;
    size_t n = 0;
    NEED(cuStreamEndCapture(s, &g));
    CHECK(g != NULL && status_of(s) == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuGraphGetNodes(g, NULL, &n));
    CHECK(n == nodes);
    OK(cuGraphGetEdges(g, NULL, NULL, &n));
    CHECK(n == edges);
    return g;
}

// The capture is invalid: its streams say so, and its end gives no graph.
static void end_invalid(CUstream s) {
    CUgraph g = (CUgraph)1;
    CHECK(status_of(s) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    EXPECT(launch(nothing, s), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT(cuStreamEndCapture(s, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(g == NULL);
    CHECK(status_of(s) == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(launch(nothing, s));
    OK(cuStreamSynchronize(s));
}

static CUgraphNodeType type_of(CUgraphNode node) {
    CUgraphNodeType type = (CUgraphNodeType)-1;
    OK(cuGraphNodeGetType(node, &type));
    return type;
}

// The node that the stream's next operation depends on, if there is just one.
static CUgraphNode last_node(CUstream s) {
    CUstreamCaptureStatus status;
    const CUgraphNode *nodes;
    size_t n = 0;
    OK(cuStreamGetCaptureInfo(s, &status, NULL, NULL, &nodes, &n));
    CHECK(n == 1);
    return n ? nodes[0] : NULL;
}

// ---- Operations ---------------------------------------------------------------------------

static void CUDA_CB host_function(void *arg) {
    (void)arg;
}

static void CUDA_CB callback(CUstream s, CUresult status, void *arg) {
}

#define CAPTURED(call, node_type)                                                                  \
    do {                                                                                           \
        OK(call);                                                                                  \
        CHECK(type_of(last_node(s)) == (node_type));                                               \
    } while (0)

static void memory_operations(CUstream s) {
    CUDA_MEMCPY2D box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = memory,
                         .srcPitch = 64,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = memory + 2048,
                         .dstPitch = 128,
                         .WidthInBytes = 32,
                         .Height = 3};
    CUDA_MEMCPY3D box_3d = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                            .srcHost = pageable,
                            .srcPitch = 16,
                            .srcHeight = 4,
                            .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                            .dstDevice = memory,
                            .dstPitch = 16,
                            .dstHeight = 4,
                            .WidthInBytes = 16,
                            .Height = 4,
                            .Depth = 2};
    const CUgraphNodeType copy = CU_GRAPH_NODE_TYPE_MEMCPY, set = CU_GRAPH_NODE_TYPE_MEMSET;
    CAPTURED(cuMemcpyAsync(memory, memory + 1024, 256, s), copy);
    CAPTURED(cuMemcpyHtoDAsync(memory, pageable, 256, s), copy);
    CAPTURED(cuMemcpyDtoHAsync(pageable, memory, 256, s), copy);
    CAPTURED(cuMemcpyDtoDAsync(memory, memory + 1024, 256, s), copy);
    CAPTURED(cuMemcpyPeerAsync(memory, context, memory + 1024, context, 256, s), copy);
    CAPTURED(cuMemcpy2DAsync(&box, s), copy);
    CAPTURED(cuMemcpy3DAsync(&box_3d, s), copy);
    CAPTURED(cuMemsetD8Async(memory, 1, 100, s), set);
    CAPTURED(cuMemsetD16Async(memory, 1, 100, s), set);
    CAPTURED(cuMemsetD32Async(memory, 1, 100, s), set);
    CAPTURED(cuMemsetD2D8Async(memory, 64, 1, 10, 3, s), set);
    CAPTURED(cuMemsetD2D16Async(memory, 64, 1, 10, 3, s), set);
    CAPTURED(cuMemsetD2D32Async(memory, 64, 1, 10, 3, s), set);
}

static void operations(void) {
    CUstream s = stream_new(0);
    CUevent e = event_new();
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value = {.priority = -1}};
    CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, s, &attribute, 1};
    begin(s);
    CHECK(status_of(s) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    memory_operations(s);
    CAPTURED(launch(fill, s), CU_GRAPH_NODE_TYPE_KERNEL);
    CAPTURED(cuLaunchKernelEx(&config, nothing, NULL, NULL), CU_GRAPH_NODE_TYPE_KERNEL);
    CAPTURED(cuLaunchCooperativeKernel(nothing, 1, 1, 1, 32, 1, 1, 0, s, NULL),
             CU_GRAPH_NODE_TYPE_KERNEL);
    CAPTURED(cuLaunchHostFunc(s, host_function, NULL), CU_GRAPH_NODE_TYPE_HOST);
    CAPTURED(cuEventRecordWithFlags(e, s, CU_EVENT_RECORD_EXTERNAL),
             CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    CAPTURED(cuStreamWaitEvent(s, e, CU_EVENT_WAIT_EXTERNAL), CU_GRAPH_NODE_TYPE_WAIT_EVENT);
    CAPTURED(cuStreamWriteValue32(s, memory, 1, 0), CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    CAPTURED(cuStreamWaitValue32(s, memory, 1, 0), CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    CUgraph g = end(s, 21, 20);
    OK(cuGraphDestroy(g));
    OK(cuEventDestroy(e));
    OK(cuStreamDestroy(s));
}

static void allocations(void) {
    CUstream s = stream_new(0);
    CUdeviceptr p;
    begin(s);
    CAPTURED(cuMemAllocAsync(&p, 1000, s), CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    CHECK(p != 0);
    CAPTURED(cuMemsetD8Async(p, 1, 1000, s), CU_GRAPH_NODE_TYPE_MEMSET);
    CAPTURED(cuMemFreeAsync(p, s), CU_GRAPH_NODE_TYPE_MEM_FREE);
    OK(cuGraphDestroy(end(s, 3, 2)));
    OK(cuStreamDestroy(s));
}

// Arguments and attributes reach the nodes.
static void parameters(void) {
    CUstream s = stream_new(0);
    CUDA_KERNEL_NODE_PARAMS k;
    CUDA_MEMSET_NODE_PARAMS set;
    CUDA_MEMCPY3D copy;
    CUkernelNodeAttrValue value = {0};
    CUgraphNode nodes[3];
    size_t n = 3;
    begin(s);
    OK(cuLaunchCooperativeKernel(nothing, 2, 1, 1, 64, 1, 1, 128, s, NULL));
    OK(cuMemsetD2D16Async(memory, 64, 7, 10, 3, s));
    OK(cuMemcpyDtoHAsync(pageable, memory + 16, 256, s));
    CUgraph g = end(s, 3, 2);
    OK(cuGraphGetNodes(g, nodes, &n));
    OK(cuGraphKernelNodeGetParams(nodes[0], &k));
    CHECK(k.func == nothing && k.gridDimX == 2 && k.blockDimX == 64 && k.sharedMemBytes == 128);
    OK(cuGraphKernelNodeGetAttribute(nodes[0], CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    CHECK(value.cooperative == 1);
    OK(cuGraphMemsetNodeGetParams(nodes[1], &set));
    CHECK(set.dst == memory && set.pitch == 64 && set.value == 7 && set.elementSize == 2 &&
          set.width == 10 && set.height == 3);
    OK(cuGraphMemcpyNodeGetParams(nodes[2], &copy));
    CHECK(copy.srcDevice == memory + 16 && copy.dstHost == pageable && copy.WidthInBytes == 256);
    OK(cuGraphDestroy(g));
    OK(cuStreamDestroy(s));
}

// A captured graph runs; launched into a capturing stream it becomes a child graph.
static void launches(void) {
    CUstream s = stream_new(CU_STREAM_NON_BLOCKING);
    CUgraphExec exec, outer;
    unsigned words[32];
    begin(s);
    OK(cuMemsetD32Async(memory, 7, 32, s));
    OK(launch(fill, s));
    CUgraph g = end(s, 2, 1);
    NEED(cuGraphInstantiate(&exec, g, 0));
    OK(cuGraphDestroy(g));
    begin(s);
    CAPTURED(cuGraphLaunch(exec, s), CU_GRAPH_NODE_TYPE_GRAPH);
    CAPTURED(cuMemsetD32Async(memory, 9, 1, s), CU_GRAPH_NODE_TYPE_MEMSET);
    g = end(s, 2, 1);
    OK(cuGraphExecDestroy(exec));
    NEED(cuGraphInstantiate(&outer, g, 0));
    OK(cuMemsetD32(memory, 0, 32));
    OK(cuCtxSynchronize());
    OK(cuGraphLaunch(outer, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(words, memory, sizeof words));
    CHECK(words[0] == 9 && words[1] == 3 && words[31] == 63); // fill: 1 + 2 * i
    OK(cuGraphExecDestroy(outer));
    OK(cuGraphDestroy(g));
    OK(cuStreamDestroy(s));
}

// ---- Several streams ----------------------------------------------------------------------

static void fork_and_join(void) {
    CUstream s = stream_new(0), t = stream_new(CU_STREAM_NON_BLOCKING);
    CUevent fork = event_new(), join = event_new();
    CUgraphNode nodes[4], deps[4];
    CUgraph g, of_t;
    CUstreamCaptureStatus status;
    cuuint64_t id = 0, id_of_t = 1;
    size_t n = 4;
    begin(s);
    OK(launch(nothing, s));
    OK(cuEventRecord(fork, s));
    CHECK(status_of(t) == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuStreamWaitEvent(t, fork, 0));
    CHECK(status_of(t) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuStreamGetCaptureInfo(s, &status, &id, &g, NULL, NULL));
    OK(cuStreamGetCaptureInfo(t, &status, &id_of_t, &of_t, NULL, NULL));
    CHECK(id == id_of_t && g == of_t);
    OK(launch(nothing, s));
    OK(launch(fill, t));
    OK(cuEventRecord(join, t));
    OK(cuStreamWaitEvent(s, join, 0));
    OK(cuMemsetD8Async(memory, 0, 16, s));
    CHECK(end(s, 4, 4) == g);
    CHECK(status_of(t) == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuGraphGetNodes(g, nodes, &n));
    OK(cuGraphNodeGetDependencies(nodes[3], NULL, &n));
    CHECK(n == 2);
    OK(cuGraphNodeGetDependencies(nodes[3], deps, &n));
    CHECK(deps[0] == nodes[1] && deps[1] == nodes[2]);
    OK(cuGraphDestroy(g));
    OK(cuEventDestroy(fork));
    OK(cuEventDestroy(join));
    OK(cuStreamDestroy(s));
    OK(cuStreamDestroy(t));
}

static void unjoined(void) {
    CUstream s = stream_new(0), t = stream_new(0);
    CUevent e = event_new();
    CUgraph g = (CUgraph)1;
    begin(s);
    OK(launch(nothing, s));
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    OK(launch(nothing, t));
    EXPECT(cuStreamEndCapture(s, &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    CHECK(g == NULL && status_of(s) == CU_STREAM_CAPTURE_STATUS_NONE &&
          status_of(t) == CU_STREAM_CAPTURE_STATUS_NONE);
    begin(s); // a stream that joined without adding anything is joined
    OK(launch(nothing, s));
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    OK(cuGraphDestroy(end(s, 1, 0)));
    begin(s); // what was taken from the dependencies need not be joined
    OK(launch(nothing, s));
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    OK(launch(nothing, t));
    CUgraphNode first = last_node(s);
    OK(cuStreamUpdateCaptureDependencies(t, &first, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cuGraphDestroy(end(s, 2, 1)));
    OK(cuEventDestroy(e));
    OK(cuStreamDestroy(s));
    OK(cuStreamDestroy(t));
}

static void unmatched_and_merge(void) {
    CUstream s = stream_new(0), t = stream_new(0);
    CUevent e = event_new();
    CUgraph g;
    begin(s);
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    EXPECT(cuStreamEndCapture(t, &g), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    end_invalid(s);
    begin(s);
    begin(t);
    OK(cuEventRecord(e, s));
    EXPECT(cuStreamWaitEvent(t, e, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    end_invalid(s);
    end_invalid(t);
    OK(cuEventDestroy(e));
    OK(cuStreamDestroy(s));
    OK(cuStreamDestroy(t));
}

// ---- Errors -------------------------------------------------------------------------------

// What must not be done with a capturing stream or while one is captured: call by call.
#define INVALIDATES(call, code)                                                                    \
    do {                                                                                           \
        begin(s);                                                                                  \
        EXPECT(call, code);                                                                        \
        end_invalid(s);                                                                            \
    } while (0)

static void prohibited(void) {
    CUstream s = stream_new(0);
    CUevent e = event_new();
    CUdeviceptr p;
    void *host;
    const CUresult unsupported = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                   implicit = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    OK(cuEventRecord(e, s));
    INVALIDATES(cuStreamSynchronize(s), unsupported);
    INVALIDATES(cuStreamQuery(s), unsupported);
    INVALIDATES(cuCtxSynchronize(), unsupported);
    INVALIDATES(cuStreamAddCallback(s, callback, NULL, 0), unsupported);
    INVALIDATES(cuStreamAttachMemAsync(s, memory, 0, CU_MEM_ATTACH_GLOBAL), unsupported);
    INVALIDATES(cuMemAlloc(&p, 16), unsupported);
    INVALIDATES(cuMemAllocHost(&host, 16), unsupported);
    INVALIDATES(cuMemAllocManaged(&p, 16, CU_MEM_ATTACH_GLOBAL), unsupported);
    INVALIDATES(cuMemFree(memory), unsupported);
    INVALIDATES(cuEventQuery(e), unsupported);
    INVALIDATES(cuStreamWaitEvent(s, e, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    INVALIDATES(cuMemcpyHtoD(memory, pageable, 16), implicit);
    INVALIDATES(cuMemsetD8(memory, 0, 16), implicit);
    INVALIDATES(launch(nothing, NULL), implicit);
    INVALIDATES(cuLaunchHostFunc(CU_STREAM_LEGACY, host_function, NULL), implicit);
    INVALIDATES(cuEventRecord(e, CU_STREAM_LEGACY), implicit);
    INVALIDATES(cuStreamSynchronize(NULL), implicit);
    INVALIDATES(cuStreamQuery(NULL), implicit);
    INVALIDATES(cuMemFreeAsync(memory, s), CUDA_ERROR_INVALID_VALUE);
    begin(s); // asking whether the legacy stream captures fails, and has no effect
    CUstreamCaptureStatus status;
    EXPECT(cuStreamIsCapturing(NULL, &status), implicit);
    OK(cuGraphDestroy(end(s, 0, 0)));
    OK(cuEventDestroy(e));
    OK(cuStreamDestroy(s));
}

// A stream that does not block leaves the legacy stream alone, except for unsafe calls.
static void non_blocking(void) {
    CUstream s = stream_new(CU_STREAM_NON_BLOCKING);
    begin(s);
    OK(launch(nothing, NULL));
    OK(cuStreamSynchronize(NULL));
    OK(cuMemsetD8Async(memory, 0, 16, NULL));
    OK(cuGraphDestroy(end(s, 0, 0)));
    INVALIDATES(cuMemcpyHtoD(memory, pageable, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    INVALIDATES(cuMemsetD8(memory, 0, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemcpyHtoD(memory, pageable, 16));
    CUdeviceptr p;
    OK(cuMemAlloc(&p, 16));
    OK(cuGraphDestroy(end(s, 0, 0)));
    OK(cuMemFree(p));
    OK(cuStreamDestroy(s));
}

static void captured_events(void) {
    CUstream s = stream_new(0), t = stream_new(0);
    CUevent e = event_new(), outside = event_new();
    const CUresult captured = CUDA_ERROR_CAPTURED_EVENT;
    float ms;
    OK(cuEventRecord(outside, s));
    INVALIDATES((cuEventRecord(e, s), cuEventQuery(e)), captured);
    INVALIDATES((cuEventRecord(e, s), cuEventSynchronize(e)), captured);
    INVALIDATES((cuEventRecord(e, s), cuEventElapsedTime(&ms, outside, e)), captured);
    begin(s);
    OK(cuEventRecord(e, s));
    OK(cuGraphDestroy(end(s, 0, 0)));
    EXPECT(cuStreamWaitEvent(t, e, 0), captured); // its capture has ended
    EXPECT(cuEventQuery(e), captured);
    OK(cuEventRecord(e, t)); // an ordinary event again
    OK(cuEventSynchronize(e));
    OK(cuStreamWaitEvent(s, e, 0));
    EXPECT(cuEventRecordWithFlags(e, t, CU_EVENT_RECORD_EXTERNAL), CUDA_ERROR_ILLEGAL_STATE);
    OK(cuEventDestroy(e));
    OK(cuEventDestroy(outside));
    OK(cuStreamDestroy(s));
    OK(cuStreamDestroy(t));
}

static void arguments(void) {
    CUstream s = stream_new(0);
    CUstreamCaptureStatus status;
    const CUgraphEdgeData *edges;
    CUgraph g, other;
    CUgraphNode node, foreign;
    size_t n;
    NEED(cuGraphCreate(&other, 0));
    NEED(cuGraphAddEmptyNode(&foreign, other, NULL, 0));
    EXPECT(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL),
           CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT(cuStreamBeginCapture(s, (CUstreamCaptureMode)3), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamBeginCapture((CUstream)0x1234560, CU_STREAM_CAPTURE_MODE_GLOBAL),
           CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuStreamEndCapture(s, &g), CUDA_ERROR_ILLEGAL_STATE);
    EXPECT(cuStreamUpdateCaptureDependencies(s, NULL, 0, 0), CUDA_ERROR_ILLEGAL_STATE);
    begin(s);
    EXPECT(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
    EXPECT(cuStreamEndCapture(s, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamIsCapturing(s, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamGetCaptureInfo(s, NULL, NULL, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamGetCaptureInfo_v3(s, &status, NULL, NULL, NULL, &edges, &n),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamUpdateCaptureDependencies(s, NULL, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamUpdateCaptureDependencies(s, &foreign, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamUpdateCaptureDependencies(s, NULL, 0, 2), CUDA_ERROR_INVALID_VALUE);
    OK(launch(nothing, s));
    node = last_node(s);
    OK(cuStreamUpdateCaptureDependencies(s, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(launch(nothing, s));
    OK(cuStreamUpdateCaptureDependencies(s, &node, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    OK(launch(nothing, s));
    OK(cuGraphDestroy(end(s, 3, 2)));
    OK(cuGraphDestroy(other));
    OK(cuStreamDestroy(s));
}

// ---- Into a graph that exists -------------------------------------------------------------

static void to_graph(void) {
    CUstream s = stream_new(0), t = stream_new(0);
    CUgraph g, same;
    CUgraphNode first, foreign;
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphCreate(&same, 0));
    NEED(cuGraphAddEmptyNode(&first, g, NULL, 0));
    NEED(cuGraphAddEmptyNode(&foreign, same, NULL, 0));
    EXPECT(cuStreamBeginCaptureToGraph(s, same, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(same));
    OK(cuStreamBeginCaptureToGraph(s, g, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(cuStreamBeginCaptureToGraph(t, g, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED),
           CUDA_ERROR_INVALID_VALUE);
    OK(launch(nothing, s));
    CHECK(end(s, 2, 1) == g);
    OK(cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuStreamEndCapture(s, NULL));
    OK(cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(cuStreamQuery(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(s); // the graph stays
    size_t n = 0;
    OK(cuGraphGetNodes(g, NULL, &n));
    CHECK(n == 2);
    OK(cuGraphDestroy(g));
    OK(cuStreamDestroy(s));
    OK(cuStreamDestroy(t));
}

// ---- Programmatic dependent launch --------------------------------------------------------

static void programmatic(void) {
    CUstream s = stream_new(0), t = stream_new(0);
    CUevent e;
    NEED(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    CUlaunchAttribute serial = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                .value = {.programmaticStreamSerializationAllowed = 1}};
    CUlaunchAttribute event = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
                               .value = {.programmaticEvent = {e, 0, 1}}};
    CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, s, &serial, 1};
    CUgraphNode from[2], to[2];
    CUgraphEdgeData data[2];
    const CUgraphNode *nodes;
    const CUgraphEdgeData *edges;
    CUstreamCaptureStatus status;
    CUgraph g;
    size_t n = 2;
    begin(s);
    OK(launch(nothing, s));
    OK(cuLaunchKernelEx(&config, nothing, NULL, NULL));
    config.attrs = &event;
    OK(cuLaunchKernelEx(&config, nothing, NULL, NULL));
    OK(cuStreamWaitEvent(t, e, 0));
    EXPECT(cuStreamGetCaptureInfo(t, &status, NULL, NULL, &nodes, &n), CUDA_ERROR_LOSSY_QUERY);
    OK(cuStreamGetCaptureInfo_v3(t, &status, NULL, NULL, &nodes, &edges, &n));
    CHECK(n == 1 && edges[0].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
          edges[0].from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
    OK(cuStreamEndCapture(s, &g));
    n = 2;
    EXPECT(cuGraphGetEdges(g, from, to, &n), CUDA_ERROR_LOSSY_QUERY);
    OK(cuGraphGetEdges_v2(g, from, to, data, &n));
    CHECK(n == 2);
    CHECK(data[0].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
          data[0].from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
    CHECK(data[1].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT && data[1].from_port == 0);
    OK(cuGraphDestroy(g));
    OK(cuEventDestroy(e));
    OK(cuStreamDestroy(s));
    OK(cuStreamDestroy(t));
}

// ---- Threads and modes --------------------------------------------------------------------

static CUresult in_thread;
static CUstream thread_stream;
static int thread_mode = -1;

static void *allocate(void *arg) {
    CUdeviceptr p;
    NEED(cuCtxSetCurrent(context));
    CUstreamCaptureMode mode = (CUstreamCaptureMode)thread_mode;
    if (thread_mode >= 0)
        OK(cuThreadExchangeStreamCaptureMode(&mode));
    in_thread = cuMemAlloc(&p, 16);
    if (in_thread == CUDA_SUCCESS)
        OK(cuMemFree(p));
    return arg;
}

static void *end_capture(void *arg) {
    CUgraph g;
    NEED(cuCtxSetCurrent(context));
    in_thread = cuStreamEndCapture(thread_stream, &g);
    if (in_thread == CUDA_SUCCESS)
        OK(cuGraphDestroy(g));
    return arg;
}

static CUresult run_in_thread(void *(*fn)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, fn, NULL);
    pthread_join(thread, NULL);
    return in_thread;
}

static void modes(void) {
    CUstream s = thread_stream = stream_new(CU_STREAM_NON_BLOCKING);
    CUgraph g;
    thread_mode = -1;
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    EXPECT(run_in_thread(allocate), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(s);
    thread_mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    EXPECT(run_in_thread(allocate), CUDA_SUCCESS);
    OK(cuGraphDestroy(end(s, 0, 0)));
    thread_mode = -1;
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    EXPECT(run_in_thread(allocate), CUDA_SUCCESS);
    EXPECT(run_in_thread(end_capture), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    CUdeviceptr p;
    OK(cuMemAlloc(&p, 16)); // the thread's own mode allows it
    OK(cuMemFree(p));
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphDestroy(g));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(run_in_thread(end_capture), CUDA_SUCCESS);
    OK(cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(launch(nothing, CU_STREAM_PER_THREAD));
    OK(cuGraphDestroy(end(CU_STREAM_PER_THREAD, 1, 0)));
    OK(cuStreamDestroy(s));
}

// ---- Objects that end while they are captured ---------------------------------------------

static void destroyed(void) {
    CUstream s = stream_new(0), t = stream_new(0);
    CUevent e = event_new();
    CUcontext other;
    CUstream of_other;
    begin(s);
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    OK(cuStreamDestroy(t)); // nothing of it is left to join
    OK(launch(nothing, s));
    OK(cuGraphDestroy(end(s, 1, 0)));
    CUgraph g;
    begin(s);
    OK(launch(nothing, s));
    OK(cuEventRecord(e, s));
    t = stream_new(0);
    OK(cuStreamWaitEvent(t, e, 0));
    OK(launch(nothing, t));
    OK(cuStreamDestroy(t));
    EXPECT(cuStreamEndCapture(s, &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    begin(s);
    OK(cuEventRecord(e, s));
    OK(launch(nothing, s));
    OK(cuStreamDestroy(s)); // and with it the capture
    EXPECT(cuEventQuery(e), CUDA_ERROR_CAPTURED_EVENT);
    OK(cuEventDestroy(e));
    NEED(cuCtxCreate(&other, 0, 0));
    of_other = stream_new(0);
    begin(of_other);
    OK(cuCtxDestroy(other));
    OK(cuCtxSetCurrent(context));
    CUdeviceptr p;
    OK(cuMemAlloc(&p, 16)); // no capture is left
    OK(cuMemFree(p));
}

// Captured kernels take what launches into the stream would have.
static void inherited_attributes(void) {
    CUstream s;
    CUgraph g;
    CUgraphNode n;
    size_t count = 1;
    CUlaunchAttributeValue v, got;
    CUlaunchAttribute own = {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value = {.priority = -1}};
    CUlaunchConfig c = {1, 1, 1, 1, 1, 1, 0, NULL, &own, 1};
    NEED(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -2));
    memset(&v, 0, sizeof v);
    v.accessPolicyWindow.base_ptr = (void *)(uintptr_t)memory;
    v.accessPolicyWindow.num_bytes = 64;
    v.accessPolicyWindow.hitRatio = 1;
    v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_STREAMING;
    OK(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    begin(s);
    OK(launch(nothing, s));
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphGetNodes(g, &n, &count));
    OK(cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
    CHECK(got.priority == -2);
    OK(cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &got));
    CHECK(got.accessPolicyWindow.num_bytes == 64);
    OK(cuGraphDestroy(g));
    begin(s);
    c.hStream = s;
    OK(cuLaunchKernelEx(&c, nothing, NULL, NULL));
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphGetNodes(g, &n, &count));
    OK(cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
    CHECK(got.priority == -1); // the launch's own comes first
    OK(cuGraphDestroy(g));
    OK(cuStreamDestroy(s));
}

int main(void) {
    CUmodule module;
    context = check_context();
    NEED(cuModuleLoadData(&module, PTX_HEAD PTX_FILL PTX_NOTHING));
    NEED(cuModuleGetFunction(&fill, module, "fill"));
    NEED(cuModuleGetFunction(&nothing, module, "nothing"));
    NEED(cuMemAlloc(&memory, BYTES));
    operations();
    allocations();
    parameters();
    launches();
    fork_and_join();
    unjoined();
    unmatched_and_merge();
    prohibited();
    non_blocking();
    captured_events();
    arguments();
    to_graph();
    programmatic();
    inherited_attributes();
    modes();
    destroyed();
    OK(cuMemFree(memory));
    OK(cuCtxDestroy(context));
    return check_result();
}
