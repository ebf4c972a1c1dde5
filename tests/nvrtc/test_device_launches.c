// Dynamic parallelism (guide 13) in code made at run time: kernels that launch kernels, in one
// program, out of its headers and macros, and in programs that cuLink joins with the device
// runtime.
#include <cuda.h>

#include "check.h"

enum { N = 64 };

// *result = what the program `image` leaves, by its kernel `parent`, in N numbers.
static void run_parent(const void *image, int *result) {
    CUmodule module;
    CUfunction parent;
    CUdeviceptr memory;
    int n = N;
    memset(result, 0, N * sizeof *result);
    CHECK(cuModuleLoadData(&module, image) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&parent, module, "parent") == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&memory, N * sizeof *result) == CUDA_SUCCESS);
    CHECK(cuMemsetD8(memory, 0, N * sizeof *result) == CUDA_SUCCESS);
    void *args[] = {&memory, &n};
    CHECK(cuLaunchKernel(parent, 1, 1, 1, N, 1, 1, 0, NULL, args, NULL) == CUDA_SUCCESS);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(result, memory, N * sizeof *result) == CUDA_SUCCESS);
    CHECK(cuMemFree(memory) == CUDA_SUCCESS);
    CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
}

static char *compiled(nvrtcProgram p, const char *option) {
    const char *options[] = {"-arch=compute_90", option};
    nvrtcResult r = nvrtcCompileProgram(p, option ? 2 : 1, options);
    char *log = log_of(p);
    if (r != NVRTC_SUCCESS)
        fprintf(stderr, "%s\n", log);
    free(log);
    CHECK_OK(r);
    char *ptx = ptx_of(p);
    CHECK_OK(nvrtcDestroyProgram(&p));
    return ptx;
}

// The guide's example of a tail launch (13.3.1.2.3), with templates and a stream of its own.
static const char tails[] = "template <int K> __global__ void child_launch(int *data) {\n"
                            "    data[threadIdx.x] = data[threadIdx.x] + K;\n"
                            "}\n"
                            "__global__ void tail_launch(int *data) {\n"
                            "    data[threadIdx.x] = data[threadIdx.x] * 10;\n"
                            "}\n"
                            "extern \"C\" __global__ void parent(int *data, int n) {\n"
                            "    data[threadIdx.x] = threadIdx.x;\n"
                            "    __syncthreads();\n"
                            "    if (threadIdx.x == 0) {\n"
                            "        cudaStream_t s;\n"
                            "        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);\n"
                            "        child_launch<3><<<1, n, 0, s>>>(data);\n"
                            "        child_launch<4><<<1, n, 0, s>>>(data);\n"
                            "        tail_launch<<<1, n, 0, cudaStreamTailLaunch>>>(data);\n"
                            "        cudaStreamDestroy(s);\n"
                            "    }\n"
                            "}\n";

static void one_program(const char *option) {
    int x[N];
    char *ptx = compiled(program_of(tails), option);
    run_parent(ptx, x);
    free(ptx);
    for (int i = 0; i < N; i++)
        CHECK(x[i] == (i + 7) * 10);
}

// Launches in a header in memory, and out of a macro.
static void headers_and_macros(void) {
    static const char header[] = "__global__ void set(int *p, int x) { *p = x; }\n"
                                 "#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)\n"
                                 "struct setter {\n"
                                 "    int *p;\n"
                                 "    __device__ void operator()(int i) {\n"
                                 "        set<<<1, 1>>>(p + i, 2 * i);\n"
                                 "    }\n"
                                 "};\n";
    static const char source[] = "#include \"setter.h\"\n"
                                 "extern \"C\" __global__ void parent(int *data, int n) {\n"
                                 "    int i = threadIdx.x;\n"
                                 "    if (i < n / 2) setter{data}(i);\n"
                                 "    else LAUNCH(set, data + i, 3 * i);\n"
                                 "}\n";
    const char *text = header, *name = "setter.h";
    nvrtcProgram p = NULL;
    int x[N];
    CHECK_OK(nvrtcCreateProgram(&p, source, "test.cu", 1, &text, &name));
    char *ptx = compiled(p, NULL);
    run_parent(ptx, x);
    free(ptx);
    for (int i = 0; i < N; i++)
        CHECK(x[i] == (i < N / 2 ? 2 * i : 3 * i));
}

// A kernel of another program, joined with libcudadevrt.a as the guide says (13.3.3.2).
static void linked(const char *device_runtime) {
    char *parent = compiled(program_of("__global__ void child(int *p, int x);\n"
                                       "__device__ int twice(int x);\n"
                                       "extern \"C\" __global__ void parent(int *data, int n) {\n"
                                       "    int i = threadIdx.x;\n"
                                       "    child<<<1, 1>>>(data + i, twice(i));\n"
                                       "}\n"),
                            "-rdc=true");
    char *child = compiled(program_of("__global__ void child(int *p, int x) { *p = x + 1; }\n"
                                      "__device__ int twice(int x) { return 2 * x; }\n"),
                           "-rdc=true");
    CUlinkState link;
    void *cubin = NULL;
    size_t size = 0;
    int x[N];
    CHECK(cuLinkCreate(0, NULL, NULL, &link) == CUDA_SUCCESS);
    CHECK(cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, device_runtime, 0, NULL, NULL) == CUDA_SUCCESS);
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, parent, strlen(parent) + 1, "parent", 0, NULL,
                        NULL) == CUDA_SUCCESS);
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, child, strlen(child) + 1, "child", 0, NULL, NULL) ==
          CUDA_SUCCESS);
    CHECK(cuLinkComplete(link, &cubin, &size) == CUDA_SUCCESS && cubin && size);
    if (cubin)
        run_parent(cubin, x);
    CHECK(cuLinkDestroy(link) == CUDA_SUCCESS);
    free(parent);
    free(child);
    for (int i = 0; i < N; i++)
        CHECK(x[i] == 2 * i + 1);
}

// What is wrong with a launch is said with its line.
static void wrong_launch(void) {
    nvrtcProgram p = program_of("__global__ void child(int *p) {}\n"
                                "__global__ void parent(int *p) {\n"
                                "    child<<<1, 1>>>(p, 2);\n"
                                "}\n");
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, "-arch=compute_90"));
    char *log = log_of(p);
    if (!has(log, "test.cu(3): error:"))
        fprintf(stderr, "%s\n", log);
    CHECK(has(log, "test.cu(3): error:"));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

int main(int argc, char **argv) {
    CUdevice device = 0;
    CUcontext context;
    if (argc != 2)
        return 2;
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
    CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    one_program(NULL);
    one_program("-rdc=true");
    headers_and_macros();
    linked(argv[1]);
    wrong_launch();
    CHECK(cuDevicePrimaryCtxRelease(device) == CUDA_SUCCESS);
    return finish();
}
