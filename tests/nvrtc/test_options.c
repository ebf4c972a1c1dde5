// Every option of nvrtcCompileProgram: what it does to the code, or that it is accepted or refused.
#include "check.h"

// One more option for each compilation, if not NULL.
static const char *architecture;

// The result of compiling `source` with up to three options; *ptx (malloc'ed) if it succeeds.
static nvrtcResult with(const char *source, const char *a, const char *b, const char *c,
                        char **ptx) {
    const char *options[] = {a, b, c, NULL};
    int n = a ? b ? c ? 3 : 2 : 1 : 0;
    nvrtcProgram p = program_of(source);
    if (architecture)
        options[n++] = architecture;
    nvrtcResult r = nvrtcCompileProgram(p, n, options);
    if (ptx)
        *ptx = r ? log_of(p) : ptx_of(p);
    CHECK_OK(nvrtcDestroyProgram(&p));
    return r;
}

// The program's static assertion holds with the options.
static void holds(const char *condition, const char *a, const char *b) {
    char source[512], *text;
    snprintf(source, sizeof source, "static_assert(%s, \"\");\n", condition);
    nvrtcResult r = with(source, a, b, NULL, &text);
    if (r && ++failures)
        fprintf(stderr, "%s with %s: %s\n%s", condition, a, nvrtcGetErrorString(r), text);
    free(text);
}

static void macros_and_standards(void) {
    holds("__cplusplus == 201703L && __CUDA_ARCH__ == 520", NULL, NULL);
    holds("__cplusplus == 201103L", "--std=c++11", NULL);
    holds("__cplusplus == 201402L", "-std", "c++14");
    holds("__cplusplus == 202002L", "-std=c++20", NULL);
    holds("__CUDA_ARCH__ == 900", "--gpu-architecture=compute_90", NULL);
    holds("__CUDA_ARCH__ == 1000", "-arch=compute_100", NULL);
    holds("__CUDA_ARCH_SPECIFIC__ == 1030", "-arch=sm_103a", NULL);
    holds("__CUDA_ARCH_FAMILY_SPECIFIC__ == 1200", "-arch=compute_120f", NULL);
    holds("__CUDA_ARCH__ == 800", "-arch", "sm_80");
    holds("__CUDA_ARCH__ == 750", "-arch compute_75", NULL);
    holds("A == 1 && B == 7", "-DA", "-D B=7");
    holds("A == 3", "--define-macro=A=3", NULL);
    holds("A == 4", "-D", "A=4");
    holds("__CUDACC_RTC__ && __CUDACC__ && __CUDACC_VER_MAJOR__ == 12", NULL, NULL);
    char *text; // which CCCL tells NVRTC from other compilers by
    CHECK_OK(with("#if defined(__clang__) || defined(__GNUC__) || defined(__NVCC__)\n"
                  "#error another compiler\n#endif\n",
                  NULL, NULL, NULL, &text));
    free(text);
    holds("sizeof(size_t) == 8 && sizeof(float4) == 16 && sizeof(dim3) == 12", NULL, NULL);
}

// Older architectures share a precompiled header with newer ones, but not what these have more.
static void older_architectures(void) {
    static const char source[] = "extern \"C\" __global__ void k(int *p) {\n"
                                 "    *p = __isClusterShared(p);\n"
                                 "#if __CUDA_ARCH__ >= 800\n"
                                 "    *p += __reduce_add_sync(~0u, *p);\n"
                                 "#endif\n"
                                 "}\n";
    char *text;
    CHECK_OK(with(source, "-arch=sm_75", NULL, NULL, &text));
    free(text);
    CHECK_OK(with(source, "-arch=sm_80", "-I/usr/include", NULL, &text));
    free(text);
    CHECK(with("extern \"C\" __global__ void k(int *p) { *p = __reduce_add_sync(~0u, *p); }",
               "-arch=sm_75", NULL, NULL, &text) == NVRTC_ERROR_COMPILATION);
    free(text);
}

// __float128 is for compute capability 10.0 and later.
static void quad_precision(void) {
    static const char source[] = "#include <crt/device_fp128_functions.h>\n"
                                 "extern \"C\" __global__ void k(_Float128 x, __float128 *p) {\n"
                                 "    *p = __nv_fp128_sin(x) * 1.5q;\n"
                                 "}\n";
    char *text;
    CHECK_OK(with(source, "-arch=sm_100", "-device-float128", NULL, &text));
    CHECK(strstr(text, "k_param_0[16]") && !strstr(text, ".extern .func"));
    free(text);
    CHECK(with(source, "-arch=sm_90", NULL, NULL, &text) == NVRTC_ERROR_COMPILATION);
    CHECK(strstr(text, "128 bit size"));
    free(text);
}

