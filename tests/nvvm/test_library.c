// libnvvm: its interface and errors, its options, NVVM IR's two dialects, and code that runs.
//
//     nvvm_library LIBDEVICE
#include <cuda.h>
#include <math.h>
#include <nvvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && ++failures)                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
    } while (0)
#define CHECK_RESULT(expected, call)                                                               \
    do {                                                                                           \
        int got_ = (int)(call);                                                                    \
        if (got_ != (int)(expected) && ++failures)                                                 \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, got_);                   \
    } while (0)
#define CHECK_OK(call) CHECK_RESULT(0, call)

static char *libdevice;
static size_t libdevice_size;

static nvvmProgram program_of(const char *text) {
    nvvmProgram p = NULL;
    CHECK_OK(nvvmCreateProgram(&p));
    CHECK_OK(nvvmAddModuleToProgram(p, text, strlen(text), "test"));
    return p;
}

static char *log_of(nvvmProgram p) {
    size_t size = 0;
    CHECK_OK(nvvmGetProgramLogSize(p, &size));
    char *log = calloc(1, size);
    CHECK_OK(nvvmGetProgramLog(p, log));
    CHECK(strlen(log) + 1 == size);
    return log;
}

// What comes out with up to two options, malloc'ed; NULL: an error.
static char *compile(nvvmProgram p, const char *a, const char *b) {
    const char *options[] = {"-arch=compute_90", a, b};
    size_t size = 0;
    if (nvvmCompileProgram(p, a ? b ? 3 : 2 : 1, options))
        return NULL;
    CHECK_OK(nvvmGetCompiledResultSize(p, &size));
    char *result = calloc(1, size + 1);
    CHECK_OK(nvvmGetCompiledResult(p, result));
    return result;
}

static char *ptx_of(const char *text, const char *a, const char *b) {
    nvvmProgram p = program_of(text);
    CHECK_OK(nvvmLazyAddModuleToProgram(p, libdevice, libdevice_size, "libdevice"));
    char *ptx = compile(p, a, b);
    if (!ptx) {
        char *log = log_of(p);
        fprintf(stderr, "%s", log);
        free(log);
        ++failures;
        ptx = calloc(1, 1);
    }
    CHECK_OK(nvvmDestroyProgram(&p));
    return ptx;
}

static void has_no_result(nvvmProgram p) {
    size_t size = 0;
    char result = 'x';
    CHECK_OK(nvvmGetCompiledResultSize(p, &size));
    CHECK(size == 1);
    CHECK_OK(nvvmGetCompiledResult(p, &result));
    CHECK(!result);
}

// The result of compiling, and a part of the log.
static void fails(const char *text, const char *option, nvvmResult expected, const char *says) {
    nvvmProgram p = program_of(text);
    CHECK_RESULT(expected, nvvmCompileProgram(p, option != NULL, &option));
    char *log = log_of(p);
    if (!strstr(log, says) && ++failures)
        fprintf(stderr, "the log does not say \"%s\": %s\n", says, log);
    free(log);
    has_no_result(p);
    CHECK_OK(nvvmDestroyProgram(&p));
}

// What is no IR: how both functions answer.
static void no_ir(void) {
    nvvmProgram p = program_of("what is this");
    CHECK_RESULT(NVVM_ERROR_INVALID_IR, nvvmVerifyProgram(p, 0, NULL));
    CHECK_RESULT(NVVM_ERROR_COMPILATION, nvvmCompileProgram(p, 0, NULL));
    char *log = log_of(p);
    CHECK(!strcmp(log, "test (1, 0): parse expected top-level entity"));
    free(log);
    CHECK_OK(nvvmDestroyProgram(&p));
}

// ---- The interface --------------------------------------------------------------------------

#define KERNEL(name, parameters, body)                                                             \
    "target triple = \"nvptx64-unknown-cuda\"\n"                                                   \
    "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-" \
    "f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"                 \
    "define void @" name "(" parameters ") {\n" body "  ret void\n}\n"                             \
    "!nvvmir.version = !{!1}\n"                                                                    \
    "!1 = !{i32 2, i32 0, i32 3, i32 1}\n"

