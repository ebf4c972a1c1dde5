// Threads that launch, allocate, capture, record, wait and destroy all at once, for a while: every
// result is right, no error comes, and at the end as much is left as after the first second.
//
// usage: load_all [SECONDS [THREADS]]     by default 3 seconds, 8 threads
#include "driver/check.h"
#include "driver/kernels.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { N = 512, MAX_THREADS = 64 };

static const char ptx[] = PTX_HEAD PTX_FILL;
static CUcontext shared_context;
static CUfunction shared_fill;
static atomic_int stop;
static atomic_long rounds;

// ---- What a round does --------------------------------------------------------------------

static int right(const unsigned *back, unsigned a) {
    for (unsigned i = 0; i < N; i++)
        if (back[i] != a + 3 * i)
            return 0;
    return 1;
}

static void launch(CUfunction f, CUstream s, CUdeviceptr out, unsigned a) {
    unsigned b = 3;
    void *params[] = {&out, &a, &b};
    OK(cuLaunchKernel(f, N / 64, 1, 1, 64, 1, 1, 0, s, params, NULL));
}

static void plain(CUfunction f, CUstream s, unsigned a) {
    CUdeviceptr out;
    CUevent e;
    unsigned back[N];
    OK(cuMemAlloc(&out, sizeof back));
    OK(cuEventCreate(&e, 0));
    launch(f, s, out, a);
    OK(cuMemcpyDtoHAsync(back, out, sizeof back, s));
    OK(cuEventRecord(e, s));
    OK(cuEventSynchronize(e));
    CHECK(right(back, a));
    OK(cuEventDestroy(e));
    OK(cuMemFree(out));
}

static void pooled(CUfunction f, CUstream s, unsigned a) {
    CUdeviceptr out;
    unsigned back[N];
    OK(cuMemAllocAsync(&out, sizeof back, s));
    OK(cuMemsetD8Async(out, 0, sizeof back, s));
    launch(f, s, out, a);
    OK(cuMemcpyDtoHAsync(back, out, sizeof back, s));
    OK(cuMemFreeAsync(out, s));
    OK(cuStreamSynchronize(s));
    CHECK(right(back, a));
}

static void CUDA_CB count_up(void *n) {
    ++*(int *)n;
}

static void across_streams(CUfunction f, CUstream s, unsigned a) {
    CUstream t;
    CUevent e;
    CUdeviceptr out;
    int calls = 0;
    unsigned back[N];
    OK(cuStreamCreateWithPriority(&t, CU_STREAM_NON_BLOCKING, -(int)(a % 6)));
    OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    OK(cuMemAlloc(&out, sizeof back));
    launch(f, t, out, a);
    OK(cuLaunchHostFunc(t, count_up, &calls));
    OK(cuEventRecord(e, t));
    OK(cuStreamDestroy(t)); // what is in it still runs
    OK(cuStreamWaitEvent(s, e, 0));
    OK(cuEventDestroy(e));
    OK(cuMemcpyDtoHAsync(back, out, sizeof back, s));
    OK(cuStreamSynchronize(s));
    CHECK(right(back, a) && calls == 1);
    OK(cuMemFree(out));
}

static void words(CUstream s, unsigned a) {
    CUdeviceptr word;
    CUstream t;
    unsigned back;
    OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&word, 8));
    OK(cuMemsetD32Async(word, 0, 2, t));
    OK(cuStreamSynchronize(t));
    OK(cuStreamWaitValue32(s, word, a | 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWriteValue32(s, word + 4, a, 0));
    OK(cuStreamWriteValue32(t, word, a | 1, 0));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(&back, word + 4, 4));
    CHECK(back == a);
    OK(cuMemFree(word));
    OK(cuStreamDestroy(t));
}

static void own_module(unsigned a) {
    CUmodule m;
    CUfunction f;
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&f, m, "fill"));
    plain(f, CU_STREAM_PER_THREAD, a);
    OK(cuModuleUnload(m));
}

static void captured(CUfunction f, CUstream s, unsigned a) {
    CUgraph g;
    CUgraphExec exec;
    CUdeviceptr out;
    unsigned back[N];
    OK(cuMemAlloc(&out, sizeof back));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    launch(f, s, out, a);
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphInstantiate(&exec, g, 0));
    OK(cuGraphLaunch(exec, s));
    OK(cuMemcpyDtoHAsync(back, out, sizeof back, s));
    OK(cuStreamSynchronize(s));
    CHECK(right(back, a));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(out));
}

