// Code made at run time runs: PTX and cubins through the driver, from several threads at once, in a
// process that ignores its children's ends. Nothing is left on disk, and no descriptor stays open.
#define _GNU_SOURCE
#include <cuda.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "check.h"

static int open_descriptors(void) {
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        ++n;
    if (d)
        closedir(d);
    return n;
}

// Fills x[0..63] with i * factor + offset through a kernel template and a constant of its own.
static void run_code(const void *image, const char *kernel, const char *constant, int factor) {
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory, variable;
    size_t size;
    int offset = 7, x[64] = {0};
    CHECK(cuModuleLoadData(&module, image) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&function, module, kernel) == CUDA_SUCCESS);
    CHECK(cuModuleGetGlobal(&variable, &size, module, constant) == CUDA_SUCCESS && size == 4);
    CHECK(cuMemcpyHtoD(variable, &offset, 4) == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&memory, sizeof x) == CUDA_SUCCESS);
    void *args[] = {&memory};
    CHECK(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, NULL, args, NULL) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(x, memory, sizeof x) == CUDA_SUCCESS);
    for (int i = 0; i < 64; ++i)
        CHECK(x[i] == i * factor + 7);
    CHECK(cuMemFree(memory) == CUDA_SUCCESS);
    CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
}

// Programs hand a cubin to the linker as PTX, too.
static void run_linked(char *cubin, size_t size, const char *kernel, const char *constant,
                       int factor) {
    CUlinkState state;
    void *image;
    CHECK(cuLinkCreate(0, NULL, NULL, &state) == CUDA_SUCCESS);
    CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, cubin, size, "cubin", 0, NULL, NULL) ==
          CUDA_SUCCESS);
    if (cuLinkComplete(state, &image, &size) == CUDA_SUCCESS)
        run_code(image, kernel, constant, factor);
    else
        CHECK(!"linked");
    CHECK(cuLinkDestroy(state) == CUDA_SUCCESS);
}

static void compile_and_run(const char *architecture, int factor) {
    char source[512], expression[64];
    const char *kernel = NULL, *constant = NULL;
    size_t size;
    snprintf(source, sizeof source,
             "namespace { __constant__ int offset; }\n"
             "template <int F> __global__ void fill(int *x) {\n"
             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    x[i] = i * F + offset;\n}\n");
    snprintf(expression, sizeof expression, "fill<%d>", factor);
    nvrtcProgram p = program_of(source);
    CHECK_OK(nvrtcAddNameExpression(p, expression));
    CHECK_OK(nvrtcAddNameExpression(p, "&offset"));
    CHECK_OK(compile(p, architecture));
    CHECK_OK(nvrtcGetLoweredName(p, expression, &kernel));
    CHECK_OK(nvrtcGetLoweredName(p, "&offset", &constant));
    char *ptx = ptx_of(p);
    run_code(ptx, kernel, constant, factor);
    free(ptx);
    CHECK_OK(nvrtcGetCUBINSize(p, &size));
    if (size) {
        char *cubin = malloc(size);
        CHECK_OK(nvrtcGetCUBIN(p, cubin));
        run_code(cubin, kernel, constant, factor);
        run_linked(cubin, size, kernel, constant, factor);
        free(cubin);
    }
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static CUcontext context;

static void *thread(void *number) {
    CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    for (int i = 0; i < 2; ++i)
        compile_and_run("-arch=compute_90", 10 * (int)(size_t)number + i + 1);
    return NULL;
}

int main(void) {
    CUdevice device = 0;
    pthread_t threads[4];
    // Better code that is being made beside us has files of its own open.
    setenv("KUDZU_TIER", "full", 1);
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
    CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    compile_and_run("-arch=sm_90", 3);
    int before = open_descriptors();
    for (size_t i = 0; i < 4; ++i)
        CHECK(!pthread_create(&threads[i], NULL, thread, (void *)i));
    for (int i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
    CHECK(open_descriptors() == before);
    signal(SIGCHLD, SIG_IGN); // the system throws exit statuses away
    compile_and_run("-arch=compute_80", 5);
    nvrtcProgram p = program_of("int x = y;");
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, NULL));
    CHECK_OK(nvrtcDestroyProgram(&p));
    CHECK(cuDevicePrimaryCtxRelease(device) == CUDA_SUCCESS);
    return finish();
}
