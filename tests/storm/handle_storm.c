// Eight threads make random calls on shared handles: what they use, others destroy meanwhile.
// Handles may be stale, of another kind, or forged. Every call ends with success or with a
// documented error, and no work ever meets memory that was freed: a fault of a context fails the
// test, a crash or a report of a sanitizer does.
//
//   handle_storm [SECONDS [SEED [THREADS]]]
//
// One seed makes each thread take the same decisions; how the threads meet is the machine's affair.
#define _GNU_SOURCE
#include <cuda.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "storm.h"

enum { SHARED = 6, BYTES = 96 << 10, GRANULE = 2 << 20 };

enum kind {
    CONTEXT,
    GREEN,
    STREAM,
    CAPTURED, // streams that may be capturing
    EVENT,
    MODULE,
    FUNCTION,
    LIBRARY,
    KERNEL,
    LINK,
    GRAPH,
    NODE,
    EXEC,
    USER_OBJECT,
    POOL,
    MEMORY,      // of cuMemAlloc and cuMemAllocManaged
    POOL_MEMORY, // of cuMemAllocAsync
    HOST_MEMORY,
    ALLOCATION,
    RANGE, // reserved addresses
    ARRAY,
    MIPMAP,
    TEXTURE,
    SURFACE,
    REFERENCE,
    EXTERNAL_MEMORY,
    BUFFER, // mapped external memory: when it has gone, other memory of the process may be there
    SEMAPHORE,
    CALLBACK,
    KINDS
};

// A kernel that counts in a variable of its module, which goes with the module.
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter[64];\n"
                          ".visible .global .texref tex;\n"
                          ".visible .entry count()\n{\n"
                          "    .reg .b32 %r<3>;\n    .reg .b64 %rd<4>;\n"
                          "    mov.u32 %r1, %tid.x;\n"
                          "    mov.u64 %rd1, counter;\n"
                          "    mul.wide.u32 %rd2, %r1, 4;\n"
                          "    add.s64 %rd3, %rd1, %rd2;\n"
                          "    atom.global.add.u32 %r2, [%rd3], 1;\n"
                          "    ret;\n}\n"
                          ".visible .entry nothing()\n{\n    ret;\n}\n";

static _Atomic uint64_t shared[KINDS][SHARED];
static CUdevice device;

// ---- Shared handles -------------------------------------------------------------------------

static bool is_address(enum kind k) {
    return k == MEMORY || k == POOL_MEMORY || k == HOST_MEMORY || k == RANGE || k == BUFFER;
}

static uint64_t handle(struct thread *t, enum kind k) {
    uint64_t h = shared[k][pick(t, SHARED)];
    if (pick(t, 24))
        return h;
    if (is_address(k))
        return h ? h + (uint64_t)pick(t, 64) * 4096 : 0;
    switch (pick(t, 3)) {
    case 0:
        return h ^ 1ull << pick(t, 64); // another slot, kind or generation
    case 1: {
        enum kind other = pick(t, KINDS);
        return shared[other][pick(t, SHARED)];
    }
    default:
        return 0;
    }
}

static uint64_t take(struct thread *t, enum kind k) {
    if (!pick(t, 4))
        return handle(t, k); // the stale handle stays
    return atomic_exchange(&shared[k][pick(t, SHARED)], 0);
}

#define PTR(type, k) ((type)(uintptr_t)handle(t, k))
#define TAKE(type, k) ((type)(uintptr_t)take(t, k))

static CUresult destroy(struct thread *t, enum kind k, uint64_t h);

// What stood there before is destroyed.
static CUresult put(struct thread *t, enum kind k, CUresult r, uint64_t h) {
    if (r == CUDA_SUCCESS) {
        uint64_t old = atomic_exchange(&shared[k][pick(t, SHARED)], h);
        if (old)
            destroy(t, k, old);
    }
    return r;
}
#define PUT(k, call, h)                                                                            \
    ({                                                                                             \
        CUresult made = (call);                                                                    \
        put(t, k, made, made == CUDA_SUCCESS ? (uint64_t)(uintptr_t)(h) : 0);                      \
    })

