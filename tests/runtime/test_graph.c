// Graphs through the runtime (guide 6.2.8.7): each function, its errors, what graphs compute, and
// every result of updating a whole executable graph.
#include "check.h"
#include "images.h"

enum { N = 64 };

static int *memory; // N words
static cudaStream_t stream;

static int word(int i) {
    int w = -1;
    CHECK_OK(cudaMemcpy(&w, memory + i, 4, cudaMemcpyDeviceToHost));
    return w;
}

static cudaGraph_t new_graph(void) {
    cudaGraph_t g;
    NEED(cudaGraphCreate(&g, 0));
    return g;
}

static void run(cudaGraphExec_t e) {
    CHECK_OK(cudaGraphLaunch(e, stream));
    CHECK_OK(cudaStreamSynchronize(stream));
}

// fill(p, v) on `threads` threads.
struct fill {
    int *p, v;
    void *args[2];
    struct cudaKernelNodeParams params;
};

static struct cudaKernelNodeParams *fill_of(struct fill *f, int *p, int v, unsigned threads) {
    *f = (struct fill){.p = p, .v = v};
    f->args[0] = &f->p;
    f->args[1] = &f->v;
    f->params = (struct cudaKernelNodeParams){.func = &fill_stub, .kernelParams = f->args};
    f->params.gridDim.x = f->params.gridDim.y = f->params.gridDim.z = 1;
    f->params.blockDim.x = threads;
    f->params.blockDim.y = f->params.blockDim.z = 1;
    return &f->params;
}

static cudaGraphNode_t add_fill(cudaGraph_t g, cudaGraphNode_t after, int *p, int v,
                                unsigned threads) {
    cudaGraphNode_t n = NULL;
    struct fill f;
    NEED(cudaGraphAddKernelNode(&n, g, &after, after != NULL, fill_of(&f, p, v, threads)));
    return n;
}

// ---- Structure ----------------------------------------------------------------------------

static void structure(void) {
    cudaGraph_t g = new_graph(), clone;
    cudaGraphNode_t a, b, c, list[4], other, from[4], to[4];
    cudaGraphEdgeData data[4];
    enum cudaGraphNodeType type;
    size_t n;
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphCreate(NULL, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphCreate(&clone, 1));
    NEED(cudaGraphAddEmptyNode(&a, g, NULL, 0));
    NEED(cudaGraphAddEmptyNode(&b, g, &a, 1));
    NEED(cudaGraphAddEmptyNode(&c, g, NULL, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddEmptyNode(NULL, g, NULL, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&other, g, NULL, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&other, NULL, NULL, 0));
    CHECK_OK(cudaGraphNodeGetType(a, &type));
    CHECK(type == cudaGraphNodeTypeEmpty);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphNodeGetType(a, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphNodeGetType(NULL, &type));
    CHECK_OK(cudaGraphGetNodes(g, NULL, &n));
    CHECK(n == 3);
    n = 4;
    CHECK_OK(cudaGraphGetNodes(g, list, &n));
    CHECK(n == 3 && list[0] == a && list[1] == b && list[2] == c && list[3] == NULL);
    n = 1;
    CHECK_OK(cudaGraphGetRootNodes(g, list, &n));
    CHECK(n == 1 && list[0] == a);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphGetNodes(g, list, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphGetRootNodes(NULL, list, &n));
    CHECK_OK(cudaGraphAddDependencies(g, &b, &c, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddDependencies(g, &b, &c, 1)); // is there
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddDependencies(g, &b, &b, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddDependencies(g, NULL, &c, 1));
    n = 4;
    CHECK_OK(cudaGraphGetEdges(g, from, to, &n));
    CHECK(n == 2 && from[0] == a && to[0] == b && from[1] == b && to[1] == c);
    n = 4;
    CHECK_OK(cudaGraphGetEdges_v2(g, from, to, data, &n));
    CHECK(n == 2 && data[1].type == cudaGraphDependencyTypeDefault);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphGetEdges(g, from, NULL, &n));
    n = 4;
    CHECK_OK(cudaGraphNodeGetDependencies(c, list, &n));
    CHECK(n == 1 && list[0] == b);
    n = 4;
    CHECK_OK(cudaGraphNodeGetDependencies_v2(c, list, data, &n));
    CHECK(n == 1 && data[0].from_port == 0);
    n = 4;
    CHECK_OK(cudaGraphNodeGetDependentNodes(a, list, &n));
    CHECK(n == 1 && list[0] == b);
    n = 4;
    CHECK_OK(cudaGraphNodeGetDependentNodes_v2(b, list, data, &n));
    CHECK(n == 1 && list[0] == c);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphNodeGetDependencies(NULL, list, &n));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphNodeGetDependentNodes(a, list, NULL));
    CHECK_OK(cudaGraphRemoveDependencies(g, &b, &c, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphRemoveDependencies(g, &b, &c, 1));
    memset(data, 0, sizeof data);
    CHECK_OK(cudaGraphAddDependencies_v2(g, &b, &c, data, 1));
    CHECK_OK(cudaGraphRemoveDependencies_v2(g, &b, &c, data, 1));
    CHECK_OK(cudaGraphClone(&clone, g));
    CHECK_OK(cudaGraphNodeFindInClone(&other, b, clone));
    CHECK(other != b);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&other, b, g));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphClone(NULL, g));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphClone(&clone, NULL));
    CHECK_OK(cudaGraphDestroyNode(b));
    CHECK_OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    CHECK(n == 0);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphDestroyNode(NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphDebugDotPrint(g, NULL, 0));
    CHECK_OK(cudaGraphDebugDotPrint(clone, "/dev/null", cudaGraphDebugDotFlagsVerbose));
    if (on_kudzu())
        CHECK_ERROR(cudaErrorInvalidValue, cudaGraphNodeGetType(b, &type)); // was destroyed
    CHECK_OK(cudaGraphDestroy(clone));
    CHECK_OK(cudaGraphDestroy(g));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphDestroy(NULL));
    if (on_kudzu())
        CHECK_ERROR(cudaErrorInvalidValue, cudaGraphDestroy(g));
}

