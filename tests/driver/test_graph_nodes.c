// What graph nodes are made of, asked and changed: in graphs and in executable graphs, by the
// functions of each type and by those for all types.
#include <stdint.h>

#include "graph_kernels.h"

static CUdeviceptr memory; // 16 words

static void launch(CUgraphExec e) {
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
}

static unsigned launch_and_read(CUgraphExec e, unsigned place) {
    launch(e);
    return word(memory + 4 * place);
}

static int calls[3];

static void CUDA_CB count(void *user) {
    ++*(int *)user;
}

static void host_nodes(void) {
    CUDA_HOST_NODE_PARAMS first = {count, &calls[0]}, got, other = {count, &calls[1]},
                          none = {NULL, NULL};
    CUgraph g;
    CUgraphNode n, empty;
    CUgraphExec e;
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddHostNode(&n, g, NULL, 0, &first));
    NEED(cuGraphAddEmptyNode(&empty, g, NULL, 0));
    OK(cuGraphHostNodeGetParams(n, &got));
    CHECK(got.fn == count && got.userData == &calls[0]);
    EXPECT(cuGraphHostNodeGetParams(empty, &got), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphHostNodeGetParams(n, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphHostNodeSetParams(n, &none), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphHostNodeSetParams(n, NULL), CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphInstantiateWithFlags(&e, g, 0));
    OK(cuGraphHostNodeSetParams(n, &other)); // not in what was made of the graph before
    OK(cuGraphHostNodeGetParams(n, &got));
    CHECK(got.userData == &calls[1]);
    launch(e);
    CHECK(calls[0] == 1 && calls[1] == 0);
    other.userData = &calls[2];
    OK(cuGraphExecHostNodeSetParams(e, n, &other));
    EXPECT(cuGraphExecHostNodeSetParams(e, n, &none), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphExecHostNodeSetParams(e, empty, &other), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphHostNodeGetParams(n, &got));
    CHECK(got.userData == &calls[1]); // nor the other way round
    launch(e);
    CHECK(calls[0] == 1 && calls[1] == 0 && calls[2] == 1);
    OK(cuGraphExecDestroy(e));
    NEED(cuGraphInstantiateWithFlags(&e, g, 0));
    launch(e);
    CHECK(calls[0] == 1 && calls[1] == 1 && calls[2] == 1);
    OK(cuGraphExecDestroy(e));
    EXPECT(cuGraphInstantiateWithFlags(&e, g, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(g));
}

static void event_nodes(void) {
    CUgraph g;
    CUgraphNode record, wait;
    CUgraphExec e;
    CUevent events[3], got;
    for (int i = 0; i < 3; i++)
        NEED(cuEventCreate(&events[i], CU_EVENT_DEFAULT));
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddEventWaitNode(&wait, g, NULL, 0, events[2]));
    NEED(cuGraphAddEventRecordNode(&record, g, &wait, 1, events[0]));
    OK(cuGraphEventRecordNodeSetEvent(record, events[1]));
    OK(cuGraphEventRecordNodeGetEvent(record, &got));
    CHECK(got == events[1]);
    OK(cuGraphEventWaitNodeSetEvent(wait, events[0]));
    OK(cuGraphEventWaitNodeGetEvent(wait, &got));
    CHECK(got == events[0]);
    EXPECT(cuGraphEventRecordNodeSetEvent(wait, events[1]), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphEventWaitNodeSetEvent(record, events[1]), CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphExecEventRecordNodeSetEvent(e, record, events[2]));
    OK(cuGraphExecEventWaitNodeSetEvent(e, wait, events[1]));
    EXPECT(cuGraphExecEventRecordNodeSetEvent(e, wait, events[2]), CUDA_ERROR_INVALID_VALUE);
    // What was recorded first now ends before what the graph records.
    float ms = -1;
    OK(cuEventRecord(events[1], stream));
    launch(e);
    OK(cuEventElapsedTime(&ms, events[1], events[2]));
    CHECK(ms >= 0);
    OK(cuGraphEventRecordNodeGetEvent(record, &got));
    CHECK(got == events[1]);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    for (int i = 0; i < 3; i++)
        OK(cuEventDestroy(events[i]));
}

