// Conditional nodes: IF with and without else, WHILE, SWITCH, nested; default values, updates, what
// a body may hold, handles.
#include "check.h"

#include "kernels.h"

// set(handle, value): what cudaGraphSetConditional does.
// count_down(handle, counter): *counter -= 1; the condition is its new value.
// note(at, value): *at = *at * 10 + value.
static const char ptx[] =
    PTX_HEAD ".visible .entry set(.param .u64 handle, .param .u32 value)\n"
             "{\n"
             "    .reg .b32 %r<2>;\n"
             "    .reg .b64 %rd<2>;\n"
             "    ld.param.u64 %rd1, [handle];\n"
             "    ld.param.u32 %r1, [value];\n"
             "    st.volatile.u32 [%rd1], %r1;\n"
             "    ret;\n"
             "}\n"
             ".visible .entry count_down(.param .u64 handle, .param .u64 counter)\n"
             "{\n"
             "    .reg .b32 %r<3>;\n"
             "    .reg .b64 %rd<3>;\n"
             "    ld.param.u64 %rd1, [handle];\n"
             "    ld.param.u64 %rd2, [counter];\n"
             "    ld.u32 %r1, [%rd2];\n"
             "    sub.u32 %r2, %r1, 1;\n"
             "    st.u32 [%rd2], %r2;\n"
             "    st.volatile.u32 [%rd1], %r2;\n"
             "    ret;\n"
             "}\n"
             ".visible .entry note(.param .u64 at, .param .u32 value)\n"
             "{\n"
             "    .reg .b32 %r<4>;\n"
             "    .reg .b64 %rd<2>;\n"
             "    ld.param.u64 %rd1, [at];\n"
             "    ld.param.u32 %r1, [value];\n"
             "    ld.u32 %r2, [%rd1];\n"
             "    mad.lo.u32 %r3, %r2, 10, %r1;\n"
             "    st.u32 [%rd1], %r3;\n"
             "    ret;\n"
             "}\n";

static CUfunction set, count_down, note;
static CUstream stream;
static unsigned *memory; // pinned: [0] the notes, [1] and [2] counters

// ---- Helpers ------------------------------------------------------------------------------

static CUgraph graph_new(void) {
    CUgraph g;
    NEED(cuGraphCreate(&g, 0));
    return g;
}

static CUgraphNode add_kernel(CUgraph g, CUgraphNode after, CUfunction f, void *a, void *b) {
    void *params[] = {a, b};
    CUDA_KERNEL_NODE_PARAMS p = {f, 1, 1, 1, 1, 1, 1, 0, params, NULL, NULL, NULL};
    CUgraphNode node;
    NEED(cuGraphAddKernelNode(&node, g, after ? &after : NULL, after != NULL, &p));
    return node;
}

static CUgraphNode add_note(CUgraph g, CUgraphNode after, unsigned value) {
    CUdeviceptr at = (CUdeviceptr)(uintptr_t)memory;
    return add_kernel(g, after, note, &at, &value);
}

static CUgraphConditionalHandle handle_new(CUgraph g, unsigned value, unsigned flags) {
    CUgraphConditionalHandle handle = 0;
    NEED(cuGraphConditionalHandleCreate(&handle, g, NULL, value, flags));
    CHECK(handle != 0);
    return handle;
}

static CUresult try_conditional(CUgraph g, CUgraphNode after, CUgraphConditionalHandle handle,
                                CUgraphConditionalNodeType type, unsigned size, CUgraph *bodies,
                                CUgraphNode *node) {
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    CUresult result = cuGraphAddNode(node, g, after ? &after : NULL, after != NULL, &p);
    for (unsigned i = 0; result == CUDA_SUCCESS && i < size; i++)
        bodies[i] = p.conditional.phGraph_out[i];
    return result;
}