static CUstream stream(struct thread *t) {
    static const CUstream defaults[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
    return pick(t, 4) ? PTR(CUstream, pick(t, 3) ? STREAM : CAPTURED) : defaults[pick(t, 3)];
}

// One that never captures: a graph keeps addresses, and what is there when it is launched is the
// program's affair.
static CUstream plain_stream(struct thread *t) {
    uint64_t h = shared[STREAM][pick(t, SHARED)];
    return pick(t, 4) ? (CUstream)(uintptr_t)h : CU_STREAM_LEGACY;
}

// Never a default stream, which NULL stands for: that of a green context can be captured, and with
// it the copies that go to default streams.
static CUstream captured_stream(struct thread *t) {
    uint64_t h = shared[CAPTURED][pick(t, SHARED)];
    return (CUstream)(uintptr_t)(h ? h : UINT64_MAX); // no stream
}

static void CUDA_CB ignore(void *data) {
    atomic_fetch_add((atomic_ulong *)data, 1);
}
static atomic_ulong host_calls;

static void CUDA_CB logged(void *data, CUlogLevel level, char *text, size_t length) {
    atomic_fetch_add((atomic_ulong *)data, length != 0);
}

static void CUDA_CB stream_callback(CUstream s, CUresult status, void *data) {
    atomic_fetch_add((atomic_ulong *)data, 1);
}

// ---- Ends -----------------------------------------------------------------------------------

static CUresult destroy(struct thread *t, enum kind k, uint64_t h) {
    void *p = (void *)(uintptr_t)h;
    switch (k) {
    case CONTEXT:
        return cuCtxDestroy(p);
    case GREEN:
        return cuGreenCtxDestroy(p);
    case STREAM:
    case CAPTURED:
        return cuStreamDestroy(p);
    case EVENT:
        return cuEventDestroy(p);
    case MODULE:
        return cuModuleUnload(p);
    case LIBRARY:
        return cuLibraryUnload(p);
    case LINK:
        return cuLinkDestroy(p);
    case GRAPH:
        return cuGraphDestroy(p);
    case NODE:
        return cuGraphDestroyNode(p);
    case EXEC:
        return cuGraphExecDestroy(p);
    case USER_OBJECT:
        return cuUserObjectRelease(p, 1);
    case POOL:
        return cuMemPoolDestroy(p);
    case MEMORY:
    case BUFFER:
        return cuMemFree(h);
    case POOL_MEMORY:
        return cuMemFree(h);
    case HOST_MEMORY:
        return cuMemFreeHost(p);
    case ALLOCATION:
        return cuMemRelease(h);
    case RANGE:
        cuMemUnmap(h, GRANULE);
        return cuMemAddressFree(h, GRANULE);
    case ARRAY:
        return cuArrayDestroy(p);
    case MIPMAP:
        return cuMipmappedArrayDestroy(p);
    case TEXTURE:
        return cuTexObjectDestroy(h);
    case SURFACE:
        return cuSurfObjectDestroy(h);
    case REFERENCE:
        return CUDA_SUCCESS; // goes with its module
    case EXTERNAL_MEMORY:
        return cuDestroyExternalMemory(p);
    case SEMAPHORE:
        return cuDestroyExternalSemaphore(p);
    case CALLBACK:
        return cuLogsUnregisterCallback(p);
    default:
        return CUDA_SUCCESS;
    }
}

static CUresult destroy_one(struct thread *t) {
    enum kind k = pick(t, KINDS);
    if (k == CONTEXT && pick(t, 4))
        return CUDA_SUCCESS;
    return destroy(t, k, take(t, k));
}

// ---- Contexts -------------------------------------------------------------------------------

static CUresult set_current(struct thread *t) {
    CUcontext primary, green;
    if (pick(t, 3) == 0)
        return cuCtxSetCurrent(PTR(CUcontext, CONTEXT));
    if (pick(t, 6) == 0 && cuCtxFromGreenCtx(&green, PTR(CUgreenCtx, GREEN)) == CUDA_SUCCESS)
        return cuCtxSetCurrent(green);
    if (cuDevicePrimaryCtxRetain(&primary, device) != CUDA_SUCCESS)
        return CUDA_ERROR_UNKNOWN;
    cuCtxSetCurrent(primary);
    return pick(t, 4) ? cuDevicePrimaryCtxRelease(device) : CUDA_SUCCESS;
}

static CUresult contexts(struct thread *t) {
    CUcontext c = NULL;
    unsigned n = 0;
    unsigned long long id;
    int active;
    switch (pick(t, 12)) {
    case 0:
        if (pick(t, 8))
            return CUDA_SUCCESS;
        PUT(CONTEXT, cuCtxCreate(&c, 0, device), c);
        return set_current(t);
    case 1:
        return cuCtxSynchronize();
    case 2:
        return cuCtxGetId(PTR(CUcontext, CONTEXT), &id);
    case 3:
        return cuCtxGetFlags(&n);
    case 4:
        return pick(t, 64) ? CUDA_SUCCESS : cuDevicePrimaryCtxReset(device);
    case 5:
        return cuDevicePrimaryCtxGetState(device, &n, &active);
    case 6:
        return cuCtxRecordEvent(PTR(CUcontext, CONTEXT), PTR(CUevent, EVENT));
    case 7:
        return cuCtxWaitEvent(PTR(CUcontext, CONTEXT), PTR(CUevent, EVENT));
    case 8:
        return cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4096 * (1 + pick(t, 4)));
    default:
        return set_current(t);
    }
}

