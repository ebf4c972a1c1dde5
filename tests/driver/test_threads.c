// Several threads at once: one context for all, and a context each.
#include "check.h"
#include "kernels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { THREADS = 6, ROUNDS = 40, N = 512 };

static const char ptx[] = PTX_HEAD PTX_FILL;
static CUcontext shared_context;
static CUfunction shared_fill;

static int round_trip(CUfunction f, CUstream s, unsigned a) {
    CUdeviceptr out;
    CUevent e;
    unsigned b = 3, back[N];
    void *params[] = {&out, &a, &b};
    OK(cuMemAlloc(&out, sizeof back));
    OK(cuEventCreate(&e, 0));
    OK(cuLaunchKernel(f, N / 64, 1, 1, 64, 1, 1, 0, s, params, NULL));
    OK(cuMemcpyDtoHAsync(back, out, sizeof back, s));
    OK(cuEventRecord(e, s));
    OK(cuEventSynchronize(e));
    OK(cuEventDestroy(e));
    OK(cuMemFree(out));
    for (unsigned i = 0; i < N; i++)
        if (back[i] != a + 3 * i)
            return 0;
    return 1;
}

static void *in_shared_context(void *arg) {
    CUstream s;
    unsigned number = (unsigned)(size_t)arg;
    OK(cuCtxSetCurrent(shared_context));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < ROUNDS; i++)
        CHECK(round_trip(shared_fill, i % 2 ? s : CU_STREAM_PER_THREAD, number * 1000 + i));
    OK(cuStreamDestroy(s));
    return NULL;
}

static void *in_own_context(void *arg) {
    CUcontext ctx;
    CUmodule m;
    CUfunction f;
    unsigned number = (unsigned)(size_t)arg;
    for (unsigned i = 0; i < 4; i++) {
        OK(cuCtxCreate(&ctx, 0, 0));
        OK(cuModuleLoadData(&m, ptx));
        OK(cuModuleGetFunction(&f, m, "fill"));
        CHECK(round_trip(f, 0, number * 77 + i));
        OK(cuCtxDestroy(ctx));
    }
    return NULL;
}

static void *retains(void *arg) {
    CUcontext ctx;
    for (int i = 0; i < ROUNDS; i++) {
        OK(cuDevicePrimaryCtxRetain(&ctx, 0));
        OK(cuDevicePrimaryCtxRelease(0));
    }
    return NULL;
}