static const char add_one[] =
    KERNEL("add_one", "float* %p",
           "  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
           "  %q = getelementptr float, float* %p, i32 %i\n"
           "  %x = load float, float* %q\n"
           "  %y = fadd float %x, 1.0\n"
           "  store float %y, float* %q\n") "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                            "!nvvm.annotations = !{!0}\n"
                                            "!0 = !{void (float*)* @add_one, !\"kernel\", i32 1}\n";

static void interface(void) {
    int a = 0, b = 0, c = 0, d = 0;
    nvvmProgram p = NULL, gone;
    size_t size;
    CHECK_OK(nvvmVersion(&a, &b));
    CHECK(a == 2 && b == 0);
    CHECK_OK(nvvmIRVersion(&a, &b, &c, &d));
    CHECK(a == 2 && c == 3);
    CHECK_OK(nvvmLLVMVersion("compute_90", &a));
    CHECK(a == 19);
    CHECK_RESULT(NVVM_ERROR_INVALID_INPUT, nvvmVersion(NULL, &b));
    CHECK_RESULT(NVVM_ERROR_INVALID_INPUT, nvvmIRVersion(&a, &b, NULL, &d));
    CHECK_RESULT(NVVM_ERROR_INVALID_INPUT, nvvmLLVMVersion("90", &a));
    CHECK(!strcmp(nvvmGetErrorString(NVVM_ERROR_INVALID_IR), "NVVM_ERROR_INVALID_IR"));
    CHECK(!strcmp(nvvmGetErrorString((nvvmResult)99), "NVVM_ERROR unknown"));

    CHECK_RESULT(NVVM_ERROR_INVALID_INPUT, nvvmCreateProgram(NULL));
    CHECK_OK(nvvmCreateProgram(&p));
    CHECK_RESULT(NVVM_ERROR_NO_MODULE_IN_PROGRAM, nvvmCompileProgram(p, 0, NULL));
    CHECK_RESULT(NVVM_ERROR_INVALID_INPUT, nvvmAddModuleToProgram(p, NULL, 3, "x"));
    CHECK_RESULT(NVVM_ERROR_INVALID_INPUT, nvvmAddModuleToProgram(p, "x", 0, "x"));
    CHECK_OK(nvvmAddModuleToProgram(p, add_one, sizeof add_one - 1, NULL));
    CHECK_RESULT(NVVM_ERROR_INVALID_INPUT, nvvmCompileProgram(p, 1, NULL));
    has_no_result(p);
    CHECK_OK(nvvmVerifyProgram(p, 0, NULL));
    has_no_result(p);
    CHECK_OK(nvvmCompileProgram(p, 0, NULL));
    CHECK_OK(nvvmGetCompiledResultSize(p, &size));
    CHECK_RESULT(NVVM_ERROR_INVALID_INPUT, nvvmGetCompiledResult(p, NULL));
    gone = p;
    CHECK_OK(nvvmDestroyProgram(&p));
    CHECK(!p);
    CHECK_RESULT(NVVM_ERROR_INVALID_PROGRAM, nvvmDestroyProgram(&gone));
    CHECK_RESULT(NVVM_ERROR_INVALID_PROGRAM, nvvmCompileProgram(gone, 0, NULL));
}

