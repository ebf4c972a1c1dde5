// Programs from text to PTX: creating, compiling, what comes out, errors and their log.
#define _GNU_SOURCE // dlvsym
#include "check.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <sys/stat.h>

// Version 13 has dropped the architectures before Turing.
enum { FIRST_ARCHITECTURE = LIBRARY_VERSION == 129 ? 50 : 75 };

static const char saxpy[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, size_t n) {\n"
    "    size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

static void about_the_library(void) {
    int major = 0, minor = 0, n = 0, archs[64] = {0};
    CHECK_OK(nvrtcVersion(&major, &minor));
    CHECK(major * 10 + minor == LIBRARY_VERSION);
    // Programs that were linked with NVIDIA's library ask for this version of its symbols.
    CHECK(dlvsym(RTLD_DEFAULT, "nvrtcVersion",
                 LIBRARY_VERSION == 129 ? "libnvrtc.so.12" : "libnvrtc.so.13"));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcVersion(NULL, &minor));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcVersion(&major, NULL));
    CHECK_OK(nvrtcGetNumSupportedArchs(&n));
    CHECK(n > 0 && n < 64);
    CHECK_OK(nvrtcGetSupportedArchs(archs));
    // Those that the compiler takes by the names of later devices are listed, too.
    CHECK(archs[0] == FIRST_ARCHITECTURE && archs[n - 1] == 121 && archs[n] == 0);
    bool has_88 = false, has_100 = false, has_101 = false;
    for (int i = 0; i < n; ++i) {
        CHECK(i == 0 || archs[i - 1] < archs[i]);
        has_88 |= archs[i] == 88;
        has_100 |= archs[i] == 100;
        has_101 |= archs[i] == 101;
    }
    CHECK(has_100 && has_101 == (LIBRARY_VERSION == 129) && has_88 == (LIBRARY_VERSION != 129));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcGetNumSupportedArchs(NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcGetSupportedArchs(NULL));
    CHECK(!strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION"));
    CHECK(!strcmp(nvrtcGetErrorString((nvrtcResult)4711), "NVRTC_ERROR unknown"));
    CHECK(!strcmp(nvrtcGetErrorString((nvrtcResult)-1), "NVRTC_ERROR unknown"));
}

static void arguments(void) {
    nvrtcProgram p = NULL, gone;
    size_t size;
    char byte;
    const char *null_text = NULL;
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(NULL, saxpy, NULL, 0, NULL, NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&p, NULL, NULL, 0, NULL, NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&p, saxpy, NULL, -1, NULL, NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&p, saxpy, NULL, 1, NULL, NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT,
                 nvrtcCreateProgram(&p, saxpy, NULL, 1, &null_text, &null_text));
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcCompileProgram(NULL, 0, NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcDestroyProgram(NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcDestroyProgram(&p));
    p = program_of(saxpy);
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcCompileProgram(p, -1, NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcCompileProgram(p, 1, NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcCompileProgram(p, 1, &null_text));
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetPTXSize(p, &size));
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetPTX(p, &byte));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcGetProgramLogSize(p, NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcGetProgramLog(p, NULL));
    gone = p;
    CHECK_OK(nvrtcDestroyProgram(&p));
    CHECK(p == NULL);
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcCompileProgram(gone, 0, NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetProgramLogSize(gone, &size));
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcDestroyProgram(&gone));
}

static void ptx_and_cubin(void) {
    nvrtcProgram p = program_of(saxpy);
    size_t size = 1;
    char bytes[16];
    CHECK_OK(compile(p, NULL));
    char *ptx = ptx_of(p), *log = log_of(p);
    CHECK(has(ptx, LIBRARY_VERSION == 129 ? ".target sm_52" : ".target sm_75"));
    CHECK(has(ptx, ".visible .entry saxpy("));
    CHECK(!*log);
    free(ptx), free(log);
    // A virtual architecture has no machine code.
    CHECK_OK(nvrtcGetCUBINSize(p, &size));
    CHECK(size == 0);
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetCUBIN(p, bytes));
    CHECK_OK(nvrtcGetLTOIRSize(p, &size));
    CHECK(size == 0);
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetLTOIR(p, bytes));
    CHECK_OK(nvrtcGetOptiXIRSize(p, &size));
    CHECK(size == 0);
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcGetPTXSize(p, NULL));
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcGetPTX(p, NULL));
    // Once more, for a real architecture.
    CHECK_OK(compile(p, "--gpu-architecture=sm_90"));
    CHECK_OK(nvrtcGetCUBINSize(p, &size));
    CHECK(size > 64);
    char *cubin = malloc(size);
    CHECK_OK(nvrtcGetCUBIN(p, cubin));
    CHECK(!memcmp(cubin, "\x50\xed\x55\xba", 4));
    free(cubin);
    ptx = ptx_of(p);
    CHECK(has(ptx, ".target sm_90"));
    free(ptx);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// Headers of kudzu's that are written on the C++ library beside what is built in.
