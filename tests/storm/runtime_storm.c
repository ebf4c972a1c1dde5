// The storm of handle_storm.c by the runtime API: eight threads make random calls on shared handles
// and addresses, which others destroy meanwhile, and now and then one resets the device. Every call
// ends, and no work meets memory that was freed.
//
//   runtime_storm [SECONDS [SEED [THREADS]]]
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <string.h>

#include "storm.h"

enum { SHARED = 6, BYTES = 96 << 10 };

enum kind {
    STREAM,
    CAPTURED, // streams that may be capturing
    EVENT,
    LIBRARY,
    KERNEL,
    GRAPH,
    NODE,
    EXEC,
    POOL,
    MEMORY,      // of cudaMalloc and cudaMallocManaged
    POOL_MEMORY, // of cudaMallocAsync
    HOST_MEMORY,
    VARIABLE, // goes with its library
    ARRAY,
    TEXTURE,
    KINDS
};

// A kernel that counts in a variable of its library, which goes with the library.
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter[64];\n"
                          ".visible .entry count()\n{\n"
                          "    .reg .b32 %r<3>;\n    .reg .b64 %rd<4>;\n"
                          "    mov.u32 %r1, %tid.x;\n"
                          "    mov.u64 %rd1, counter;\n"
                          "    mul.wide.u32 %rd2, %r1, 4;\n"
                          "    add.s64 %rd3, %rd1, %rd2;\n"
                          "    atom.global.add.u32 %r2, [%rd3], 1;\n"
                          "    ret;\n}\n";

static _Atomic uint64_t shared[KINDS][SHARED];
static atomic_ulong host_calls;
static _Thread_local char page[8192];

// ---- Shared handles -------------------------------------------------------------------------

static uint64_t handle(struct thread *t, enum kind k) {
    uint64_t h = shared[k][pick(t, SHARED)];
    if (pick(t, 24))
        return h;
    if (k == MEMORY || k == POOL_MEMORY || k == HOST_MEMORY || k == VARIABLE)
        return h ? h + (uint64_t)pick(t, 64) * 4096 : 0;
    return pick(t, 2) ? h ^ 1ull << pick(t, 64) : 0; // another slot, kind or generation
}

static uint64_t take(struct thread *t, enum kind k) {
    if (!pick(t, 4))
        return handle(t, k); // the stale handle stays
    return atomic_exchange(&shared[k][pick(t, SHARED)], 0);
}

#define PTR(type, k) ((type)(uintptr_t)handle(t, k))

static cudaError_t destroy(enum kind k, uint64_t h) {
    void *p = (void *)(uintptr_t)h;
    switch (k) {
    case STREAM:
    case CAPTURED:
        return cudaStreamDestroy(p);
    case EVENT:
        return cudaEventDestroy(p);
    case LIBRARY:
        return cudaLibraryUnload(p);
    case GRAPH:
        return cudaGraphDestroy(p);
    case NODE:
        return cudaGraphDestroyNode(p);
    case EXEC:
        return cudaGraphExecDestroy(p);
    case POOL:
        return cudaMemPoolDestroy(p);
    case MEMORY:
    case POOL_MEMORY:
        return cudaFree(p);
    case HOST_MEMORY:
        return cudaFreeHost(p);
    case ARRAY:
        return cudaFreeArray(p);
    case TEXTURE:
        return cudaDestroyTextureObject(h);
    default:
        return cudaSuccess;
    }
}

// What stood there before is destroyed.
static cudaError_t put(struct thread *t, enum kind k, cudaError_t r, uint64_t h) {
    if (r == cudaSuccess) {
        uint64_t old = atomic_exchange(&shared[k][pick(t, SHARED)], h);
        if (old)
            destroy(k, old);
    }
    return r;
}
#define PUT(k, call, h)                                                                            \
    ({                                                                                             \
        cudaError_t made = (call);                                                                 \
        put(t, k, made, made == cudaSuccess ? (uint64_t)(uintptr_t)(h) : 0);                       \
    })

