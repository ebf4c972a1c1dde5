// Any bytes as PTX that is launched: what loads runs with a small grid, with a width, a level and a
// tier that the text decides, each time in a process of its own, which limits of time end when the
// kernel does not. A fault must come back as one of the errors that the API has for it, and the
// process must be able to go on: in a new context a kernel whose result is known has it.
//
// KUDZU_FUZZ_COMPARE=1 compares what one thread leaves in memory with what the interpreter leaves
// there. What differs need not be wrong: changed text reads registers that nobody has written.
#include <cuda.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "fuzz.h"

enum { MAX_PARAMS = 12, PIECE = 16384, BUFFER = (MAX_PARAMS + 2) * PIECE, PARAM_BYTES = 4096 };
enum { FINE, NOT_DOCUMENTED, UNUSABLE }; // exit codes of the process that launches

struct outcome {
    bool loaded, launched;
    CUresult result;
    uint64_t hash;
    char what[200];
};

// What is cut does not load, nor does most of what is changed much.
size_t fuzz_pieces = 0;
uint64_t fuzz_changes = 1;

static struct outcome *outcome; // in memory that both processes have

static const char known[] =
    ".version 8.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry known(.param .u64 p) {\n"
    ".reg .b64 a, i; .reg .b32 t;\n"
    "ld.param.u64 a, [p];\nmov.u32 t, %tid.x;\nmul.wide.u32 i, t, 4;\n"
    "add.s64 a, a, i;\nmad.lo.u32 t, t, 3, 7;\nst.global.u32 [a], t;\nret;\n}\n";

// ---- the process that launches -------------------------------------------------------------

static _Noreturn void end(int code, const char *what, CUresult r) {
    const char *name = "?";
    cuGetErrorName(r, &name);
    snprintf(outcome->what, sizeof outcome->what, "%s: %s", what, name);
    _exit(code);
}

static void must(CUresult r, const char *what) {
    if (r != CUDA_SUCCESS)
        end(UNUSABLE, what, r);
}

static CUcontext new_context(CUdeviceptr *buffer) {
    CUcontext c;
    must(cuCtxCreate(&c, 0, 0), "cuCtxCreate");
    must(cuMemAlloc(buffer, BUFFER), "cuMemAlloc");
    return c;
}

static bool is_documented_fault(CUresult r) {
    static const CUresult faults[] = {CUDA_ERROR_ILLEGAL_ADDRESS,
                                      CUDA_ERROR_MISALIGNED_ADDRESS,
                                      CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                      CUDA_ERROR_INVALID_ADDRESS_SPACE,
                                      CUDA_ERROR_INVALID_PC,
                                      CUDA_ERROR_HARDWARE_STACK_ERROR,
                                      CUDA_ERROR_ASSERT,
                                      CUDA_ERROR_LAUNCH_FAILED,
                                      CUDA_ERROR_LAUNCH_TIMEOUT,
                                      CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                                      CUDA_ERROR_NOT_SUPPORTED,
                                      CUDA_ERROR_INVALID_VALUE,
                                      CUDA_ERROR_OUT_OF_MEMORY,
                                      CUDA_ERROR_INVALID_CLUSTER_SIZE,
                                      CUDA_ERROR_INVALID_PTX,
                                      CUDA_ERROR_TENSOR_MEMORY_LEAK,
                                      CUDA_ERROR_CONTAINED,
                                      CUDA_ERROR_NO_BINARY_FOR_GPU,
                                      CUDA_ERROR_INVALID_IMAGE,
                                      CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                                      CUDA_ERROR_SHARED_OBJECT_INIT_FAILED};
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        if (faults[k] == r)
            return true;
    return false;
}

// Numbers that are small floats and small integers, and words of a list of bits.
static void fill(CUdeviceptr p) {
    static uint32_t w[BUFFER / 4];
    for (uint32_t k = 0; k < BUFFER / 4; k++)
        w[k] = k % 3 ? k * 2654435761u >> (k % 29) : k & 255;
    must(cuMemcpyHtoD(p, w, BUFFER), "cuMemcpyHtoD");
}