static CUgraphNode add_conditional(CUgraph g, CUgraphNode after, CUgraphConditionalHandle handle,
                                   CUgraphConditionalNodeType type, unsigned size,
                                   CUgraph *bodies) {
    CUgraphNode node = NULL;
    NEED(try_conditional(g, after, handle, type, size, bodies, &node));
    return node;
}

static CUgraphExec instantiate(CUgraph g) {
    CUgraphExec exec;
    NEED(cuGraphInstantiate(&exec, g, 0));
    return exec;
}

// The notes that a launch leaves.
static unsigned run(CUgraphExec exec) {
    memory[0] = 0;
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    return memory[0];
}

// ---- Kinds --------------------------------------------------------------------------------

static void if_else(void) {
    CUgraph g = graph_new(), body, both[2];
    CUgraphConditionalHandle a = handle_new(g, 0, 0),
                             b = handle_new(g, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    unsigned value = 5;
    CUgraphNode setter = add_kernel(g, NULL, set, &a, &value);
    CUgraphNode first = add_conditional(g, setter, a, CU_GRAPH_COND_TYPE_IF, 1, &body);
    add_note(body, NULL, 1);
    CUgraphNode second = add_conditional(g, first, b, CU_GRAPH_COND_TYPE_IF, 2, both);
    add_note(both[0], NULL, 2);
    add_note(both[1], NULL, 3);
    add_note(g, second, 4);
    CUgraphExec exec = instantiate(g);
    CHECK(run(exec) == 124);
    CHECK(run(exec) == 124);
    OK(cuGraphExecDestroy(exec));
    value = 0;
    CUDA_KERNEL_NODE_PARAMS p;
    OK(cuGraphKernelNodeGetParams(setter, &p));
    void *params[] = {&a, &value};
    p.kernelParams = params;
    p.extra = NULL;
    OK(cuGraphKernelNodeSetParams(setter, &p));
    add_kernel(both[0], NULL, set, &b, &value); // the default comes back with each launch
    exec = instantiate(g);
    CHECK(run(exec) == 24);
    CHECK(run(exec) == 24);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(g));
}

// The outer loop turns three times, the inner one 4 times in each.
static void nested_loops(void) {
    CUgraph g = graph_new(), outer, inner;
    CUgraphConditionalHandle a = handle_new(g, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    CUdeviceptr outer_counter = (uintptr_t)&memory[1], inner_counter = (uintptr_t)&memory[2];
    add_conditional(g, NULL, a, CU_GRAPH_COND_TYPE_WHILE, 1, &outer);
    CUgraphConditionalHandle b = handle_new(outer, 1, 0);
    unsigned four = 4;
    CUgraphNode begin = add_kernel(outer, NULL, set, &inner_counter, &four);
    begin = add_kernel(outer, begin, set, &b, &four);
    CUgraphNode loop = add_conditional(outer, begin, b, CU_GRAPH_COND_TYPE_WHILE, 1, &inner);
    add_kernel(inner, add_note(inner, NULL, 1), count_down, &b, &inner_counter);
    add_kernel(outer, add_note(outer, loop, 2), count_down, &a, &outer_counter);
    CUgraphExec exec = instantiate(g);
    for (int i = 0; i < 3; i++) {
        memory[1] = 3;
        CHECK(run(exec) == (unsigned)(111121111211112 % 4294967296));
        CHECK(memory[1] == 0 && memory[2] == 0);
    }
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(g));
}

static void switches(void) {
    CUgraph g = graph_new(), bodies[3];
    CUgraphConditionalHandle a = handle_new(g, 0, 0);
    CUdeviceptr counter = (uintptr_t)&memory[1];
    CUgraphNode setter = add_kernel(g, NULL, count_down, &a, &counter);
    add_conditional(g, setter, a, CU_GRAPH_COND_TYPE_SWITCH, 3, bodies);
    for (unsigned i = 0; i < 3; i++)
        add_note(bodies[i], NULL, 7 + i);
    CUgraphExec exec = instantiate(g);
    memory[1] = 5; // one more than there are bodies, then beyond, then each
    CHECK(run(exec) == 0);
    CHECK(run(exec) == 0);
    CHECK(run(exec) == 9);
    CHECK(run(exec) == 8);
    CHECK(run(exec) == 7);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(g));
}

