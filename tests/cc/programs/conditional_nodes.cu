// Conditional nodes whose values kernels set: Newton's method in a WHILE body captured from a
// stream, an IF with an else, a SWITCH; by the runtime's functions.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            printf("%s: %s\n", #call, cudaGetErrorString(error));                                  \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

__global__ void newton(double *x, double square, cudaGraphConditionalHandle handle) {
    double next = 0.5 * (*x + square / *x);
    cudaGraphSetConditional(handle, fabs(next - *x) > 1e-12);
    *x = next;
}

__global__ void choose(const double *x, cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, *x > 1.5 ? 2 : 1);
}

__global__ void note(int *at, int value) {
    *at = *at * 10 + value;
}

static int add_conditional(cudaGraph_t graph, cudaGraphNode_t after,
                           cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                           unsigned size, cudaGraph_t *bodies, cudaGraphNode_t *node) {
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    CHECK(cudaGraphAddNode(node, graph, after ? &after : nullptr, after != nullptr, &params));
    for (unsigned i = 0; i < size; i++)
        bodies[i] = params.conditional.phGraph_out[i];
    return 0;
}

static int add_note(cudaGraph_t graph, int *at, int value) {
    cudaKernelNodeParams params = {};
    cudaGraphNode_t node;
    void *arguments[] = {&at, &value};
    params.func = (void *)note;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    return 0;
}

static int run(double square, int expected) {
    cudaGraph_t graph, loop, cases[3], either[2], same;
    cudaGraphNode_t node, chooser;
    cudaGraphConditionalHandle again, which, is;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    double *x, start = square;
    int *notes, got = 0;
    CHECK(cudaMalloc(&x, sizeof *x));
    CHECK(cudaMalloc(&notes, sizeof *notes));
    CHECK(cudaMemset(notes, 0, sizeof *notes));
    CHECK(cudaMemcpy(x, &start, sizeof start, cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    CHECK(cudaGraphConditionalHandleCreate(&which, graph));
    CHECK(cudaGraphConditionalHandleCreate(&is, graph, 0, cudaGraphCondAssignDefault));
    if (add_conditional(graph, nullptr, again, cudaGraphCondTypeWhile, 1, &loop, &node))
        return 1;
    CHECK(cudaStreamBeginCaptureToGraph(stream, loop, nullptr, nullptr, 0,
                                        cudaStreamCaptureModeGlobal));
    newton<<<1, 1, 0, stream>>>(x, square, again);
    CHECK(cudaStreamEndCapture(stream, &same));
    CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &node, nullptr, 1,
                                        cudaStreamCaptureModeGlobal));
    choose<<<1, 1, 0, stream>>>(x, which);
    const cudaGraphNode_t *last;
    cudaStreamCaptureStatus status;
    size_t n;
    CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, &n));
    chooser = last[0];
    CHECK(cudaStreamEndCapture(stream, &same));
    if (add_conditional(graph, chooser, which, cudaGraphCondTypeSwitch, 3, cases, &node))
        return 1;
    for (int i = 0; i < 3; i++)
        if (add_note(cases[i], notes, i + 1))
            return 1;
    if (add_conditional(graph, node, is, cudaGraphCondTypeIf, 2, either, &node) ||
        add_note(either[0], notes, 8) || add_note(either[1], notes, 9))
        return 1;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&start, x, sizeof start, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&got, notes, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    CHECK(cudaFree(notes));
    if (std::fabs(start - std::sqrt(square)) > 1e-9 || got != expected) {
        printf("root of %g: %.15g, notes %d instead of %d\n", square, start, got, expected);
        return 1;
    }
    return 0;
}

int main() {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    if (strncmp(properties.name, "kudzu ", 6) != 0)
        return 77; // a GPU's values are set by NVIDIA's device runtime library alone
    return run(2.0, 29) || run(9.0, 39);
}
