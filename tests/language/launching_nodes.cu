// Kernels that launch kernels, copies or sets, as nodes of graphs: none in graphs for launches from
// the device (guide 6.2.8.7.7.2) and in bodies of conditional nodes (6.2.8.7.8.2); anywhere else a
// node that has begun with another kernel gets none (6.2.8.7.5).
#include "check.h"

__global__ void child(int *n) {
    atomicAdd(n, 1);
}
__device__ __noinline__ void launch(int *n) {
    child<<<1, 1>>>(n);
}
__device__ __noinline__ void add(int *n) {
    atomicAdd(n, 1);
}
__device__ void (*volatile chosen)(int *) = launch;
__device__ __noinline__ void middle(int *n) {
    launch(n);
}

__global__ void plain(int *n) { // nothing but a call of a function that launches nothing
    add(n);
}
__global__ void direct(int *n) {
    child<<<1, 1>>>(n);
}
__global__ void through_calls(int *n) {
    middle(n);
}
__global__ void through_pointer(int *n) {
    chosen(n);
}
__global__ void sets(int *n) {
    cudaMemsetAsync(n, 1, 4, cudaStreamFireAndForget);
}
__global__ void launches_graph(int *n, cudaGraphExec_t g) { // what device graphs are there for
    n[1] = cudaGraphLaunch(g, cudaStreamGraphFireAndForget);
}

typedef void (*kernel_t)(int *);
static int *n;

static void add_kernel(cudaGraph_t g, kernel_t kernel, cudaGraphNode_t *node = nullptr) {
    void *args[] = {&n};
    cudaGraphNode_t own;
    cudaKernelNodeParams p = {};
    p.func = (void *)kernel;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = args;
    CUDA(cudaGraphAddKernelNode(node ? node : &own, g, nullptr, 0, &p));
}

static cudaGraph_t graph_of(kernel_t kernel) {
    cudaGraph_t g;
    CUDA(cudaGraphCreate(&g, 0));
    add_kernel(g, kernel);
    return g;
}

// The result of an instantiation; a graph that could be made is launched and counts once.
static cudaError_t instantiate(cudaGraph_t g, unsigned flags) {
    cudaGraphExec_t e;
    cudaGraphInstantiateParams p = {};
    p.flags = flags;
    cudaError_t error = cudaGraphInstantiateWithParams(&e, g, &p);
    CHECK(p.result_out ==
          (error ? cudaGraphInstantiateNodeOperationNotSupported : cudaGraphInstantiateSuccess));
    CHECK(!error || p.errNode_out);
    (void)cudaGetLastError();
    *n = 0;
    if (!error) {
        CUDA(cudaGraphLaunch(e, 0));
        CUDA(cudaDeviceSynchronize());
        CHECK(*n != 0);
        CUDA(cudaGraphExecDestroy(e));
    }
    return error;
}

static cudaError_t for_device(kernel_t kernel) {
    cudaGraph_t g = graph_of(kernel), outer;
    cudaGraphNode_t node;
    cudaError_t error = instantiate(g, cudaGraphInstantiateFlagDeviceLaunch);
    CUDA(cudaGraphCreate(&outer, 0)); // the same in a child graph
    CUDA(cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, g));
    CHECK(instantiate(outer, cudaGraphInstantiateFlagDeviceLaunch) == error);
    CUDA(cudaGraphDestroy(outer));
    CUDA(cudaGraphDestroy(g));
    return error;
}

static cudaError_t in_body(kernel_t kernel, bool in_child = false) {
    cudaGraph_t g;
    cudaGraphNode_t node;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    CUDA(cudaGraphCreate(&g, 0));
    CUDA(cudaGraphConditionalHandleCreate(&p.conditional.handle, g, 1, cudaGraphCondAssignDefault));
    p.conditional.type = cudaGraphCondTypeIf;
    p.conditional.size = 1;
    CUDA(cudaGraphAddNode(&node, g, nullptr, 0, &p));
    cudaGraph_t body = p.conditional.phGraph_out[0];
    if (in_child) {
        cudaGraph_t child_graph = graph_of(kernel);
        CUDA(cudaGraphAddChildGraphNode(&node, body, nullptr, 0, child_graph));
        CUDA(cudaGraphDestroy(child_graph));
    } else {
        add_kernel(body, kernel);
    }
    cudaError_t error = instantiate(g, 0);
    CUDA(cudaGraphDestroy(g));
    return error;
}

// A graph of `from` becomes one of `to`, as a whole and by its node.
static void update(kernel_t from, kernel_t to, bool allowed) {
    cudaGraph_t a, b = graph_of(to);
    cudaGraphNode_t node;
    cudaGraphExec_t e;
    cudaGraphExecUpdateResultInfo info;
    CUDA(cudaGraphCreate(&a, 0));
    add_kernel(a, from, &node);
    CUDA(cudaGraphInstantiate(&e, a, 0));
    cudaError_t error = cudaGraphExecUpdate(e, b, &info);
    CHECK(error == (allowed ? cudaSuccess : cudaErrorGraphExecUpdateFailure));
    CHECK(info.result == (allowed ? cudaGraphExecUpdateSuccess
                                  : cudaGraphExecUpdateErrorUnsupportedFunctionChange));
    void *args[] = {&n};
    cudaKernelNodeParams p = {};
    p.func = (void *)to;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = args;
    error = cudaGraphExecKernelNodeSetParams(e, node, &p);
    CHECK(error == (allowed ? cudaSuccess : cudaErrorInvalidValue));
    (void)cudaGetLastError();
    *n = 0;
    CUDA(cudaGraphLaunch(e, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK(*n == 1);
    CUDA(cudaGraphExecDestroy(e));
    CUDA(cudaGraphDestroy(a));
    CUDA(cudaGraphDestroy(b));
}

int main() {
    if (!on_kudzu())
        return 77;
    n = shared_array<int>(2);
    const kernel_t launching[] = {direct, through_calls, through_pointer, sets};
    for (kernel_t kernel : launching) {
        CHECK(for_device(kernel) == cudaErrorNotSupported);
        CHECK(in_body(kernel) == cudaErrorNotSupported);
        CHECK(in_body(kernel, true) == cudaErrorNotSupported);
        cudaGraph_t g = graph_of(kernel);
        CHECK(instantiate(g, 0) == cudaSuccess);
        CUDA(cudaGraphDestroy(g));
    }
    CHECK(for_device(plain) == cudaSuccess);
    CHECK(in_body(plain) == cudaSuccess && in_body(plain, true) == cudaSuccess);

    update(plain, direct, false);
    update(plain, through_pointer, false);
    update(direct, plain, true);
    update(direct, through_calls, true);
    update(plain, child, true);

    cudaGraph_t g = graph_of(plain), outer;
    cudaGraphExec_t inner, e;
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaGraphInstantiate(&inner, g, cudaGraphInstantiateFlagDeviceLaunch));
    CUDA(cudaGraphUpload(inner, stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launches_graph<<<1, 1, 0, stream>>>(n, inner);
    CUDA(cudaStreamEndCapture(stream, &outer));
    CUDA(cudaGraphInstantiate(&e, outer, cudaGraphInstantiateFlagDeviceLaunch));
    n[0] = 0;
    n[1] = -1;
    CUDA(cudaGraphLaunch(e, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(n[0] == 1 && n[1] == cudaSuccess);
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