// ---- Nodes --------------------------------------------------------------------------------

static void kernels(void) {
    cudaGraph_t g = new_graph();
    cudaGraphExec_t e;
    cudaGraphNode_t n = add_fill(g, NULL, memory, 5, 4), m;
    struct cudaKernelNodeParams got;
    struct fill f;
    cudaLaunchAttributeValue v = {0}, back;
    CHECK_OK(cudaGraphKernelNodeGetParams(n, &got));
    CHECK(got.func == &fill_stub && got.blockDim.x == 4 && *(int *)got.kernelParams[1] == 5);
    CHECK_OK(cudaGraphKernelNodeSetParams(n, fill_of(&f, memory, 7, 8)));
    v.priority = -1;
    CHECK_OK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributePriority, &v));
    CHECK_OK(cudaGraphKernelNodeGetAttribute(n, cudaLaunchAttributePriority, &back));
    CHECK(back.priority == -1);
    m = add_fill(g, n, memory + 8, 1, 1);
    CHECK_OK(cudaGraphKernelNodeCopyAttributes(m, n));
    CHECK_OK(cudaGraphKernelNodeGetAttribute(m, cudaLaunchAttributePriority, &back));
    CHECK(back.priority == -1);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphKernelNodeGetAttribute(n, 3, NULL));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaGraphKernelNodeSetAttribute(n, (cudaLaunchAttributeID)77, &v));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(n, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(n, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddKernelNode(&m, g, NULL, 0, NULL));
    f.params.func = &unknown_stub;
    CHECK_ERROR(cudaErrorInvalidDeviceFunction, cudaGraphKernelNodeSetParams(n, &f.params));
    CHECK_ERROR(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&m, g, NULL, 0, &f.params));
    fill_of(&f, memory, 7, 2000);
    CHECK(cudaGraphKernelNodeSetParams(n, &f.params) != cudaSuccess); // too many threads
    (void)cudaGetLastError();
    NEED(cudaGraphInstantiate(&e, g, 0));
    run(e);
    CHECK(word(0) == 7 && word(7) == 14 && word(8) == 1);
    CHECK_OK(cudaGraphExecKernelNodeSetParams(e, n, fill_of(&f, memory, 100, 2)));
    run(e);
    CHECK(word(0) == 100 && word(1) == 101 && word(2) == 9);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(e, n, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(NULL, n, &f.params));
    CHECK_OK(cudaGraphExecDestroy(e));
    CHECK_OK(cudaGraphDestroy(g));
}