static void all(void *(*body)(void *)) {
    pthread_t t[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, body, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

// Of several threads that destroy one object, one succeeds.
static CUstream contended_stream;
static CUevent contended_event;
static pthread_barrier_t meeting;
static _Atomic int destroyed[2], refused[2];

static void *destroys(void *unused) {
    OK(cuCtxSetCurrent(shared_context));
    for (int i = 0; i < 200; i++) {
        if (pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD) {
            OK(cuStreamCreate(&contended_stream, 0));
            OK(cuEventCreate(&contended_event, 0));
        }
        pthread_barrier_wait(&meeting);
        CUresult r[2] = {cuStreamDestroy(contended_stream), cuEventDestroy(contended_event)};
        for (int k = 0; k < 2; k++) {
            destroyed[k] += r[k] == CUDA_SUCCESS;
            refused[k] += r[k] == CUDA_ERROR_INVALID_HANDLE;
        }
    }
    return NULL;
}

static void destroy_at_once(void) {
    enum { ALL = 4 };
    pthread_t t[ALL];
    pthread_barrier_init(&meeting, NULL, ALL);
    for (int i = 0; i < ALL; i++)
        pthread_create(&t[i], NULL, destroys, NULL);
    for (int i = 0; i < ALL; i++)
        pthread_join(t[i], NULL);
    for (int k = 0; k < 2; k++)
        CHECK(destroyed[k] == 200 && refused[k] == 200 * (ALL - 1));
}

// The addresses of an allocation node go with the graph, or with the last thing that holds them,
// but not while work that was submitted before uses them.
static CUgraph graph_with_memory(size_t bytes, CUdeviceptr *p) {
    CUgraph g;
    CUgraphNode n;
    CUDA_MEM_ALLOC_NODE_PARAMS a;
    memset(&a, 0, sizeof a);
    a.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    a.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    a.bytesize = bytes;
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    *p = a.dptr;
    return g;
}

static void graph_memory_in_use(void) {
    enum { BYTES = 64 << 20 };
    CUstream s;
    CUdeviceptr p;
    OK(cuCtxSetCurrent(shared_context));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 3; i++) {
        CUgraph g = graph_with_memory(BYTES, &p);
        CUresult r = cuMemsetD8Async(p, 1, BYTES, s); // no launch has allocated it
        CHECK(r == CUDA_SUCCESS || r == CUDA_ERROR_INVALID_VALUE);
        OK(cuGraphDestroy(g));
        OK(cuStreamSynchronize(s));
    }
    OK(cuStreamDestroy(s));
}

// Sets beside the freeing of the memory, by a thread that knows its address alone, until it is
// refused.
static _Atomic CUdeviceptr graph_memory;

static void *sets(void *unused) {
    OK(cuCtxSetCurrent(shared_context));
    CUstream s;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (CUdeviceptr p; (p = graph_memory) != 1;) {
        CUresult r = p ? cuMemsetD8Async(p, 2, 1 << 20, s) : CUDA_SUCCESS;
        CHECK(r == CUDA_SUCCESS || r == CUDA_ERROR_INVALID_VALUE);
        OK(cuStreamSynchronize(s));
    }
    OK(cuStreamDestroy(s));
    return NULL;
}

static void graph_memory_freed_beside_use(void) {
    pthread_t t;
    CUstream s;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    pthread_create(&t, NULL, sets, NULL);
    for (int i = 0; i < 200; i++) {
        CUdeviceptr p;
        CUgraphExec e;
        CUgraph g = graph_with_memory(1 << 20, &p);
        OK(cuGraphInstantiateWithFlags(&e, g, 0));
        OK(cuGraphLaunch(e, s));
        OK(cuStreamSynchronize(s));
        OK(cuGraphExecDestroy(e));
        OK(cuGraphDestroy(g));
        graph_memory = p;
        nanosleep(&(struct timespec){.tv_nsec = 500 * i}, NULL); // another moment each time
        if (i % 2)
            OK(cuMemFreeAsync(p, s));
        else
            OK(cuMemFree(p));
    }
    graph_memory = 1;
    pthread_join(t, NULL);
    OK(cuStreamDestroy(s));
}

// A graph that records an event is launched in a stream that another thread makes wait for the
// event: each wait is for a launch before it, so that both end.
static CUstream awaited_stream;
static CUevent awaited_event;
static atomic_int launching;

static void *waits_for_record(void *unused) {
    OK(cuCtxSetCurrent(shared_context));
    for (unsigned i = 1; launching; i++) {
        OK(cuStreamWaitEvent(awaited_stream, awaited_event, 0));
        if (i % 16 == 0) // waits do not pile up faster than they end
            OK(cuStreamSynchronize(awaited_stream));
    }
    return NULL;
}

static void record_of_graph_awaited(void) {
    enum { LAUNCHES = 20000, WAITERS = 2 };
    pthread_t t[WAITERS];
    CUgraph g;
    CUgraphNode n;
    CUgraphExec e;
    OK(cuStreamCreate(&awaited_stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&awaited_event, CU_EVENT_DISABLE_TIMING));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddEventRecordNode(&n, g, NULL, 0, awaited_event));
    OK(cuGraphInstantiateWithFlags(&e, g, 0));
    launching = 1;
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&t[i], NULL, waits_for_record, NULL);
    for (int i = 0; i < LAUNCHES; i++) {
        OK(cuGraphLaunch(e, awaited_stream));
        if (i % 100 == 0)
            OK(cuStreamSynchronize(awaited_stream));
    }
    launching = 0;
    for (int i = 0; i < WAITERS; i++)
        pthread_join(t[i], NULL);
    OK(cuStreamSynchronize(awaited_stream));
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuEventDestroy(awaited_event));
    OK(cuStreamDestroy(awaited_stream));
}

int main(void) {
    CUmodule m;
    shared_context = check_context();
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&shared_fill, m, "fill"));
    all(in_shared_context);
    all(in_own_context);
    all(retains);
    destroy_at_once();
    graph_memory_in_use();
    graph_memory_freed_beside_use();
    record_of_graph_awaited();
    OK(cuCtxDestroy(shared_context));
    return check_result();
}