static CUresult greens(struct thread *t) {
    CUdevResource all, part, rest;
    CUdevResourceDesc desc;
    CUgreenCtx g;
    CUstream s;
    unsigned n = 1;
    unsigned long long id;
    switch (pick(t, 5)) {
    case 0:
        if (cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM) ||
            cuDevSmResourceSplitByCount(&part, &n, &all, &rest, 0, 1))
            return CUDA_SUCCESS;
        if (pick(t, 4) || cuDevResourceGenerateDesc(&desc, &part, 1)) // descriptors have no end
            return CUDA_SUCCESS;
        return PUT(GREEN, cuGreenCtxCreate(&g, desc, device, CU_GREEN_CTX_DEFAULT_STREAM), g);
    case 1:
        return PUT(STREAM,
                   cuGreenCtxStreamCreate(&s, PTR(CUgreenCtx, GREEN), CU_STREAM_NON_BLOCKING, 0),
                   s);
    case 2:
        return cuGreenCtxRecordEvent(PTR(CUgreenCtx, GREEN), PTR(CUevent, EVENT));
    case 3:
        return cuGreenCtxWaitEvent(PTR(CUgreenCtx, GREEN), PTR(CUevent, EVENT));
    default:
        return cuGreenCtxGetId(PTR(CUgreenCtx, GREEN), &id);
    }
}

// ---- Streams and events ---------------------------------------------------------------------

static CUresult streams(struct thread *t) {
    CUstream s;
    CUcontext c;
    unsigned n;
    unsigned long long id;
    CUstreamAttrValue v;
    memset(&v, 0, sizeof v);
    v.syncPolicy = CU_SYNC_POLICY_AUTO;
    switch (pick(t, 12)) {
    case 0:
    case 1:
        if (pick(t, 2))
            return PUT(STREAM, cuStreamCreate(&s, pick(t, 2) ? CU_STREAM_NON_BLOCKING : 0), s);
        return PUT(CAPTURED, cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), s);
    case 2:
        return cuStreamSynchronize(stream(t));
    case 3:
        return cuStreamQuery(stream(t));
    case 4:
        return cuStreamGetCtx(stream(t), &c);
    case 5:
        return cuStreamGetFlags(stream(t), &n);
    case 6:
        return cuStreamGetId(stream(t), &id);
    case 7:
        return cuLaunchHostFunc(stream(t), ignore, &host_calls);
    case 8:
        return cuStreamAddCallback(stream(t), stream_callback, &host_calls, 0);
    case 9:
        return cuStreamSetAttribute(stream(t), CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v);
    case 10:
        return cuStreamCopyAttributes(stream(t), stream(t));
    default:
        return cuStreamWaitEvent(captured_stream(t), PTR(CUevent, EVENT), 0);
    }
}

