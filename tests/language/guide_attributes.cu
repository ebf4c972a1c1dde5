// Attributes, flags and hints that listings of the guide set by the runtime's names: 6.2.3 (windows
// of the L2 cache), 6.2.7.5 (synchronization domains), 6.2.8.7 (external waits), 15 and 16 (pools,
// memory of graphs, moved graphs), 20 (carveouts), 24 (managed memory). What is set is read back.
#include "check.h"

#include <cstdint>

__global__ void add(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i]++;
}

static int attribute(cudaDeviceAttr a) {
    int v = -1;
    CUDA(cudaDeviceGetAttribute(&v, a, 0));
    return v;
}

// 6.2.3.2: a window of a stream, and of a graph's kernel node.
static void windows(int *p, int n) {
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    cudaStreamAttrValue set = {}, got = {};
    set.accessPolicyWindow.base_ptr = p;
    set.accessPolicyWindow.num_bytes = n * sizeof *p;
    set.accessPolicyWindow.hitRatio = 0.5f;
    set.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    set.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    CUDA(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &set));
    CUDA(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &got));
    CHECK(got.accessPolicyWindow.base_ptr == p && got.accessPolicyWindow.hitRatio == 0.5f &&
          got.accessPolicyWindow.num_bytes == n * sizeof *p);
    add<<<n / 64, 64, 0, stream>>>(p, n);
    set.accessPolicyWindow.num_bytes = 0; // off
    CUDA(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &set));
    CUDA(cudaCtxResetPersistingL2Cache());

    cudaGraph_t graph;
    cudaGraphNode_t node;
    void *arguments[] = {&p, &n};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = dim3(n / 64);
    params.blockDim = dim3(64);
    params.kernelParams = arguments;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    cudaKernelNodeAttrValue of_node = {}, back = {};
    of_node.accessPolicyWindow.base_ptr = p;
    of_node.accessPolicyWindow.num_bytes = 4096;
    of_node.accessPolicyWindow.hitRatio = 1;
    of_node.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    CUDA(
        cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributeAccessPolicyWindow, &of_node));
    CUDA(cudaGraphKernelNodeGetAttribute(node, cudaKernelNodeAttributeAccessPolicyWindow, &back));
    CHECK(back.accessPolicyWindow.base_ptr == p && back.accessPolicyWindow.num_bytes == 4096);

    // 16: the graph moves into another, which runs it.
    cudaGraph_t parent;
    cudaGraphNode_t in_parent;
    cudaGraphNodeParams child = {cudaGraphNodeTypeGraph};
    CUDA(cudaGraphCreate(&parent, 0));
    child.graph.graph = graph;
    child.graph.ownership = cudaGraphChildGraphOwnershipMove;
    CUDA(cudaGraphAddNode_v2(&in_parent, parent, nullptr, nullptr, 0, &child));
    CHECK(cudaGraphDestroy(graph) != cudaSuccess); // it is the parent's
    (void)cudaGetLastError();
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, parent, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(p[0] == 2 && p[n - 1] == 2);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(parent));
    CUDA(cudaStreamDestroy(stream));
}

// 6.2.7.5
static void domains(int *p, int n) {
    int count = attribute(cudaDevAttrMemSyncDomainCount);
    CHECK(count >= 1);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    cudaLaunchAttributeValue map = {}, got = {};
    map.memSyncDomainMap.default_ = 0;
    map.memSyncDomainMap.remote = (unsigned char)(count > 1);
    CUDA(cudaStreamSetAttribute(stream, cudaLaunchAttributeMemSyncDomainMap, &map));
    CUDA(cudaStreamGetAttribute(stream, cudaLaunchAttributeMemSyncDomainMap, &got));
    CHECK(got.memSyncDomainMap.remote == (count > 1));
    map = {};
    map.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    CUDA(cudaStreamSetAttribute(stream, cudaLaunchAttributeMemSyncDomain, &map));
    cudaLaunchAttribute own;
    own.id = cudaLaunchAttributeMemSyncDomain;
    own.val.memSyncDomain = cudaLaunchMemSyncDomainDefault;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(n / 64);
    config.blockDim = dim3(64);
    config.stream = stream;
    config.attrs = &own;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, add, p, n));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(p[5] == 3);
    CUDA(cudaStreamDestroy(stream));
}