// NULL is none of those that are not zero: a default stream.
static cudaStream_t stream(struct thread *t) {
    static const cudaStream_t defaults[] = {NULL, cudaStreamLegacy, cudaStreamPerThread};
    return pick(t, 4) ? PTR(cudaStream_t, pick(t, 3) ? STREAM : CAPTURED) : defaults[pick(t, 3)];
}

// One that never captures: a graph keeps addresses, and what is there when it is launched is the
// program's affair.
static cudaStream_t plain_stream(struct thread *t) {
    uint64_t h = shared[STREAM][pick(t, SHARED)];
    return pick(t, 4) ? (cudaStream_t)(uintptr_t)h : cudaStreamLegacy;
}

static cudaStream_t captured_stream(struct thread *t) {
    return (cudaStream_t)(uintptr_t)shared[CAPTURED][pick(t, SHARED)];
}

static void CUDART_CB ignore(void *data) {
    atomic_fetch_add((atomic_ulong *)data, 1);
}

// ---- Actions --------------------------------------------------------------------------------

static cudaError_t destroy_one(struct thread *t) {
    enum kind k = pick(t, KINDS);
    return destroy(k, take(t, k));
}

static cudaError_t devices(struct thread *t) {
    int device;
    size_t free, total;
    switch (pick(t, 8)) {
    case 0:
        return pick(t, 128) ? cudaSuccess : cudaDeviceReset();
    case 1:
        return cudaDeviceSynchronize();
    case 2:
        return cudaGetDevice(&device);
    case 3:
        return cudaMemGetInfo(&free, &total);
    case 4:
        return cudaGetLastError();
    case 5:
        return cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096 * (1 + pick(t, 4)));
    default:
        return cudaSetDevice(0);
    }
}

static cudaError_t streams(struct thread *t) {
    cudaStream_t s;
    unsigned flags;
    int priority;
    switch (pick(t, 9)) {
    case 0:
    case 1:
        if (pick(t, 2))
            return PUT(STREAM,
                       cudaStreamCreateWithFlags(&s, pick(t, 2) ? cudaStreamNonBlocking : 0), s);
        return PUT(CAPTURED, cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), s);
    case 2:
        return cudaStreamSynchronize(stream(t));
    case 3:
        return cudaStreamQuery(stream(t));
    case 4:
        return cudaStreamGetFlags(stream(t), &flags);
    case 5:
        return cudaStreamGetPriority(stream(t), &priority);
    case 6:
        return cudaLaunchHostFunc(stream(t), ignore, &host_calls);
    case 7:
        return cudaStreamWaitEvent(captured_stream(t), PTR(cudaEvent_t, EVENT), 0);
    default:
        return cudaStreamWaitEvent(plain_stream(t), PTR(cudaEvent_t, EVENT), 0);
    }
}

static cudaError_t events(struct thread *t) {
    cudaEvent_t e;
    float ms;
    switch (pick(t, 7)) {
    case 0:
    case 1:
        return PUT(EVENT, cudaEventCreateWithFlags(&e, pick(t, 2) ? cudaEventDisableTiming : 0), e);
    case 2:
        return cudaEventQuery(PTR(cudaEvent_t, EVENT));
    case 3:
        return cudaEventSynchronize(PTR(cudaEvent_t, EVENT));
    case 4:
        return cudaEventElapsedTime(&ms, PTR(cudaEvent_t, EVENT), PTR(cudaEvent_t, EVENT));
    default:
        return cudaEventRecord(PTR(cudaEvent_t, EVENT), stream(t));
    }
}

static cudaError_t libraries(struct thread *t) {
    cudaLibrary_t l;
    cudaKernel_t k;
    void *p;
    size_t size;
    switch (pick(t, 5)) {
    case 0:
        return PUT(LIBRARY, cudaLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0), l);
    case 1:
    case 2:
        return PUT(KERNEL, cudaLibraryGetKernel(&k, PTR(cudaLibrary_t, LIBRARY), "count"), k);
    default:
        return PUT(VARIABLE,
                   cudaLibraryGetGlobal(&p, &size, PTR(cudaLibrary_t, LIBRARY), "counter"), p);
    }
}