static void own_names(void) {
    // Programs define what the C and C++ libraries define elsewhere.
    static const char source[] =
        "typedef long long int64_t; typedef unsigned char uint8_t;\n"
        "namespace std { template <class T> struct is_floating_point { enum { value = 0 }; };\n"
        "template <class T> class complex {}; template <class T> class numeric_limits {}; }\n"
        "template <class T> struct complex { T re, im; };\n"
        "extern \"C\" __global__ void f(int64_t *p, complex<float> *c) {\n"
        "    p[threadIdx.x] = max(1, 2); c->re = sinf(c->im) + powf(2.f, c->re);\n"
        "    printf(\"%d\\n\", 3); assert(p); int *q = new int[4]; delete[] q;\n"
        "    for (int i : {1, 2, 3}) p[i] = std::move(i);\n"
        "    __syncthreads(); atomicAdd(&c->re, 1.0f); memset(p, 0, 8);\n"
        "    p[1] = clock64() + __shfl_sync(~0u, 1, 0) + tex1Dfetch<int>(7, 1);\n"
        "}\n";
    char *text;
    nvrtcResult r = with(source, "-arch=compute_90", NULL, NULL, &text);
    if (r)
        fputs(text, stderr);
    CHECK(r == NVRTC_SUCCESS);
    free(text);
    CHECK_OK(with("namespace std { template <class T> T &&forward(T &); struct initializer_list; }",
                  "-builtin-move-forward=false", "--builtin-initializer-list=false", NULL, NULL));
}

static void headers_of_kudzu(void) {
    CHECK_OK(with("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_runtime.h>\n"
                  "#include <math.h>\n#include <cooperative_groups.h>\n"
                  "__global__ void f(__half *h) { *h = __float2half(M_PI);"
                  " cooperative_groups::this_thread_block().sync(); }\n",
                  "-arch=compute_90", NULL, NULL, NULL));
}

// The declarations are precompiled without the option, and serve all the same: code is what it is
// where a macro that they name keeps them from being used.
static void flushed_denormals(void) {
    static const char source[] =
        "extern \"C\" __global__ void f(float *p) { p[0] = __fdividef(sinf(p[1]), powf(p[2], "
        "p[3]));"
        " p[4] = expf(sqrtf(p[5])) + __saturatef(fmodf(p[6], p[7])) + atomicAdd(p, p[8]); }\n";
    static const char *const architectures[] = {"-arch=compute_90", "-arch=compute_80"};
    for (size_t i = 0; i < sizeof architectures / sizeof architectures[0]; ++i) {
        char *ptx, *anew;
        CHECK_OK(with(source, "-ftz=true", architectures[i], NULL, &ptx));
        CHECK_OK(with(source, "-ftz=true", architectures[i], "-UKUDZU_RTC_LANGUAGE_H", &anew));
        CHECK(!strcmp(ptx, anew) && has(ptx, "sqrt.rn.ftz.f32"));
        free(ptx), free(anew);
    }
}

static void code_generation(void) {
    static const char source[] =
        "__device__ float g(float x);\n"
        "extern \"C\" __global__ void f(float *p) { p[0] = p[1] / p[2]; p[3] = sqrtf(p[4]);"
        " p[5] = p[6] * p[7] + p[8]; }\n";
    char *ptx;
    CHECK_OK(with(source, NULL, NULL, NULL, &ptx));
    CHECK(has(ptx, "div.rn.f32") && has(ptx, "sqrt.rn.f32") && has(ptx, "fma.rn.f32"));
    free(ptx);
    CHECK_OK(with(source, "-use_fast_math", NULL, NULL, &ptx));
    CHECK(has(ptx, "div.approx.ftz.f32") && has(ptx, "sqrt.approx.ftz.f32"));
    free(ptx);
    CHECK_OK(with(source, "--fmad=false", "--prec-div=false", "-prec-sqrt=false", &ptx));
    CHECK(has(ptx, "div.full.f32") && has(ptx, "sqrt.approx.f32") && !has(ptx, "fma.rn.f32"));
    free(ptx);
    CHECK_OK(with(source, "-ftz=true", NULL, NULL, &ptx));
    CHECK(has(ptx, "div.rn.ftz.f32"));
    free(ptx);
    CHECK_OK(with(source, "-lineinfo", NULL, NULL, &ptx));
    CHECK(has(ptx, ".loc") && has(ptx, "test.cu"));
    free(ptx);
    CHECK_OK(with(source, "-G", NULL, NULL, &ptx));
    CHECK(has(ptx, ".loc"));
    free(ptx);
    static const char limited[] =
        "extern \"C\" __global__ void __maxnreg__(40) own(int *p) { *p = 3; }\n"
        "extern \"C\" __global__ void plain(int *p) { *p = 3; }\n";
    CHECK_OK(with(limited, "--maxrregcount=64", NULL, NULL, &ptx));
    CHECK(has(ptx, ".maxnreg 40\n{") && has(ptx, ".maxnreg 64\n{"));
    free(ptx);
    CHECK_OK(with(limited, NULL, NULL, NULL, &ptx));
    CHECK(has(ptx, ".maxnreg 40\n{") && !has(ptx, ".maxnreg 64"));
    free(ptx);
    static const char calls[] = "extern __device__ int other(int);\n"
                                "extern \"C\" __global__ void f(int *p) { *p = other(3); }\n";
    CHECK_OK(with(calls, "--relocatable-device-code=true", NULL, NULL, &ptx));
    CHECK(has(ptx, ".extern .func") && has(ptx, "_Z5otheri"));
    free(ptx);
    CHECK_OK(with(calls, "-dc", NULL, NULL, NULL));
}