// 20.7.3 and its like
static void carveouts() {
    for (int carveout : {(int)cudaSharedmemCarveoutDefault, (int)cudaSharedmemCarveoutMaxL1, 50,
                         (int)cudaSharedmemCarveoutMaxShared}) {
        cudaFuncAttributes got;
        CUDA(cudaFuncSetAttribute(add, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
        CUDA(cudaFuncGetAttributes(&got, add));
        CHECK(got.preferredShmemCarveout == carveout);
    }
    CHECK(cudaFuncSetAttribute(add, cudaFuncAttributePreferredSharedMemoryCarveout, 101) ==
          cudaErrorInvalidValue);
    (void)cudaGetLastError();
}

// 24: what a device can do, and advice that is taken back.
static void managed(int *p, int n) {
    CHECK(attribute(cudaDevAttrManagedMemory) == 1);
    int concurrent = attribute(cudaDevAttrConcurrentManagedAccess);
    CHECK(attribute(cudaDevAttrPageableMemoryAccess) >= 0 &&
          attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables) >= 0 &&
          attribute(cudaDevAttrDirectManagedMemAccessFromHost) >= 0 &&
          attribute(cudaDevAttrHostNativeAtomicSupported) >= 0 &&
          attribute(cudaDevAttrComputePreemptionSupported) >= 0);
    if (!concurrent)
        return;
    size_t bytes = n * sizeof *p;
    int value = -1, users[2] = {-3, -3};
    CUDA(cudaMemAdvise(p, bytes, cudaMemAdviseSetReadMostly, 0));
    CUDA(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, bytes));
    CHECK(value == 1);
    CUDA(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetReadMostly, 0));
    CUDA(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, bytes));
    CHECK(value == 0);
    CUDA(cudaMemAdvise(p, bytes, cudaMemAdviseSetAccessedBy, 0));
    CUDA(cudaMemRangeGetAttribute(users, 8, cudaMemRangeAttributeAccessedBy, p, bytes));
    CHECK(users[0] == 0 && users[1] == cudaInvalidDeviceId);
    CUDA(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetAccessedBy, 0));
    CUDA(cudaMemRangeGetAttribute(users, 8, cudaMemRangeAttributeAccessedBy, p, bytes));
    CHECK(users[0] == cudaInvalidDeviceId);
    cudaMemLocation node = {cudaMemLocationTypeHostNuma, 0};
    CUDA(cudaMemPrefetchAsync_v2(p, bytes, node, 0, nullptr));
    CUDA(cudaDeviceSynchronize());
}

// 15.9 to 15.11, 16.4
static void pools() {
    cudaMemPool_t pool;
    CHECK(attribute(cudaDevAttrMemoryPoolSupportedHandleTypes) &
          cudaMemHandleTypePosixFileDescriptor);
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    for (cudaMemPoolAttr reuse :
         {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
          cudaMemPoolReuseAllowInternalDependencies})
        for (int on = 0; on < 2; on++) {
            int got = -1;
            CUDA(cudaMemPoolSetAttribute(pool, reuse, &on));
            CUDA(cudaMemPoolGetAttribute(pool, reuse, &got));
            CHECK(got == on);
        }
    void *p, *q;
    uint64_t current = 0, high = 0, zero = 0;
    CUDA(cudaMallocAsync(&p, 1 << 20, 0));
    CUDA(cudaMallocAsync(&q, 1 << 20, 0));
    CUDA(cudaFreeAsync(q, 0));
    CUDA(cudaStreamSynchronize(0));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &current));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    CHECK(current >= 1 << 20 && high >= current + (1 << 20));
    CUDA(cudaFreeAsync(p, 0));
    CUDA(cudaStreamSynchronize(0));
    CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    CHECK(high == 0);
    uint64_t reserved = 1;
    CUDA(cudaDeviceGraphMemTrim(0));
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    CHECK(reserved == 0);
}

// 6.2.8.7.3.2: a captured stream waits for what was not captured by a flag alone.
static void external_wait() {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    size_t nodes = 0;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaEventCreate(&event));
    CUDA(cudaEventRecord(event, 0));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CUDA(cudaStreamWaitEvent(stream, event, cudaEventWaitExternal));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 1);
    cudaGraphNode_t node;
    cudaGraphNodeType type;
    CUDA(cudaGraphGetNodes(graph, &node, &nodes));
    CUDA(cudaGraphNodeGetType(node, &type));
    CHECK(type == cudaGraphNodeTypeWaitEvent);
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaStreamWaitEvent(stream, event, 0) == cudaErrorStreamCaptureIsolation);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    (void)cudaGetLastError();
    CUDA(cudaEventDestroy(event));
    CUDA(cudaStreamDestroy(stream));
}

// 21.5: one stream for all threads, or one for each.
static void entry_points() {
    cudaDriverEntryPointQueryResult result;
    void *legacy = nullptr, *own = nullptr;
    CUDA(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &legacy, 7000, cudaEnableLegacyStream,
                                          &result));
    CHECK(result == cudaDriverEntryPointSuccess);
    CUDA(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &own, 7000,
                                          cudaEnablePerThreadDefaultStream, &result));
    CHECK(result == cudaDriverEntryPointSuccess && legacy && own && legacy != own);
}

static void pinned() {
    static int words[4096];
    int *device, n = 4096;
    CUDA(cudaHostRegister(words, sizeof words, cudaHostRegisterPortable | cudaHostRegisterMapped));
    CUDA(cudaHostGetDevicePointer((void **)&device, words, 0));
    add<<<n / 64, 64>>>(device, n);
    CUDA(cudaDeviceSynchronize());
    CHECK(words[0] == 1 && words[4095] == 1);
    CUDA(cudaHostUnregister(words));
}

int main() {
    enum { N = 4096 };
    int *p = shared_array<int>(N);
    windows(p, N);
    domains(p, N);
    carveouts();
    managed(p, N);
    pools();
    external_wait();
    entry_points();
    pinned();
    CUDA(cudaFree(p));
    printf("%d failures\n", failures);
    return failures != 0;
}
