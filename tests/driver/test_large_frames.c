// A kernel with more values at a time than a stack of the usual size holds: its code gets one that
// is large enough, also where it is compiled quickly.
#include "check.h"

enum { VALUES = 4600, THREADS = 64, WORDS = 4096 };

// Loads all values, then stores the sum of each with its number, last one first.
static char *make_ptx(void) {
    size_t room = VALUES * 220u + 4096, n = 0;
    char *text = malloc(room);
    CHECK(text != NULL);
    n += (size_t)snprintf(text + n, room - n,
                          ".version 8.5\n.target sm_90a\n.address_size 64\n"
                          ".visible .entry reversed(.param .u64 p_in, .param .u64 p_out) {\n"
                          ".reg .b32 %%t, %%x; .reg .b64 %%in, %%out, %%a, %%v<%d>;\n"
                          "ld.param.u64 %%in, [p_in]; ld.param.u64 %%out, [p_out];\n"
                          "mov.u32 %%t, %%tid.x; mul.wide.u32 %%a, %%t, 8;\n"
                          "add.s64 %%in, %%in, %%a; add.s64 %%out, %%out, %%a;\n",
                          VALUES);
    for (int i = 0; i < VALUES; i++)
        n += (size_t)snprintf(text + n, room - n, "ld.volatile.global.u64 %%v%d, [%%in+%d];\n", i,
                              i % WORDS * 8);
    // A barrier with a count, so that each warp has a stack of its own: those are smaller.
    n += (size_t)snprintf(text + n, room - n, "barrier.cta.sync 1, %d;\n", THREADS);
    for (int i = VALUES; i-- > 0;)
        n += (size_t)snprintf(
            text + n, room - n,
            "add.s64 %%v%d, %%v%d, %d;\nst.volatile.global.u64 [%%out+%d], %%v%d;\n", i, i, i,
            i % WORDS * THREADS * 8, i);
    snprintf(text + n, room - n, "ret;\n}\n");
    return text;
}

static void run(const char *ptx) {
    enum { IN = WORDS + THREADS, OUT = WORDS * THREADS };
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr in, out;
    CHECK(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&kernel, module, "reversed") == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&in, IN * 8) == CUDA_SUCCESS && cuMemAlloc(&out, OUT * 8) == CUDA_SUCCESS);
    uint64_t *host = malloc(OUT * 8);
    for (uint64_t i = 0; i < IN; i++)
        host[i] = i * 0x9e3779b97f4a7c15u;
    CHECK(cuMemcpyHtoD(in, host, IN * 8) == CUDA_SUCCESS);
    void *args[] = {&in, &out};
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL) == CUDA_SUCCESS);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(host, out, OUT * 8) == CUDA_SUCCESS);
    unsigned wrong = 0;
    for (uint64_t w = 0; w < WORDS;
         w++) // the value stored last is the first of those with this place
        for (uint64_t t = 0; t < THREADS; t++)
            wrong += host[w * THREADS + t] != (w + t) * 0x9e3779b97f4a7c15u + w;
    CHECK(wrong == 0);
    free(host);
    CHECK(cuMemFree(in) == CUDA_SUCCESS && cuMemFree(out) == CUDA_SUCCESS);
    CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
}

int main(void) {
    CUdevice device = 0;
    CUcontext context;
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    setenv("KUDZU_WIDTH", "32", 1);
    setenv("KUDZU_EXEC", "simd", 1);
    setenv("KUDZU_TIER", "quick", 1);
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    CHECK(cuCtxCreate(&context, 0, device) == CUDA_SUCCESS);
    char *ptx = make_ptx();
    run(ptx);
    free(ptx);
    CHECK(cuCtxDestroy(context) == CUDA_SUCCESS);
    return check_result();
}