static void errors(void) {
    no_ir();
    fails("BC\xc0\xde nonsense", NULL, NVVM_ERROR_COMPILATION, "error");
    fails("define i32 @f() {\n  ret void\n}\n", NULL, NVVM_ERROR_COMPILATION, "test (2, ");
    fails("!nvvmir.version = !{!0}\n!0 = !{i32 9, i32 0}\n", NULL, NVVM_ERROR_IR_VERSION_MISMATCH,
          "newer");
    fails(add_one, "-made-up", NVVM_ERROR_INVALID_OPTION,
          "libnvvm : error: -made-up is an unsupported option");
    fails(add_one, "-arch=sm_90", NVVM_ERROR_INVALID_OPTION, "virtual architecture");
    fails(add_one, "-arch=compute_5", NVVM_ERROR_INVALID_OPTION, "compute_5");
    fails(add_one, "-ftz=2", NVVM_ERROR_INVALID_OPTION, "0 or 1");
    fails(add_one, "-opt=9", NVVM_ERROR_INVALID_OPTION, "0 or 3");
    fails("define i32 @f(i32 %m) {\n"
          "  %r = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 %m, i1 true)\n"
          "  %x = extractvalue { i32, i1 } %r, 0\n  ret i32 %x\n}\n"
          "declare { i32, i1 } @llvm.nvvm.vote.sync(i32, i32, i1)\n",
          NULL, NVVM_ERROR_COMPILATION, "no constant");
}

// ---- Options --------------------------------------------------------------------------------

static void gives(const char *text, const char *option, const char *part, int there) {
    char *ptx = ptx_of(text, option, NULL);
    if ((strstr(ptx, part) != NULL) != there && ++failures)
        fprintf(stderr, "%s with %s: %s\n%s", part, option ? option : "no option",
                there ? "missing" : "there", ptx);
    free(ptx);
}

static void options(void) {
    static const char arithmetic[] =
        KERNEL("f", "float* %p, float %a, float %b",
               "  %q = fdiv float %a, %b\n"
               "  %s = call float @llvm.sqrt.f32(float %q)\n"
               "  %m = fmul float %a, %b\n"
               "  %t = fadd float %m, %s\n"
               "  store float %t, float* %p\n") "declare float @llvm.sqrt.f32(float)\n";
    gives(arithmetic, NULL, "div.rn.f32", 1);
    gives(arithmetic, NULL, "sqrt.rn.f32", 1);
    gives(arithmetic, NULL, "fma.rn.f32", 1);
    gives(arithmetic, "-prec-div=0", "div.full.f32", 1);
    gives(arithmetic, "-prec-sqrt=0", "sqrt.approx.f32", 1);
    gives(arithmetic, "-fma=0", "fma.rn.f32", 0);
    gives(arithmetic, "-ftz=1", "div.rn.ftz.f32", 1);
    gives(arithmetic, NULL, ".target sm_90", 1);

    // Members of one object, each with its own alignment: the variable's and the stride are 8.
    static const char pairs[] =
        KERNEL("g", "float* %p, i64 %i",
               "  %c = addrspacecast [2 x { float, float }] addrspace(4)* @pairs to [2 x { float, "
               "float }]*\n"
               "  %a = getelementptr [2 x { float, float }], [2 x { float, float }]* %c, i64 0, "
               "i64 %i, i32 0\n"
               "  %b = getelementptr [2 x { float, float }], [2 x { float, float }]* %c, i64 0, "
               "i64 %i, i32 1\n"
               "  %x = load float, float* %a, align 4\n"
               "  %y = load float, float* %b, align 4\n"
               "  %m = fmul float %x, %y\n"
               "  store float %m, float* %p\n") "@pairs = internal addrspace(4) constant [2 x { "
                                                "float, float }] [{ float, float } { float 1.0, "
                                                "float 2.0 }, { float, float } { float 3.0, float "
                                                "4.0 }], align 8\n";
    gives(pairs, NULL, "ld.const.v2.f32", 1);

    // Code for link time has the magic number of such code.
    nvvmProgram p = program_of(arithmetic);
    char *code = compile(p, "-gen-lto", NULL);
    CHECK(code && !memcmp(code, "\xed\x43\x4e\x7f", 4));
    free(code);
    CHECK_OK(nvvmDestroyProgram(&p));
}