static struct cudaMemcpy3DParms copy_of(void *dst, void *src, size_t bytes) {
    return (struct cudaMemcpy3DParms){.srcPtr = {src, bytes, bytes, 1},
                                      .dstPtr = {dst, bytes, bytes, 1},
                                      .extent = {bytes, 1, 1},
                                      .kind = cudaMemcpyDefault};
}

static void copies(void) {
    cudaGraph_t g = new_graph();
    cudaGraphExec_t e;
    cudaGraphNode_t flat, to, from, whole, n;
    int host[4] = {1, 2, 3, 4}, other[4] = {10, 20, 30, 40}, back[4] = {0}, result[4] = {0};
    struct cudaMemcpy3DParms p = copy_of(result, memory, 16), got;
    NEED(cudaGraphAddMemcpyNode1D(&flat, g, NULL, 0, memory, host, 16, cudaMemcpyHostToDevice));
    NEED(cudaGraphAddMemcpyNodeToSymbol(&to, g, &flat, 1, table_shadow, host, 8, 4,
                                        cudaMemcpyHostToDevice));
    NEED(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, back, table_shadow, 8, 4,
                                          cudaMemcpyDeviceToHost));
    NEED(cudaGraphAddMemcpyNode(&whole, g, &flat, 1, &p));
    CHECK_OK(cudaGraphMemcpyNodeGetParams(whole, &got));
    CHECK(got.dstPtr.ptr == result && got.extent.width == 16);
    NEED(cudaGraphInstantiate(&e, g, 0));
    run(e);
    CHECK(back[0] == 1 && back[1] == 2 && back[2] == 0 && !memcmp(result, host, 16));
    // In the executable graph, then in the graph.
    CHECK_OK(
        cudaGraphExecMemcpyNodeSetParams1D(e, flat, memory, other, 16, cudaMemcpyHostToDevice));
    CHECK_OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(e, to, table_shadow, other + 2, 8, 4,
                                                      cudaMemcpyHostToDevice));
    CHECK_OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(e, from, back + 2, table_shadow, 8, 4,
                                                        cudaMemcpyDeviceToHost));
    p = copy_of(result + 2, memory + 1, 8);
    CHECK_OK(cudaGraphExecMemcpyNodeSetParams(e, whole, &p));
    run(e);
    CHECK(back[0] == 1 && back[2] == 30 && back[3] == 40);
    CHECK(result[0] == 1 && result[2] == 20 && result[3] == 30);
    CHECK_OK(cudaGraphMemcpyNodeSetParams(whole, &p));
    CHECK_OK(cudaGraphMemcpyNodeSetParams1D(flat, memory, other, 4, cudaMemcpyHostToDevice));
    CHECK_OK(cudaGraphMemcpyNodeSetParamsToSymbol(to, table_shadow, other, 4, 0,
                                                  cudaMemcpyHostToDevice));
    CHECK_OK(cudaGraphMemcpyNodeSetParamsFromSymbol(from, back, table_shadow, 4, 0,
                                                    cudaMemcpyDeviceToHost));
    CHECK_ERROR(
        cudaErrorInvalidSymbol,
        cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, host, host, 4, 0, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, table_shadow, host, 16, 4,
                                               cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidMemcpyDirection,
                cudaGraphAddMemcpyNodeFromSymbol(&n, g, NULL, 0, host, table_shadow, 4, 0,
                                                 cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&n, g, NULL, 0, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphMemcpyNodeGetParams(whole, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphMemcpyNodeGetParams(NULL, &got));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaGraphExecMemcpyNodeSetParams1D(e, NULL, memory, host, 4, cudaMemcpyDefault));
    CHECK_OK(cudaGraphExecDestroy(e));
    CHECK_OK(cudaGraphDestroy(g));
}

static void call(void *arg) {
    ++*(int *)arg;
}