static CUresult events(struct thread *t) {
    CUevent e;
    float ms;
    switch (pick(t, 8)) {
    case 0:
    case 1:
        return PUT(EVENT, cuEventCreate(&e, pick(t, 2) ? CU_EVENT_DISABLE_TIMING : 0), e);
    case 2:
        return cuEventQuery(PTR(CUevent, EVENT));
    case 3:
        return cuEventSynchronize(PTR(CUevent, EVENT));
    case 4:
        return cuEventElapsedTime(&ms, PTR(CUevent, EVENT), PTR(CUevent, EVENT));
    default:
        return cuEventRecord(PTR(CUevent, EVENT), stream(t));
    }
}

// ---- Code -----------------------------------------------------------------------------------

static CUresult modules(struct thread *t) {
    CUmodule m;
    CUfunction f;
    CUlibrary l;
    CUkernel k;
    CUlinkState link;
    CUtexref ref;
    CUdeviceptr p;
    void *image;
    size_t size;
    int value;
    const char *name;
    const char *wanted = pick(t, 4) ? "count" : "nothing";
    switch (pick(t, 16)) {
    case 0:
        return PUT(MODULE, cuModuleLoadData(&m, ptx), m);
    case 1:
    case 2:
        return PUT(FUNCTION, cuModuleGetFunction(&f, PTR(CUmodule, MODULE), wanted), f);
    case 3:
        return cuModuleGetGlobal(&p, &size, PTR(CUmodule, MODULE), "counter");
    case 4:
        return PUT(LIBRARY, cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0), l);
    case 5:
    case 6:
        return PUT(KERNEL, cuLibraryGetKernel(&k, PTR(CUlibrary, LIBRARY), wanted), k);
    case 7:
        return cuLibraryGetModule(&m, PTR(CUlibrary, LIBRARY));
    case 8:
        return PUT(FUNCTION, cuKernelGetFunction(&f, PTR(CUkernel, KERNEL)), f);
    case 9:
        return cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                  PTR(CUfunction, FUNCTION));
    case 10:
        return cuFuncGetModule(&m, PTR(CUfunction, FUNCTION));
    case 11:
        return cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024,
                                    PTR(CUkernel, KERNEL), device);
    case 12:
        if (pick(t, 4))
            return PUT(LINK, cuLinkCreate(0, NULL, NULL, &link), link);
        if (pick(t, 4))
            return cuLinkAddData(PTR(CUlinkState, LINK), CU_JIT_INPUT_PTX, (void *)ptx, sizeof ptx,
                                 "storm", 0, NULL, NULL);
        return cuLinkComplete(PTR(CUlinkState, LINK), &image, &size);
    case 13:
        return PUT(REFERENCE, cuModuleGetTexRef(&ref, PTR(CUmodule, MODULE), "tex"), ref);
    case 14:
        return cuTexRefSetArray(PTR(CUtexref, REFERENCE), PTR(CUarray, ARRAY),
                                CU_TRSA_OVERRIDE_FORMAT);
    default:
        return cuFuncGetName(&name, PTR(CUfunction, FUNCTION));
    }
}

