// Large kernels are loaded and launched, and graphs with long chains and with graphs within graphs
// are made, launched and taken apart, by a thread with a stack of 128 KiB.
#include "check.h"

#include <pthread.h>
#include <stdint.h>

enum { BRANCHES = 1000, STACK_BYTES = 128 << 10, THREADS = 32, NODES = 100000, MOST_LEVELS = 1000 };

// Ifs one behind the other, then as many inside each other.
static char *make_ptx(void) {
    size_t room = BRANCHES * 400u + 4096, n = 0;
    char *text = malloc(room);
    n += (size_t)snprintf(
        text + n, room - n,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out)\n{\n"
        ".reg .b32 %%r<4>; .reg .b64 %%d<2>; .reg .pred %%p;\n"
        "ld.param.u64 %%d0, [out];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%r0;\n");
    for (int i = 0; i < BRANCHES; i++)
        n += (size_t)snprintf(
            text + n, room - n,
            "setp.gt.u32 %%p, %%r1, %d;\n@%%p bra A%d;\nadd.u32 %%r1, %%r1, 3;\nA%d:\n", i, i, i);
    for (int i = 0; i < BRANCHES; i++)
        n += (size_t)snprintf(text + n, room - n,
                              "setp.gt.u32 %%p, %%r1, %d;\n@%%p bra B%d;\nadd.u32 %%r1, %%r1, 1;\n",
                              2 * BRANCHES + i, i);
    for (int i = BRANCHES; i-- > 0;)
        n += (size_t)snprintf(text + n, room - n, "B%d:\n", i);
    snprintf(text + n, room - n,
             "mad.wide.u32 %%d1, %%r0, 4, %%d0;\nst.global.u32 [%%d1], %%r1;\nret;\n}\n");
    return text;
}

static uint32_t expected(uint32_t x) {
    for (uint32_t i = 0; i < BRANCHES; i++)
        x += x > i ? 0 : 3;
    for (uint32_t i = 0; i < BRANCHES && x <= 2 * BRANCHES + i; i++)
        x++;
    return x;
}

static CUcontext context;

static void *load_and_launch(void *ptx) {
    uint32_t back[THREADS];
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr out;
    NEED(cuCtxSetCurrent(context));
    NEED(cuMemAlloc(&out, sizeof back));
    NEED(cuModuleLoadData(&module, ptx));
    NEED(cuModuleGetFunction(&kernel, module, "k"));
    void *params[] = {&out};
    OK(cuLaunchKernel(kernel, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(back, out, sizeof back));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < THREADS; i++)
        wrong += back[i] != expected(i);
    CHECK(wrong == 0);
    OK(cuModuleUnload(module));
    OK(cuMemFree(out));
    return NULL;
}

static void count(void *n) {
    ++*(int *)n;
}

// NODES in a chain: nodes that do nothing, that set memory, and calls of the host.
static CUgraph make_chain(CUdeviceptr to, int *calls) {
    CUgraph g;
    CUgraphNode last = NULL;
    NEED(cuGraphCreate(&g, 0));
    CUDA_MEMSET_NODE_PARAMS set = {.dst = to, .elementSize = 4, .width = 1, .height = 1};
    CUDA_HOST_NODE_PARAMS host = {count, calls};
    for (unsigned i = 0; i < NODES; i++) {
        CUgraphNode n, *after = last ? &last : NULL;
        set.value = i;
        if (i % 100 == 7)
            NEED(cuGraphAddHostNode(&n, g, after, last != NULL, &host));
        else if (i % 2)
            NEED(cuGraphAddEmptyNode(&n, g, after, last != NULL));
        else
            NEED(cuGraphAddMemsetNode(&n, g, after, last != NULL, &set, context));
        last = n;
    }
    return g;
}

static void launch_graph(CUgraph g) {
    CUgraphExec exec;
    CUstream stream;
    NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    NEED(cuGraphInstantiate(&exec, g, 0));
    for (int k = 0; k < 2; k++)
        OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuGraphExecDestroy(exec));
    OK(cuStreamDestroy(stream));
}

static void *long_chain(void *unused) {
    CUdeviceptr to;
    CUgraph clone;
    int calls = 0;
    uint32_t last = 0;
    NEED(cuCtxSetCurrent(context));
    NEED(cuMemAlloc(&to, 4));
    CUgraph g = make_chain(to, &calls);
    launch_graph(g);
    OK(cuMemcpyDtoH(&last, to, 4));
    CHECK(last == NODES - 2 && calls == 2 * NODES / 100);
    OK(cuGraphClone(&clone, g));
    OK(cuGraphDestroy(g));
    launch_graph(clone);
    CHECK(calls == 4 * NODES / 100);
    OK(cuGraphDestroy(clone));
    OK(cuMemFree(to));
    return NULL;
}

// As many graphs within graphs as are allowed; one more is an error.
static void *deep_graph(void *unused) {
    CUgraph g, outer;
    CUgraphNode n;
    CUresult r = CUDA_SUCCESS;
    int calls = 0, levels = 0;
    CUDA_HOST_NODE_PARAMS host = {count, &calls};
    NEED(cuCtxSetCurrent(context));
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddHostNode(&n, g, NULL, 0, &host));
    for (; levels < MOST_LEVELS; levels++) {
        NEED(cuGraphCreate(&outer, 0));
        r = cuGraphAddChildGraphNode(&n, outer, NULL, 0, g);
        if (r != CUDA_SUCCESS)
            break;
        OK(cuGraphDestroy(g));
        g = outer;
    }
    CHECK(r == CUDA_ERROR_INVALID_VALUE && levels > 8);
    OK(cuGraphDestroy(outer));
    launch_graph(g);
    CHECK(calls == 2);
    OK(cuGraphDestroy(g));
    return NULL;
}

static void on_small_stack(void *(*work)(void *), void *arg) {
    pthread_attr_t attr;
    pthread_t thread;
    CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, STACK_BYTES) == 0);
    CHECK(pthread_create(&thread, &attr, work, arg) == 0);
    pthread_join(thread, NULL);
}

int main(void) {
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    context = check_context();
    char *ptx = make_ptx();
    on_small_stack(load_and_launch, ptx);
    on_small_stack(long_chain, NULL);
    on_small_stack(deep_graph, NULL);
    free(ptx);
    return check_result();
}