static void library_headers(void) {
    nvrtcProgram p = program_of("#include <cuda/barrier>\n"
                                "__global__ void f(cuda::barrier<cuda::thread_scope_block> *b) {\n"
                                "    auto token = b->arrive();\n"
                                "    b->wait(std::move(token));\n"
                                "}\n");
    nvrtcResult result = compile(p, "-arch=compute_90");
    char *log = log_of(p);
    CHECK(result == NVRTC_SUCCESS || !fputs(log, stderr));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
    // A header of clang's is between it and what is missing.
    p = program_of("#include <cuda/std/complex>\n"
                   "#include <new>\n"
                   "__global__ void half(cuda::std::complex<float> *p) {\n"
                   "    float *q = new (std::nothrow) float(2);\n"
                   "    if (q) p[0] = p[0] / p[1] * *q;\n"
                   "}\n");
    result = compile(p, NULL);
    log = log_of(p);
    CHECK(result == NVRTC_SUCCESS || !fputs(log, stderr));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

#define OTHER_COMPILERS                                                                            \
    "#if defined(__clang__) || defined(__clang_major__) || defined(__clang_version__) || "         \
    "defined(__llvm__) || defined(__GNUC__) || defined(__GNUC_MINOR__) || defined(__GNUG__)\n"     \
    "#error another compiler\n"                                                                    \
    "#endif\n"

// The program and its headers do not see which compiler the C++ library is read by.
static void other_compilers(void) {
    static const char source[] =
        OTHER_COMPILERS "#include <cuda/std/complex>\n" OTHER_COMPILERS
                        "#include \"own.h\"\n" OTHER_COMPILERS "#include <cuda/atomic>\n"
                        "__global__ void f(int *p) { cuda::atomic_ref<int>(*p).fetch_add(OWN); }\n";
    static const char header[] =
        OTHER_COMPILERS "#include <nvtx3/nvToolsExt.h>\n" OTHER_COMPILERS "#define OWN 1\n",
                      alone[] = OTHER_COMPILERS;
    static const char *const options[] = {"-arch=compute_90", "-arch=compute_80", "-std=c++20"};
    const char *text = header, *name = "own.h";
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
        nvrtcProgram p = program_of(alone);
        CHECK_OK(compile(p, options[i]));
        CHECK_OK(nvrtcDestroyProgram(&p));
        CHECK_OK(nvrtcCreateProgram(&p, source, "test.cu", 1, &text, &name));
        nvrtcResult result = compile(p, options[i]);
        char *log = log_of(p);
        CHECK(result == NVRTC_SUCCESS || !fputs(log, stderr));
        free(log);
        CHECK_OK(nvrtcDestroyProgram(&p));
    }
}

// Headers of the device language need no C++ library, with which the program would see another
// compiler.
static void language_headers(void) {
    nvrtcProgram p =
        program_of("#include <cooperative_groups.h>\n"
                   "#include <cooperative_groups/memcpy_async.h>\n"
                   "#include <cooperative_groups/reduce.h>\n"
                   "#include <cooperative_groups/scan.h>\n"
                   "#include <nvfunctional>\n"
                   "#ifdef __clang__\n#error another compiler\n#endif\n"
                   "namespace std { template <class T> struct numeric_limits; template <bool> "
                   "struct enable_if; }\n"
                   "namespace cg = cooperative_groups;\n"
                   "__global__ void f(float *x, int *n, long long *l) {\n"
                   "    auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
                   "    nvstd::function<float(float)> twice = [](float y) { return 2 * y; };\n"
                   "    *x = cg::reduce(tile, twice(*x), cg::less<float>());\n"
                   "    *n = cg::reduce(tile, *n, cg::plus<int>());\n"
                   "    *l = cg::exclusive_scan(tile, *l, cg::greater<long long>());\n"
                   "}\n");
    nvrtcResult result = compile(p, "-arch=compute_90");
    char *log = log_of(p);
    CHECK(result == NVRTC_SUCCESS || !fputs(log, stderr));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!text) {
        CHECK(!mkdir(path, 0777));
        return;
    }
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