static void simple_nodes(void) {
    cudaGraph_t g = new_graph(), child = new_graph(), inside;
    cudaGraphExec_t e;
    cudaGraphNode_t set, host, sub, record, wait;
    cudaEvent_t first, second, got_event;
    int calls = 0, others = 0;
    struct cudaMemsetParams s = {memory, 0, 3, 4, 8, 1}, got_set;
    struct cudaHostNodeParams h = {call, &calls}, got_host;
    NEED(cudaEventCreate(&first));
    NEED(cudaEventCreate(&second));
    NEED(cudaGraphAddMemsetNode(&set, g, NULL, 0, &s));
    NEED(cudaGraphAddHostNode(&host, g, &set, 1, &h));
    add_fill(child, NULL, memory + 4, 50, 1);
    NEED(cudaGraphAddChildGraphNode(&sub, g, &host, 1, child));
    NEED(cudaGraphAddEventRecordNode(&record, g, &sub, 1, first));
    NEED(cudaGraphAddEventWaitNode(&wait, g, &record, 1, second));
    CHECK_OK(cudaGraphMemsetNodeGetParams(set, &got_set));
    CHECK(got_set.dst == memory && got_set.value == 3 && got_set.width == 8);
    CHECK_OK(cudaGraphHostNodeGetParams(host, &got_host));
    CHECK(got_host.fn == call && got_host.userData == &calls);
    CHECK_OK(cudaGraphChildGraphNodeGetGraph(sub, &inside));
    CHECK(inside != child); // a copy
    CHECK_OK(cudaGraphEventRecordNodeGetEvent(record, &got_event));
    CHECK(got_event == first);
    CHECK_OK(cudaGraphEventRecordNodeSetEvent(record, second));
    CHECK_OK(cudaGraphEventWaitNodeSetEvent(wait, first));
    CHECK_OK(cudaGraphEventWaitNodeGetEvent(wait, &got_event));
    CHECK(got_event == first);
    NEED(cudaGraphInstantiateWithFlags(&e, g, 0));
    run(e);
    CHECK(calls == 1 && word(3) == 3 && word(4) == 50 && word(7) == 3);
    s.value = 9;
    h.userData = &others;
    CHECK_OK(cudaGraphExecMemsetNodeSetParams(e, set, &s));
    CHECK_OK(cudaGraphExecHostNodeSetParams(e, host, &h));
    CHECK_OK(cudaGraphExecEventRecordNodeSetEvent(e, record, first));
    CHECK_OK(cudaGraphExecEventWaitNodeSetEvent(e, wait, second));
    cudaGraph_t again = new_graph();
    add_fill(again, NULL, memory + 5, 60, 1);
    CHECK_OK(cudaGraphExecChildGraphNodeSetParams(e, sub, again));
    run(e);
    CHECK(calls == 1 && others == 1 && word(4) == 9 && word(5) == 60);
    CHECK_OK(cudaGraphMemsetNodeSetParams(set, &s));
    CHECK_OK(cudaGraphHostNodeSetParams(host, &h));
    // A disabled node does nothing.
    unsigned enabled = 7;
    CHECK_OK(cudaGraphNodeGetEnabled(e, set, &enabled));
    CHECK(enabled == 1);
    CHECK_OK(cudaGraphNodeSetEnabled(e, set, 0));
    CHECK_OK(cudaMemset(memory, 0, 32));
    run(e);
    CHECK(word(3) == 0 && word(5) == 60);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(e, host, 0)); // not of this type
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(e, set, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&set, g, NULL, 0, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddHostNode(&set, g, NULL, 0, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddChildGraphNode(&set, g, NULL, 0, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(host, &got_set));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphHostNodeGetParams(host, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphChildGraphNodeGetGraph(sub, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphEventWaitNodeGetEvent(record, &got_event));
    cudaGraphNode_t n;
    CHECK(cudaGraphAddEventRecordNode(&n, g, NULL, 0, NULL) != cudaSuccess);
    s.elementSize = 3;
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&n, g, NULL, 0, &s));
    CHECK_OK(cudaGraphExecDestroy(e));
    CHECK_OK(cudaGraphDestroy(again));
    CHECK_OK(cudaGraphDestroy(child));
    CHECK_OK(cudaGraphDestroy(g));
    CHECK_OK(cudaEventDestroy(first));
    CHECK_OK(cudaEventDestroy(second));
}