static void warnings(void) {
    static const char text[] = "define void @k() noinline {\n  ret void\n}\n"
                               "!nvvm.annotations = !{!0}\n"
                               "!0 = !{void ()* @k, !\"kernel\", i32 1}\n";
    nvvmProgram p = program_of(text);
    CHECK_OK(nvvmVerifyProgram(p, 0, NULL));
    char *log = log_of(p);
    CHECK(strstr(log, "overriding noinline attribute"));
    free(log);
    CHECK_OK(nvvmDestroyProgram(&p));
}

// ---- Several modules ------------------------------------------------------------------------

static void modules(void) {
    static const char caller[] =
        KERNEL("k", "double* %p, double %x",
               "  %a = call double @twice(double %x)\n"
               "  %b = call double @__nv_sin(double %a)\n"
               "  %c = call double @__nv_cos(double %b)\n"
               "  store double %c, double* %p\n") "declare double @twice(double)\n"
                                                  "declare double @__nv_sin(double)\n"
                                                  "declare double @__nv_cos(double)\n";
    // A function that the library has, too, and bitcode's older sibling: both dialects at once.
    static const char called[] = "define double @twice(double %x) {\n"
                                 "  %y = fadd double %x, %x\n  ret double %y\n}\n"
                                 "define double @__nv_cos(double %x) {\n  ret double 7.0\n}\n"
                                 "@g = global ptr null\n";
    nvvmProgram p = program_of(caller);
    CHECK_OK(nvvmAddModuleToProgram(p, called, sizeof called - 1, "called"));
    CHECK_OK(nvvmLazyAddModuleToProgram(p, libdevice, libdevice_size, "libdevice"));
    char *ptx = compile(p, NULL, NULL);
    CHECK(ptx);
    if (ptx) {
        CHECK(strstr(ptx, ".visible .func  (.param .b64 func_retval0) twice"));
        CHECK(!strstr(ptx, "__nv_tan"));
        CHECK(!strstr(ptx, ".visible .func  (.param .b64 func_retval0) __nv_sin"));
        CHECK(!strstr(ptx, ".extern"));
    }
    free(ptx);
    CHECK_OK(nvvmDestroyProgram(&p));
}

// ---- What runs ------------------------------------------------------------------------------

static void launch(const char *ptx, const char *name, unsigned threads, void *data, size_t size) {
    CUmodule module;
    CUfunction f;
    CUdeviceptr p;
    CHECK_OK(cuModuleLoadData(&module, ptx));
    CHECK_OK(cuModuleGetFunction(&f, module, name));
    CHECK_OK(cuMemAlloc(&p, size));
    CHECK_OK(cuMemcpyHtoD(p, data, size));
    CHECK_OK(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, (void *[]){&p}, NULL));
    CHECK_OK(cuMemcpyDtoH(data, p, size));
    CHECK_OK(cuMemFree(p));
    CHECK_OK(cuModuleUnload(module));
}

static void runs(void) {
    float x[32];
    for (int i = 0; i < 32; ++i)
        x[i] = (float)i;
    char *ptx = ptx_of(add_one, NULL, NULL);
    launch(ptx, "add_one", 32, x, sizeof x);
    for (int i = 0; i < 32; ++i)
        CHECK(x[i] == (float)i + 1);
    free(ptx);
}