static void execution_space(void) {
    static const char source[] = "int v; int twice(int x) { return 2 * x + v; }\n"
                                 "__global__ void f(int *p) { *p = twice(3); }\n";
    char *text;
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, with(source, NULL, NULL, NULL, NULL));
    CHECK_OK(with(source, "-default-device", NULL, NULL, &text));
    CHECK(has(text, ".global .align 4 .u32 v"));
    free(text);
    CHECK_OK(with(source, "--device-as-default-execution-space", NULL, NULL, NULL));
    // Variables that may not have a specifier, or need another option with one.
    static const char others[] =
        "template <class T> struct is { static constexpr bool value = 0; };\n"
        "struct s { static const int n = 3; static int *p; };\n"
        "int *s::p; inline constexpr int k = 5;\n"
        "template <class T> inline constexpr int size = sizeof(T);\n"
        "__global__ void f(int *p) {\n"
        "    s::p = p; *p = is<int>::value + s::n + k + size<char>;\n"
        "}\n";
    CHECK_OK(with(others, "-default-device", NULL, NULL, &text));
    CHECK(has(text, "_ZN1s1pE"));
    free(text);
    // Kernels that are instantiated explicitly.
    static const char instances[] =
        "template <int n, class T> __global__ void f(T *p) { *p += n; }\n"
        "template __global__ decltype(f<123, float>) f<123, float>;\n"
        "template __global__ void f<7, int>(int *);\n";
    CHECK_OK(with(instances, "-default-device", NULL, NULL, &text));
    CHECK(has(text, ".entry _Z1fILi123EfEvPT0_") && has(text, ".entry _Z1fILi7EiEvPT0_"));
    free(text);
    static const char written[] = "struct s { __device__ static const int n = 3; };\n";
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, with(written, "-default-device", NULL, NULL, &text));
}

static void warnings_by_number(void) {
    static const char source[] = "__global__ void f(int *p) { int unused = 3; p[0] = p[1]; }\n";
    const struct {
        const char *option, *part; // of the log, which may not be there with "!" before it
    } cases[] = {{NULL, "warning"},
                 {"--diag-suppress=177", "!unused"},
                 {"-diag-suppress=550,declared_but_not_referenced,1", "!unused"},
                 {"--diag-suppress=550", "warning"},
                 {"-diag-error=177", "error"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        nvrtcProgram p = program_of(source);
        nvrtcResult r = nvrtcCompileProgram(p, cases[i].option != NULL, &cases[i].option);
        int wrong = cases[i].option && !strcmp(cases[i].option, "-diag-error=177");
        CHECK_RESULT(wrong ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS, r);
        char *log = log_of(p);
        const char *part = cases[i].part;
        CHECK(*part == '!' ? !has(log, part + 1) : has(log, part));
        free(log);
        CHECK_OK(nvrtcDestroyProgram(&p));
    }
}

static void files(void) {
    char folder[] = "/tmp/kudzu-nvrtc-XXXXXX", path[64], option[128], *text;
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/on_disk.h", folder);
    FILE *f = fopen(path, "w");
    fputs("#define ON_DISK 5\n__device__ int on_disk; // knows the language's words\n"
          "#ifdef __clang__\n#error another compiler\n#endif\n",
          f);
    fclose(f);
    snprintf(option, sizeof option, "-I%s", folder);
    static const char source[] = "#include <on_disk.h>\nstatic_assert(ON_DISK == 5, \"\");\n";
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, with(source, NULL, NULL, NULL, NULL));
    CHECK_OK(with(source, option, NULL, NULL, NULL));
    CHECK_OK(with(source, "--include-path", folder, NULL, NULL));
    static const char without[] = "static_assert(ON_DISK == 5, \"\");\n";
    CHECK_OK(with(without, "-include", path, NULL, NULL));
    CHECK_OK(with(without, option, "--pre-include=on_disk.h", NULL, NULL));
    CHECK_OK(with(without, option, "--pre-include=on_disk.h", "--use_fast_math", NULL));
    remove(path);
    // Times go to a file, at its end.
    snprintf(option, sizeof option, "--time=%s", path);
    CHECK_OK(with("", option, NULL, NULL, NULL));
    f = fopen(path, "r");
    char line[128] = "";
    CHECK(f && fgets(line, sizeof line, f) && has(line, "test.cu,") && has(line, ",ms"));
    if (f)
        fclose(f);
    remove(path);
    CHECK_RESULT(NVRTC_ERROR_TIME_FILE_WRITE_FAILED,
                 with("", "-time=/nonexistent/times", NULL, NULL, NULL));
    remove(folder);
    CHECK_RESULT(NVRTC_ERROR_COMPILATION,
                 with("int x = y;", "-no-source-include", NULL, NULL, &text));
    free(text);
}