static void memory_nodes(void) {
    cudaGraph_t g = new_graph();
    cudaGraphExec_t e;
    cudaGraphNode_t alloc, set, fill, copy, release;
    struct cudaMemAllocNodeParams a = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                     .location = {cudaMemLocationTypeDevice, 0}},
                                       .bytesize = 4096},
                                  got;
    void *freed = NULL;
    unsigned long long used = 1;
    NEED(cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
    CHECK(a.dptr != NULL);
    struct cudaMemsetParams s = {a.dptr, 0, 1, 4, 16, 1};
    NEED(cudaGraphAddMemsetNode(&set, g, &alloc, 1, &s));
    fill = add_fill(g, set, (int *)a.dptr, 40, 8);
    NEED(cudaGraphAddMemcpyNode1D(&copy, g, &fill, 1, memory, a.dptr, 64, cudaMemcpyDefault));
    NEED(cudaGraphAddMemFreeNode(&release, g, &copy, 1, a.dptr));
    CHECK_OK(cudaGraphMemAllocNodeGetParams(alloc, &got));
    CHECK(got.dptr == a.dptr && got.bytesize == 4096);
    CHECK_OK(cudaGraphMemFreeNodeGetParams(release, &freed));
    CHECK(freed == a.dptr);
    NEED(cudaGraphInstantiate(&e, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    run(e);
    CHECK(word(0) == 40 && word(7) == 47 && word(8) == 1);
    CHECK_OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(used >= 4096); // of the graph, as long as it is there
    CHECK_OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
    CHECK(used >= 4096);
    used = 0;
    CHECK_OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
    CHECK_ERROR(cudaErrorInvalidDevice,
                cudaDeviceGetGraphMemAttribute(99, cudaGraphMemAttrUsedMemHigh, &used));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaDeviceGetGraphMemAttribute(0, (enum cudaGraphMemAttributeType)9, &used));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceGraphMemTrim(99));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&set, g, NULL, 0, NULL));
    a.bytesize = 0;
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&set, g, NULL, 0, &a));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&set, g, NULL, 0, NULL));
    cudaGraph_t clone;
    CHECK_ERROR(cudaErrorNotSupported, cudaGraphClone(&clone, g));
    CHECK_OK(cudaGraphExecDestroy(e));
    CHECK_OK(cudaGraphDestroy(g));
    CHECK_OK(cudaDeviceGraphMemTrim(0));
    CHECK_OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(used == 0);
}

// cudaGraphAddNode and its kin: one function for every type.
static void any_type(void) {
    cudaGraph_t g = new_graph();
    cudaGraphExec_t e;
    cudaGraphNode_t k, s, c;
    struct fill f;
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemset};
    p.memset.dst = memory;
    p.memset.value = 6;
    p.memset.elementSize = 4;
    p.memset.width = 16;
    p.memset.height = 1;
    NEED(cudaGraphAddNode(&s, g, NULL, 0, &p));
    fill_of(&f, memory, 70, 2);
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = f.params.func;
    p.kernel.gridDim = f.params.gridDim;
    p.kernel.blockDim = f.params.blockDim;
    p.kernel.kernelParams = f.args;
    cudaGraphEdgeData data;
    memset(&data, 0, sizeof data);
    NEED(cudaGraphAddNode_v2(&k, g, &s, &data, 1, &p));
    f.v = 80;
    CHECK_OK(cudaGraphNodeSetParams(k, &p));
    NEED(cudaGraphInstantiate(&e, g, 0));
    run(e);
    CHECK(word(0) == 80 && word(1) == 81 && word(2) == 6);
    f.v = 90;
    CHECK_OK(cudaGraphExecNodeSetParams(e, k, &p));
    run(e);
    CHECK(word(1) == 91);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddNode(&c, g, NULL, 0, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphNodeSetParams(s, &p)); // another type
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphExecNodeSetParams(e, s, &p));
    p.type = (enum cudaGraphNodeType)99;
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddNode(&c, g, NULL, 0, &p));
    CHECK_OK(cudaGraphExecDestroy(e));
    CHECK_OK(cudaGraphDestroy(g));
}