static cudaError_t launches(struct thread *t) {
    const void *k = PTR(const void *, KERNEL);
    struct cudaFuncAttributes attributes;
    if (!pick(t, 8))
        return cudaFuncGetAttributes(&attributes, k);
    return cudaLaunchKernel(k, (dim3){1 + pick(t, 3), 1, 1}, (dim3){32, 1, 1}, NULL, 0, stream(t));
}

static cudaError_t memory(struct thread *t) {
    void *p = NULL;
    cudaMemPool_t pool;
    struct cudaMemPoolProps props;
    struct cudaPointerAttributes attributes;
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    switch (pick(t, 10)) {
    case 0:
    case 1:
        return PUT(MEMORY, cudaMalloc(&p, BYTES), p);
    case 2:
        return PUT(MEMORY, cudaMallocManaged(&p, BYTES, cudaMemAttachGlobal), p);
    case 3:
        return PUT(POOL_MEMORY, cudaMallocAsync(&p, BYTES, stream(t)), p);
    case 4:
        return PUT(POOL_MEMORY,
                   cudaMallocFromPoolAsync(&p, BYTES, PTR(cudaMemPool_t, POOL), stream(t)), p);
    case 5:
        return PUT(HOST_MEMORY, cudaMallocHost(&p, BYTES), p);
    case 6:
        return PUT(POOL, cudaMemPoolCreate(&pool, &props), pool);
    case 7:
        return cudaMemPoolTrimTo(PTR(cudaMemPool_t, POOL), 0);
    case 8:
        return cudaDeviceGetMemPool(&pool, 0);
    default:
        return cudaPointerGetAttributes(&attributes, PTR(void *, MEMORY));
    }
}

// Of memory that is freed by calls that wait for its users.
static cudaError_t copies(struct thread *t) {
    char *p = PTR(char *, MEMORY), *q = PTR(char *, pick(t, 4) ? MEMORY : VARIABLE);
    size_t n = 1 + pick(t, pick(t, 4) ? sizeof page : 64);
    if (!p || !q)
        return cudaSuccess;
    switch (pick(t, 9)) {
    case 0:
        return cudaMemcpy(p, page, n, cudaMemcpyHostToDevice);
    case 1:
        return cudaMemcpy(page, q, n, cudaMemcpyDeviceToHost);
    case 2:
        return cudaMemcpyAsync(p, page, n, cudaMemcpyHostToDevice, plain_stream(t));
    case 3:
        return cudaMemcpyAsync(p, q, n, cudaMemcpyDeviceToDevice, plain_stream(t));
    case 4:
        return cudaMemcpy(q, p, n, cudaMemcpyDeviceToDevice);
    case 5:
        return cudaMemset(q, 7, n);
    case 6:
        return cudaMemsetAsync(p, 7, n, plain_stream(t));
    case 7:
        return cudaMemcpy2DToArray(PTR(cudaArray_t, ARRAY), 0, 0, page, 64, 64, 1 + pick(t, 64),
                                   cudaMemcpyHostToDevice);
    default:
        return cudaMemcpy2D(p, 256, q, 128, 1 + pick(t, 128), 1 + pick(t, 16),
                            cudaMemcpyDeviceToDevice);
    }
}

static cudaError_t images(struct thread *t) {
    cudaArray_t a;
    cudaTextureObject_t tex;
    struct cudaChannelFormatDesc d = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    struct cudaResourceDesc r;
    struct cudaTextureDesc s;
    memset(&r, 0, sizeof r);
    memset(&s, 0, sizeof s);
    switch (pick(t, 4)) {
    case 0:
        return PUT(ARRAY, cudaMallocArray(&a, &d, 256, 256, 0), a);
    case 1:
        r.resType = cudaResourceTypeArray;
        r.res.array.array = PTR(cudaArray_t, ARRAY);
        return PUT(TEXTURE, cudaCreateTextureObject(&tex, &r, &s, NULL), tex);
    case 2:
        return cudaGetTextureObjectResourceDesc(&r, handle(t, TEXTURE));
    default:
        return cudaGetChannelDesc(&d, PTR(cudaArray_t, ARRAY));
    }
}

