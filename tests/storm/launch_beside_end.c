// Executable graphs are launched while the context that their kernel is loaded into ends. A kernel
// of a library is looked up in the current context, into which the first launch loads it: the
// second one, which finds everything as the first has left it, must not meet code that went with
// the context. Another launch, which loads a large module, keeps the end from being complete
// meanwhile.
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 12, SMALL = 64, LARGE = 640, BODY = 128, NAME = 16 };

// A library, and a graph with its kernel, which counts in memory of the context that stays.
struct launcher {
    CUlibrary library;
    CUgraphExec exec;
    CUstream stream;
    CUcontext current; // while it launches
    unsigned launches, launched;
};

static CUdevice device;
static CUcontext stays;
static CUdeviceptr counter;
static atomic_int begun;
static atomic_bool bad;

static bool good(CUresult r, const char *what) {
    const char *name = "?";
    if (r == CUDA_SUCCESS)
        return true;
    cuGetErrorName(r, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    bad = true;
    return false;
}
#define OK(call) good(call, #call)

static char *text(int functions) {
    char *ptx = malloc((size_t)functions * BODY + 512), *at = ptx;
    if (!ptx)
        exit(1);
    at += sprintf(at, ".version 8.0\n.target sm_90\n.address_size 64\n"
                      ".visible .entry count(.param .u64 p)\n{\n"
                      "    .reg .b32 %%r<2>;\n    .reg .b64 %%rd<2>;\n"
                      "    ld.param.u64 %%rd1, [p];\n"
                      "    atom.global.add.u32 %%r1, [%%rd1], 1;\n    ret;\n}\n");
    for (int i = 0; i < functions; i++)
        at += sprintf(at, ".visible .entry k%d()\n{\n    ret;\n}\n", i);
    return ptx;
}

static void make(struct launcher *l, int functions) {
    CUgraph g;
    CUgraphNode n;
    CUkernel k = NULL;
    char *ptx = text(functions);
    void *params[] = {&counter};
    CUDA_KERNEL_NODE_PARAMS p = {.gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = params};
    bool made = OK(cuLibraryLoadData(&l->library, ptx, NULL, NULL, 0, NULL, NULL, 0)) &&
                OK(cuLibraryGetKernel(&k, l->library, "count"));
    p.kern = made ? k : NULL;
    made = made && OK(cuGraphCreate(&g, 0)) && OK(cuGraphAddKernelNode(&n, g, NULL, 0, &p)) &&
           OK(cuGraphInstantiateWithFlags(&l->exec, g, 0)) && OK(cuGraphDestroy(g)) &&
           OK(cuStreamCreate(&l->stream, CU_STREAM_NON_BLOCKING));
    bad = bad || !made;
    free(ptx);
}

// The context may have ended: then the launch fails.
static void *launch(void *arg) {
    struct launcher *l = arg;
    l->launched = 0;
    cuCtxSetCurrent(l->current);
    begun++;
    for (unsigned i = 0; i < l->launches; i++)
        l->launched += cuGraphLaunch(l->exec, l->stream) == CUDA_SUCCESS;
    return NULL;
}

static unsigned count(void) {
    unsigned n = 0;
    OK(cuMemcpyDtoH(&n, counter, sizeof n));
    return n;
}

static void round_of(struct launcher *meets, struct launcher *holds, unsigned number) {
    CUcontext passing, other;
    pthread_t threads[2];
    unsigned before = count();
    if (!OK(cuCtxCreate(&other, 0, device)) || !OK(cuCtxCreate(&passing, 0, device)))
        return;
    OK(cuCtxSetCurrent(stays));
    meets->current = passing;
    holds->current = other;
    begun = 0;
    if (pthread_create(&threads[0], NULL, launch, holds) ||
        pthread_create(&threads[1], NULL, launch, meets))
        exit(1);
    while (begun < 2)
        ;
    nanosleep(&(struct timespec){.tv_nsec = 100000 * (number % 8)}, NULL);
    OK(cuCtxDestroy(passing));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    OK(cuCtxSetCurrent(stays));
    OK(cuStreamSynchronize(meets->stream));
    OK(cuStreamSynchronize(holds->stream));
    unsigned launched = meets->launched + holds->launched, ran = count() - before;
    if (launched != ran) {
        fprintf(stderr, "%u launches succeeded, %u kernels ran\n", launched, ran);
        bad = true;
    }
    OK(cuCtxDestroy(other));
}

int main(void) {
    struct launcher meets = {.launches = 4}, holds = {.launches = 1};
    setenv("CUDA_CACHE_DISABLE", "1", 1); // modules are slow to load each time
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&stays, 0, device) ||
        cuMemAlloc(&counter, sizeof(unsigned)) || cuMemsetD32(counter, 0, 1))
        return 1;
    make(&meets, SMALL);
    make(&holds, LARGE);
    for (unsigned i = 0; i < ROUNDS && !bad; i++)
        round_of(&meets, &holds, i);
    return bad;
}