// Pointers for what has their size, small numbers for the rest.
static void set_params(CUfunction f, CUdeviceptr buffer, uint64_t pick, void **params) {
    static uint64_t value[MAX_PARAMS][PARAM_BYTES / 8];
    static const uint32_t numbers[] = {0, 1, 3, 7, 32, 100, 1000};
    for (size_t k = 0; k < MAX_PARAMS; k++) {
        size_t offset, size;
        if (cuFuncGetParamInfo(f, k, &offset, &size) != CUDA_SUCCESS)
            size = 0;
        uint64_t number = numbers[(pick + k * 5) % (sizeof numbers / sizeof *numbers)];
        for (size_t j = 0; j < PARAM_BYTES / 8; j++)
            value[k][j] = size == 8 ? buffer + (k + 1) * PIECE : number;
        params[k] = value[k];
    }
}

static CUresult launch(CUmodule m, uint64_t pick, bool alone, CUdeviceptr buffer) {
    static const unsigned shapes[] = {1, 7, 32, 64, 96};
    CUfunction all[8];
    unsigned n = 0, x = alone ? 1 : shapes[pick % 5], y = alone ? 1 : 1 + pick / 5 % 2;
    void *params[MAX_PARAMS];
    if (cuModuleGetFunctionCount(&n, m) != CUDA_SUCCESS || !n || n > 8 ||
        cuModuleEnumerateFunctions(all, n, m) != CUDA_SUCCESS)
        return CUDA_SUCCESS;
    CUfunction f = all[pick / 10 % n];
    set_params(f, buffer, pick / 80, params);
    outcome->launched = true;
    CUresult r = cuLaunchKernel(f, alone ? 1 : 2, 1, 1, x, y, 1, 0, NULL, params, NULL);
    return r == CUDA_SUCCESS ? cuCtxSynchronize() : r;
}

static uint64_t hash_of(CUdeviceptr p) {
    static uint8_t bytes[BUFFER];
    must(cuMemcpyDtoH(bytes, p, BUFFER), "cuMemcpyDtoH");
    return XXH3_64bits(bytes, BUFFER);
}

static void run_known(void) {
    CUdeviceptr p;
    CUmodule m;
    CUfunction f;
    uint32_t w[32];
    CUcontext c = new_context(&p);
    void *params[] = {&p};
    must(cuModuleLoadData(&m, known), "the known module");
    must(cuModuleGetFunction(&f, m, "known"), "the known kernel");
    must(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL), "launching the known kernel");
    must(cuMemcpyDtoH(w, p, sizeof w), "what the known kernel left");
    for (uint32_t k = 0; k < 32; k++)
        if (w[k] != 3 * k + 7)
            end(UNUSABLE, "the known kernel's result", CUDA_SUCCESS);
    must(cuCtxDestroy(c), "cuCtxDestroy");
}

static _Noreturn void load_and_launch(const char *text, uint64_t pick, bool alone) {
    CUdeviceptr buffer;
    CUmodule m;
    must(cuInit(0), "cuInit");
    CUcontext c = new_context(&buffer);
    fill(buffer);
    outcome->result = cuModuleLoadData(&m, text);
    outcome->loaded = outcome->result == CUDA_SUCCESS;
    if (!outcome->loaded)
        _exit(FINE);
    outcome->result = launch(m, pick, alone, buffer);
    if (outcome->result == CUDA_SUCCESS)
        outcome->hash = hash_of(buffer);
    else if (!is_documented_fault(outcome->result))
        end(NOT_DOCUMENTED, "the launch", outcome->result);
    cuCtxDestroy(c);
    run_known();
    _exit(FINE);
}

// ---- the process that looks on -------------------------------------------------------------

