// Graphs as the guide's listings build them by the runtime's C++ interface: streams that fork and
// join, user objects of a class, the update of an instantiated graph (6.2.8.7), and memory that
// graphs allocate, free and pass on to streams and to other graphs (16.3, 16.7, 16.8).
#include "check.h"

#include <atomic>

static cudaStream_t stream, second, third;
static cudaEvent_t ready, used;

__global__ void times_ten_plus(int *p, int digit) {
    *p = *p * 10 + digit;
}

__global__ void add(int *p, int by) {
    atomicAdd(p + threadIdx.x, by);
}

static cudaGraphNode_t kernel_node(cudaGraph_t graph, cudaGraphNode_t *behind, int n, int *p,
                                   int by) {
    cudaGraphNode_t node;
    void *args[] = {&p, &by};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = dim3(1);
    params.blockDim = dim3(32);
    params.kernelParams = args;
    CUDA(cudaGraphAddKernelNode(&node, graph, behind, n, &params));
    return node;
}

static void launch(cudaGraph_t graph, int times = 1) {
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph));
    while (times--)
        CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaGraphExecDestroy(exec));
}

// 6.2.8.7.3.1: two streams between events; the first kernel is before both, the last behind both.
static void fork_and_join() {
    int *p = shared_array<int>(2);
    cudaGraph_t graph;
    size_t nodes = 0, edges = 0;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    times_ten_plus<<<1, 1, 0, stream>>>(p, 1);
    CUDA(cudaEventRecord(ready, stream));
    CUDA(cudaStreamWaitEvent(second, ready));
    times_ten_plus<<<1, 1, 0, stream>>>(p, 2);
    times_ten_plus<<<1, 1, 0, second>>>(p + 1, 3);
    CUDA(cudaEventRecord(used, second));
    CUDA(cudaStreamWaitEvent(stream, used));
    times_ten_plus<<<1, 1, 0, stream>>>(p, 4);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
    CHECK(nodes == 4 && edges == 4 && p[0] == 0);
    launch(graph);
    CHECK(p[0] == 124 && p[1] == 3);
    CUDA(cudaGraphDestroy(graph));
}

// 6.2.8.7.4: the object lives as long as a graph, or a launch, that holds it.
static std::atomic<int> gone;

struct object {
    int *owned = new int[4];
    ~object() {
        delete[] owned;
        gone++;
    }
};

static void user_objects() {
    int *p = shared_array<int>(32);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaUserObject_t holder;
    CUDA(cudaGraphCreate(&graph, 0));
    kernel_node(graph, nullptr, 0, p, 1);
    CUDA(cudaUserObjectCreate(&holder, new object, 1, cudaUserObjectNoDestructorSync));
    CUDA(cudaGraphRetainUserObject(graph, holder, 1, cudaGraphUserObjectMove));
    CUDA(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CUDA(cudaGraphDestroy(graph));
    CHECK(gone == 0);
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaStreamSynchronize(0));
    for (long i = 0; i < 2000000000 && !gone; i++)
        ; // it happens in another thread
    CHECK(gone == 1 && p[31] == 1);
}

