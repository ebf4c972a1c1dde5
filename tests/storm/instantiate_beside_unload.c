// A graph is instantiated, again and again, until another thread has unloaded the module of its
// kernel: what was instantiated last cannot be launched once the module has gone. Many functions
// make unloading long enough to be met.
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { FUNCTIONS = 64, ROUNDS = 100 };

static char ptx[FUNCTIONS * 64 + 128];
static CUcontext context;
static CUmodule module;
static atomic_int begin;

// NULL when it succeeds.
static void *unload(void *unused) {
    CUresult current = cuCtxSetCurrent(context);
    while (!begin)
        ;
    return current || cuModuleUnload(module) ? module : NULL;
}

static CUgraph graph_of(CUfunction f) {
    CUgraph g = NULL;
    CUgraphNode n;
    CUDA_KERNEL_NODE_PARAMS p = {.func = f,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1};
    return cuGraphCreate(&g, 0) || cuGraphAddKernelNode(&n, g, NULL, 0, &p) ? NULL : g;
}

// Instantiates until that fails. What came last; NULL: nothing.
static CUgraphExec last_instance(CUgraph g) {
    CUgraphExec last = NULL, e;
    while (cuGraphInstantiateWithFlags(&e, g, 0) == CUDA_SUCCESS) {
        begin = 1;
        if (last)
            cuGraphExecDestroy(last);
        last = e;
    }
    begin = 1;
    return last;
}

// False: the kernel could be launched when it was gone, or something failed.
static bool round_of(void) {
    char name[16];
    CUfunction f = NULL;
    pthread_t thread;
    void *failed = NULL;
    if (cuModuleLoadData(&module, ptx))
        return false;
    for (int i = 0; i < FUNCTIONS; i++) {
        snprintf(name, sizeof name, "k%d", i);
        if (cuModuleGetFunction(&f, module, name))
            return false;
    }
    CUgraph g = graph_of(f);
    begin = 0;
    if (!g || pthread_create(&thread, NULL, unload, NULL))
        return false;
    CUgraphExec e = last_instance(g);
    pthread_join(thread, &failed);
    bool launched = e && cuGraphLaunch(e, NULL) == CUDA_SUCCESS;
    if (launched)
        fprintf(stderr, "a kernel was launched whose module had been unloaded\n");
    if (!e || cuGraphExecDestroy(e) || cuGraphDestroy(g))
        return false;
    return !failed && !launched;
}

int main(void) {
    CUdevice d;
    char *at = ptx + sprintf(ptx, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (int i = 0; i < FUNCTIONS; i++)
        at += sprintf(at, ".visible .entry k%d()\n{\n    ret;\n}\n", i);
    if (cuInit(0) || cuDeviceGet(&d, 0) || cuCtxCreate(&context, 0, d))
        return 1;
    for (int i = 0; i < ROUNDS; i++)
        if (!round_of())
            return 1;
    return 0;
}