// An if whose condition is its default value.
static void conditionals(void) {
    cudaGraph_t g = new_graph();
    cudaGraphExec_t e;
    cudaGraphNode_t n;
    cudaGraphConditionalHandle handle = 0;
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional};
    CHECK_OK(cudaMemset(memory, 0, 16));
    NEED(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
    p.conditional.handle = handle;
    p.conditional.type = cudaGraphCondTypeIf;
    p.conditional.size = 1;
    NEED(cudaGraphAddNode(&n, g, NULL, 0, &p));
    CHECK(p.conditional.phGraph_out != NULL);
    add_fill(p.conditional.phGraph_out[0], NULL, memory, 33, 1);
    NEED(cudaGraphInstantiate(&e, g, 0));
    run(e);
    CHECK(word(0) == 33);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(NULL, g, 0, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, NULL, 0, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, g, 0, 8));
    CHECK_OK(cudaGraphExecDestroy(e));
    CHECK_OK(cudaGraphDestroy(g));
}

// ---- Executable graphs --------------------------------------------------------------------

static void instantiation(void) {
    cudaGraph_t g = new_graph();
    cudaGraphNode_t a = add_fill(g, NULL, memory, 1, 1), b = add_fill(g, a, memory, 2, 1);
    cudaGraphExec_t e;
    unsigned long long flags = 9;
    cudaGraphInstantiateParams p = {.flags = cudaGraphInstantiateFlagUpload,
                                    .uploadStream = stream};
    NEED(cudaGraphInstantiateWithParams(&e, g, &p));
    CHECK(p.result_out == cudaGraphInstantiateSuccess && p.errNode_out == NULL);
    CHECK_OK(cudaGraphExecGetFlags(e, &flags));
    CHECK(flags == cudaGraphInstantiateFlagUpload);
    CHECK_OK(cudaGraphUpload(e, stream));
    run(e);
    CHECK(word(0) == 2);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphInstantiate(NULL, g, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphInstantiate(&e, NULL, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&e, g, 1 << 20));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&e, g, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphExecGetFlags(e, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphLaunch(NULL, stream));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphUpload(NULL, stream));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphExecDestroy(NULL));
    CHECK_OK(cudaGraphLaunch(e, cudaStreamPerThread));
    CHECK_OK(cudaGraphLaunch(e, cudaStreamLegacy));
    CHECK_OK(cudaGraphExecDestroy(e)); // while it may run
    CHECK_OK(cudaDeviceSynchronize());
    if (on_kudzu())
        CHECK_ERROR(cudaErrorInvalidValue, cudaGraphLaunch(e, stream));
    CHECK_OK(cudaGraphAddDependencies(g, &b, &a, 1)); // a cycle
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&e, g, &p));
    CHECK(p.result_out == cudaGraphInstantiateInvalidStructure);
    CHECK_OK(cudaGraphDestroy(g));
}

// ---- Updates of whole graphs --------------------------------------------------------------

static cudaGraphExecUpdateResultInfo updated(cudaGraphExec_t e, cudaGraph_t g, cudaError_t want) {
    cudaGraphExecUpdateResultInfo info;
    memset(&info, 0xee, sizeof info);
    CHECK_ERROR(want, cudaGraphExecUpdate(e, g, &info));
    return info;
}

// Two kernels one after the other.
static cudaGraph_t pair(int v, cudaGraphNode_t *second) {
    cudaGraph_t g = new_graph();
    *second = add_fill(g, add_fill(g, NULL, memory, v, 1), memory + 1, v + 1, 1);
    return g;
}

