// Kernel nodes that kernels change: parameters, grid, and whether they run; what is refused.
#include "check.h"

struct pair {
    long a;
    int b;
};

// out[place] = blocks * 1000 + value: what the node was launched with.
__global__ void note(int *out, int place, int value, pair p) {
    if (threadIdx.x == 0)
        atomicAdd(&out[place], 1000);
    if (threadIdx.x == 0 && blockIdx.x == 0)
        atomicAdd(&out[place], value + (int)p.a + p.b);
}
// An element each: its grid decides how many, its parameter where.
__global__ void fill(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i + 1;
}

// Parameters of `note`: 0 out, 8 place, 12 value, 16 p.
__global__ void change(cudaGraphDeviceNode_t node, int *result, int value, int blocks, int enable) {
    result[0] = cudaGraphKernelNodeSetParam(node, 12, value);
    if (blocks)
        result[1] = cudaGraphKernelNodeSetGridDim(node, dim3(blocks));
    result[2] = cudaGraphKernelNodeSetEnabled(node, enable != 0);
}
__global__ void change_all(cudaGraphDeviceNode_t a, cudaGraphDeviceNode_t b, int *result) {
    pair p = {500, 60};
    cudaGraphKernelNodeUpdate u[3];
    u[0].node = a;
    u[0].field = cudaGraphKernelNodeFieldParam;
    u[0].updateData.param.pValue = &p;
    u[0].updateData.param.offset = 16;
    u[0].updateData.param.size = 12;
    u[1].node = a;
    u[1].field = cudaGraphKernelNodeFieldGridDim;
    u[1].updateData.gridDim.x = 3;
    u[1].updateData.gridDim.y = u[1].updateData.gridDim.z = 1;
    u[2].node = b;
    u[2].field = cudaGraphKernelNodeFieldEnabled;
    u[2].updateData.isEnabled = 0;
    result[0] = cudaGraphKernelNodeUpdatesApply(u, 3);
}
__global__ void refused(cudaGraphDeviceNode_t node, cudaGraphDeviceNode_t other, int *result) {
    int value = 1;
    result[0] = cudaGraphKernelNodeSetParam(node, 30, value); // behind the last parameter
    result[1] = cudaGraphKernelNodeSetParam(node, 0, nullptr, 4);
    result[2] = cudaGraphKernelNodeSetParam(node, 0, &value, 0);
    result[3] = cudaGraphKernelNodeSetGridDim(node, dim3(0));
    result[4] = cudaGraphKernelNodeSetGridDim(node, dim3(1, 70000));
    result[5] = cudaGraphKernelNodeSetEnabled(other, true); // of no executable graph
    result[6] = cudaGraphKernelNodeSetEnabled(nullptr, true);
    cudaGraphKernelNodeUpdate u = {};
    u.node = node;
    result[7] = cudaGraphKernelNodeUpdatesApply(&u, 1); // no field
    result[8] = cudaGraphKernelNodeUpdatesApply(nullptr, 1);
    result[9] = cudaGraphKernelNodeUpdatesApply(nullptr, 0);
    result[10] = cudaGetLastError();
}
__global__ void set_fill(cudaGraphDeviceNode_t node, int *out, int n, int blocks) {
    cudaGraphKernelNodeSetParam(node, 0, out);
    cudaGraphKernelNodeSetParam(node, 8, n);
    cudaGraphKernelNodeSetGridDim(node, dim3(blocks));
}

static cudaStream_t stream;
static int *out, *result;

static cudaGraphNode_t kernel_node(cudaGraph_t g, cudaGraphNode_t *after, void *kernel,
                                   void **params, int blocks) {
    cudaKernelNodeParams p = {};
    cudaGraphNode_t n;
    p.func = kernel;
    p.gridDim = dim3(blocks);
    p.blockDim = dim3(32);
    p.kernelParams = params;
    CUDA(cudaGraphAddKernelNode(&n, g, after, after ? 1 : 0, &p));
    return n;
}