// A body's condition may have a handle that was made for the graph around it, not one of another.
static void handle_of_outer_graph(void) {
    CUgraph g = graph_new(), other = graph_new(), body, inner;
    CUgraphConditionalHandle a = handle_new(g, 1, CU_GRAPH_COND_ASSIGN_DEFAULT),
                             b = handle_new(g, 1, CU_GRAPH_COND_ASSIGN_DEFAULT),
                             c = handle_new(other, 1, 0);
    add_conditional(g, NULL, a, CU_GRAPH_COND_TYPE_IF, 1, &body);
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                           .conditional = {.handle = c, .type = CU_GRAPH_COND_TYPE_IF, .size = 1}};
    CUgraphNode n;
    EXPECT(cuGraphAddNode(&n, body, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE);
    add_conditional(body, NULL, b, CU_GRAPH_COND_TYPE_IF, 1, &inner);
    add_note(inner, NULL, 8);
    CUgraphExec exec = instantiate(g);
    CHECK(run(exec) == 8);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(g));
    OK(cuGraphDestroy(other));
}

// ---- Bodies -------------------------------------------------------------------------------

static void captured_body(void) {
    CUgraph g = graph_new(), body, same;
    CUgraphConditionalHandle a = handle_new(g, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    CUdeviceptr at = (uintptr_t)memory;
    unsigned value = 6;
    void *params[] = {&at, &value};
    add_conditional(g, NULL, a, CU_GRAPH_COND_TYPE_IF, 1, &body);
    OK(cuStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemsetD32Async(at, 9, 1, stream));
    OK(cuLaunchKernel(note, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    OK(cuStreamEndCapture(stream, &same));
    CHECK(same == body);
    CUgraphExec exec = instantiate(g);
    OK(cuGraphDestroy(g)); // the handle's value stays as long as the executable graph
    CHECK(run(exec) == 96);
    OK(cuGraphExecDestroy(exec));
}

static void CUDA_CB host_function(void *arg) {
}

static void restrictions(void) {
    CUgraph g = graph_new(), body, other = graph_new();
    CUgraphConditionalHandle a = handle_new(g, 1, 0), foreign = handle_new(other, 1, 0);
    CUDA_HOST_NODE_PARAMS host = {host_function, NULL};
    CUgraphNode node;
    CUgraphExec exec;
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
    const CUresult invalid = CUDA_ERROR_INVALID_VALUE;
    EXPECT(cuGraphConditionalHandleCreate(NULL, g, NULL, 0, 0), invalid);
    EXPECT(cuGraphConditionalHandleCreate(&a, NULL, NULL, 0, 0), invalid);
    EXPECT(cuGraphConditionalHandleCreate(&a, g, NULL, 0, 2), invalid);
    EXPECT(try_conditional(g, NULL, 0, CU_GRAPH_COND_TYPE_IF, 1, &body, &node), invalid);
    EXPECT(try_conditional(g, NULL, a + 4, CU_GRAPH_COND_TYPE_IF, 1, &body, &node), invalid);
    EXPECT(try_conditional(g, NULL, foreign, CU_GRAPH_COND_TYPE_IF, 1, &body, &node), invalid);
    EXPECT(try_conditional(g, NULL, a, CU_GRAPH_COND_TYPE_IF, 0, &body, &node), invalid);
    EXPECT(try_conditional(g, NULL, a, CU_GRAPH_COND_TYPE_IF, 3, &body, &node), invalid);
    EXPECT(try_conditional(g, NULL, a, CU_GRAPH_COND_TYPE_WHILE, 2, &body, &node), invalid);
    EXPECT(try_conditional(g, NULL, a, CU_GRAPH_COND_TYPE_SWITCH, 0, &body, &node), invalid);
    EXPECT(try_conditional(g, NULL, a, (CUgraphConditionalNodeType)3, 1, &body, &node), invalid);
    EXPECT(cuGraphInstantiateWithParams(&exec, g, &params), invalid);
    CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
    OK(try_conditional(g, NULL, a, CU_GRAPH_COND_TYPE_IF, 1, &body, &node));
    EXPECT(try_conditional(g, NULL, a, CU_GRAPH_COND_TYPE_IF, 1, &body, &node), invalid);
    EXPECT(cuGraphDestroy(body), invalid);
    NEED(cuGraphAddHostNode(&node, body, NULL, 0, &host));
    EXPECT(cuGraphInstantiateWithParams(&exec, g, &params), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED &&
          params.hErrNode_out == node);
    OK(cuGraphDestroy(g));
    OK(cuGraphDestroy(other));
}

// ---- Executable graphs --------------------------------------------------------------------

static CUgraph updatable(unsigned condition, unsigned value) {
    CUgraph g = graph_new(), bodies[2];
    CUgraphConditionalHandle a = handle_new(g, condition, CU_GRAPH_COND_ASSIGN_DEFAULT);
    add_conditional(g, NULL, a, CU_GRAPH_COND_TYPE_IF, 2, bodies);
    add_note(bodies[0], NULL, value);
    add_note(bodies[1], NULL, value + 1);
    return g;
}

// The default values change with the whole graph.
static void updates(void) {
    CUgraph g = updatable(1, 3), h = updatable(0, 5);
    CUgraphExecUpdateResultInfo info;
    CUgraphExec exec = instantiate(g);
    CHECK(run(exec) == 3);
    OK(cuGraphExecUpdate(exec, h, &info));
    OK(cuGraphDestroy(h));
    CHECK(run(exec) == 6);
    OK(cuGraphExecUpdate(exec, g, &info));
    CHECK(run(exec) == 3);
    OK(cuGraphDestroy(g));
    CHECK(run(exec) == 3);
    OK(cuGraphExecDestroy(exec));
}

// Executable graphs of one graph share the value: they do not run at the same time.
static void two_of_one(void) {
    CUgraph g = graph_new(), body;
    CUgraphExec exec[2];
    CUstream streams[2];
    CUgraphConditionalHandle a = handle_new(g, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    CUdeviceptr counter = (uintptr_t)&memory[1];
    unsigned twenty = 20;
    CUgraphNode setter = add_kernel(g, NULL, set, &counter, &twenty);
    add_conditional(g, setter, a, CU_GRAPH_COND_TYPE_WHILE, 1, &body);
    add_kernel(body, NULL, count_down, &a, &counter);
    for (int i = 0; i < 2; i++) {
        exec[i] = instantiate(g);
        NEED(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    }
    for (int i = 0; i < 100; i++)
        OK(cuGraphLaunch(exec[i % 2], streams[i % 2]));
    OK(cuCtxSynchronize());
    CHECK(memory[1] == 0);
    for (int i = 0; i < 2; i++) {
        OK(cuGraphExecDestroy(exec[i]));
        OK(cuStreamDestroy(streams[i]));
    }
    OK(cuGraphDestroy(g));
}

int main(void) {
    CUmodule module;
    CUcontext ctx = check_context();
    NEED(cuModuleLoadData(&module, ptx));
    NEED(cuModuleGetFunction(&set, module, "set"));
    NEED(cuModuleGetFunction(&count_down, module, "count_down"));
    NEED(cuModuleGetFunction(&note, module, "note"));
    NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    NEED(cuMemAllocHost((void **)&memory, 64));
    if_else();
    nested_loops();
    handle_of_outer_graph();
    switches();
    captured_body();
    restrictions();
    updates();
    two_of_one();
    OK(cuMemFreeHost(memory));
    OK(cuStreamDestroy(stream));
    OK(cuCtxDestroy(ctx));
    return check_result();
}