static CUresult launches(struct thread *t) {
    unsigned blocks = 1 + pick(t, 3);
    CUfunction f = PTR(CUfunction, pick(t, 3) ? FUNCTION : KERNEL);
    if (pick(t, 6))
        return cuLaunchKernel(f, blocks, 1, 1, 32, 1, 1, 0, stream(t), NULL, NULL);
    if (pick(t, 2))
        return cuLaunchCooperativeKernel(f, 1, 1, 1, 32, 1, 1, 0, stream(t), NULL);
    CUlaunchAttribute a;
    memset(&a, 0, sizeof a);
    a.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
    a.value.launchCompletionEvent.event = PTR(CUevent, EVENT);
    CUlaunchConfig c = {blocks, 1, 1, 32, 1, 1, 0, stream(t), &a, 1};
    return cuLaunchKernelEx(&c, f, NULL, NULL);
}

// ---- Memory ---------------------------------------------------------------------------------

static _Thread_local char page[8192];

static CUresult memory(struct thread *t) {
    CUdeviceptr p = 0, base;
    CUmemoryPool pool;
    CUmemPoolProps props;
    void *host;
    size_t size;
    memset(&props, 0, sizeof props);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    props.location.id = device;
    switch (pick(t, 12)) {
    case 0:
    case 1:
        return PUT(MEMORY, cuMemAlloc(&p, BYTES), p);
    case 2:
        return PUT(MEMORY, cuMemAllocManaged(&p, BYTES, CU_MEM_ATTACH_GLOBAL), p);
    case 3:
        return PUT(POOL_MEMORY, cuMemAllocAsync(&p, BYTES, stream(t)), p);
    case 4:
        return PUT(POOL_MEMORY,
                   cuMemAllocFromPoolAsync(&p, BYTES, PTR(CUmemoryPool, POOL), stream(t)), p);
    case 5:
        return PUT(HOST_MEMORY, cuMemHostAlloc(&host, BYTES, 0), host);
    case 6:
        return PUT(POOL, cuMemPoolCreate(&pool, &props), pool);
    case 7:
        return cuMemPoolTrimTo(PTR(CUmemoryPool, POOL), 0);
    case 8:
        return pick(t, 4) ? cuDeviceGetMemPool(&pool, device)
                          : cuDeviceSetMemPool(device, PTR(CUmemoryPool, POOL));
    case 9:
        return cuPointerGetAttribute(&p, CU_POINTER_ATTRIBUTE_CONTEXT, handle(t, MEMORY));
    default:
        return cuMemGetAddressRange(&base, &size, handle(t, MEMORY));
    }
}

// Of memory that is freed by calls that wait for its users. What cuMemFreeAsync and cuMemUnmap take
// away is the program's to order: here no memory, whose addresses are used again, is freed by the
// one, and none has rights that the other could end.
static CUresult copies(struct thread *t) {
    CUdeviceptr p = handle(t, MEMORY), q = handle(t, MEMORY);
    size_t n = 1 + pick(t, pick(t, 4) ? sizeof page : 64);
    if (!p || !q)
        return CUDA_SUCCESS;
    switch (pick(t, 12)) {
    case 0:
        return cuMemcpyHtoD(p, page, n);
    case 1:
        return cuMemcpyDtoH(page, p, n);
    case 2:
        return cuMemcpyHtoDAsync(p, page, n, plain_stream(t));
    case 3:
        return cuMemcpyDtoDAsync(p, q, n, plain_stream(t));
    case 4:
        return cuMemcpyDtoD(p, q, n);
    case 5:
        return cuMemsetD8(p, 7, n);
    case 6:
        return cuMemsetD32Async(p & ~3ull, 7, n, plain_stream(t));
    case 7:
        return cuStreamWriteValue32(plain_stream(t), p & ~3ull, 1, 0);
    case 8:
        return cuMemcpyDtoDAsync(p, handle(t, HOST_MEMORY), n, plain_stream(t));
    case 9:
        return cuMemcpyHtoA(PTR(CUarray, ARRAY), 0, page, 1 + pick(t, 1024));
    case 10:
        return cuMemcpyAtoD(p, PTR(CUarray, ARRAY), 0, 1 + pick(t, 1024));
    default:
        return cuMemPrefetchAsync(p, n, device, plain_stream(t));
    }
}