static cudaGraphDeviceNode_t updatable(cudaGraphNode_t n) {
    cudaLaunchAttributeValue v = {};
    v.deviceUpdatableKernelNode.deviceUpdatable = 1;
    CUDA(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));
    memset(&v, 0, sizeof v);
    CUDA(cudaGraphKernelNodeGetAttribute(n, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));
    CHECK(v.deviceUpdatableKernelNode.deviceUpdatable == 1);
    CHECK(v.deviceUpdatableKernelNode.devNode != nullptr);
    return v.deviceUpdatableKernelNode.devNode;
}

static cudaGraphNode_t note_node(cudaGraph_t g, cudaGraphNode_t *after, int place) {
    static int value = 7;
    static pair p = {100, 20};
    void *params[] = {&out, &place, &value, &p};
    return kernel_node(g, after, (void *)note, params, 1);
}

// What the launches since have left in out[place].
static int taken(int place) {
    CUDA(cudaStreamSynchronize(stream));
    int x = out[place];
    out[place] = 0;
    return x;
}

// From a kernel outside of the graph, between its launches.
static void from_outside() {
    cudaGraph_t g;
    cudaGraphExec_t e, again;
    CUDA(cudaGraphCreate(&g, 0));
    cudaGraphNode_t n = note_node(g, nullptr, 0), plain = note_node(g, &n, 1);
    cudaGraphDeviceNode_t d = updatable(n);
    CUDA(cudaGraphInstantiate(&e, g, 0));
    CHECK(cudaGraphInstantiate(&again, g, 0) == cudaErrorNotSupported);
    CUDA(cudaGraphUpload(e, stream));
    CUDA(cudaGraphLaunch(e, stream));
    CHECK(taken(0) == 1127 && taken(1) == 1127);
    change<<<1, 1, 0, stream>>>(d, result, 9, 4, 1);
    CUDA(cudaGraphLaunch(e, stream));
    CHECK(taken(0) == 4129 && taken(1) == 1127);
    CHECK(result[0] == 0 && result[1] == 0 && result[2] == 0);
    CUDA(cudaGraphLaunch(e, stream)); // it lasts
    CHECK(taken(0) == 4129 && taken(1) == 1127);
    change<<<1, 1, 0, stream>>>(d, result, 1, 0, 0);
    CUDA(cudaGraphLaunch(e, stream));
    CUDA(cudaGraphLaunch(e, stream));
    CHECK(taken(0) == 0 && taken(1) == 2 * 1127);
    change<<<1, 1, 0, stream>>>(d, result, 2, 2, 1);
    CUDA(cudaGraphLaunch(e, stream));
    CHECK(taken(0) == 2122);

    // Rules of the attribute.
    cudaLaunchAttributeValue v = {};
    CHECK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeDeviceUpdatableKernelNode, &v) ==
          cudaErrorInvalidValue);
    CHECK(cudaGraphDestroyNode(n) == cudaErrorInvalidValue);
    CHECK(cudaGraphKernelNodeCopyAttributes(n, plain) == cudaErrorInvalidValue);
    CHECK(cudaGraphKernelNodeCopyAttributes(plain, n) == cudaErrorInvalidValue);
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(e, g, &info) == cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorNotSupported);
    v.deviceUpdatableKernelNode.deviceUpdatable = 2;
    CHECK(cudaGraphKernelNodeSetAttribute(plain, cudaLaunchAttributeDeviceUpdatableKernelNode,
                                          &v) == cudaErrorInvalidValue);

    // The node is known when its graph is gone, and not when the executable graph is.
    CUDA(cudaGraphDestroy(g));
    change<<<1, 1, 0, stream>>>(d, result, 3, 1, 1);
    CUDA(cudaGraphLaunch(e, stream));
    CHECK(taken(0) == 1123 && result[0] == 0);
    CUDA(cudaGraphExecDestroy(e));
    change<<<1, 1, 0, stream>>>(d, result, 3, 1, 1);
    CUDA(cudaStreamSynchronize(stream));
    CHECK(result[0] == cudaErrorInvalidValue);
    (void)cudaGetLastError();
}