// Loaded before, the compiler costs a new process nothing.
static void load_compiler(void) {
    Dl_info info;
    char path[4096];
    if (!dladdr((void *)cuInit, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(path, sizeof path, "%.*s/libkudzu-jit.so", slash ? (int)(slash - info.dli_fname) : 1,
             slash ? info.dli_fname : ".");
    dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void limit_time(void) {
    struct itimerval cpu = {.it_value.tv_usec = 700000}, day = {.it_value.tv_sec = 20};
    setitimer(ITIMER_PROF, &cpu, NULL);
    setitimer(ITIMER_REAL, &day, NULL);
}

// Do a kernel's results follow from its text, when one thread runs it?
static bool is_known(const char *text) {
    static const char *const other[] = {"shfl",  "mma",   "matrix",    "clock",    "timer",
                                        "smid",  "nsmid", "stacksave", "alloca",   "vote",
                                        "redux", "match", "envreg",    "warp_size"};
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        if (strstr(text, other[k]))
            return false;
    return true;
}

// A level that this machine has.
static const char *level_of(uint64_t pick) {
#ifdef __x86_64__
    if (pick % 4 == 3)
        return "";
    if (pick % 4 == 2 && __builtin_cpu_supports("x86-64-v4"))
        return "x86-64-v4";
    if (pick % 4 >= 1 && __builtin_cpu_supports("x86-64-v3"))
        return "x86-64-v3";
    return "x86-64-v2";
#else
    (void)pick;
    return "";
#endif
}

// True: it came to an end. Ends the program where something is wrong.
static bool run(const char *text, const char *exec, uint64_t pick, bool alone) {
    static const char *const widths[] = {"0", "1", "8", "16", "32"};
    const char *level = level_of(pick / 5);
    int status;
    memset(outcome, 0, sizeof *outcome);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("KUDZU_EXEC", exec, 1);
        setenv("KUDZU_WIDTH", widths[pick % 5], 1);
        setenv("KUDZU_CPU", level, 1);
        setenv("KUDZU_TIER", pick / 20 % 4 ? "quick" : "full", 1);
        setenv("CUDA_CACHE_DISABLE", "1", 1);
        setenv("KUDZU_WORKERS", "1", 1);
        if (!freopen("/dev/null", "w", stdout)) // what kernels print
            _exit(FINE);
        limit_time();
        load_and_launch(text, pick / 80, alone);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        perror("fork");
        exit(1);
    }
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM))
        return false;
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != FINE) {
        fprintf(stderr, "%s, width %s, level %s: %s %d, %s\n", exec, widths[pick % 5], level,
                WIFSIGNALED(status) ? "signal" : "exit",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), outcome->what);
        abort();
    }
    return true;
}

static struct {
    unsigned long loaded, ended, faults, compared;
} count;

static void tell(void) {
    printf("%lu loaded, %lu came to an end, %lu with a fault, %lu compared\n", count.loaded,
           count.ended, count.faults, count.compared);
}

static void start(void) {
    outcome =
        mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (outcome == MAP_FAILED) // NOLINT
        exit(1);
    load_compiler();
    atexit(tell);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!outcome)
        start();
    char *text = malloc(size + 1);
    if (!text)
        exit(1);
    memcpy(text, data, size);
    text[size] = 0;
    uint64_t pick = XXH3_64bits(data, size);
    bool alone = pick >> 60 & 1;
    bool ended = run(text, "simd", pick, alone);
    struct outcome simd = *outcome;
    count.loaded += simd.loaded;
    count.ended += ended && simd.launched;
    count.faults += ended && simd.launched && simd.result != CUDA_SUCCESS;
    if (ended && simd.launched && alone && getenv("KUDZU_FUZZ_COMPARE") && is_known(text) &&
        run(text, "interp", pick, alone)) {
        count.compared++;
        if (simd.result != outcome->result || simd.hash != outcome->hash) {
            fprintf(stderr, "one thread: %d, hash %lx; interpreted: %d, hash %lx\n", simd.result,
                    (unsigned long)simd.hash, outcome->result, (unsigned long)outcome->hash);
            abort();
        }
    }
    free(text);
    return 0;
}
