// Green contexts: resources are split, a context with a part of them is the primary context for
// everything but where its streams' kernels run, and how many threads run them.
#include "check.h"

#include <pthread.h>

// meet(p, n, limit): block b adds 1 to p[0] and waits until p[0] is n or `limit` turns are over,
// then adds 1 to p[1] if it saw n. fill(p): thread i of the grid stores i.
static const char ptx[] = "\
.version 8.0\n\
.target sm_90\n\
.address_size 64\n\
.visible .entry together(.param .u64 p, .param .u32 turns)\n\
{\n\
  .reg .b64 %d<3>;\n\
  .reg .b32 %r<6>;\n\
  .reg .pred %q;\n\
  ld.param.u64 %d0, [p];\n\
  ld.param.u32 %r0, [turns];\n\
  atom.global.add.u32 %r1, [%d0], 1;\n\
  add.u32 %r1, %r1, 1;\n\
  atom.global.max.u32 %r2, [%d0+4], %r1;\n\
turn:\n\
  sub.u32 %r0, %r0, 1;\n\
  setp.ne.u32 %q, %r0, 0;\n\
  @%q bra turn;\n\
  atom.global.add.u32 %r3, [%d0], -1;\n\
  ret;\n\
}\n\
.visible .entry fill(.param .u64 p)\n\
{\n\
  .reg .b64 %d<3>;\n\
  .reg .b32 %r<4>;\n\
  ld.param.u64 %d0, [p];\n\
  mov.u32 %r0, %ctaid.x;\n\
  mov.u32 %r1, %ntid.x;\n\
  mov.u32 %r2, %tid.x;\n\
  mad.lo.u32 %r3, %r0, %r1, %r2;\n\
  mad.wide.u32 %d1, %r3, 4, %d0;\n\
  st.global.u32 [%d1], %r3;\n\
  ret;\n\
}\n";

static CUdevice device;
static CUdevResource all;