static CUresult virtual_memory(struct thread *t) {
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;
    CUmemAllocationProp prop;
    CUmemAccessDesc access;
    memset(&prop, 0, sizeof prop);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = device;
    access.location = prop.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    switch (pick(t, 7)) {
    case 0:
        return PUT(ALLOCATION, cuMemCreate(&h, GRANULE, &prop, 0), h);
    case 1:
        return PUT(RANGE, cuMemAddressReserve(&p, GRANULE, 0, 0, 0), p);
    case 2:
        return cuMemMap(handle(t, RANGE), GRANULE, 0, handle(t, ALLOCATION), 0);
    case 3:
        return cuMemSetAccess(handle(t, RANGE), GRANULE, &access, 1);
    case 4:
        return cuMemUnmap(handle(t, RANGE), GRANULE);
    case 5:
        return cuMemGetAllocationPropertiesFromHandle(&prop, handle(t, ALLOCATION));
    default:
        p = handle(t, RANGE);
        return p ? cuMemRetainAllocationHandle(&h, (void *)(uintptr_t)p) : CUDA_SUCCESS;
    }
}

static CUresult images(struct thread *t) {
    CUarray a;
    CUmipmappedArray m;
    CUtexObject tex;
    CUsurfObject surf;
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC s;
    memset(&d, 0, sizeof d);
    memset(&r, 0, sizeof r);
    memset(&s, 0, sizeof s);
    d.Width = d.Height = 256;
    d.Format = CU_AD_FORMAT_UNSIGNED_INT8;
    d.NumChannels = 1;
    d.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    switch (pick(t, 8)) {
    case 0:
        return PUT(ARRAY, cuArray3DCreate(&a, &d), a);
    case 1:
        return PUT(MIPMAP, cuMipmappedArrayCreate(&m, &d, 4), m);
    case 2:
        return cuMipmappedArrayGetLevel(&a, PTR(CUmipmappedArray, MIPMAP), pick(t, 4));
    case 3:
        r.res.array.hArray = PTR(CUarray, ARRAY);
        return PUT(TEXTURE, cuTexObjectCreate(&tex, &r, &s, NULL), tex);
    case 4:
        r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        r.res.mipmap.hMipmappedArray = PTR(CUmipmappedArray, MIPMAP);
        s.flags = CU_TRSF_NORMALIZED_COORDINATES;
        return PUT(TEXTURE, cuTexObjectCreate(&tex, &r, &s, NULL), tex);
    case 5:
        r.res.array.hArray = PTR(CUarray, ARRAY);
        return PUT(SURFACE, cuSurfObjectCreate(&surf, &r), surf);
    case 6:
        return cuTexObjectGetResourceDesc(&r, handle(t, TEXTURE));
    default:
        return cuArray3DGetDescriptor(&d, PTR(CUarray, ARRAY));
    }
}

// ---- Graphs ---------------------------------------------------------------------------------