static void warnings(void) {
    static const char source[] = "#warning careful\n";
    char *text;
    CHECK_OK(with(source, "-w", NULL, NULL, NULL));
    CHECK_RESULT(NVRTC_ERROR_COMPILATION, with(source, "-Werror=all-warnings", NULL, NULL, &text));
    CHECK(has(text, "1 error detected"));
    free(text);
    // A number that makes no sense is ignored, as by nvcc.
    static const char unrolled[] = "__global__ void k(int *p, int n) {\n#pragma unroll -1\n"
                                   "    for (int i = 0; i < n; i++) p[i] = i;\n"
                                   "#pragma unroll (99999999999)\n"
                                   "    for (int i = 0; i < n; i++) p[i] += i;\n}\n";
    nvrtcProgram p = program_of(unrolled);
    CHECK_OK(compile(p, NULL));
    text = log_of(p);
    CHECK(has(text, "test.cu(2): warning: ") && has(text, "test.cu(4): warning: "));
    free(text);
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static void accepted(void) {
    static const char *const options[] = {"-dopt=on",
                                          "--maxrregcount=32",
                                          "--extra-device-vectorization",
                                          "--restrict",
                                          "--device-int128",
                                          "-err-no",
                                          "--no-display-error-number",
                                          "--diag-suppress=177",
                                          "--pch",
                                          "--pch-dir=/tmp",
                                          "-modify-stack-limit=false",
                                          "--minimal",
                                          "-no-cache",
                                          "--split-compile=4",
                                          "-Ofc=max",
                                          "-ewp",
                                          "-Xptxas=-v",
                                          "-fdevice-syntax-only",
                                          "-dQ=true",
                                          "",
                                          " -w "};
    nvrtcProgram p = program_of("extern \"C\" __global__ void f() {}\n");
    CHECK_OK(nvrtcCompileProgram(p, sizeof options / sizeof options[0], options));
    CHECK_OK(nvrtcDestroyProgram(&p));
}

static void refused(void) {
    static const char *const wrong[] = {"--not-an-option",
                                        "-arch=compute_1",
                                        "-arch=native",
                                        "-arch",
                                        "-std=c++42",
                                        "word",
                                        "--ftz=maybe",
                                        "--optix-ir",
                                        "-arch=lto_1",
                                        "--maxrregcount=many",
                                        "-G=true",
                                        "-",
                                        "--",
                                        "-Werror=everything",
                                        "-Ofc=fast"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        char *log;
        nvrtcProgram p = program_of("");
        if (compile(p, wrong[i]) != NVRTC_ERROR_INVALID_OPTION && ++failures)
            fprintf(stderr, "%s is not refused\n", wrong[i]);
        log = log_of(p);
        CHECK(!strncmp(log, "error: ", 7));
        free(log);
        CHECK_OK(nvrtcDestroyProgram(&p));
    }
}

int main(void) {
    macros_and_standards();
    for (int i = 0; i < 2; ++i) {
        architecture = i ? "-arch=compute_90" : NULL;
        own_names();
        headers_of_kudzu();
        code_generation();
        flushed_denormals();
        execution_space();
        warnings_by_number();
        files();
        warnings();
    }
    architecture = NULL;
    quad_precision();
    older_architectures();
    accepted();
    refused();
    return finish();
}