static CUstreamBatchMemOpParams write_op(unsigned place, unsigned value) {
    CUstreamBatchMemOpParams op;
    memset(&op, 0, sizeof op);
    op.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    op.writeValue.address = memory + 4 * place;
    op.writeValue.value = value;
    return op;
}

static void memory_operations(void) {
    CUstreamBatchMemOpParams ops[2] = {write_op(0, 11), write_op(1, 12)};
    CUDA_BATCH_MEM_OP_NODE_PARAMS p, got;
    CUgraph g;
    CUgraphNode n;
    CUgraphExec e;
    memset(&p, 0, sizeof p);
    OK(cuCtxGetCurrent(&p.ctx));
    p.count = 2;
    p.paramArray = ops;
    NEED(cuGraphCreate(&g, 0));
    EXPECT(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    p.flags = 1;
    EXPECT(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE);
    p.flags = 0;
    NEED(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &p));
    ops[0].writeValue.value = 99; // the node has copies
    OK(cuGraphBatchMemOpNodeGetParams(n, &got));
    CHECK(got.count == 2 && got.paramArray[0].writeValue.value == 11 &&
          got.paramArray[1].writeValue.address == memory + 4 && got.ctx == p.ctx);
    NEED(cuGraphInstantiate(&e, g, 0));
    CHECK(launch_and_read(e, 0) == 11 && word(memory + 4) == 12);
    p.count = 1;
    OK(cuGraphBatchMemOpNodeSetParams(n, &p));
    OK(cuGraphBatchMemOpNodeGetParams(n, &got));
    CHECK(got.count == 1 && got.paramArray[0].writeValue.value == 99);
    p.count = 2;
    ops[1].writeValue.value = 77;
    OK(cuGraphExecBatchMemOpNodeSetParams(e, n, &p));
    CHECK(launch_and_read(e, 0) == 99 && word(memory + 4) == 77);
    EXPECT(cuGraphExecBatchMemOpNodeSetParams(e, n, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
}

static void allocations(void) {
    CUDA_MEM_ALLOC_NODE_PARAMS p, got;
    CUgraph g;
    CUgraphNode alloc, free_node;
    CUdeviceptr freed = 0;
    memset(&p, 0, sizeof p);
    p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.bytesize = 1000;
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    NEED(cuGraphAddMemFreeNode(&free_node, g, &alloc, 1, p.dptr));
    OK(cuGraphMemAllocNodeGetParams(alloc, &got));
    CHECK(got.dptr == p.dptr && got.bytesize == 1000 &&
          got.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
    OK(cuGraphMemFreeNodeGetParams(free_node, &freed));
    CHECK(freed == p.dptr);
    EXPECT(cuGraphMemAllocNodeGetParams(free_node, &got), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphMemFreeNodeGetParams(alloc, &freed), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphMemFreeNodeGetParams(free_node, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(g));
}

static void copies_and_children(void) {
    CUgraph g, child, longer;
    CUgraphNode copy, inside, node, in_longer;
    CUgraphExec e;
    CUcontext ctx;
    CUDA_MEMCPY3D c = copy_1d(memory, memory + 8, 4), back;
    OK(cuCtxGetCurrent(&ctx));
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphCreate(&child, 0));
    inside = add_step(child, NULL, memory + 12, 2, 1);
    NEED(cuGraphAddMemcpyNode(&copy, g, NULL, 0, &c, ctx));
    NEED(cuGraphAddChildGraphNode(&node, g, &copy, 1, child));
    NEED(cuGraphInstantiate(&e, g, 0));
    unsigned values[4] = {0, 5, 6, 7};
    OK(cuMemcpyHtoD(memory, values, sizeof values));
    CHECK(launch_and_read(e, 0) == 6 && word(memory + 12) == 15);
    c.srcDevice = memory + 4;
    OK(cuGraphExecMemcpyNodeSetParams(e, copy, &c, ctx));
    CHECK(launch_and_read(e, 0) == 5 && word(memory + 12) == 31);
    OK(cuGraphMemcpyNodeGetParams(copy, &back));
    CHECK(back.srcDevice == memory + 8);
    EXPECT(cuGraphExecMemcpyNodeSetParams(e, node, &c, ctx), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphExecMemcpyNodeSetParams(e, copy, NULL, ctx), CUDA_ERROR_INVALID_VALUE);
    // The child's nodes get other parameters; a graph of another shape does not fit.
    unsigned mul = 1, add = 100;
    CUdeviceptr p = memory + 12;
    void *params[] = {&p, &mul, &add};
    CUDA_KERNEL_NODE_PARAMS k = kernel_params(step, 1, 1, params);
    OK(cuGraphKernelNodeSetParams(inside, &k));
    OK(cuGraphExecChildGraphNodeSetParams(e, node, child));
    launch(e);
    CHECK(word(memory + 12) == 131);
    NEED(cuGraphClone(&longer, child));
    NEED(cuGraphAddEmptyNode(&in_longer, longer, NULL, 0));
    EXPECT(cuGraphExecChildGraphNodeSetParams(e, node, longer), CUDA_ERROR_INVALID_VALUE);
    launch(e);
    CHECK(word(memory + 12) == 231);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(longer));
    OK(cuGraphDestroy(child));
    OK(cuGraphDestroy(g));
}

// The functions that take a description of any type.
static void any_type(void) {
    CUgraph g;
    CUgraphNode kernel, set;
    CUgraphExec e;
    CUgraphNodeParams p;
    CUDA_MEMSET_NODE_PARAMS m = {memory + 16, 0, 3, 4, 1, 1}, seen;
    CUcontext ctx;
    unsigned mul = 3, add = 1;
    CUdeviceptr at = memory + 20;
    void *params[] = {&at, &mul, &add};
    OK(cuCtxGetCurrent(&ctx));
    NEED(cuGraphCreate(&g, 0));
    kernel = add_step(g, NULL, at, 1, 1);
    NEED(cuGraphAddMemsetNode(&set, g, &kernel, 1, &m, ctx));
    memset(&p, 0, sizeof p);
    p.type = CU_GRAPH_NODE_TYPE_KERNEL;
    p.kernel.func = step;
    p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
    p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1;
    p.kernel.kernelParams = params;
    EXPECT(cuGraphNodeSetParams(set, &p), CUDA_ERROR_INVALID_VALUE); // another type
    EXPECT(cuGraphNodeSetParams(kernel, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphNodeSetParams(kernel, &p));
    p.reserved0[1] = 1;
    EXPECT(cuGraphNodeSetParams(kernel, &p), CUDA_ERROR_INVALID_VALUE);
    p.reserved0[1] = 0;
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuMemsetD32(memory + 16, 5, 2));
    CHECK(launch_and_read(e, 5) == 16 && word(memory + 16) == 3);
    add = 10;
    OK(cuGraphExecNodeSetParams(e, kernel, &p));
    CHECK(launch_and_read(e, 5) == 58);
    memset(&p, 0, sizeof p);
    p.type = CU_GRAPH_NODE_TYPE_MEMSET;
    p.memset.dst = memory + 16;
    p.memset.value = 8;
    p.memset.elementSize = 4;
    p.memset.width = p.memset.height = 1;
    p.memset.ctx = ctx;
    OK(cuGraphExecNodeSetParams(e, set, &p));
    EXPECT(cuGraphExecNodeSetParams(e, kernel, &p), CUDA_ERROR_INVALID_VALUE);
    CHECK(launch_and_read(e, 4) == 8);
    OK(cuGraphMemsetNodeGetParams(set, &seen));
    CHECK(seen.value == 3);
    p.memset.value = 9;
    OK(cuGraphNodeSetParams(set, &p));
    OK(cuGraphMemsetNodeGetParams(set, &seen));
    CHECK(seen.value == 9);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
}

int main(void) {
    CUcontext ctx = graph_context();
    NEED(cuMemAlloc(&memory, 64));
    host_nodes();
    event_nodes();
    memory_operations();
    allocations();
    copies_and_children();
    any_type();
    OK(cuCtxDestroy(ctx));
    return check_result();
}