// A program's own libcu++ comes before what kudzu has of it, the other headers of its folder do
// not.
static void own_library(void) {
    char folder[] = "/tmp/kudzu-nvrtc-XXXXXX", source[512], option[64], remove[64];
    CHECK(mkdtemp(folder) != NULL);
    write_file(folder, "cuda", NULL);
    write_file(folder, "cuda/std", NULL);
    write_file(folder, "cuda/std/type_traits", "#include \"../near\"\n#include <cuda/more>\n");
    write_file(folder, "cuda/near", "enum { near_name = sizeof __FILE__ };\n");
    write_file(folder, "cuda/more",
               "#define MORE 2\n#define OFFSET(type) !(&(((type *)0)->first))\n"
               "class A { int first; public: __device__ A() {\n"
               "    static_assert(OFFSET(A), \"\"); } };\n");
    write_file(folder, "cuda_fp16.h", "#error another toolkit's\n");
    snprintf(source, sizeof source,
             "#include <cuda/std/type_traits>\n#include <cuda_fp16.h>\n"
             "#if defined(__clang__) || !defined(__NV_BUILTIN_INITIALIZER_LIST) || "
             "!defined(__NV_BUILTIN_MOVE_FORWARD)\n#error another compiler\n#endif\n"
             "static_assert(MORE == 2 && near_name == sizeof \"%s/cuda/near\", \"\");\n"
             "__global__ void f(__half *h) { *h = __float2half(1.5f); }\n",
             folder);
    snprintf(option, sizeof option, "-I%s", folder);
    nvrtcProgram p = program_of(source);
    nvrtcResult result = compile(p, option);
    char *log = log_of(p);
    CHECK(result == NVRTC_SUCCESS || !fputs(log, stderr));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    CHECK(!system(remove));
}

