// Whatever the system refuses, the driver reports: the n-th allocation, mapping, protection or
// thread that the driver asks for fails, for each n, in a process of its own. The program goes on
// after the error, nothing hangs, nothing is lost, nothing stays allocated. Kernels come from the
// cache: alloc_failure_compiler.c is about the compiler.
#include "driver/check.h"
#include "driver/kernels.h"
#include "load/refuse.h"

// ---- What is tried ------------------------------------------------------------------------

enum result { RIGHT, REFUSED, WRONG };

static const char ptx[] = PTX_HEAD PTX_FILL;
static const char *failed_call;

// The call's own error ends the attempt: it must be one that a lack of means can cause.
static int refused_by(CUresult r, const char *call) {
    if (r == CUDA_SUCCESS)
        return 0;
    failed_call = call;
    if (r != CUDA_ERROR_OUT_OF_MEMORY && r != CUDA_ERROR_OPERATING_SYSTEM &&
        r != CUDA_ERROR_JIT_COMPILER_NOT_FOUND) {
        fprintf(stderr, "%s: error %d where %s was refused\n", call, (int)r, what);
        check_failures++;
    }
    return 1;
}
#define TRIED(call)                                                                                \
    do {                                                                                           \
        if (refused_by(call, #call))                                                               \
            return REFUSED;                                                                        \
    } while (0)

static void CUDA_CB count_up(void *n) {
    ++*(int *)n;
}

static int right(const unsigned *back, unsigned a, unsigned b) {
    for (unsigned i = 0; i < 256; i++)
        if (back[i] != a + b * i)
            return 0;
    return 1;
}

static CUlibrary library; // of no context

static enum result work(void) {
    CUmodule m;
    CUfunction f;
    CUstream s, t;
    CUevent e, e2;
    CUdeviceptr out, pooled;
    void *host;
    static int calls; // also when the function runs after the attempt has ended
    float ms;
    calls = 0;
    unsigned a = 3, b = 5, back[256] = {0};
    void *params[] = {&out, &a, &b};
    TRIED(cuModuleLoadData(&m, ptx));
    TRIED(cuModuleGetFunction(&f, m, "fill"));
    TRIED(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    TRIED(cuStreamCreate(&s, 0));
    TRIED(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    TRIED(cuEventCreate(&e, 0));
    TRIED(cuEventCreate(&e2, 0));
    TRIED(cuMemAlloc(&out, sizeof back));
    TRIED(cuMemHostAlloc(&host, 1 << 20, 0));
    TRIED(cuEventRecord(e, s));
    TRIED(cuLaunchKernel(f, 4, 1, 1, 64, 1, 1, 0, s, params, NULL));
    TRIED(cuLaunchHostFunc(s, count_up, &calls));
    TRIED(cuEventRecord(e2, s));
    TRIED(cuStreamWaitEvent(t, e2, 0));
    TRIED(cuMemAllocAsync(&pooled, sizeof back, t));
    TRIED(cuMemcpyDtoDAsync(pooled, out, sizeof back, t));
    TRIED(cuMemcpyDtoHAsync(back, pooled, sizeof back, t));
    TRIED(cuMemFreeAsync(pooled, t));
    TRIED(cuStreamSynchronize(t));
    TRIED(cuStreamSynchronize(s));
    TRIED(cuEventElapsedTime(&ms, e, e2));
    TRIED(cuCtxSynchronize());
    return right(back, a, b) && calls == 1 ? RIGHT : WRONG;
}

static enum result with_context(void) {
    CUcontext ctx;
    TRIED(cuCtxCreate(&ctx, 0, 0));
    enum result r = work();
    atomic_store(&countdown, -1); // ending must not fail for lack of memory
    if (library)
        OK(cuLibraryUnload(library));
    library = NULL;
    OK(cuCtxDestroy(ctx));
    return r;
}

// One attempt in which the n-th call fails. False: it is as if nothing had gone wrong, and it had.
static int attempt(int n, int from_start) {
    refused = 0;
    atomic_store(&countdown, n);
    enum result r = from_start && refused_by(cuInit(0), "cuInit") ? REFUSED : with_context();
    atomic_store(&countdown, -1);
    if (r == RIGHT || (r == REFUSED && refused))
        return 1;
    fprintf(stderr, "call %d, %s refused: wrong result\n", n, refused ? what : "nothing");
    return 0;
}

// The driver keeps some blocks for later, how many depends on time; what is lost is lost each time.
enum { TIMES = 12 };

// Fails the n-th call.
static int scenario(int n, int from_start) {
    alarm(100); // a hang, not a slow machine
    if (!from_start) {
        NEED(cuInit(0));
        CHECK(with_context() == RIGHT && with_context() == RIGHT);
    }
    long before = atomic_load(&live);
    int happened = 0;
    for (int i = 0; i < (from_start ? 1 : TIMES); i++) {
        if (!attempt(n, from_start))
            return 1;
        happened |= refused;
    }
    NEED(cuInit(0)); // the library still works
    CHECK(with_context() == RIGHT);
    long after = atomic_load(&live);
    if (!from_start && after - before >= TIMES) {
        fprintf(stderr, "call %d, %s refused to %s: %ld blocks more\n", n, what,
                failed_call ? failed_call : "what succeeded", after - before);
        return 1;
    }
    return check_result() ? 1 : happened ? 0 : 2;
}

int main(void) {
    char cache[] = "/tmp/kudzu-load-XXXXXX", command[64];
    CHECK(mkdtemp(cache) != NULL);
    setenv("CUDA_CACHE_PATH", cache, 1);
    setenv("KUDZU_TIER", "full", 1); // no compiler in the background
    refuse_calls_of("libcuda.so");
    CHECK(in_child(scenario, 1 << 30, 0) == 2); // compiles
    all_calls("once it runs", scenario, 0, 20);
    all_calls("from the start", scenario, 1, 20);
    CHECK(!refuse_failures);
    snprintf(command, sizeof command, "rm -rf %s", cache);
    CHECK(system(command) == 0);
    return check_result();
}
