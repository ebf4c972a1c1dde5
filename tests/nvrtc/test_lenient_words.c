// Words that NVRTC reads a source without, where clang wants them: shared objects of classes with
// constructors, which are not initialised, `template` before members, default arguments behind
// a class, and calls of the host that are never made. In the source, in headers in memory and in
// headers on disk.
#include <cuda.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static const char complex_class[] =
    "struct complex {\n"
    "    float x, y;\n"
    "    __device__ complex(float a = 1, float b = 2) : x(a), y(b) {}\n"
    "};\n";

// Turns two of the class around by way of shared memory: `reverse` is on the third line.
static const char reverse_function[] = "template <typename T> __device__ T reverse(T mine) {\n"
                                       "    const int n = 32;\n"
                                       "    __shared__ T tile[n];\n"
                                       "    tile[31 - threadIdx.x] = mine;\n"
                                       "    __syncthreads();\n"
                                       "    return tile[threadIdx.x];\n"
                                       "}\n";

static const char kernel[] = "extern \"C\" __global__ void k(float *p) {\n"
                             "    complex c = reverse(complex(threadIdx.x, 100 + threadIdx.x));\n"
                             "    p[threadIdx.x] = c.x;\n"
                             "    p[32 + threadIdx.x] = c.y;\n"
                             "}\n";

static void reverses(nvrtcProgram p) {
    char *ptx = ptx_of(p);
    CUmodule module = NULL;
    CUfunction f = NULL;
    CUdeviceptr memory = 0;
    float out[64] = {0};
    CHECK(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&f, module, "k") == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&memory, sizeof out) == CUDA_SUCCESS);
    void *arguments[] = {&memory};
    CHECK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(out, memory, sizeof out) == CUDA_SUCCESS);
    for (int i = 0; i < 32; ++i)
        CHECK(out[i] == (float)(31 - i) && out[32 + i] == (float)(131 - i));
    CHECK(cuMemFree(memory) == CUDA_SUCCESS && cuModuleUnload(module) == CUDA_SUCCESS);
    free(ptx);
}