static cudaError_t graphs(struct thread *t) {
    cudaGraph_t g = PTR(cudaGraph_t, GRAPH);
    cudaGraphExec_t e;
    cudaGraphNode_t n, before = PTR(cudaGraphNode_t, NODE);
    cudaGraphExecUpdateResultInfo info;
    struct cudaHostNodeParams host = {ignore, &host_calls};
    struct cudaKernelNodeParams kernel;
    size_t count = pick(t, 3) == 0;
    memset(&kernel, 0, sizeof kernel);
    kernel.func = PTR(void *, KERNEL);
    kernel.gridDim = (dim3){1, 1, 1};
    kernel.blockDim = (dim3){32, 1, 1};
    switch (pick(t, 14)) {
    case 0:
        return PUT(GRAPH, cudaGraphCreate(&g, 0), g);
    case 1:
    case 2:
        return PUT(EXEC, cudaGraphInstantiate(&e, g, 0), e);
    case 3:
        return PUT(GRAPH, cudaGraphClone(&g, g), g);
    case 4:
        return cudaGraphExecUpdate(PTR(cudaGraphExec_t, EXEC), g, &info);
    case 5:
    case 6:
        return PUT(NODE, cudaGraphAddKernelNode(&n, g, &before, count, &kernel), n);
    case 7:
        return PUT(NODE, cudaGraphAddHostNode(&n, g, &before, count, &host), n);
    case 8:
        return PUT(NODE, cudaGraphAddEventRecordNode(&n, g, NULL, 0, PTR(cudaEvent_t, EVENT)), n);
    case 9:
        return cudaGraphKernelNodeSetParams(before, &kernel);
    default:
        return cudaGraphLaunch(PTR(cudaGraphExec_t, EXEC), stream(t));
    }
}

static cudaError_t captures(struct thread *t) {
    cudaGraph_t g = NULL;
    cudaStream_t s = captured_stream(t);
    enum cudaStreamCaptureStatus status;
    switch (pick(t, 4)) {
    case 0:
        return cudaStreamBeginCapture(s, pick(t, 8) ? cudaStreamCaptureModeRelaxed
                                                    : cudaStreamCaptureModeThreadLocal);
    case 1:
        return cudaStreamIsCapturing(s, &status);
    default: {
        cudaError_t r = cudaStreamEndCapture(s, &g);
        return r == cudaSuccess ? PUT(GRAPH, r, g) : r;
    }
    }
}

// ---- The storm ------------------------------------------------------------------------------

static cudaError_t (*const actions[])(struct thread *) = {
    destroy_one, destroy_one, devices,  streams, streams,  events, libraries,
    launches,    launches,    launches, memory,  memory,   copies, copies,
    copies,      images,      graphs,   graphs,  captures,
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

// Errors that no call here may bring about: work met memory or code that is not there.
static bool is_fault(cudaError_t r) {
    return r == cudaErrorIllegalAddress || r == cudaErrorLaunchFailure ||
           r == cudaErrorIllegalInstruction || r == cudaErrorMisalignedAddress ||
           r == cudaErrorInvalidPc || r == cudaErrorHardwareStackError ||
           r == cudaErrorLaunchTimeout || r == cudaErrorUnknown;
}

static void *storm(void *arg) {
    struct thread *t = arg;
    while (!stop) {
        unsigned which = pick(t, ACTIONS);
        cudaError_t r = actions[which](t);
        calls++;
        successes += r == cudaSuccess;
        if (is_fault(r)) {
            fprintf(stderr, "thread %u: action %u met %s\n", t->number, which, cudaGetErrorName(r));
            failures++;
            stop = true;
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    return cudaSetDevice(0) ? 1 : storm_run(argc, argv, storm);
}