// So does one in memory.
static void own_library_in_memory(void) {
    const char *names[] = {"cuda/std/type_traits", "cuda/near", "cuda_fp16.h"};
    const char *texts[] = {"#pragma once\n#include \"../near\"\n#define MORE 3\n",
                           "#define NEAR 4\n", "#error another toolkit's\n"};
    nvrtcProgram p;
    CHECK_OK(nvrtcCreateProgram(&p,
                                "#include <cuda/std/type_traits>\n#include <cuda_fp16.h>\n"
                                "#include \"cuda/std/type_traits\"\n"
                                "static_assert(MORE == 3 && NEAR == 4, \"\");\n"
                                "__global__ void f(__half *h) { *h = __float2half(1.5f); }\n",
                                "test.cu", 3, texts, names));
    nvrtcResult result = compile(p, NULL);
    char *log = log_of(p);
    CHECK(result == NVRTC_SUCCESS || !fputs(log, stderr));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// Programs that name kudzu's own headers (CUDA_HOME's) have them, as those have that name none.
static void kudzu_folder(void) {
    nvrtcProgram p = program_of("#include <cuda/atomic>\n"
                                "__global__ void f(int *x) {\n"
                                "    cuda::atomic_ref<int, cuda::thread_scope_system> r(*x);\n"
                                "    r.store(1);\n}\n");
    nvrtcResult result = compile(p, "-I" KUDZU_INCLUDE);
    char *log = log_of(p);
    CHECK(result == NVRTC_SUCCESS || !fputs(log, stderr));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// Code for link time has the magic number of such code, and there is no PTX.
static void link_time_code(void) {
    nvrtcProgram p = program_of("__device__ int twice(int x) { return 2 * x; }");
    size_t size = 0;
    CHECK_OK(compile(p, "-dlto"));
    CHECK_OK(nvrtcGetLTOIRSize(p, &size));
    char *code = malloc(size + 4);
    CHECK_OK(nvrtcGetLTOIR(p, code));
    CHECK(size > 16 && !memcmp(code, "\xed\x43\x4e\x7f", 4));
    free(code);
    CHECK_OK(nvrtcGetPTXSize(p, &size));
    CHECK(size == 0);
    char none = 'x';
    CHECK_OK(nvrtcGetPTX(p, &none));
    CHECK(none == 'x');
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static void errors(void) {
    nvrtcProgram p = program_of("#warning careful\n"
                                "__device__ void g() {\n    int idle;\n}\n"
                                "__global__ void f(int *p) {\n"
                                "    p[0] = nowhere;\n    Strange x;\n"
                                "}\n");
    size_t size;
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, "-arch=compute_90"));
    char *log = log_of(p);
    CHECK(!strncmp(log, "test.cu(1): warning: ", 21));
    CHECK(has(log, "\ntest.cu(3): warning: variable \"idle\" was declared but never referenced\n"));
    CHECK(has(log, "\ntest.cu(6): error: identifier \"nowhere\" is undefined\n"));
    CHECK(has(log, "\ntest.cu(7): error: identifier \"Strange\" is undefined\n"));
    CHECK(has(log, "\n2 errors detected in the compilation of \"test.cu\".\n"));
    CHECK(!has(log, "/proc/"));
    free(log);
    CHECK_RESULT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetPTXSize(p, &size));
    CHECK_OK(nvrtcDestroyProgram(&p));

    p = program_of("#include <not_there.h>\n");
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, NULL));
    log = log_of(p);
    CHECK(has(log, "test.cu(1): catastrophic error: cannot open source file \"not_there.h\"\n"));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));

    // The system's headers are not there, as they are not on a machine without any.
    static const char *const system[] = {"iostream", "vector", "stdlib.h", "type_traits"};
    for (size_t i = 0; i < sizeof system / sizeof system[0]; ++i) {
        char text[64], message[96];
        snprintf(text, sizeof text, "#include <%s>\n", system[i]);
        snprintf(message, sizeof message, "cannot open source file \"%s\"", system[i]);
        p = program_of(text);
        CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, NULL));
        log = log_of(p);
        CHECK(has(log, message));
        free(log);
        CHECK_OK(nvrtcDestroyProgram(&p));
    }

    // One that a given header asks for: Jitify looks for the header by the name that it gave.
    const char *given = "#pragma once\n#include \"not_there.h\"\n", *named = "lib/a.cuh";
    CHECK_OK(nvrtcCreateProgram(&p, "#include <lib/a.cuh>\n", "test.cu", 1, &given, &named));
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, NULL));
    log = log_of(p);
    CHECK(has(log, "lib/a.cuh(2): catastrophic error: cannot open source file \"not_there.h\"\n"));
    CHECK(!has(log, "/lib/a.cuh"));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));

    CHECK_OK(nvrtcCreateProgram(&p, "#error here\n", NULL, 0, NULL, NULL));
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, NULL));
    log = log_of(p);
    CHECK(has(log, "default_program(1): error: here"));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static void headers(void) {
    static const char *const names[] = {"a.h", "sub/b.h", "../up.h", "limits"};
    static const char *const texts[] = {
        "#include \"sub/b.h\"\n#define A (B + 1)\n", "#define B 40\n", "#define UP 1\n",
        "namespace std { template <class T> struct numeric_limits { enum { mine = 1 }; }; }\n"};
    static const char source[] = "#include \"a.h\"\n"
                                 "#include <sub/b.h>\n"
                                 "#include \"../up.h\"\n"
                                 "#include <limits>\n"
                                 "static_assert(A + UP == 42 && B == 40, \"\");\n"
                                 "static_assert(std::numeric_limits<int>::mine == 1, \"\");\n"
                                 "extern \"C\" __global__ void f() {}\n";
    nvrtcProgram p;
    CHECK_OK(nvrtcCreateProgram(&p, source, "dir/x.cu", 4, texts, names));
    nvrtcResult r = compile(p, NULL);
    char *log = log_of(p);
    if (r)
        fputs(log, stderr);
    CHECK(r == NVRTC_SUCCESS);
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));

    // An error in a header has the header's name.
    static const char *const bad = "\n#error in the header\n";
    CHECK_OK(nvrtcCreateProgram(&p, "#include \"a.h\"\n", "x.cu", 1, &bad, names));
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, compile(p, NULL));
    log = log_of(p);
    CHECK(has(log, "\na.h(2): error: in the header"));
    free(log);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static int cancel_at_third(void *payload, void *reserved) {
    return ++*(int *)payload == 3;
}

