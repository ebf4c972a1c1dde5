// Graphs as objects: nodes, parameters, edges with edge data, clones, user objects, memory nodes.
#include <stdint.h>

#include "graph_kernels.h"

static void nodes_and_edges(void) {
    CUgraph g, other;
    CUgraphNode n[4], got[6], from[6], to[6], foreign;
    size_t count = 6;
    CUgraphNodeType type;
    EXPECT(cuGraphCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphCreate(&g, 1), CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphCreate(&other, 0));
    OK(cuGraphAddEmptyNode(&n[0], g, NULL, 0));
    OK(cuGraphAddEmptyNode(&n[1], g, n, 1));
    OK(cuGraphAddEmptyNode(&n[2], g, n, 1));
    OK(cuGraphAddEmptyNode(&n[3], g, &n[1], 2));
    OK(cuGraphAddEmptyNode(&foreign, other, NULL, 0));
    EXPECT(cuGraphAddEmptyNode(NULL, g, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphAddEmptyNode(got, g, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphAddEmptyNode(got, g, &foreign, 1), CUDA_ERROR_INVALID_VALUE);
    got[0] = got[1] = n[0];
    EXPECT(cuGraphAddEmptyNode(&got[2], g, got, 2), CUDA_ERROR_INVALID_VALUE); // twice
    OK(cuGraphGetNodes(g, NULL, &count));
    CHECK(count == 4); // those that failed left nothing
    count = 6;
    OK(cuGraphGetNodes(g, got, &count));
    CHECK(count == 4 && !memcmp(got, n, sizeof n) && got[4] == NULL && got[5] == NULL);
    count = 2;
    OK(cuGraphGetNodes(g, got, &count));
    CHECK(count == 2);
    count = 6;
    OK(cuGraphGetRootNodes(g, got, &count));
    CHECK(count == 1 && got[0] == n[0]);
    count = 6;
    OK(cuGraphGetEdges(g, from, to, &count));
    CHECK(count == 4 && from[0] == n[0] && to[0] == n[1] && from[3] == n[2] && to[3] == n[3]);
    EXPECT(cuGraphGetEdges(g, from, NULL, &count), CUDA_ERROR_INVALID_VALUE);
    count = 6;
    OK(cuGraphNodeGetDependencies(n[3], got, &count));
    CHECK(count == 2 && got[0] == n[1] && got[1] == n[2]);
    OK(cuGraphNodeGetDependentNodes(n[0], NULL, &count));
    CHECK(count == 2);
    OK(cuGraphNodeGetType(n[0], &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_EMPTY);
    // Changes of edges: all or none.
    from[0] = n[0], to[0] = n[3], from[1] = n[0], to[1] = n[1];
    EXPECT(cuGraphAddDependencies(g, from, to, 2), CUDA_ERROR_INVALID_VALUE); // the second exists
    OK(cuGraphGetEdges(g, NULL, NULL, &count));
    CHECK(count == 4);
    OK(cuGraphAddDependencies(g, from, to, 1));
    OK(cuGraphRemoveDependencies(g, from, to, 1));
    EXPECT(cuGraphRemoveDependencies(g, from, to, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphAddDependencies(g, from, from, 1), CUDA_ERROR_INVALID_VALUE); // to itself
    EXPECT(cuGraphAddDependencies(g, &foreign, to, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphAddDependencies(g, NULL, NULL, 0));
    OK(cuGraphDestroyNode(n[1]));
    EXPECT(cuGraphDestroyNode(n[1]), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphNodeGetType(n[1], &type), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphNodeGetDependencies(n[3], NULL, &count));
    CHECK(count == 1);
    OK(cuGraphDestroy(g));
    EXPECT(cuGraphDestroy(g), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphNodeGetType(n[0], &type), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(other));
}

static void edge_data(void) {
    CUgraph g;
    CUgraphNode a, b, empty, got;
    CUgraphEdgeData programmatic = {
        CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {0}};
    CUgraphEdgeData back, wrong = programmatic;
    CUdeviceptr p;
    size_t count = 1;
    NEED(cuMemAlloc(&p, 4));
    NEED(cuGraphCreate(&g, 0));
    a = add_step(g, NULL, p, 1, 1);
    b = add_step(g, NULL, p, 1, 1);
    OK(cuGraphAddEmptyNode(&empty, g, NULL, 0));
    OK(cuGraphAddDependencies_v2(g, &a, &b, &programmatic, 1));
    EXPECT(cuGraphAddDependencies_v2(g, &a, &empty, &programmatic, 1), CUDA_ERROR_INVALID_VALUE);
    wrong.to_port = 1;
    EXPECT(cuGraphAddDependencies_v2(g, &b, &a, &wrong, 1), CUDA_ERROR_INVALID_VALUE);
    wrong = programmatic, wrong.reserved[2] = 1;
    EXPECT(cuGraphAddDependencies_v2(g, &b, &a, &wrong, 1), CUDA_ERROR_INVALID_VALUE);
    wrong = programmatic, wrong.type = 9;
    EXPECT(cuGraphAddDependencies_v2(g, &b, &a, &wrong, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphNodeGetDependencies(b, &got, &count), CUDA_ERROR_LOSSY_QUERY);
    count = 1;
    OK(cuGraphNodeGetDependencies_v2(b, &got, &back, &count));
    CHECK(count == 1 && got == a && !memcmp(&back, &programmatic, sizeof back));
    EXPECT(cuGraphRemoveDependencies(g, &a, &b, 1), CUDA_ERROR_INVALID_VALUE); // other data
    OK(cuGraphRemoveDependencies_v2(g, &a, &b, &programmatic, 1));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

static void parameters(void) {
    CUgraph g;
    CUgraphNode k, m, c, h;
    CUdeviceptr p;
    CUDA_KERNEL_NODE_PARAMS kp;
    CUDA_MEMSET_NODE_PARAMS mp, wrong;
    CUDA_MEMCPY3D cp;
    CUDA_HOST_NODE_PARAMS hp = {0};
    CUkernelNodeAttrValue v;
    NEED(cuMemAlloc(&p, 64));
    NEED(cuGraphCreate(&g, 0));
    k = add_step(g, NULL, p, 3, 4);
    OK(cuGraphKernelNodeGetParams(k, &kp));
    CHECK(kp.func == step && kp.gridDimX == 1 && *(CUdeviceptr *)kp.kernelParams[0] == p &&
          *(unsigned *)kp.kernelParams[1] == 3 && *(unsigned *)kp.kernelParams[2] == 4);
    kp.blockDimX = 2000;
    EXPECT(cuGraphKernelNodeSetParams(k, &kp), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphKernelNodeGetParams(k, &kp));
    CHECK(kp.blockDimX == 1); // nothing changed
    unsigned mul = 7;
    void *params[] = {kp.kernelParams[0], &mul, kp.kernelParams[2]};
    kp.kernelParams = params;
    OK(cuGraphKernelNodeSetParams(k, &kp));
    OK(cuGraphKernelNodeGetParams(k, &kp));
    CHECK(*(unsigned *)kp.kernelParams[1] == 7 && *(unsigned *)kp.kernelParams[2] == 4);
    kp.func = NULL;
    EXPECT(cuGraphKernelNodeSetParams(k, &kp), CUDA_ERROR_INVALID_VALUE);
    mp = (CUDA_MEMSET_NODE_PARAMS){p, 0, 9, 4, 8, 1};
    OK(cuGraphAddMemsetNode(&m, g, &k, 1, &mp, NULL));
    memset(&mp, 0, sizeof mp);
    OK(cuGraphMemsetNodeGetParams(m, &mp));
    CHECK(mp.dst == p && mp.value == 9 && mp.elementSize == 4 && mp.width == 8 && mp.height == 1);
    wrong = mp, wrong.elementSize = 3;
    EXPECT(cuGraphMemsetNodeSetParams(m, &wrong), CUDA_ERROR_INVALID_VALUE);
    wrong = mp, wrong.width = 17;
    EXPECT(cuGraphMemsetNodeSetParams(m, &wrong), CUDA_ERROR_INVALID_VALUE);
    wrong = mp, wrong.width = 0;
    EXPECT(cuGraphMemsetNodeSetParams(m, &wrong), CUDA_ERROR_INVALID_VALUE);
    cp = copy_1d(p, p + 32, 32);
    OK(cuGraphAddMemcpyNode(&c, g, &m, 1, &cp, NULL));
    OK(cuGraphMemcpyNodeGetParams(c, &cp));
    CHECK(cp.srcDevice == p + 32 && cp.WidthInBytes == 32);
    cp.WidthInBytes = 33;
    EXPECT(cuGraphMemcpyNodeSetParams(c, &cp), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphAddHostNode(&h, g, NULL, 0, &hp), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphMemcpyNodeGetParams(k, &cp), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphKernelNodeGetParams(c, &kp), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphKernelNodeGetParams(k, NULL), CUDA_ERROR_INVALID_VALUE);
    // Attributes.
    memset(&v, 0, sizeof v);
    OK(cuGraphKernelNodeGetAttribute(k, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
    CHECK(v.priority == 0);
    v.priority = -2;
    OK(cuGraphKernelNodeSetAttribute(k, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
    CUgraphNode second = add_step(g, NULL, p, 1, 1);
    OK(cuGraphKernelNodeCopyAttributes(second, k));
    memset(&v, 0, sizeof v);
    OK(cuGraphKernelNodeGetAttribute(second, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
    CHECK(v.priority == -2);
    EXPECT(cuGraphKernelNodeSetAttribute(m, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphKernelNodeSetAttribute(k, (CUkernelNodeAttrID)77, &v), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

static void any_type(void) {
    CUgraph g;
    CUgraphNode n, w;
    CUgraphNodeParams p;
    CUdeviceptr d;
    unsigned back = 0;
    CUgraphExec e;
    NEED(cuMemAlloc(&d, 4));
    NEED(cuGraphCreate(&g, 0));
    memset(&p, 0, sizeof p);
    p.type = CU_GRAPH_NODE_TYPE_MEMSET;
    p.memset.dst = d, p.memset.value = 5, p.memset.elementSize = 4;
    p.memset.width = p.memset.height = 1;
    OK(cuGraphAddNode(&n, g, NULL, 0, &p));
    CUstreamBatchMemOpParams op;
    memset(&op, 0, sizeof op);
    op.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    op.waitValue.address = d, op.waitValue.value = 5;
    op.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    memset(&p, 0, sizeof p);
    p.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    p.memOp.count = 1, p.memOp.paramArray = &op;
    OK(cuGraphAddNode_v2(&w, g, &n, NULL, 1, &p));
    op.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    op.writeValue.value = 6, op.writeValue.flags = 0;
    OK(cuGraphAddNode(&w, g, &w, 1, &p));
    p.reserved2 = 1;
    EXPECT(cuGraphAddNode(&w, g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE);
    p.reserved2 = 0, p.type = (CUgraphNodeType)99;
    EXPECT(cuGraphAddNode(&w, g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphAddNode(&w, g, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    OK(cuMemcpyDtoHAsync(&back, d, 4, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(back == 6);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(d));
}

static void clones(void) {
    CUgraph g, child, clone, inner, clone_inner;
    CUgraphNode a, b, n, found, inside, clone_inside;
    CUdeviceptr p;
    size_t count = 1;
    NEED(cuMemAlloc(&p, 4));
    NEED(cuGraphCreate(&child, 0));
    add_step(child, NULL, p, 1, 1);
    NEED(cuGraphCreate(&g, 0));
    a = add_step(g, NULL, p, 2, 0);
    OK(cuGraphAddChildGraphNode(&b, g, &a, 1, child));
    OK(cuGraphClone(&clone, g));
    OK(cuGraphNodeFindInClone(&found, a, clone));
    CHECK(found != a);
    OK(cuGraphNodeFindInClone(&n, b, clone));
    OK(cuGraphNodeGetDependencies(n, &inside, &count));
    CHECK(count == 1 && inside == found);
    OK(cuGraphChildGraphNodeGetGraph(b, &inner));
    OK(cuGraphChildGraphNodeGetGraph(n, &clone_inner));
    CHECK(inner != child && clone_inner != inner);
    count = 1;
    OK(cuGraphGetNodes(inner, &inside, &count));
    OK(cuGraphNodeFindInClone(&clone_inside, inside, clone_inner));
    EXPECT(cuGraphNodeFindInClone(&clone_inside, a, clone_inner), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphDestroy(inner), CUDA_ERROR_INVALID_VALUE); // a node's
    OK(cuGraphDestroyNode(found));
    EXPECT(cuGraphNodeFindInClone(&n, a, clone), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(clone));
    OK(cuGraphDestroy(g));
    OK(cuGraphDestroy(child));
    OK(cuMemFree(p));
}

// ---- Updates ------------------------------------------------------------------------------

// No graph can lie in itself, cloned or moved, at whatever depth.
static void child_of_itself(void) {
    CUgraph g, inner, below;
    CUgraphNode n, m;
    CUgraphExec e;
    CUgraphNodeParams p;
    size_t count = 0;
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphCreate(&inner, 0));
    EXPECT(cuGraphAddChildGraphNode(&n, g, NULL, 0, g), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphAddChildGraphNode(&n, g, NULL, 0, inner));
    OK(cuGraphChildGraphNodeGetGraph(n, &below));
    EXPECT(cuGraphAddChildGraphNode(&m, below, NULL, 0, g), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphAddChildGraphNode(&m, below, NULL, 0, inner));
    OK(cuGraphChildGraphNodeGetGraph(m, &below));
    EXPECT(cuGraphAddChildGraphNode(&m, below, NULL, 0, g), CUDA_ERROR_INVALID_VALUE);
    memset(&p, 0, sizeof p);
    p.type = CU_GRAPH_NODE_TYPE_GRAPH;
    p.graph.graph = g;
    p.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    EXPECT(cuGraphAddNode(&m, below, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphGetNodes(g, NULL, &count));
    CHECK(count == 1);
    OK(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(inner));
    OK(cuGraphDestroy(g));
}

static void update_nodes(void) {
    CUgraph g;
    CUgraphExec e;
    CUgraphNode a, b, foreign;
    CUdeviceptr p;
    unsigned m = 10, c = 3, on = 9;
    NEED(cuMemAlloc(&p, 64));
    NEED(cuGraphCreate(&g, 0));
    CUDA_MEMSET_NODE_PARAMS set = {p, 0, 1, 4, 1, 1};
    OK(cuGraphAddMemsetNode(&a, g, NULL, 0, &set, NULL));
    b = add_step(g, a, p, 2, 1);
    NEED(cuGraphInstantiate(&e, g, 0));
    void *params[] = {&p, &m, &c};
    CUDA_KERNEL_NODE_PARAMS k = kernel_params(step, 1, 1, params);
    OK(cuGraphLaunch(e, stream));
    // Launches that are queued keep what they had.
    unsigned results[8];
    for (unsigned i = 0; i < 8; i++) {
        c = i;
        OK(cuGraphExecKernelNodeSetParams(e, b, &k));
        OK(cuGraphLaunch(e, stream));
        OK(cuMemcpyDtoHAsync(&results[i], p, 4, stream));
    }
    OK(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < 8; i++)
        CHECK(results[i] == 10 + i);
    set.value = 4;
    OK(cuGraphExecMemsetNodeSetParams(e, a, &set, NULL));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 47);
    OK(cuGraphNodeGetEnabled(e, b, &on));
    CHECK(on == 1);
    OK(cuGraphNodeSetEnabled(e, b, 0));
    OK(cuGraphNodeGetEnabled(e, b, &on));
    CHECK(on == 0);
    c = 100;
    OK(cuGraphExecKernelNodeSetParams(e, b, &k)); // takes effect when it is enabled again
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 4);
    OK(cuGraphNodeSetEnabled(e, b, 1));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 140);
    set.height = 2, set.pitch = 8, set.width = 2;
    EXPECT(cuGraphExecMemsetNodeSetParams(e, a, &set, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphExecKernelNodeSetParams(e, a, &k), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphAddEmptyNode(&foreign, g, NULL, 0)); // after the instantiation
    EXPECT(cuGraphNodeSetEnabled(e, foreign, 0), CUDA_ERROR_INVALID_VALUE);
    k.blockDimX = 5000;
    EXPECT(cuGraphExecKernelNodeSetParams(e, b, &k), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphLaunch(e, stream)); // as before the failed changes
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 140);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

static CUgraph two_branches(CUdeviceptr p, unsigned m, CUgraphNode *last) {
    CUgraph g;
    CUgraphNode root, deps[2];
    NEED(cuGraphCreate(&g, 0));
    OK(cuGraphAddEmptyNode(&root, g, NULL, 0));
    deps[0] = add_step(g, root, p, m, 1);
    deps[1] = add_step(g, root, p + 4, m, 2);
    OK(cuGraphAddEmptyNode(last, g, deps, 2));
    return g;
}

// The function of a kernel node cannot change to one of another context.
static void function_of_another_context(CUdeviceptr p, CUgraphExec e) {
    CUcontext here, other;
    CUmodule m;
    CUfunction f;
    CUgraph g;
    CUgraphNode last;
    CUgraphExecUpdateResultInfo info;
    OK(cuCtxGetCurrent(&here));
    NEED(cuCtxCreate(&other, 0, 0));
    NEED(cuModuleLoadData(&m, graph_ptx));
    NEED(cuModuleGetFunction(&f, m, "step"));
    CUfunction mine = step;
    step = f;
    g = two_branches(p, 9, &last);
    step = mine;
    OK(cuCtxSetCurrent(here));
    EXPECT(cuGraphExecUpdate(e, g, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE && info.errorNode);
    OK(cuGraphDestroy(g));
    OK(cuCtxDestroy(other));
    OK(cuCtxSetCurrent(here));
}

static void update_whole(void) {
    CUgraph g, like, unlike;
    CUgraphExec e;
    CUgraphNode last, extra;
    CUgraphExecUpdateResultInfo info;
    CUdeviceptr p;
    NEED(cuMemAlloc(&p, 8));
    g = two_branches(p, 2, &last);
    NEED(cuGraphInstantiate(&e, g, 0));
    like = two_branches(p, 5, &last);
    OK(cuGraphExecUpdate(e, like, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    OK(cuMemsetD32(p, 1, 2));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 6 && word(p + 4) == 7);
    unlike = two_branches(p, 5, &last);
    OK(cuGraphAddEmptyNode(&extra, unlike, &last, 1));
    EXPECT(cuGraphExecUpdate(e, unlike, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED && info.errorNode == NULL);
    OK(cuGraphDestroyNode(extra));
    OK(cuGraphDestroyNode(last)); // as many nodes, other edges
    OK(cuGraphAddEmptyNode(&extra, unlike, NULL, 0));
    EXPECT(cuGraphExecUpdate(e, unlike, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    OK(cuGraphDestroy(unlike));
    // A node of another type.
    NEED(cuGraphCreate(&unlike, 0));
    CUgraphNode root, deps[2];
    CUDA_MEMSET_NODE_PARAMS set = {p, 0, 1, 4, 1, 1};
    OK(cuGraphAddEmptyNode(&root, unlike, NULL, 0));
    deps[0] = add_step(unlike, root, p, 1, 1);
    OK(cuGraphAddMemsetNode(&deps[1], unlike, &root, 1, &set, NULL));
    OK(cuGraphAddEmptyNode(&last, unlike, deps, 2));
    EXPECT(cuGraphExecUpdate(e, unlike, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED && info.errorNode == deps[1]);
    EXPECT(cuGraphExecUpdate(e, unlike, NULL), CUDA_ERROR_INVALID_VALUE);
    function_of_another_context(p, e);
    OK(cuGraphDestroy(unlike));
    OK(cuMemsetD32(p, 1, 2));
    OK(cuGraphLaunch(e, stream)); // failed updates change nothing
    OK(cuStreamSynchronize(stream));
    CHECK(word(p) == 6 && word(p + 4) == 7);
    OK(cuGraphDestroy(like));
    OK(cuGraphDestroy(g));
    OK(cuGraphExecDestroy(e));
    OK(cuMemFree(p));
}

// ---- User objects -------------------------------------------------------------------------

static void count_up(void *arg) {
    __atomic_fetch_add((int *)arg, 1, __ATOMIC_SEQ_CST);
}

static int count_of(int *at) {
    for (int i = 0; i < 2000 && !__atomic_load_n(at, __ATOMIC_SEQ_CST); i++)
        cuStreamSynchronize(stream);
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

static void user_objects(void) {
    CUuserObject o;
    CUgraph g, clone;
    CUgraphExec e;
    CUgraphNode n;
    int ended = 0;
    EXPECT(cuUserObjectCreate(&o, &ended, count_up, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuUserObjectCreate(&o, &ended, NULL, 1, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuUserObjectCreate(&o, &ended, count_up, 0, 1), CUDA_ERROR_INVALID_VALUE);
    NEED(cuUserObjectCreate(&o, &ended, count_up, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cuUserObjectRetain(o, 3));
    EXPECT(cuUserObjectRelease(o, 6), CUDA_ERROR_INVALID_VALUE);
    OK(cuUserObjectRelease(o, 4));
    NEED(cuGraphCreate(&g, 0));
    OK(cuGraphAddEmptyNode(&n, g, NULL, 0));
    OK(cuGraphRetainUserObject(g, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(cuGraphRetainUserObject(g, o, 2, 0));
    EXPECT(cuGraphReleaseUserObject(g, o, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphReleaseUserObject(g, o, 1));
    OK(cuGraphClone(&clone, g));
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphDestroy(g));
    OK(cuGraphDestroy(clone));
    CHECK(ended == 0); // the executable graph has references
    OK(cuGraphLaunch(e, stream));
    OK(cuGraphExecDestroy(e));
    OK(cuStreamSynchronize(stream));
    CHECK(count_of(&ended) == 1);
    EXPECT(cuUserObjectRelease(o, 1), CUDA_ERROR_INVALID_VALUE);
}

// ---- Memory nodes -------------------------------------------------------------------------

static CUdeviceptr add_alloc(CUgraph g, CUgraphNode after, size_t bytes, CUgraphNode *out) {
    CUDA_MEM_ALLOC_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.bytesize = bytes;
    NEED(cuGraphAddMemAllocNode(out, g, &after, after ? 1 : 0, &p));
    return p.dptr;
}

static cuuint64_t memory_attribute(CUgraphMem_attribute a) {
    cuuint64_t bytes = 0;
    OK(cuDeviceGetGraphMemAttribute(0, a, &bytes));
    return bytes;
}

static cuuint64_t reserved(void) {
    return memory_attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
}

static cuuint64_t in_use(void) {
    return memory_attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
}

static void memory(void) {
    enum { BYTES = 1 << 20 };
    CUgraph g, clone, freeing;
    CUgraphExec e, second, f;
    CUgraphNode alloc, freed, again, set, n;
    CUdeviceptr p, q, r;
    NEED(cuGraphCreate(&g, 0));
    p = add_alloc(g, NULL, BYTES, &alloc);
    OK(cuGraphAddMemFreeNode(&freed, g, &alloc, 1, p));
    EXPECT(cuGraphAddMemFreeNode(&n, g, &alloc, 1, p), CUDA_ERROR_INVALID_VALUE); // twice
    EXPECT(cuGraphAddMemFreeNode(&n, g, &alloc, 1, p + 8), CUDA_ERROR_INVALID_VALUE);
    q = add_alloc(g, freed, BYTES, &again);
    CHECK(q == p); // behind the free
    r = add_alloc(g, NULL, BYTES, &n);
    CHECK(r != p); // beside it
    EXPECT(cuGraphDestroyNode(freed), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT(cuGraphRemoveDependencies(g, &alloc, &freed, 1), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT(cuGraphClone(&clone, g), CUDA_ERROR_NOT_SUPPORTED);
    CUDA_MEMSET_NODE_PARAMS m = {q, 0, 77, 4, BYTES / 4, 1};
    OK(cuGraphAddMemsetNode(&set, g, &again, 1, &m, NULL));
    cuuint64_t before = reserved();
    NEED(cuGraphInstantiate(&e, g, 0));
    EXPECT(cuGraphInstantiate(&second, g, 0), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(reserved() == before);
    OK(cuGraphLaunch(e, stream));
    CHECK(reserved() == before + 2 * BYTES);
    OK(cuStreamSynchronize(stream));
    CHECK(word(q + BYTES - 4) == 77);
    EXPECT(cuGraphLaunch(e, stream), CUDA_ERROR_INVALID_VALUE); // q and r are not freed
    // One is freed by another graph, one in the stream.
    NEED(cuGraphCreate(&freeing, 0));
    OK(cuGraphAddMemFreeNode(&n, freeing, NULL, 0, q));
    NEED(cuGraphInstantiate(&f, freeing, 0));
    OK(cuGraphLaunch(f, stream));
    EXPECT(cuGraphLaunch(f, stream), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphLaunch(e, stream), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFreeAsync(r, stream));
    EXPECT(cuMemFreeAsync(r, stream), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(word(q) == 77);
    OK(cuDeviceGraphMemTrim(0)); // both are allocated
    CHECK(reserved() == before + 2 * BYTES && word(q) == 77);
    OK(cuGraphDestroy(g));
    OK(cuGraphExecDestroy(f));
    OK(cuGraphDestroy(freeing));
    OK(cuMemFree(q));
    OK(cuMemFree(r));
    CHECK(reserved() == before + 2 * BYTES);
    OK(cuDeviceGraphMemTrim(0));
    CHECK(reserved() == before);
    OK(cuGraphExecDestroy(e));
    EXPECT(cuMemFree(q), CUDA_ERROR_INVALID_VALUE);
    // Freed by the next launch.
    NEED(cuGraphCreate(&g, 0));
    p = add_alloc(g, NULL, BYTES, &alloc);
    NEED(cuGraphInstantiate(&e, g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    for (int i = 0; i < 3; i++)
        OK(cuGraphLaunch(e, stream));
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemsetD32Async(p, 5, 1, stream)); // still allocated
    OK(cuMemFreeAsync(p, stream));
    OK(cuStreamSynchronize(stream));
    cuuint64_t zero = 0, high = 0;
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &high));
    CHECK(high >= before + 2 * BYTES);
    OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    zero = 1;
    EXPECT(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGraphMemTrim(99), CUDA_ERROR_INVALID_DEVICE);
    // A child graph with memory nodes is moved, not cloned.
    CUgraph child;
    CUgraphNodeParams c;
    NEED(cuGraphCreate(&child, 0));
    NEED(cuGraphCreate(&g, 0));
    p = add_alloc(child, NULL, BYTES, &alloc);
    OK(cuGraphAddMemFreeNode(&n, child, &alloc, 1, p));
    EXPECT(cuGraphAddChildGraphNode(&n, g, NULL, 0, child), CUDA_ERROR_NOT_SUPPORTED);
    memset(&c, 0, sizeof c);
    c.type = CU_GRAPH_NODE_TYPE_GRAPH;
    c.graph.graph = child;
    c.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    OK(cuGraphAddNode(&n, g, NULL, 0, &c));
    EXPECT(cuGraphDestroy(child), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphInstantiate(&e, child, 0), CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    EXPECT(cuGraphDestroy(child), CUDA_ERROR_INVALID_VALUE); // gone with its parent
}

// A graph that allocates, sets and frees so many bytes.
static CUgraph allocating(size_t bytes, CUdeviceptr *p) {
    CUgraph g;
    CUgraphNode alloc, set, n;
    NEED(cuGraphCreate(&g, 0));
    *p = add_alloc(g, NULL, bytes, &alloc);
    CUDA_MEMSET_NODE_PARAMS m = {*p, 0, 5, 4, bytes / 4, 1};
    OK(cuGraphAddMemsetNode(&set, g, &alloc, 1, &m, NULL));
    OK(cuGraphAddMemFreeNode(&n, g, &set, 1, *p));
    return g;
}

static void launch_and_destroy(CUgraph g, size_t bytes) {
    CUgraphExec e;
    cuuint64_t used = in_use();
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, stream));
    CHECK(in_use() == used + bytes);
    OK(cuStreamSynchronize(stream));
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    CHECK(in_use() == used);
}

// Managed memory is kept, too, without the advice that was given about it.
static void kept_managed(void) {
    enum { BYTES = 3 << 20 };
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUdeviceptr at[2];
    OK(cuDeviceGraphMemTrim(0));
    cuuint64_t before = reserved();
    for (int i = 0; i < 2; i++) {
        CUDA_MEM_ALLOC_NODE_PARAMS a = {
            .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED, .location = device},
            .bytesize = BYTES};
        CUgraph g;
        CUgraphExec e;
        CUgraphNode alloc, n;
        int read_mostly = -1;
        NEED(cuGraphCreate(&g, 0));
        NEED(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
        at[i] = a.dptr;
        OK(cuMemRangeGetAttribute(&read_mostly, sizeof read_mostly,
                                  CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, a.dptr, BYTES));
        CHECK(read_mostly == 0);
        OK(cuMemAdvise_v2(a.dptr, BYTES, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
        OK(cuGraphAddMemFreeNode(&n, g, &alloc, 1, a.dptr));
        NEED(cuGraphInstantiate(&e, g, 0));
        OK(cuGraphLaunch(e, stream));
        OK(cuStreamSynchronize(stream));
        OK(cuGraphExecDestroy(e));
        OK(cuGraphDestroy(g));
        CHECK(reserved() == before + BYTES);
    }
    CHECK(at[0] == at[1]);
    OK(cuDeviceGraphMemTrim(0));
    CHECK(reserved() == before);
}

// Reserved from the upload until it is trimmed; used as long as an executable graph has it.
static void kept_memory(void) {
    enum { BYTES = 1 << 20 };
    CUgraphExec e;
    CUdeviceptr p, q;
    cuuint64_t zero = 0;
    OK(cuDeviceGraphMemTrim(0));
    cuuint64_t before = reserved(), used = in_use();
    CUgraph g = allocating(BYTES, &p);
    NEED(cuGraphInstantiate(&e, g, 0));
    CHECK(reserved() == before && in_use() == used);
    OK(cuGraphUpload(e, stream));
    CHECK(reserved() == before + BYTES && in_use() == used + BYTES);
    OK(cuGraphLaunch(e, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(reserved() == before + BYTES && in_use() == used + BYTES);
    OK(cuGraphExecDestroy(e));
    CHECK(reserved() == before + BYTES && in_use() == used);
    OK(cuDeviceGraphMemTrim(0)); // the graph is there, but nothing has it mapped
    CHECK(reserved() == before);
    launch_and_destroy(g, BYTES);
    CHECK(reserved() == before + BYTES);
    EXPECT(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    g = allocating(BYTES, &q); // a graph of the same size gets it
    CHECK(reserved() == before + BYTES);
    launch_and_destroy(g, BYTES);
    CHECK(reserved() == before + BYTES);
    g = allocating(3 * BYTES, &q); // a larger one gets its pages
    launch_and_destroy(g, 3 * BYTES);
    CHECK(reserved() == before + 3 * BYTES);
    OK(cuDeviceGraphMemTrim(0));
    CHECK(reserved() == before);
    // The marks are apart.
    CHECK(memory_attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) >= before + 3 * BYTES);
    OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &zero));
    CHECK(memory_attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) == before);
    CHECK(memory_attribute(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= used + 3 * BYTES);
    // Instantiated and uploaded by one call.
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD,
                                            .hUploadStream = stream};
    g = allocating(BYTES, &p);
    NEED(cuGraphInstantiateWithParams(&e, g, &params));
    CHECK(reserved() == before + BYTES && in_use() == used + BYTES);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    CHECK(reserved() == before + BYTES);
    OK(cuDeviceGraphMemTrim(0));
    CHECK(reserved() == before);
    // Of a context that ends.
    CUcontext own;
    CUstream s;
    NEED(cuCtxCreate(&own, 0, 0));
    NEED(cuStreamCreate(&s, 0));
    g = allocating(BYTES, &p);
    NEED(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, s));
    OK(cuStreamSynchronize(s));
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    CHECK(reserved() == before + BYTES);
    OK(cuCtxDestroy(own));
    CHECK(reserved() == before);
}

static void dot(void) {
    CUgraph g, child;
    CUgraphNode a, n;
    CUdeviceptr p;
    char text[4096] = "", edge[64];
    NEED(cuMemAlloc(&p, 4));
    NEED(cuGraphCreate(&child, 0));
    OK(cuGraphAddEmptyNode(&n, child, NULL, 0));
    NEED(cuGraphCreate(&g, 0));
    a = add_step(g, NULL, p, 1, 1);
    OK(cuGraphAddChildGraphNode(&n, g, &a, 1, child));
    OK(cuGraphDebugDotPrint(g, "test_graphs.dot", CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS));
    FILE *f = fopen("test_graphs.dot", "r");
    CHECK(f && fread(text, 1, sizeof text - 1, f) > 0);
    if (f)
        fclose(f);
    remove("test_graphs.dot");
    unsigned long long from = 0, to = 0;
    const char *arrow = strstr(text, " -> n");
    CHECK(!strncmp(text, "digraph", 7) && strstr(text, "KERNEL\\nstep\\ngrid (1,1,1)") && arrow);
    CHECK(sscanf(text, "digraph dot {\nn%llu", &from) == 1 && arrow &&
          sscanf(arrow, " -> n%llu", &to) == 1);
    snprintf(edge, sizeof edge, "n%llu [label=\"GRAPH\"]", to);
    CHECK(strstr(text, edge) && strstr(text, "subgraph cluster_0") && strstr(text, "EMPTY"));
    EXPECT(cuGraphDebugDotPrint(g, "/no/such/place", 0), CUDA_ERROR_OPERATING_SYSTEM);
    EXPECT(cuGraphDebugDotPrint(g, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphDebugDotPrint(g, "x", 1 << 20), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(child));
    EXPECT(cuGraphDebugDotPrint(child, "x", 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

int main(void) {
    CUcontext ctx = graph_context();
    nodes_and_edges();
    edge_data();
    parameters();
    any_type();
    clones();
    child_of_itself();
    update_nodes();
    update_whole();
    user_objects();
    memory();
    kept_memory();
    kept_managed();
    dot();
    OK(cuStreamDestroy(stream));
    OK(cuCtxDestroy(ctx));
    return check_result();
}