// Compiles, with a warning of this place, and runs.
static void takes(nvrtcProgram p, const char *option, const char *place) {
    nvrtcResult r = compile(p, option);
    char *log = log_of(p), warning[PATH_MAX + 128];
    snprintf(warning, sizeof warning, "%s: warning: dynamic initialization is not supported for",
             place);
    CHECK_OK(r);
    if (r != NVRTC_SUCCESS || (!has(log, warning) && ++failures))
        fprintf(stderr, "%s", log);
    CHECK(!has(log, "error") && !has(log, "[-W"));
    free(log);
    if (r == NVRTC_SUCCESS)
        reverses(p);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static void in_the_source(void) {
    char source[2048];
    snprintf(source, sizeof source, "%s%s%s", complex_class, reverse_function, kernel);
    takes(program_of(source), NULL, "test.cu(7)");
    nvrtcProgram p = program_of(source);
    CHECK_OK(compile(p, "-diag-suppress=20054"));
    char *log = log_of(p);
    CHECK(!has(log, "warning"));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static void in_headers(void) {
    const char *names[] = {"../lib/complex.h", "lib/./reverse.h"};
    const char *texts[] = {complex_class, reverse_function};
    char source[2048], folder[] = "/tmp/kudzu-nvrtc-XXXXXX", path[PATH_MAX], link_path[PATH_MAX];
    snprintf(source, sizeof source,
             "#include \"../lib/complex.h\"\n#include \"lib/./reverse.h\"\n%s", kernel);
    nvrtcProgram p;
    CHECK_OK(nvrtcCreateProgram(&p, source, "sub/test.cu", 2, texts, names));
    takes(p, NULL, "lib/./reverse.h(3)");

    // On disk, by way of a link.
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/real", folder);
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    CHECK(mkdir(path, 0700) == 0 && symlink("real", link_path) == 0);
    snprintf(path, sizeof path, "%s/real/tile.h", folder);
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(complex_class, f) >= 0 && fputs(reverse_function, f) >= 0 && !fclose(f));
    char option[PATH_MAX + 2], place[PATH_MAX + 32];
    for (int linked = 0; linked < 2; ++linked) {
        snprintf(option, sizeof option, "-I%s/%s", folder, linked ? "link" : "real");
        snprintf(place, sizeof place, "%s/%s/tile.h(7)", folder, linked ? "link" : "real");
        snprintf(source, sizeof source, "#include <tile.h>\n%s", kernel);
        takes(program_of(source), option, place);
    }
    CHECK(unlink(path) == 0 && unlink(link_path) == 0);
    *strrchr(path, '/') = 0;
    CHECK(rmdir(path) == 0 && rmdir(folder) == 0);
}

static void missing_template(void) {
    nvrtcProgram p =
        program_of("struct add {\n"
                   "    template <int N> __device__ int of(int x) const {\n"
                   "        return x + N;\n"
                   "    }\n"
                   "};\n"
                   "template <class F> __device__ int with(F f, int x) {\n"
                   "    return f.of<3>(x);\n"
                   "}\n"
                   "extern \"C\" __global__ void k(int *p) { *p = with(add(), *p); }\n");
    CHECK_OK(compile(p, NULL));
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// A default argument behind the class, of a member of a class template.
static void late_default(void) {
    nvrtcProgram p =
        program_of("template <class T> struct add {\n"
                   "    __device__ T to(T x, T y);\n"
                   "};\n"
                   "template <class T> __device__ T add<T>::to(T x, T y = 2) {\n"
                   "    return x + y;\n"
                   "}\n"
                   "extern \"C\" __global__ void k(int *p) { *p = add<int>().to(*p); }\n");
    CHECK_OK(compile(p, NULL));
    char *ptx = ptx_of(p), *log = log_of(p);
    CHECK(strstr(ptx, ", 2;") && !*log);
    free(ptx);
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// Other errors stay, with their lines.
static void other_errors(void) {
    char source[2048];
    snprintf(source, sizeof source, "%s%s%s__device__ int n = missing;\n", complex_class,
             reverse_function, kernel);
    nvrtcProgram p = program_of(source);
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, NULL));
    char *log = log_of(p);
    CHECK(has(log, "test.cu(17): error: identifier \"missing\" is undefined"));
    CHECK(has(log, "1 error detected in the compilation of \"test.cu\"."));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// A function of both sides that calls one of the host, and that no kernel comes to.
static void host_calls(void) {
    static const char source[] = "int h(int x);\n"
                                 "__host__ __device__ int f(int x) { return h(x); }\n"
                                 "extern \"C\" __global__ void k(int *p) { *p = 3; }\n";
    static const char *const options[] = {NULL, "-diag-suppress=20014", "-w"};
    for (int hidden = 0; hidden < 3; ++hidden) {
        nvrtcProgram p = program_of(source);
        CHECK_OK(compile(p, options[hidden]));
        char *log = log_of(p), *ptx = ptx_of(p);
        CHECK(hidden ? !*log : has(log, "test.cu(2): warning: reference to __host__ function 'h'"));
        CHECK(!has(log, "error") && has(ptx, "k(") && !has(ptx, "_Z1h"));
        free(log);
        free(ptx);
        CHECK_OK(nvrtcDestroyProgram(&p));
    }
    nvrtcProgram p = program_of("int h(int x);\n"
                                "__global__ void k(int *p) { *p = h(3); }\n");
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, NULL));
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// Libraries have offsets of members as constants so, where NVRTC has no offsetof.
static void offset_of_member(void) {
    nvrtcProgram p = program_of("#define OFFSET(type, member) !(&(((type *)0)->member))\n"
                                "class A { int first; public: __device__ A() {\n"
                                "    static_assert(OFFSET(A, first), \"\"); } };\n"
                                "__global__ void k() { A a; }\n");
    CHECK_OK(compile(p, NULL));
    CHECK_OK(nvrtcDestroyProgram(&p));
}

int main(void) {
    CUdevice device = 0;
    CUcontext context = NULL;
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    CHECK(cuCtxCreate(&context, 0, device) == CUDA_SUCCESS);
    in_the_source();
    in_headers();
    missing_template();
    late_default();
    offset_of_member();
    host_calls();
    other_errors();
    return finish();
}