static void queries(void) {
    CUdevResource r;
    OK(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    int multiprocessors;
    OK(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    CHECK(all.type == CU_DEV_RESOURCE_TYPE_SM && all.sm.smCount == (unsigned)multiprocessors);
    CHECK(all.sm.smCount == 4); // the test's environment
    EXPECT(cuDeviceGetDevResource(device, NULL, CU_DEV_RESOURCE_TYPE_SM), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetDevResource(99, &r, CU_DEV_RESOURCE_TYPE_SM), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuDeviceGetDevResource(device, &r, CU_DEV_RESOURCE_TYPE_INVALID),
           CUDA_ERROR_INVALID_RESOURCE_TYPE);
    EXPECT(cuCtxGetDevResource((CUcontext)0x1234, &r, CU_DEV_RESOURCE_TYPE_SM),
           CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuGreenCtxGetDevResource((CUgreenCtx)0x1234, &r, CU_DEV_RESOURCE_TYPE_SM),
           CUDA_ERROR_INVALID_CONTEXT);
}

static void splits(void) {
    CUdevResource groups[4], rest, bad = all;
    unsigned n = 0;
    OK(cuDevSmResourceSplitByCount(NULL, &n, &all, NULL, 0, 1));
    CHECK(n == 4);
    n = 0;
    OK(cuDevSmResourceSplitByCount(NULL, &n, &all, NULL, 0, 3));
    CHECK(n == 1);
    n = 4;
    OK(cuDevSmResourceSplitByCount(groups, &n, &all, &rest, 0, 3));
    CHECK(n == 1 && groups[0].sm.smCount == 3 && rest.sm.smCount == 1);
    CHECK(rest.type == CU_DEV_RESOURCE_TYPE_SM);
    n = 2;
    OK(cuDevSmResourceSplitByCount(groups, &n, &all, &rest,
                                   CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 2));
    CHECK(n == 2 && groups[1].sm.smCount == 2 && rest.type == CU_DEV_RESOURCE_TYPE_INVALID);
    // The groups can be split again.
    n = 1;
    OK(cuDevSmResourceSplitByCount(&rest, &n, &groups[1], NULL, 0, 1));
    CHECK(n == 1 && rest.sm.smCount == 1);
    EXPECT(cuDevSmResourceSplitByCount(groups, &n, &all, NULL, 0, 5),
           CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    EXPECT(cuDevSmResourceSplitByCount(groups, NULL, &all, NULL, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDevSmResourceSplitByCount(groups, &n, NULL, NULL, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDevSmResourceSplitByCount(groups, &n, &all, NULL, 8, 1), CUDA_ERROR_INVALID_VALUE);
    n = 0;
    EXPECT(cuDevSmResourceSplitByCount(groups, &n, &all, NULL, 0, 1), CUDA_ERROR_INVALID_VALUE);
    n = 1;
    bad.sm.smCount = 64; // more than there are
    EXPECT(cuDevSmResourceSplitByCount(groups, &n, &bad, NULL, 0, 1),
           CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    memset(&bad, 0, sizeof bad);
    EXPECT(cuDevSmResourceSplitByCount(groups, &n, &bad, NULL, 0, 1),
           CUDA_ERROR_INVALID_RESOURCE_TYPE);
}

static CUgreenCtx make(unsigned multiprocessors) {
    CUdevResource group;
    CUdevResourceDesc desc;
    CUgreenCtx g;
    unsigned n = 1;
    NEED(cuDevSmResourceSplitByCount(&group, &n, &all, NULL, 0, multiprocessors));
    NEED(cuDevResourceGenerateDesc(&desc, &group, 1));
    NEED(cuGreenCtxCreate(&g, desc, device, CU_GREEN_CTX_DEFAULT_STREAM));
    return g;
}

static void creation(void) {
    CUdevResource groups[4];
    CUdevResourceDesc desc;
    CUgreenCtx g;
    CUcontext ctx;
    unsigned n = 4, flags;
    int active;
    OK(cuDevSmResourceSplitByCount(groups, &n, &all, NULL, 0, 1));
    OK(cuDevResourceGenerateDesc(&desc, groups, 3)); // neighbours make one
    EXPECT(cuDevResourceGenerateDesc(NULL, groups, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDevResourceGenerateDesc(&desc, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDevResourceGenerateDesc(&desc, groups, 0), CUDA_ERROR_INVALID_VALUE);
    groups[1] = groups[3];
    CUdevResourceDesc none;
    EXPECT(cuDevResourceGenerateDesc(&none, groups, 2), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    EXPECT(cuGreenCtxCreate(NULL, desc, device, CU_GREEN_CTX_DEFAULT_STREAM),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGreenCtxCreate(&g, NULL, device, CU_GREEN_CTX_DEFAULT_STREAM),
           CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuGreenCtxCreate(&g, desc, device, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGreenCtxCreate(&g, desc, 99, CU_GREEN_CTX_DEFAULT_STREAM), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    CHECK(!active);
    OK(cuGreenCtxCreate(&g, desc, device, CU_GREEN_CTX_DEFAULT_STREAM));
    OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    CHECK(active); // it keeps the primary context
    CUdevResource got;
    OK(cuGreenCtxGetDevResource(g, &got, CU_DEV_RESOURCE_TYPE_SM));
    CHECK(got.sm.smCount == 3);
    OK(cuCtxFromGreenCtx(&ctx, g));
    OK(cuCtxGetDevResource(ctx, &got, CU_DEV_RESOURCE_TYPE_SM));
    CHECK(got.sm.smCount == 3);
    unsigned long long id = 0, primary_id = 0, context_id = 0;
    CUcontext primary;
    OK(cuGreenCtxGetId(g, &id));
    OK(cuCtxGetId(ctx, &context_id));
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    OK(cuCtxGetId(primary, &primary_id));
    OK(cuDevicePrimaryCtxRelease(device));
    CHECK(id == context_id && id != primary_id);
    EXPECT(cuGreenCtxGetId(g, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGreenCtxGetId((CUgreenCtx)0x1234, &id), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxFromGreenCtx(NULL, g), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCtxSetCurrent((CUcontext)g), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxDestroy(ctx), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuGreenCtxDestroy(g));
    EXPECT(cuGreenCtxDestroy(g), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxFromGreenCtx(&ctx, g), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxSetCurrent(ctx), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    CHECK(!active);
}

// Memory, modules and events are the primary context's; the default stream is its own.
static void current(void) {
    CUgreenCtx g = make(2), got_green;
    CUcontext ctx, got, primary;
    CUstream mine, plain;
    CUmodule m;
    CUfunction fill;
    CUdeviceptr p;
    unsigned back[256];
    CUdevice d;
    OK(cuCtxFromGreenCtx(&ctx, g));
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    OK(cuCtxSetCurrent(ctx));
    OK(cuCtxGetCurrent(&got));
    CHECK(got == ctx && ctx != primary);
    OK(cuCtxGetDevice(&d));
    CHECK(d == device);
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&fill, m, "fill"));
    OK(cuMemAlloc(&p, sizeof back));
    void *params[] = {&p};
    OK(cuLaunchKernel(fill, 8, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH(back, p, sizeof back));
    for (unsigned i = 0; i < 256; i++)
        CHECK(back[i] == i);
    OK(cuStreamGetGreenCtx(NULL, &got_green));
    CHECK(got_green == g);
    OK(cuStreamCreate(&mine, 0)); // of the green context, since that is current
    OK(cuStreamGetGreenCtx(mine, &got_green));
    CHECK(got_green == g);
    OK(cuStreamGetCtx_v2(mine, &got, &got_green));
    CHECK(got == primary && got_green == g);
    OK(cuCtxSetCurrent(primary));
    OK(cuStreamCreate(&plain, CU_STREAM_NON_BLOCKING));
    OK(cuStreamGetGreenCtx(plain, &got_green));
    CHECK(got_green == NULL);
    OK(cuStreamGetGreenCtx(NULL, &got_green));
    CHECK(got_green == NULL);
    OK(cuMemcpyDtoH(back, p, sizeof back)); // the memory is there, too
    OK(cuLaunchKernel(fill, 8, 1, 1, 32, 1, 1, 0, plain, params, NULL));
    OK(cuStreamSynchronize(plain));
    OK(cuMemFree(p));
    OK(cuModuleUnload(m));
    OK(cuGreenCtxDestroy(g));
    OK(cuStreamGetGreenCtx(mine, &got_green));
    CHECK(got_green == NULL);
    OK(cuStreamSynchronize(mine));
    OK(cuStreamDestroy(mine));
    OK(cuStreamDestroy(plain));
    EXPECT(cuCtxSetCurrent(ctx), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxSetCurrent(NULL));
    OK(cuDevicePrimaryCtxRelease(device));
}

// Blocks that are at work at one time, of two kernels in two streams of the context.
static unsigned most_at_once(CUgreenCtx g, CUfunction together, unsigned streams) {
    CUstream s[4];
    CUdeviceptr p;
    unsigned turns = 20000, back[2];
    OK(cuMemAlloc(&p, 8));
    OK(cuMemsetD8(p, 0, 8));
    OK(cuCtxSynchronize());
    void *params[] = {&p, &turns};
    for (unsigned i = 0; i < streams; i++)
        OK(cuGreenCtxStreamCreate(&s[i], g, CU_STREAM_NON_BLOCKING, 0));
    for (unsigned i = 0; i < streams; i++)
        OK(cuLaunchKernel(together, 200, 1, 1, 1, 1, 1, 0, s[i], params, NULL));
    for (unsigned i = 0; i < streams; i++)
        OK(cuStreamSynchronize(s[i]));
    OK(cuMemcpyDtoH(back, p, sizeof back));
    CHECK(back[0] == 0);
    for (unsigned i = 0; i < streams; i++)
        OK(cuStreamDestroy(s[i]));
    OK(cuMemFree(p));
    return back[1];
}

// No more blocks run at one time than the context has multiprocessors, whatever the number of its
// streams and of threads that wait.
static void shares(void) {
    CUcontext primary;
    CUmodule m;
    CUfunction together;
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    OK(cuCtxSetCurrent(primary));
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&together, m, "together"));
    CUgreenCtx one = make(1), two = make(2);
    CHECK(most_at_once(one, together, 1) == 1);
    CHECK(most_at_once(one, together, 3) == 1);
    unsigned most = most_at_once(two, together, 3);
    CHECK(most >= 1 && most <= 2);
    CUstream s;
    EXPECT(cuGreenCtxStreamCreate(&s, one, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGreenCtxStreamCreate(NULL, one, CU_STREAM_NON_BLOCKING, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGreenCtxStreamCreate(&s, (CUgreenCtx)primary, CU_STREAM_NON_BLOCKING, 0),
           CUDA_ERROR_INVALID_CONTEXT);
    OK(cuGreenCtxDestroy(one));
    OK(cuGreenCtxDestroy(two));
    OK(cuModuleUnload(m));
    OK(cuCtxSetCurrent(NULL));
    OK(cuDevicePrimaryCtxRelease(device));
}

// A graph that is launched there runs there.
static void graphs(void) {
    CUcontext primary;
    CUmodule m;
    CUfunction together;
    CUstream s;
    CUgraph graph;
    CUgraphExec exec;
    CUdeviceptr p;
    unsigned turns = 20000, back[2];
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    OK(cuCtxSetCurrent(primary));
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&together, m, "together"));
    OK(cuMemAlloc(&p, 8));
    OK(cuMemsetD8(p, 0, 8));
    OK(cuCtxSynchronize());
    void *params[] = {&p, &turns};
    CUDA_KERNEL_NODE_PARAMS node = {.func = together,
                                    .gridDimX = 20,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 1,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
    CUgraphNode n;
    OK(cuGraphCreate(&graph, 0));
    for (int i = 0; i < 8; i++)
        OK(cuGraphAddKernelNode(&n, graph, NULL, 0, &node));
    OK(cuGraphInstantiate(&exec, graph, 0));
    CUgreenCtx one = make(1);
    OK(cuGreenCtxStreamCreate(&s, one, CU_STREAM_NON_BLOCKING, 0));
    for (int i = 0; i < 5; i++)
        OK(cuGraphLaunch(exec, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(back, p, sizeof back));
    CHECK(back[0] == 0 && back[1] == 1);
    OK(cuGraphLaunch(exec, CU_STREAM_PER_THREAD)); // and elsewhere afterwards
    OK(cuCtxSynchronize());
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(s));
    OK(cuGreenCtxDestroy(one));
    OK(cuMemFree(p));
    OK(cuModuleUnload(m));
    OK(cuCtxSetCurrent(NULL));
    OK(cuDevicePrimaryCtxRelease(device));
}

// Of a graph, two blocks of 1024 threads on each multiprocessor of the context that it is launched
// in: `one` has one, `all` four.
static void cooperative_nodes(CUfunction fill, void **params, CUstream one, CUstream all) {
    CUDA_KERNEL_NODE_PARAMS node = {.func = fill,
                                    .gridDimX = 3,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 1024,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
    CUkernelNodeAttrValue yes = {.cooperative = 1};
    CUgraph graph;
    CUgraphNode n;
    CUgraphExec exec;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddKernelNode(&n, graph, NULL, 0, &node));
    OK(cuGraphKernelNodeSetAttribute(n, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &yes));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, all));
    EXPECT(cuGraphLaunch(exec, one), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    OK(cuGraphNodeSetEnabled(exec, n, 0));
    OK(cuGraphLaunch(exec, one));
    OK(cuGraphNodeSetEnabled(exec, n, 1));
    EXPECT(cuGraphLaunch(exec, one), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    node.gridDimX = 2;
    OK(cuGraphExecKernelNodeSetParams(exec, n, &node));
    OK(cuGraphLaunch(exec, one));
    OK(cuStreamSynchronize(one));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

// Occupancy and cooperative launches count the multiprocessors of the green context: that which is
// current, or the stream's.
static void counts(void) {
    CUgreenCtx g = make(1);
    CUcontext ctx, primary;
    CUmodule m;
    CUfunction fill;
    CUstream s, plain;
    CUdeviceptr p;
    int grid, block, clusters, per_sm;
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    OK(cuCtxFromGreenCtx(&ctx, g));
    OK(cuCtxSetCurrent(primary));
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&fill, m, "fill"));
    OK(cuMemAlloc(&p, 4 * 1024 * 16));
    OK(cuGreenCtxStreamCreate(&s, g, CU_STREAM_NON_BLOCKING, 0));
    OK(cuStreamCreate(&plain, CU_STREAM_NON_BLOCKING));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, fill, 1024, 0));
    CHECK(per_sm == 2);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, fill, NULL, 0, 1024));
    CHECK(block == 1024 && grid == 4 * per_sm);
    void *params[] = {&p};
    OK(cuLaunchCooperativeKernel(fill, 8, 1, 1, 1024, 1, 1, 0, plain, params));
    OK(cuLaunchCooperativeKernel(fill, 2, 1, 1, 1024, 1, 1, 0, s, params));
    EXPECT(cuLaunchCooperativeKernel(fill, 3, 1, 1, 1024, 1, 1, 0, s, params),
           CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    OK(cuLaunchKernel(fill, 3, 1, 1, 1024, 1, 1, 0, s, params, NULL));
    cooperative_nodes(fill, params, s, plain);
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value.clusterDim = {2, 1, 1}};
    CUlaunchConfig c = {.gridDimX = 8,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 1024,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .attrs = &cluster,
                        .numAttrs = 1};
    c.hStream = plain;
    OK(cuOccupancyMaxActiveClusters(&clusters, fill, &c));
    CHECK(clusters == 4);
    c.hStream = s;
    OK(cuOccupancyMaxActiveClusters(&clusters, fill, &c));
    CHECK(clusters == 1);
    c.hStream = (CUstream)&c;
    EXPECT(cuOccupancyMaxActiveClusters(&clusters, fill, &c), CUDA_ERROR_INVALID_HANDLE);
    OK(cuCtxSetCurrent(ctx));
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, fill, NULL, 0, 1024));
    CHECK(block == 1024 && grid == per_sm);
    c.hStream = NULL;
    OK(cuOccupancyMaxActiveClusters(&clusters, fill, &c));
    CHECK(clusters == 1);
    EXPECT(cuLaunchCooperativeKernel(fill, 3, 1, 1, 1024, 1, 1, 0, NULL, params),
           CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    OK(cuCtxSetCurrent(primary));
    OK(cuCtxSynchronize());
    OK(cuStreamDestroy(s));
    OK(cuStreamDestroy(plain));
    OK(cuMemFree(p));
    OK(cuModuleUnload(m));
    OK(cuGreenCtxDestroy(g));
    OK(cuCtxSetCurrent(NULL));
    OK(cuDevicePrimaryCtxRelease(device));
}

static void CUDA_CB wait_for_gate(void *gate) {
    while (!__atomic_load_n((int *)gate, __ATOMIC_ACQUIRE))
        sched_yield();
}
static void CUDA_CB set_flag(void *flag) {
    __atomic_store_n((int *)flag, 1, __ATOMIC_RELEASE);
}

// Its default stream waits for its blocking streams, and they for it; other streams do not.
static void order(void) {
    CUcontext ctx, primary;
    CUgreenCtx g = make(1);
    CUstream blocking, other;
    CUevent e;
    int gate = 0;
    OK(cuCtxFromGreenCtx(&ctx, g));
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    OK(cuCtxSetCurrent(primary));
    OK(cuStreamCreate(&other, 0));
    OK(cuCtxSetCurrent(ctx));
    OK(cuStreamCreate(&blocking, 0));
    OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    OK(cuLaunchHostFunc(blocking, wait_for_gate, &gate));
    OK(cuEventRecord(e, NULL)); // behind the blocking stream's work
    EXPECT(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    OK(cuCtxSetCurrent(primary));
    OK(cuEventRecord(e, NULL)); // the primary context's default stream is not
    OK(cuEventQuery(e));
    OK(cuEventRecord(e, other));
    OK(cuEventQuery(e));
    // All of the green context's work, and nothing else.
    OK(cuGreenCtxRecordEvent(g, e));
    EXPECT(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    OK(cuStreamSynchronize(other));
    set_flag(&gate);
    OK(cuEventSynchronize(e));
    OK(cuCtxSetCurrent(ctx));
    OK(cuCtxSynchronize());

    // The default stream is waited for by its blocking streams.
    gate = 0;
    OK(cuLaunchHostFunc(NULL, wait_for_gate, &gate));
    OK(cuEventRecord(e, blocking));
    EXPECT(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    set_flag(&gate);
    OK(cuEventSynchronize(e));

    // All later work of the green context waits for an event.
    gate = 0;
    CUevent done;
    OK(cuEventCreate(&done, CU_EVENT_DISABLE_TIMING));
    OK(cuCtxSetCurrent(primary));
    OK(cuLaunchHostFunc(other, wait_for_gate, &gate));
    OK(cuEventRecord(e, other));
    OK(cuGreenCtxWaitEvent(g, e));
    OK(cuEventRecord(done, blocking));
    EXPECT(cuEventQuery(done), CUDA_ERROR_NOT_READY);
    OK(cuEventRecord(done, CU_STREAM_PER_THREAD));
    set_flag(&gate);
    OK(cuCtxSynchronize());
    OK(cuEventQuery(done));
    EXPECT(cuGreenCtxRecordEvent(g, NULL), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuGreenCtxWaitEvent(g, NULL), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy(done));
    OK(cuEventDestroy(e));
    // A stream outlives the default stream with which it has synchronised.
    OK(cuGreenCtxDestroy(g));
    EXPECT(cuGreenCtxRecordEvent(g, e), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuLaunchHostFunc(blocking, set_flag, &gate));
    OK(cuStreamSynchronize(blocking));
    OK(cuStreamDestroy(blocking));
    OK(cuStreamDestroy(other));
    OK(cuCtxSetCurrent(NULL));
    OK(cuDevicePrimaryCtxRelease(device));
}

// The primary context goes away under it: everything says so, and it can still be destroyed.
static void reset(void) {
    CUgreenCtx g = make(2);
    CUcontext ctx, primary;
    CUdevResource r;
    CUdeviceptr p;
    OK(cuCtxFromGreenCtx(&ctx, g));
    OK(cuCtxSetCurrent(ctx));
    OK(cuMemAlloc(&p, 64));
    OK(cuDevicePrimaryCtxReset(device));
    EXPECT(cuMemAlloc(&p, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT(cuGreenCtxGetDevResource(g, &r, CU_DEV_RESOURCE_TYPE_SM),
           CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(cuDevicePrimaryCtxRetain(&primary, device)); // a new one, of which it is no part
    EXPECT(cuMemAlloc(&p, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(cuGreenCtxDestroy(g));
    OK(cuCtxSetCurrent(NULL));
    OK(cuDevicePrimaryCtxRelease(device));
}

static void *make_and_destroy(void *unused) {
    for (int i = 0; i < 50; i++) {
        CUgreenCtx g = make(1 + i % 3);
        CUstream s;
        OK(cuGreenCtxStreamCreate(&s, g, CU_STREAM_NON_BLOCKING, 0));
        int flag = 0;
        OK(cuLaunchHostFunc(s, set_flag, &flag));
        if (i % 2)
            OK(cuGreenCtxDestroy(g));
        OK(cuStreamSynchronize(s));
        CHECK(flag == 1);
        OK(cuStreamDestroy(s));
        if (i % 2 == 0)
            OK(cuGreenCtxDestroy(g));
    }
    return unused;
}

static void threads(void) {
    pthread_t t[3];
    CUcontext primary;
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, make_and_destroy, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    OK(cuDevicePrimaryCtxRelease(device));
}

int main(void) {
    setenv("KUDZU_WORKERS", "4", 1);
    NEED(cuInit(0));
    NEED(cuDeviceGet(&device, 0));
    queries();
    splits();
    creation();
    current();
    shares();
    graphs();
    counts();
    order();
    reset();
    threads();
    return check_result();
}
