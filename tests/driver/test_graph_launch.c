// Executable graphs: what they compute, in what order, and how launches follow each other.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <kudzu/driver_types_v1.h>

#include "graph_kernels.h"

static void chain(void) {
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr p;
    CUgraphNode last = NULL;
    unsigned want = 1;
    NEED(cuGraphCreate(&g, 0));
    NEED(cuMemAlloc(&p, 4));
    OK(cuMemsetD32(p, 1, 1));
    for (unsigned i = 0; i < 100; i++) {
        last = add_step(g, last, p, 3, i);
        want = want * 3 + i;
    }
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphDestroy(g));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == want);
    for (unsigned turn = 0; turn < 20; turn++) {
        OK(cuGraphLaunch(e, stream));
        for (unsigned i = 0; i < 100; i++)
            want = want * 3 + i;
    }
    OK(cuGraphExecDestroy(e)); // what was launched goes on
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == want);
    OK(cuMemFree(p));
}

// A diamond of every simple kind of node; the host node sees what came before it.
struct seen {
    const unsigned *at;
    unsigned value, calls;
};

static void look(void *arg) {
    struct seen *s = arg;
    s->value = *s->at;
    s->calls++;
}

static void kinds(void) {
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr d;
    unsigned *host;
    CUgraphNode set, copy, empty, left, right, both, host_node, deps[2];
    NEED(cuGraphCreate(&g, 0));
    NEED(cuMemAlloc(&d, 64));
    NEED(cuMemAllocHost((void **)&host, 64));
    struct seen seen = {host, 0, 0};
    CUDA_MEMSET_NODE_PARAMS m = {d, 0, 7, 4, 16, 1};
    OK(cuGraphAddMemsetNode(&set, g, NULL, 0, &m, NULL));
    left = add_step(g, set, d, 10, 1);
    right = add_step(g, set, d + 4, 100, 2);
    deps[0] = left, deps[1] = right;
    OK(cuGraphAddEmptyNode(&empty, g, deps, 2));
    CUdeviceptr out = d + 8, a = d, b = d + 4;
    void *params[] = {&out, &a, &b};
    CUDA_KERNEL_NODE_PARAMS k = kernel_params(join, 1, 1, params);
    OK(cuGraphAddKernelNode(&both, g, &empty, 1, &k));
    CUDA_MEMCPY3D c = copy_1d((uintptr_t)host, d + 8, 4);
    OK(cuGraphAddMemcpyNode(&copy, g, &both, 1, &c, NULL));
    CUDA_HOST_NODE_PARAMS h = {look, &seen};
    OK(cuGraphAddHostNode(&host_node, g, &copy, 1, &h));
    NEED(cuGraphInstantiate(&e, g, 0));
    for (unsigned i = 1; i <= 3; i++) {
        *host = 0;
        OK(cuGraphLaunch(e, stream));
        OK(cuStreamSynchronize(stream));
        CHECK(seen.calls == i);
        CHECK(seen.value == 71 * 31 + 702);
    }
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFreeHost(host));
    OK(cuMemFree(d));
}

static void copies_of_rows(void) {
    CUgraph g;
    CUgraphExec e;
    CUgraphNode n;
    CUdeviceptr d;
    size_t pitch;
    unsigned char in[6][10], out[6][10];
    for (int i = 0; i < 60; i++)
        in[i / 10][i % 10] = (unsigned char)(i * 7);
    NEED(cuMemAllocPitch(&d, &pitch, 10, 6, 4));
    NEED(cuGraphCreate(&g, 0));
    CUDA_MEMCPY3D c = copy_1d(d, (uintptr_t)in, 10);
    c.srcPitch = 10, c.dstPitch = pitch;
    c.Height = 3, c.Depth = 2, c.srcHeight = c.dstHeight = 3;
    OK(cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, NULL));
    CUDA_MEMCPY3D back = copy_1d((uintptr_t)out, d, 10);
    back.srcPitch = pitch, back.dstPitch = 10;
    back.Height = 6, back.srcHeight = back.dstHeight = 6;
    OK(cuGraphAddMemcpyNode(&n, g, &n, 1, &back, NULL));
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(!memcmp(in, out, sizeof in));
    c.WidthInBytes = 0;
    EXPECT(cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(d));
}