// 6.2.8.7.5.2: captured anew each time; another shape takes another instantiation.
static void updates() {
    int *p = shared_array<int>(32), expected = 0, made = 0;
    cudaGraphExec_t exec = nullptr;
    for (int i = 0; i < 10; i++) {
        cudaGraph_t graph;
        cudaGraphNode_t at;
        cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (int k = 0; k < 1 + i / 5; k++, expected += i)
            add<<<1, 32, 0, stream>>>(p, i);
        CUDA(cudaStreamEndCapture(stream, &graph));
        if (exec)
            CHECK((cudaGraphExecUpdate(exec, graph, &at, &result) == cudaSuccess) == (i != 5));
        (void)cudaGetLastError();
        if (!exec || result != cudaGraphExecUpdateSuccess) {
            if (exec)
                CUDA(cudaGraphExecDestroy(exec));
            CUDA(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
            made++;
        }
        CUDA(cudaGraphDestroy(graph));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
    }
    CUDA(cudaGraphExecDestroy(exec));
    CHECK(made == 2 && p[0] == expected && p[31] == expected);
}

// ---- Memory of graphs --------------------------------------------------------------------------

static cudaMemAllocNodeParams memory(size_t bytes) {
    cudaMemAllocNodeParams params = {};
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = bytes;
    return params;
}

static cudaGraphNode_t copy_out(cudaGraph_t graph, cudaGraphNode_t behind, int *to, void *from) {
    cudaGraphNode_t node;
    CUDA(cudaGraphAddMemcpyNode1D(&node, graph, &behind, 1, to, from, 128, cudaMemcpyDefault));
    return node;
}

static cudaGraphNode_t clear(cudaGraph_t graph, cudaGraphNode_t behind, void *p) {
    cudaGraphNode_t node;
    cudaMemsetParams params = {};
    params.dst = p;
    params.elementSize = 4;
    params.width = 32;
    params.height = 1;
    CUDA(cudaGraphAddMemsetNode(&node, graph, &behind, 1, &params));
    return node;
}

// 16.3.1: two users of an allocation, and a node that frees it behind both.
static void one_graph() {
    int *out = shared_array<int>(32);
    cudaGraph_t graph;
    cudaGraphNode_t alloc, release;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = memory(4096);
    CUDA(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params));
    int *p = (int *)params.dptr;
    cudaGraphNode_t set = clear(graph, alloc, p);
    cudaGraphNode_t a = kernel_node(graph, &set, 1, p, 1);
    cudaGraphNode_t users[] = {kernel_node(graph, &a, 1, p, 10), kernel_node(graph, &a, 1, p, 100)};
    cudaGraphNode_t copy;
    CUDA(cudaGraphAddMemcpyNode1D(&copy, graph, users, 2, out, p, 128, cudaMemcpyDefault));
    CUDA(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, p));
    kernel_node(graph, &users[1], 1, out + 0, 0);
    launch(graph, 3);
    CHECK(out[0] == 111 && out[31] == 111);
    CUDA(cudaGraphDestroy(graph));
}