static CUresult graph_nodes(struct thread *t) {
    CUgraph g = PTR(CUgraph, GRAPH), child;
    CUgraphNode n, before = PTR(CUgraphNode, NODE), some[4];
    size_t count = pick(t, 3) == 0, four = 4;
    CUDA_HOST_NODE_PARAMS host = {ignore, &host_calls};
    CUDA_KERNEL_NODE_PARAMS kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.func = PTR(CUfunction, pick(t, 2) ? FUNCTION : KERNEL);
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = 32;
    kernel.blockDimY = kernel.blockDimZ = 1;
    switch (pick(t, 14)) {
    case 0:
    case 1:
    case 2:
        return PUT(NODE, cuGraphAddKernelNode(&n, g, &before, count, &kernel), n);
    case 3:
        return PUT(NODE, cuGraphAddHostNode(&n, g, &before, count, &host), n);
    case 4:
        return PUT(NODE, cuGraphAddEmptyNode(&n, g, &before, count), n);
    case 5:
        return PUT(NODE, cuGraphAddEventRecordNode(&n, g, NULL, 0, PTR(CUevent, EVENT)), n);
    case 6:
        return PUT(NODE, cuGraphAddEventWaitNode(&n, g, NULL, 0, PTR(CUevent, EVENT)), n);
    case 7:
        child = PTR(CUgraph, GRAPH);
        return pick(t, 4) || child == g
                   ? CUDA_SUCCESS
                   : PUT(NODE, cuGraphAddChildGraphNode(&n, g, NULL, 0, child), n);
    case 8:
        return cuGraphKernelNodeSetParams(before, &kernel);
    case 9:
        return cuGraphAddDependencies(g, &before, &(CUgraphNode){PTR(CUgraphNode, NODE)}, 1);
    case 10:
        return cuGraphRemoveDependencies(g, &before, &(CUgraphNode){PTR(CUgraphNode, NODE)}, 1);
    case 11:
        return cuGraphNodeGetDependencies(before, some, &four);
    case 12:
        return cuGraphNodeGetType(before, &(CUgraphNodeType){0});
    default:
        return cuGraphGetNodes(g, some, &four);
    }
}