static int graphs_work(void) {
    CUgraph g;
    if (cuGraphCreate(&g, 0) != CUDA_SUCCESS)
        return 0;
    CUgraphExec exec;
    int work = cuGraphInstantiate(&exec, g, 0) == CUDA_SUCCESS;
    if (work)
        OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(g));
    return work;
}

static void own_context(unsigned a) {
    CUcontext ctx;
    CUmodule m;
    CUfunction f;
    CUstream s;
    OK(cuCtxCreate(&ctx, 0, 0));
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&f, m, "fill"));
    OK(cuStreamCreate(&s, 0));
    plain(f, s, a);
    pooled(f, 0, a);
    OK(cuCtxDestroy(ctx));
    OK(cuCtxSetCurrent(shared_context));
}

static int with_graphs;

static void *thread_main(void *number) {
    CUstream s;
    unsigned a = (unsigned)(size_t)number * 1000;
    OK(cuCtxSetCurrent(shared_context));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    while (!stop && !check_failures) {
        plain(shared_fill, s, a++);
        pooled(shared_fill, s, a++);
        across_streams(shared_fill, s, a++);
        words(s, a++);
        plain(shared_fill, CU_STREAM_PER_THREAD, a++);
        if (with_graphs)
            captured(shared_fill, s, a++);
        if (a % 8 == 0)
            own_module(a);
        if (a % 16 == 0)
            own_context(a);
        atomic_fetch_add(&rounds, 1);
    }
    OK(cuStreamDestroy(s));
    return NULL;
}

// ---- Counting -----------------------------------------------------------------------------

struct left {
    size_t device, blocks;
    int threads, files;
};

static int entries_of(const char *folder) {
    int n = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static struct left count(void) {
    size_t free_bytes, total;
    OK(cuCtxSynchronize());
    OK(cuMemGetInfo(&free_bytes, &total));
    return (struct left){total - free_bytes, mallinfo2().uordblks, entries_of("/proc/self/task"),
                         entries_of("/proc/self/fd")};
}

static struct left run(double seconds, int threads) {
    pthread_t t[MAX_THREADS];
    stop = 0;
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, thread_main, (void *)(size_t)(i + 1));
    struct timespec slice = {0, 50000000};
    for (double waited = 0; waited < seconds && !check_failures; waited += 0.05)
        nanosleep(&slice, NULL);
    stop = 1;
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    return count();
}

// ---- Many streams -------------------------------------------------------------------------

static void many_streams(void) {
    enum { STREAMS = 1000 };
    static CUstream s[STREAMS];
    static unsigned back[STREAMS];
    CUdeviceptr out;
    unsigned b = 0;
    OK(cuMemAlloc(&out, STREAMS * 4));
    for (unsigned i = 0; i < STREAMS; i++)
        OK(cuStreamCreate(&s[i], i % 2 ? CU_STREAM_NON_BLOCKING : 0));
    for (unsigned i = 0; i < 4 * STREAMS; i++) {
        CUdeviceptr at = out + i % STREAMS * 4;
        void *params[] = {&at, &i, &b};
        OK(cuLaunchKernel(shared_fill, 1, 1, 1, 1, 1, 1, 0, s[i % STREAMS], params, NULL));
    }
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(back, out, sizeof back));
    for (unsigned i = 0; i < STREAMS; i++) {
        CHECK(back[i] == 3 * STREAMS + i);
        OK(cuStreamQuery(s[i]));
        OK(cuStreamDestroy(s[i]));
    }
    OK(cuMemFree(out));
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 3;
    int threads = argc > 2 ? atoi(argv[2]) : 8;
    CUmodule m;
    if (threads < 1 || threads > MAX_THREADS)
        return 2;
    shared_context = check_context();
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&shared_fill, m, "fill"));
    with_graphs = graphs_work();
    many_streams();
    struct left before = run(1, threads), after = run(seconds, threads);
    printf("%ld rounds of %d threads%s\n", (long)rounds, threads,
           with_graphs ? ", with graphs" : "");
    printf("left: device memory %zu, was %zu; blocks %zu, was %zu bytes; threads %d, was %d; files "
           "%d, was %d\n",
           after.device, before.device, after.blocks, before.blocks, after.threads, before.threads,
           after.files, before.files);
    CHECK(after.device <= before.device);
    CHECK(after.blocks <= before.blocks + (256 << 10)); // operations that are kept for later
    CHECK(after.threads <= before.threads && after.files <= before.files);
    OK(cuCtxDestroy(shared_context));
    return check_result();
}