// A child graph runs between its node's predecessors and successors, and so does one in it.
// The forms of kernel nodes of versions 10 and 11, found by version.
static void first_forms(void) {
    CUresult (*add)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                    const CUDA_KERNEL_NODE_PARAMS_v1 *);
    CUresult (*get)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v1 *);
    CUresult (*set)(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *);
    CUresult (*exec_set)(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *);
    NEED(cuGetProcAddress("cuGraphAddKernelNode", (void **)&add, 10000, 0, NULL));
    NEED(cuGetProcAddress("cuGraphKernelNodeGetParams", (void **)&get, 10000, 0, NULL));
    NEED(cuGetProcAddress("cuGraphKernelNodeSetParams", (void **)&set, 10000, 0, NULL));
    NEED(cuGetProcAddress("cuGraphExecKernelNodeSetParams", (void **)&exec_set, 10010, 0, NULL));
    CUdeviceptr p;
    unsigned factor = 3, term = 4;
    void *params[] = {&p, &factor, &term};
    CUDA_KERNEL_NODE_PARAMS_v1 k = {step, 1, 1, 1, 1, 1, 1, 0, params, NULL}, got;
    CUgraph g;
    CUgraphExec e;
    CUgraphNode n;
    NEED(cuMemAlloc(&p, 4));
    NEED(cuGraphCreate(&g, 0));
    OK(add(&n, g, NULL, 0, &k));
    OK(get(n, &got));
    CHECK(got.func == step && got.blockDimX == 1 && *(unsigned *)got.kernelParams[1] == 3);
    term = 5;
    OK(set(n, &k));
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuMemsetD32(p, 2, 1));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 11);
    factor = 2;
    OK(exec_set(e, n, &k));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 27);
    EXPECT(add(&n, g, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(get(n, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(set(NULL, &k), CUDA_ERROR_INVALID_VALUE);
    EXPECT(exec_set(NULL, n, &k), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

static void children(void) {
    CUgraph g, child, inner;
    CUgraphExec e;
    CUgraphNode n, first;
    CUdeviceptr p;
    NEED(cuMemAlloc(&p, 4));
    OK(cuMemsetD32(p, 1, 1));
    NEED(cuGraphCreate(&inner, 0));
    add_step(inner, add_step(inner, NULL, p, 2, 1), p, 3, 0);
    NEED(cuGraphCreate(&child, 0));
    first = add_step(child, NULL, p, 5, 1);
    OK(cuGraphAddChildGraphNode(&n, child, &first, 1, inner));
    NEED(cuGraphCreate(&g, 0));
    first = add_step(g, NULL, p, 1, 10);
    OK(cuGraphAddChildGraphNode(&n, g, &first, 1, child));
    OK(cuGraphAddChildGraphNode(&n, g, &n, 1, inner));
    NEED(cuGraphCreate(&inner, 0)); // an empty child
    OK(cuGraphAddChildGraphNode(&n, g, &n, 1, inner));
    add_step(g, n, p, 7, 0);
    OK(cuGraphDestroy(child));
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    unsigned want = 1 + 10;
    want = want * 5 + 1;
    want = (want * 2 + 1) * 3;
    want = (want * 2 + 1) * 3;
    CHECK(word(p) == want * 7);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

// Wide and deep: a lattice of 64 columns by 40 rows, each node after three of the row before.
static void lattice(void) {
    enum { W = 64, H = 40 };
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr d;
    static CUgraphNode node[H][W];
    static unsigned want[H][W], got[H][W];
    NEED(cuMemAlloc(&d, sizeof want));
    OK(cuMemsetD32(d, 0, W * H));
    NEED(cuGraphCreate(&g, 0));
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++) {
            unsigned l = (x + W - 1) % W, r = (x + 1) % W;
            CUgraphNode deps[3];
            CUdeviceptr out = d + 4 * (y * W + x);
            CUdeviceptr a = y ? d + 4 * ((y - 1) * W + l) : out;
            CUdeviceptr b = y ? d + 4 * ((y - 1) * W + r) : out;
            if (y) {
                deps[0] = node[y - 1][l], deps[1] = node[y - 1][x], deps[2] = node[y - 1][r];
                void *params[] = {&out, &a, &b};
                CUDA_KERNEL_NODE_PARAMS k = kernel_params(join, 1, 1, params);
                NEED(cuGraphAddKernelNode(&node[y][x], g, deps, 3, &k));
                want[y][x] = want[y - 1][l] * 31 + want[y - 1][r];
            } else {
                CUDA_MEMSET_NODE_PARAMS m = {out, 0, x * x + 1, 4, 1, 1};
                NEED(cuGraphAddMemsetNode(&node[y][x], g, NULL, 0, &m, NULL));
                want[y][x] = x * x + 1;
            }
        }
    NEED(cuGraphInstantiate(&e, g, 0));
    for (int turn = 0; turn < 10; turn++) {
        OK(cuMemsetD32Async(d, 0, W * H, stream));
        OK(cuGraphLaunch(e, stream));
        OK(cuMemcpyDtoHAsync(got, d, sizeof got, stream));
        OK(cuStreamSynchronize(stream));
        CHECK(!memcmp(want, got, sizeof want));
    }
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(d));
}

// One executable graph in two streams never runs beside itself.
static void with_itself(void) {
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr p;
    CUstream other;
    CUgraphNode n = NULL;
    NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    NEED(cuMemAlloc(&p, 4));
    OK(cuMemsetD32(p, 0, 1));
    NEED(cuGraphCreate(&g, 0));
    for (int i = 0; i < 10; i++)
        n = add_step(g, n, p, 1, 1);
    NEED(cuGraphInstantiate(&e, g, 0));
    for (int i = 0; i < 100; i++)
        OK(cuGraphLaunch(e, i % 2 ? stream : other));
    OK(cuStreamSynchronize(stream));
    OK(cuStreamSynchronize(other));
    CHECK(word(p) == 1000);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuStreamDestroy(other));
    OK(cuMemFree(p));
}

// The record of a graph's node is seen by streams; a node waits for what was recorded before.
static void events(void) {
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr p;
    CUevent before, after, timed;
    CUgraphNode wait, n, record, got;
    CUevent event;
    CUstream other;
    NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    NEED(cuEventCreate(&before, CU_EVENT_DISABLE_TIMING));
    NEED(cuEventCreate(&after, CU_EVENT_DISABLE_TIMING));
    NEED(cuEventCreate(&timed, 0));
    NEED(cuMemAlloc(&p, 8));
    NEED(cuGraphCreate(&g, 0));
    OK(cuGraphAddEventWaitNode(&wait, g, NULL, 0, before));
    n = add_step(g, wait, p, 10, 1);
    OK(cuGraphAddEventRecordNode(&record, g, &n, 1, after));
    OK(cuGraphAddEventRecordNode(&got, g, &n, 1, timed));
    OK(cuGraphEventWaitNodeGetEvent(wait, &event));
    CHECK(event == before);
    OK(cuGraphEventRecordNodeGetEvent(record, &event));
    CHECK(event == after);
    EXPECT(cuGraphEventRecordNodeGetEvent(wait, &event), CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuMemsetD32(p, 1, 1));
    OK(cuGraphLaunch(e, stream)); // never recorded: nothing to wait for
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 11);
    for (unsigned i = 0; i < 50; i++) {
        unsigned back = 0;
        OK(cuMemsetD32Async(p, i, 1, other));
        OK(cuEventRecord(before, other));
        OK(cuGraphLaunch(e, stream));
        OK(cuStreamWaitEvent(other, after, 0));
        OK(cuMemcpyDtoHAsync(&back, p, 4, other));
        OK(cuStreamSynchronize(other));
        CHECK(back == i * 10 + 1);
        OK(cuEventSynchronize(timed));
    }
    float ms;
    OK(cuEventElapsedTime(&ms, timed, timed));
    CHECK(ms == 0);
    OK(cuEventDestroy(before));
    EXPECT(cuGraphLaunch(e, stream), CUDA_ERROR_INVALID_HANDLE);
    OK(cuGraphExecEventWaitNodeSetEvent(e, wait, timed));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuEventDestroy(after));
    OK(cuEventDestroy(timed));
    OK(cuStreamDestroy(other));
    OK(cuMemFree(p));
}

// The order with other work of the stream, and with the legacy default stream.
static void in_streams(void) {
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr p;
    CUstream blocking;
    NEED(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    NEED(cuMemAlloc(&p, 4));
    NEED(cuGraphCreate(&g, 0));
    add_step(g, add_step(g, NULL, p, 3, 1), p, 5, 2);
    NEED(cuGraphInstantiate(&e, g, 0));
    for (unsigned i = 0; i < 50; i++) {
        unsigned back = 0, m = 2, c = 9;
        void *params[] = {&p, &m, &c};
        OK(cuMemsetD32Async(p, i, 1, NULL));
        OK(cuGraphLaunch(e, blocking));
        OK(cuLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
        OK(cuGraphLaunch(e, NULL));
        OK(cuMemcpyDtoHAsync(&back, p, 4, blocking));
        OK(cuStreamSynchronize(blocking));
        unsigned want = ((i * 3 + 1) * 5 + 2) * 2 + 9;
        CHECK(back == (want * 3 + 1) * 5 + 2);
    }
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuStreamDestroy(blocking));
    OK(cuMemFree(p));
}

static void wrong(void) {
    CUgraph g, none = (CUgraph)0x1230;
    CUgraphExec e = (CUgraphExec)0x4560;
    CUgraphNode a, b, edge_from[2], edge_to[2];
    CUstream gone;
    CUmodule module;
    CUfunction f;
    EXPECT(cuGraphLaunch(e, stream), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphLaunch(NULL, stream), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphExecDestroy(e), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphInstantiate(&e, none, 0), CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphCreate(&g, 0));
    EXPECT(cuGraphInstantiate(NULL, g, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphInstantiate(&e, g, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphInstantiate(&e, g, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphInstantiate(&e, g,
                              CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
                                  CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH),
           CUDA_ERROR_INVALID_VALUE);
    // A graph without nodes does nothing.
    OK(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    NEED(cuStreamCreate(&gone, 0));
    OK(cuStreamDestroy(gone));
    EXPECT(cuGraphLaunch(e, gone), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuGraphUpload(e, gone), CUDA_ERROR_INVALID_HANDLE);
    OK(cuGraphUpload(e, stream));
    OK(cuGraphExecDestroy(e));
    EXPECT(cuGraphExecDestroy(e), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphLaunch(e, stream), CUDA_ERROR_INVALID_VALUE);
    // A cycle.
    OK(cuGraphAddEmptyNode(&a, g, NULL, 0));
    OK(cuGraphAddEmptyNode(&b, g, &a, 1));
    edge_from[0] = b, edge_to[0] = a;
    OK(cuGraphAddDependencies(g, edge_from, edge_to, 1));
    EXPECT(cuGraphInstantiate(&e, g, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_GRAPH_INSTANTIATE_PARAMS ip;
    memset(&ip, 0, sizeof ip);
    EXPECT(cuGraphInstantiateWithParams(&e, g, &ip), CUDA_ERROR_INVALID_VALUE);
    CHECK(ip.result_out == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    CHECK(ip.hErrNode_out == a || ip.hErrNode_out == b);
    OK(cuGraphRemoveDependencies(g, edge_from, edge_to, 1));
    ip.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    ip.hUploadStream = stream;
    OK(cuGraphInstantiateWithParams(&e, g, &ip));
    CHECK(ip.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
    cuuint64_t flags = 0;
    OK(cuGraphExecGetFlags(e, &flags));
    CHECK(flags == ip.flags);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    // A function that is gone.
    NEED(cuGraphCreate(&g, 0));
    NEED(cuModuleLoadData(&module, graph_ptx));
    NEED(cuModuleGetFunction(&f, module, "nothing"));
    CUDA_KERNEL_NODE_PARAMS k = kernel_params(f, 1, 1, NULL);
    OK(cuGraphAddKernelNode(&a, g, NULL, 0, &k));
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuModuleUnload(module));
    EXPECT(cuGraphLaunch(e, stream), CUDA_ERROR_INVALID_HANDLE);
    CUgraphExec e2;
    EXPECT(cuGraphInstantiate(&e2, g, 0), CUDA_ERROR_INVALID_HANDLE);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
}

// Graphs for the device to launch have kernels, copies and sets alone.
static void for_the_device(void) {
    CUgraph g, empty;
    CUgraphExec e, second;
    CUgraphNode n;
    CUdeviceptr p;
    struct seen seen = {0};
    NEED(cuMemAlloc(&p, 4));
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphCreate(&empty, 0));
    add_step(g, NULL, p, 1, 1);
    EXPECT(cuGraphInstantiate(&e, empty, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(empty));
    OK(cuGraphInstantiate(&e, g, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH));
    EXPECT(cuGraphInstantiate(&second, g, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
           CUDA_ERROR_NOT_SUPPORTED);
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuGraphExecDestroy(e));
    CUDA_HOST_NODE_PARAMS h = {look, &seen};
    OK(cuGraphAddHostNode(&n, g, NULL, 0, &h));
    EXPECT(cuGraphInstantiate(&e, g, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
           CUDA_ERROR_INVALID_VALUE);
    CUDA_GRAPH_INSTANTIATE_PARAMS ip;
    memset(&ip, 0, sizeof ip);
    ip.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    EXPECT(cuGraphInstantiateWithParams(&e, g, &ip), CUDA_ERROR_INVALID_VALUE);
    CHECK(ip.result_out == CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
    CHECK(ip.hErrNode_out == n);
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

// 100,000 nodes: as a chain, as one fan, built and run in linear time.
static void large(void) {
    enum { N = 100000 };
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr p;
    static CUgraphNode all[N];
    CUgraphNode end;
    NEED(cuMemAlloc(&p, 4));
    NEED(cuGraphCreate(&g, 0));
    OK(cuMemsetD32(p, 0, 1));
    for (unsigned i = 0; i < N; i++)
        all[i] = add_step(g, i ? all[i - 1] : NULL, p, 1, 1);
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == N);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    NEED(cuGraphCreate(&g, 0));
    for (unsigned i = 0; i < N; i++)
        NEED(cuGraphAddEmptyNode(&all[i], g, NULL, 0));
    NEED(cuGraphAddEmptyNode(&end, g, all, N));
    add_step(g, end, p, 0, 5);
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 5);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

// A node whose grid has no blocks waits for a better one.
static void no_blocks(void) {
    CUgraph g;
    CUgraphExec e;
    CUgraphNode node;
    CUdeviceptr p;
    unsigned factor = 5, term = 2;
    NEED(cuGraphCreate(&g, 0));
    NEED(cuMemAlloc(&p, 4));
    OK(cuMemsetD32(p, 3, 1));
    void *params[] = {&p, &factor, &term};
    CUDA_KERNEL_NODE_PARAMS k = kernel_params(step, 0, 1, params);
    OK(cuGraphAddKernelNode(&node, g, NULL, 0, &k));
    add_step(g, node, p, 10, 1);
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 31);
    k.gridDimX = 1;
    OK(cuGraphExecKernelNodeSetParams(e, node, &k));
    OK(cuGraphLaunch(e, stream));
    k.gridDimX = 0;
    OK(cuGraphExecKernelNodeSetParams(e, node, &k));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == ((31 * 5 + 2) * 10 + 1) * 10 + 1);
    k.blockDimX = 0;
    EXPECT(cuGraphExecKernelNodeSetParams(e, node, &k), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

// What belongs to no context runs in that of the launch's stream, whatever has become of the one
// that the graph was launched in before.
static void in_contexts(void) {
    unsigned value = 5;
    struct seen seen = {&value, 0, 0};
    CUcontext own, other;
    CUmodule m;
    CUfunction trap;
    CUstream s;
    CUgraph g;
    CUgraphExec e;
    CUgraphNode n;
    CUDA_HOST_NODE_PARAMS h = {look, &seen};
    OK(cuCtxGetCurrent(&own));
    NEED(cuGraphCreate(&g, 0));
    OK(cuGraphAddHostNode(&n, g, NULL, 0, &h));
    NEED(cuGraphInstantiate(&e, g, 0));
    NEED(cuCtxCreate(&other, 0, 0));
    NEED(cuModuleLoadData(&m, PTX_HEAD PTX_TRAP));
    NEED(cuModuleGetFunction(&trap, m, "trap_now"));
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuGraphLaunch(e, s));
    OK(cuStreamSynchronize(s));
    CHECK(seen.calls == 1);
    OK(cuLaunchKernel(trap, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
    EXPECT(cuStreamSynchronize(s), CUDA_ERROR_LAUNCH_FAILED);
    OK(cuCtxSetCurrent(own));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(seen.calls == 2);
    OK(cuCtxDestroy(other));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(seen.calls == 3);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
}

static atomic_bool let_go;

static void hold_up(void *unused) {
    while (!let_go)
        usleep(1000);
}

static void *let_go_later(void *unused) {
    usleep(100000);
    let_go = true;
    return NULL;
}

// A context whose set is a node of a graph ends after the graph, which another context's stream
// runs.
static void set_of_another_context(void) {
    CUcontext own, other;
    CUdeviceptr p;
    CUgraph g;
    CUgraphExec e;
    CUgraphNode n;
    pthread_t thread;
    OK(cuCtxGetCurrent(&own));
    NEED(cuMemAlloc(&p, 4));
    OK(cuMemsetD32(p, 1, 1));
    NEED(cuCtxCreate(&other, 0, 0));
    OK(cuCtxSetCurrent(own));
    CUDA_MEMSET_NODE_PARAMS set = {p, 0, 7, 4, 1, 1};
    NEED(cuGraphCreate(&g, 0));
    OK(cuGraphAddMemsetNode(&n, g, NULL, 0, &set, other));
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuLaunchHostFunc(stream, hold_up, NULL));
    OK(cuGraphLaunch(e, stream));
    if (pthread_create(&thread, NULL, let_go_later, NULL))
        exit(1);
    OK(cuCtxDestroy(other));
    CHECK(let_go);
    pthread_join(thread, NULL);
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 7);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

int main(void) {
    CUcontext ctx = graph_context();
    chain();
    no_blocks();
    kinds();
    copies_of_rows();
    children();
    first_forms();
    lattice();
    with_itself();
    events();
    in_streams();
    in_contexts();
    set_of_another_context();
    wrong();
    for_the_device();
    large();
    OK(cuStreamDestroy(stream));
    OK(cuCtxDestroy(ctx));
    return check_result();
}