static CUresult graphs(struct thread *t) {
    CUgraph g;
    CUgraphExec e;
    CUuserObject o;
    CUgraphExecUpdateResultInfo info;
    switch (pick(t, 14)) {
    case 0:
    case 1:
        return PUT(GRAPH, cuGraphCreate(&g, 0), g);
    case 2:
    case 3:
        return PUT(EXEC, cuGraphInstantiateWithFlags(&e, PTR(CUgraph, GRAPH), 0), e);
    case 4:
        return PUT(GRAPH, cuGraphClone(&g, PTR(CUgraph, GRAPH)), g);
    case 5:
        return cuGraphExecUpdate(PTR(CUgraphExec, EXEC), PTR(CUgraph, GRAPH), &info);
    case 6:
        return cuGraphNodeSetEnabled(PTR(CUgraphExec, EXEC), PTR(CUgraphNode, NODE), pick(t, 2));
    case 7:
        return PUT(USER_OBJECT,
                   cuUserObjectCreate(&o, &host_calls, ignore, 1 + pick(t, 3),
                                      CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
                   o);
    case 8:
        return cuUserObjectRetain(PTR(CUuserObject, USER_OBJECT), 1);
    case 9:
        return cuGraphRetainUserObject(PTR(CUgraph, GRAPH), PTR(CUuserObject, USER_OBJECT), 1,
                                       pick(t, 2) ? CU_GRAPH_USER_OBJECT_MOVE : 0);
    case 10:
        return cuGraphReleaseUserObject(PTR(CUgraph, GRAPH), PTR(CUuserObject, USER_OBJECT), 1);
    default:
        return cuGraphLaunch(PTR(CUgraphExec, EXEC), stream(t));
    }
}

static CUresult captures(struct thread *t) {
    CUgraph g = NULL;
    CUstream s = captured_stream(t);
    CUstreamCaptureStatus status;
    CUgraphNode n = PTR(CUgraphNode, NODE);
    CUstreamCaptureMode mode =
        pick(t, 8) ? CU_STREAM_CAPTURE_MODE_RELAXED : CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    switch (pick(t, 8)) {
    case 0:
        return cuStreamBeginCapture(s, mode);
    case 1:
        return cuStreamBeginCaptureToGraph(s, PTR(CUgraph, GRAPH), NULL, NULL, 0, mode);
    case 2:
        return cuStreamIsCapturing(s, &status);
    case 3:
        return cuStreamUpdateCaptureDependencies(s, &n, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES);
    default: {
        CUresult r = cuStreamEndCapture(s, &g);
        return r == CUDA_SUCCESS ? PUT(GRAPH, r, g) : r;
    }
    }
}

// ---- What comes from outside ----------------------------------------------------------------

static CUresult externals(struct thread *t) {
    CUexternalMemory m;
    CUexternalSemaphore s;
    CUdeviceptr p;
    CUlogsCallbackHandle c;
    CUresult r;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory_desc;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer;
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC semaphore_desc;
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal;
    int fd;
    memset(&memory_desc, 0, sizeof memory_desc);
    memset(&buffer, 0, sizeof buffer);
    memset(&semaphore_desc, 0, sizeof semaphore_desc);
    memset(&signal, 0, sizeof signal);
    switch (pick(t, 8)) {
    case 0:
        if ((fd = memfd_create("storm", MFD_CLOEXEC)) < 0 || ftruncate(fd, BYTES))
            return CUDA_SUCCESS;
        memory_desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
        memory_desc.handle.fd = fd;
        memory_desc.size = BYTES;
        if ((r = cuImportExternalMemory(&m, &memory_desc)) != CUDA_SUCCESS)
            close(fd);
        return PUT(EXTERNAL_MEMORY, r, m);
    case 1:
        buffer.size = BYTES;
        return PUT(
            BUFFER,
            cuExternalMemoryGetMappedBuffer(&p, PTR(CUexternalMemory, EXTERNAL_MEMORY), &buffer),
            p);
    case 2:
        if ((fd = eventfd(0, EFD_CLOEXEC)) < 0)
            return CUDA_SUCCESS;
        semaphore_desc.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
        semaphore_desc.handle.fd = fd;
        if ((r = cuImportExternalSemaphore(&s, &semaphore_desc)) != CUDA_SUCCESS)
            close(fd);
        return PUT(SEMAPHORE, r, s);
    case 3:
    case 4:
        s = PTR(CUexternalSemaphore, SEMAPHORE);
        return cuSignalExternalSemaphoresAsync(&s, &signal, 1, stream(t));
    case 5:
        return PUT(CALLBACK, cuLogsRegisterCallback(logged, &host_calls, &c), c);
    default:
        return CUDA_SUCCESS;
    }
}

// ---- The storm ------------------------------------------------------------------------------

static CUresult (*const actions[])(struct thread *) = {
    destroy_one, destroy_one, contexts, greens,   streams,   streams,        events,
    events,      modules,     modules,  launches, launches,  launches,       memory,
    memory,      copies,      copies,   copies,   images,    virtual_memory, graph_nodes,
    graph_nodes, graphs,      graphs,   captures, externals,
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

// Errors that no call here may bring about: work met memory or code that is not there.
static bool is_fault(CUresult r) {
    return r == CUDA_ERROR_ILLEGAL_ADDRESS || r == CUDA_ERROR_LAUNCH_FAILED ||
           r == CUDA_ERROR_ILLEGAL_INSTRUCTION || r == CUDA_ERROR_MISALIGNED_ADDRESS ||
           r == CUDA_ERROR_INVALID_PC || r == CUDA_ERROR_HARDWARE_STACK_ERROR ||
           r == CUDA_ERROR_LAUNCH_TIMEOUT || r == CUDA_ERROR_UNKNOWN;
}

static void *storm(void *arg) {
    struct thread *t = arg;
    set_current(t);
    while (!stop) {
        unsigned which = pick(t, ACTIONS);
        CUresult r = actions[which](t);
        calls++;
        successes += r == CUDA_SUCCESS;
        if (is_fault(r)) {
            const char *name = "?";
            cuGetErrorName(r, &name);
            fprintf(stderr, "thread %u: action %u met %s\n", t->number, which, name);
            failures++;
            stop = true;
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (cuInit(0) || cuDeviceGet(&device, 0))
        return 1;
    return storm_run(argc, argv, storm);
}