// A node changes those behind it in its own launch.
static void from_inside() {
    cudaGraph_t g;
    cudaGraphExec_t e;
    CUDA(cudaGraphCreate(&g, 0));
    cudaGraphNode_t nodes[3];
    // The kernel that changes comes first; its parameters are known once the others are there.
    cudaGraphDeviceNode_t none = nullptr;
    void *nothing[] = {&none, &none, &result};
    nodes[0] = kernel_node(g, nullptr, (void *)change_all, nothing, 1);
    nodes[1] = note_node(g, &nodes[0], 2);
    nodes[2] = note_node(g, &nodes[1], 3);
    cudaGraphDeviceNode_t a = updatable(nodes[1]), b = updatable(nodes[2]);
    void *params[] = {&a, &b, &result};
    cudaKernelNodeParams p = {};
    p.func = (void *)change_all;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = params;
    CUDA(cudaGraphKernelNodeSetParams(nodes[0], &p));
    CUDA(cudaGraphInstantiate(&e, g, 0));
    CUDA(cudaGraphUpload(e, stream));
    for (int i = 0; i < 3; i++) {
        CUDA(cudaGraphLaunch(e, stream));
        CHECK(taken(2) == 3567 && taken(3) == 0 && result[0] == 0);
    }
    CUDA(cudaGraphExecDestroy(e));
    CUDA(cudaGraphDestroy(g));
}

// In a capture the launch's attribute becomes the node's, and the handle comes back through it.
static void captured() {
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
    attribute.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    pair p = {1, 2};
    CHECK(cudaLaunchKernelEx(&config, note, out, 4, 5, p) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaLaunchKernelEx(&config, note, out, 4, 5, p));
    CUDA(cudaStreamEndCapture(stream, &g));
    cudaGraphDeviceNode_t d = attribute.val.deviceUpdatableKernelNode.devNode;
    CHECK(d != nullptr);
    refused<<<1, 1, 0, stream>>>(d, d, result); // there is no executable graph yet
    CUDA(cudaStreamSynchronize(stream));
    CHECK(result[5] == cudaErrorInvalidValue);
    CUDA(cudaGraphInstantiate(&e, g, 0));
    change<<<1, 1, 0, stream>>>(d, result, 6, 2, 1);
    CUDA(cudaGraphLaunch(e, stream));
    CHECK(taken(4) == 2009);
    refused<<<1, 1, 0, stream>>>(d, nullptr, result);
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < 9; i++)
        CHECK(result[i] == cudaErrorInvalidValue);
    CHECK(result[9] == cudaSuccess && result[10] == cudaErrorInvalidValue);
    CUDA(cudaGraphLaunch(e, stream)); // nothing has changed
    CHECK(taken(4) == 2009);
    CUDA(cudaGraphExecDestroy(e));
    CUDA(cudaGraphDestroy(g));
}

// Larger and smaller grids, and a pointer that is aligned less: other code may be needed.
static void sizes() {
    cudaGraph_t g;
    cudaGraphExec_t e;
    int n = 1, blocks[] = {1, 40, 3, 200};
    int *list = shared_array<int>(32 * 200 + 1);
    CUDA(cudaGraphCreate(&g, 0));
    void *params[] = {&list, &n};
    cudaGraphNode_t node = kernel_node(g, nullptr, (void *)fill, params, 1);
    cudaGraphDeviceNode_t d = updatable(node);
    CUDA(cudaGraphInstantiate(&e, g, 0));
    for (int i = 0; i < 4; i++) {
        memset(list, 0, (32 * 200 + 1) * sizeof(int));
        int count = 32 * blocks[i] - 1;
        set_fill<<<1, 1, 0, stream>>>(d, list + i % 2, count, blocks[i]);
        CUDA(cudaGraphLaunch(e, stream));
        CUDA(cudaStreamSynchronize(stream));
        for (int k = 0; k < 32 * 200; k++)
            CHECK(list[k + i % 2] == (k < count ? k + 1 : 0));
    }
    CUDA(cudaGraphExecDestroy(e));
    CUDA(cudaGraphDestroy(g));
}

int main() {
    if (!on_kudzu())
        return 77; // NVIDIA's driver refuses these calls without its own device runtime library
    out = shared_array<int>(16);
    result = shared_array<int>(16);
    CUDA(cudaStreamCreate(&stream));
    from_outside();
    from_inside();
    captured();
    sizes();
    CUDA(cudaDeviceReset());
    printf("%d failures\n", failures);
    return failures != 0;
}