static int count_only(void *payload, void *reserved) {
    ++*(int *)payload;
    return 0;
}

static void callback(void) {
    nvrtcProgram p = program_of(saxpy);
    int calls = 0;
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcSetFlowCallback(p, NULL, NULL));
    CHECK_OK(nvrtcSetFlowCallback(p, cancel_at_third, &calls));
    CHECK_RESULT(NVRTC_ERROR_CANCELLED, compile(p, NULL));
    CHECK(calls == 3);
    CHECK_OK(nvrtcSetFlowCallback(p, count_only, &calls));
    CHECK_OK(compile(p, NULL));
    CHECK(calls > 3);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static void precompiled_headers(void) {
    nvrtcProgram p = program_of(saxpy);
    size_t size = 1;
    CHECK_OK(nvrtcSetPCHHeapSize(1 << 20));
    CHECK_OK(nvrtcGetPCHHeapSize(&size));
    CHECK(size == 1 << 20);
    CHECK_RESULT(NVRTC_ERROR_INVALID_INPUT, nvrtcGetPCHHeapSize(NULL));
    CHECK_RESULT(NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED, nvrtcGetPCHCreateStatus(p));
    CHECK_OK(nvrtcGetPCHHeapSizeRequired(p, &size));
    CHECK(size == 0);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// A list of attributes may follow a specifier.
static void attribute_lists(void) {
    nvrtcProgram p = program_of("struct s {\n"
                                "    __device__ [[nodiscard]] int f() const { return 1; }\n"
                                "    __device__ inline [[gnu::noinline]] int g() { return 2; }\n"
                                "};\n"
                                "__global__ void k(int *p, s x) { *p = x.f() + x.g(); }\n");
    CHECK_OK(compile(p, NULL));
    CHECK_OK(nvrtcDestroyProgram(&p));
}

// What the program and the headers that it includes are told, whether the built-in declarations are
// precompiled (sm_90 and others) or not (c++20).
static void version_in_programs(void) {
    static const char source[] =
        "#include <cuda.h>\n"
        "#include <cuda_runtime_api.h>\n"
        "#define VERSION(major, minor) (major * 1000 + minor * 10)\n"
        "static_assert(VERSION(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__) == EXPECTED, \"\");\n"
        "static_assert(CUDA_VERSION == EXPECTED && CUDART_VERSION == EXPECTED, \"\");\n"
        "__global__ void k(int *p) { *p = CUDA_VERSION; }\n";
    static const char *const more[] = {"-arch=compute_90", "-arch=compute_75", "-std=c++20"};
    char expected[32];
    snprintf(expected, sizeof expected, "-DEXPECTED=%d",
             LIBRARY_VERSION / 10 * 1000 + LIBRARY_VERSION % 10 * 10);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; ++i) {
        const char *const options[] = {expected, more[i]};
        nvrtcProgram p = program_of(source);
        nvrtcResult r = nvrtcCompileProgram(p, 2, options);
        char *log = log_of(p);
        if (r)
            fprintf(stderr, "%s: %s\n", more[i], log);
        CHECK_OK(r);
        free(log);
        CHECK_OK(nvrtcDestroyProgram(&p));
    }
    nvrtcProgram p = program_of(saxpy);
    CHECK_RESULT(LIBRARY_VERSION == 129 ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_OPTION,
                 compile(p, "-arch=compute_70"));
    CHECK_OK(nvrtcDestroyProgram(&p));
}

int main(void) {
    about_the_library();
    arguments();
    ptx_and_cubin();
    library_headers();
    other_compilers();
    language_headers();
    own_library();
    own_library_in_memory();
    kudzu_folder();
    link_time_code();
    errors();
    headers();
    callback();
    precompiled_headers();
    attribute_lists();
    version_in_programs();
    return finish();
}