static void updates(void) {
    cudaGraphNode_t n, m;
    cudaGraph_t g = pair(1, &n), h;
    cudaGraphExec_t e;
    cudaGraphExecUpdateResultInfo info;
    const cudaError_t failed = cudaErrorGraphExecUpdateFailure;
    NEED(cudaGraphInstantiate(&e, g, 0));
    CHECK_OK(cudaGraphDestroy(g));
    g = pair(11, &n);
    info = updated(e, g, cudaSuccess);
    CHECK(info.result == cudaGraphExecUpdateSuccess && !info.errorNode && !info.errorFromNode);
    run(e);
    CHECK(word(0) == 11 && word(1) == 12);
    CHECK_OK(cudaGraphDestroy(g));
    // A node more: no node to name.
    g = pair(21, &n);
    add_fill(g, n, memory, 0, 1);
    info = updated(e, g, failed);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    CHECK_OK(cudaGraphDestroy(g));
    // The edge is missing.
    g = new_graph();
    add_fill(g, NULL, memory, 1, 1);
    add_fill(g, NULL, memory, 2, 1);
    info = updated(e, g, failed);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    CHECK_OK(cudaGraphDestroy(g));
    // Another type.
    g = new_graph();
    m = add_fill(g, NULL, memory, 1, 1);
    NEED(cudaGraphAddEmptyNode(&n, g, &m, 1));
    info = updated(e, g, failed);
    CHECK(info.result == cudaGraphExecUpdateErrorNodeTypeChanged && info.errorNode == n);
    CHECK_OK(cudaGraphDestroy(g));
    // Another attribute that counts at instantiation.
    cudaLaunchAttributeValue v = {.cooperative = 1};
    g = pair(31, &n);
    CHECK_OK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeCooperative, &v));
    info = updated(e, g, failed);
    CHECK(info.result == cudaGraphExecUpdateErrorAttributesChanged && info.errorNode == n);
    CHECK_OK(cudaGraphDestroy(g));
    // What failed changed nothing.
    run(e);
    CHECK(word(0) == 11 && word(1) == 12);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphExecUpdate(NULL, NULL, &info));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphExecUpdate(e, NULL, &info));
    CHECK_OK(cudaGraphExecDestroy(e));
    // Parameters that cannot change: the shape of a copy.
    struct cudaMemcpy3DParms p = copy_of(memory, memory + 16, 16);
    g = new_graph();
    NEED(cudaGraphAddMemcpyNode(&n, g, NULL, 0, &p));
    NEED(cudaGraphInstantiate(&e, g, 0));
    h = new_graph();
    p.extent.height = 2;
    p.srcPtr.ysize = p.dstPtr.ysize = 2;
    p.srcPtr.pitch = p.dstPtr.pitch = 32;
    NEED(cudaGraphAddMemcpyNode(&m, h, NULL, 0, &p));
    info = updated(e, h, failed);
    CHECK(info.result == cudaGraphExecUpdateErrorParametersChanged && info.errorNode == m);
    CHECK_OK(cudaGraphExecDestroy(e));
    CHECK_OK(cudaGraphDestroy(g));
    CHECK_OK(cudaGraphDestroy(h));
}

// ---- User objects -------------------------------------------------------------------------

static void user_objects(void) {
    cudaGraph_t g = new_graph();
    cudaUserObject_t o;
    int freed = 0;
    NEED(cudaUserObjectCreate(&o, &freed, call, 2, cudaUserObjectNoDestructorSync));
    CHECK_OK(cudaUserObjectRetain(o, 1));
    CHECK_OK(cudaUserObjectRelease(o, 2));
    CHECK_OK(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
    CHECK(freed == 0);
    CHECK_ERROR(cudaErrorInvalidValue, cudaUserObjectCreate(NULL, &freed, call, 1, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaUserObjectCreate(&o, &freed, NULL, 1, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaUserObjectRetain(NULL, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphRetainUserObject(g, NULL, 1, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGraphRetainUserObject(g, o, 1, 4));
    CHECK_OK(cudaGraphReleaseUserObject(g, o, 1));
    CHECK_OK(cudaGraphDestroy(g));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < 1000000 && !*(volatile int *)&freed; i++)
        ;
    CHECK(freed == 1);
}

int main(void) {
    register_test_image();
    NEED(cudaMalloc((void **)&memory, N * 4));
    NEED(cudaStreamCreate(&stream));
    structure();
    kernels();
    copies();
    simple_nodes();
    memory_nodes();
    any_type();
    conditionals();
    instantiation();
    updates();
    user_objects();
    CHECK_OK(cudaStreamDestroy(stream));
    CHECK_OK(cudaFree(memory));
    return finish();
}