// 16.3.3: allocated by a graph; used and freed in a stream, or by another graph behind events.
static void several_graphs() {
    int *out = shared_array<int>(32);
    cudaGraph_t making, freeing;
    cudaGraphExec_t make, release;
    cudaGraphNode_t alloc, node, waits[2];
    for (bool in_graphs : {false, true}) {
        CUDA(cudaGraphCreate(&making, 0));
        CUDA(cudaGraphCreate(&freeing, 0));
        cudaMemAllocNodeParams params = memory(1 << 16);
        CUDA(cudaGraphAddMemAllocNode(&alloc, making, nullptr, 0, &params));
        int *p = (int *)params.dptr;
        node = clear(making, alloc, p);
        if (in_graphs)
            CUDA(cudaGraphAddEventRecordNode(&node, making, &node, 1, ready));
        CUDA(cudaGraphInstantiate(&make, making, nullptr, nullptr, 0));
        int n = 0;
        if (in_graphs) {
            CUDA(cudaGraphAddEventWaitNode(&waits[n++], freeing, nullptr, 0, used));
            CUDA(cudaGraphAddEventWaitNode(&waits[n++], freeing, nullptr, 0, ready));
        }
        node = kernel_node(freeing, waits, n, p, 5);
        node = copy_out(freeing, node, out, p);
        CUDA(cudaGraphAddMemFreeNode(&node, freeing, &node, 1, p));
        CUDA(cudaGraphInstantiate(&release, freeing, nullptr, nullptr, 0));
        for (int round = 0; round < 3; round++) {
            CUDA(cudaGraphLaunch(make, stream));
            if (!in_graphs)
                CUDA(cudaEventRecord(ready, stream));
            CUDA(cudaStreamWaitEvent(second, ready));
            add<<<1, 32, 0, second>>>(p, 2);
            CUDA(cudaEventRecord(used, second));
            if (!in_graphs)
                CUDA(cudaStreamWaitEvent(third, used));
            CUDA(cudaGraphLaunch(release, third));
            CUDA(cudaStreamSynchronize(third));
            CHECK(out[0] == 7 && out[31] == 7);
        }
        CUDA(cudaGraphExecDestroy(make));
        CUDA(cudaGraphExecDestroy(release));
        CUDA(cudaGraphDestroy(making));
        CUDA(cudaGraphDestroy(freeing));
    }
    int *p;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync(&p, 4096, stream));
    CUDA(cudaMemsetAsync(p, 0, 4096, stream));
    CUDA(cudaStreamEndCapture(stream, &making));
    launch(making);
    add<<<1, 32, 0, stream>>>(p, 9);
    CUDA(cudaMemcpyAsync(out, p, 128, cudaMemcpyDefault, stream));
    CUDA(cudaFreeAsync(p, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(out[31] == 9);
    CUDA(cudaGraphDestroy(making));
}

// 16.3.4: what a producer has allocated is freed when it is launched again.
__global__ void produce(int *a, int *b) {
    a[threadIdx.x] = threadIdx.x;
    b[threadIdx.x] = 2 * threadIdx.x;
}

__global__ void consume(const int *from, int *sum, int factor) {
    atomicAdd(sum, from[threadIdx.x] * factor);
}

static void freed_on_launch() {
    int *a, *b, *sum = shared_array<int>(1);
    cudaGraph_t graph;
    cudaGraphExec_t producer, consumers[2];
    CUDA(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync(&a, 256, cudaStreamPerThread));
    CUDA(cudaMallocAsync(&b, 256, cudaStreamPerThread));
    produce<<<1, 64, 0, cudaStreamPerThread>>>(a, b);
    CUDA(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    CUDA(cudaGraphInstantiateWithFlags(&producer, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    CUDA(cudaGraphDestroy(graph));
    for (int i = 0; i < 2; i++) {
        CUDA(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
        consume<<<1, 64, 0, cudaStreamPerThread>>>(i ? b : a, sum, i ? 1000 : 1);
        CUDA(cudaStreamEndCapture(cudaStreamPerThread, &graph));
        CUDA(cudaGraphInstantiateWithFlags(&consumers[i], graph, 0));
        CUDA(cudaGraphDestroy(graph));
    }
    for (int round = 0; round < 4; round++) {
        CUDA(cudaGraphLaunch(producer, stream));
        CUDA(cudaGraphLaunch(consumers[0], stream));
        if (round == 2)
            CUDA(cudaGraphLaunch(consumers[1], stream));
    }
    CUDA(cudaFreeAsync(a, stream));
    CUDA(cudaFreeAsync(b, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(*sum == 4 * 2016 + 1000 * 4032);
    CUDA(cudaGraphExecDestroy(producer));
    for (cudaGraphExec_t consumer : consumers)
        CUDA(cudaGraphExecDestroy(consumer));
}

// 16.8: a graph with allocations becomes a part of another one, which owns it then.
static void moved() {
    int *out = shared_array<int>(32);
    cudaGraph_t child, parent;
    cudaGraphNode_t alloc, node;
    CUDA(cudaGraphCreate(&child, 0));
    CUDA(cudaGraphCreate(&parent, 0));
    cudaMemAllocNodeParams params = memory(4096);
    CUDA(cudaGraphAddMemAllocNode(&alloc, child, nullptr, 0, &params));
    int *p = (int *)params.dptr;
    node = clear(child, alloc, p);
    node = kernel_node(child, &node, 1, p, 6);
    node = copy_out(child, node, out, p);
    CUDA(cudaGraphAddMemFreeNode(&node, child, &node, 1, p));
    cudaGraphNodeParams of_child = {cudaGraphNodeTypeGraph};
    of_child.graph.graph = child;
    of_child.graph.ownership = cudaGraphChildGraphOwnershipMove;
    CUDA(cudaGraphAddNode_v2(&node, parent, nullptr, nullptr, 0, &of_child));
    launch(parent, 2);
    CHECK(out[0] == 6 && out[31] == 6);
    CUDA(cudaGraphDestroy(parent));
}

int main() {
    for (cudaStream_t *s : {&stream, &second, &third})
        CUDA(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
    for (cudaEvent_t *e : {&ready, &used})
        CUDA(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
    fork_and_join();
    user_objects();
    updates();
    one_graph();
    several_graphs();
    freed_on_launch();
    moved();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