// Warp operations as NVVM IR has them.
static void warp_operations(void) {
    static const char text[] = KERNEL("k", "i32* %p",
                                      "  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                      "  %idx = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 -1, "
                                      "i32 0, i32 %i, i32 5, i32 31)\n"
                                      "  %xor = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 -1, "
                                      "i32 3, i32 %i, i32 1, i32 31)\n"
                                      "  %odd = trunc i32 %i to i1\n"
                                      "  %bal = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 "
                                      "3, i1 %odd)\n"
                                      "  %any = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 "
                                      "1, i1 %odd)\n"
                                      "  %all = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 "
                                      "0, i1 %odd)\n"
                                      "  %mat = call { i32, i1 } @llvm.nvvm.match.all.sync.i32(i32 "
                                      "-1, i32 7)\n"
                                      "  %a = extractvalue { i32, i1 } %idx, 0\n"
                                      "  %b = extractvalue { i32, i1 } %xor, 0\n"
                                      "  %c = extractvalue { i32, i1 } %bal, 0\n"
                                      "  %d1 = extractvalue { i32, i1 } %any, 1\n"
                                      "  %d = zext i1 %d1 to i32\n"
                                      "  %e1 = extractvalue { i32, i1 } %all, 1\n"
                                      "  %e = zext i1 %e1 to i32\n"
                                      "  %f = extractvalue { i32, i1 } %mat, 0\n"
                                      "  %o = mul i32 %i, 6\n"
                                      "  %q = getelementptr i32, i32* %p, i32 %o\n"
                                      "  store i32 %a, i32* %q\n"
                                      "  %q1 = getelementptr i32, i32* %q, i32 1\n  store i32 %b, "
                                      "i32* %q1\n"
                                      "  %q2 = getelementptr i32, i32* %q, i32 2\n  store i32 %c, "
                                      "i32* %q2\n"
                                      "  %q3 = getelementptr i32, i32* %q, i32 3\n  store i32 %d, "
                                      "i32* %q3\n"
                                      "  %q4 = getelementptr i32, i32* %q, i32 4\n  store i32 %e, "
                                      "i32* %q4\n"
                                      "  %q5 = getelementptr i32, i32* %q, i32 5\n  store i32 %f, "
                                      "i32* %q5\n") "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                                    "declare { i32, i1 } "
                                                    "@llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, "
                                                    "i32)\n"
                                                    "declare { i32, i1 } @llvm.nvvm.vote.sync(i32, "
                                                    "i32, i1)\n"
                                                    "declare { i32, i1 } "
                                                    "@llvm.nvvm.match.all.sync.i32(i32, i32)\n"
                                                    "!nvvm.annotations = !{!0}\n"
                                                    "!0 = !{void (i32*)* @k, !\"kernel\", i32 1}\n";
    uint32_t x[32][6] = {{0}};
    char *ptx = ptx_of(text, NULL, NULL);
    launch(ptx, "k", 32, x, sizeof x);
    for (uint32_t i = 0; i < 32; ++i)
        CHECK(x[i][0] == 5 && x[i][1] == (i ^ 1) && x[i][2] == 0xaaaaaaaa && x[i][3] == 1 &&
              x[i][4] == 0 && x[i][5] == 0xffffffff);
    free(ptx);
}

static void library_functions(void) {
    static const char text[] = KERNEL(
        "k", "double* %p",
        "  %x = load double, double* %p\n"
        "  %y = call double @__nv_sin(double %x)\n"
        "  store double %y, double* %p\n") "declare double @__nv_sin(double)\n"
                                           "!nvvm.annotations = !{!0}\n"
                                           "!0 = !{void (double*)* @k, !\"kernel\", i32 1}\n";
    for (int optimized = 0; optimized < 2; ++optimized) {
        double x = 0.5;
        char *ptx = ptx_of(text, optimized ? "-opt=3" : "-opt=0", optimized ? NULL : "-g");
        launch(ptx, "k", 1, &x, sizeof x);
        CHECK(fabs(x - sin(0.5)) < 1e-15);
        free(ptx);
    }
}

static void read_libdevice(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    libdevice_size = (size_t)ftell(f);
    rewind(f);
    libdevice = malloc(libdevice_size);
    CHECK(fread(libdevice, 1, libdevice_size, f) == libdevice_size);
    fclose(f);
}

int main(int argc, char **argv) {
    CUdevice device;
    CUcontext context;
    if (argc != 2)
        return 2;
    read_libdevice(argv[1]);
    interface();
    errors();
    options();
    warnings();
    modules();
    CHECK_OK(cuInit(0));
    CHECK_OK(cuDeviceGet(&device, 0));
    CHECK_OK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK_OK(cuCtxSetCurrent(context));
    runs();
    warp_operations();
    library_functions();
    free(libdevice);
    return failures != 0;
}
