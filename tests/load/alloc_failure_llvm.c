// LLVM when memory runs out. First each allocation of a thread that compiles is refused, one by
// one: the launch succeeds with the right result, or answers CUDA_ERROR_OUT_OF_MEMORY, and the
// process goes on. Then the system grants little more addresses than are in use, more and more of
// them.
#include "driver/check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

// Of the calling thread: allocations until one is refused; negative: none is.
static _Thread_local long countdown = -1;
static _Thread_local bool hit;

static bool refuse(void) {
    if (countdown < 0 || countdown--)
        return false;
    hit = true;
    return true;
}

void *malloc(size_t n) {
    return refuse() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t m) {
    return refuse() ? NULL : __libc_calloc(n, m);
}

void *realloc(void *p, size_t n) {
    return refuse() ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t align, size_t n) {
    return refuse() ? NULL : __libc_memalign(align, n);
}

// ---- What is compiled -----------------------------------------------------------------------

static const char first[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".visible .entry first()\n{\nret;\n}\n";

// Each thread runs through `steps` steps of arithmetic, `n` times.
static char *make_ptx(int steps) {
    char *text = malloc((size_t)steps * 64 + 4096), *p = text;
    p += sprintf(p, ".version 8.0\n.target sm_90\n.address_size 64\n"
                    ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
                    ".reg .b32 %%r<8>;\n.reg .b64 %%d<4>;\n.reg .pred %%p;\n"
                    "ld.param.u64 %%d0, [out];\nld.param.u32 %%r1, [n];\n"
                    "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r2, %%r0;\nagain:\n");
    for (int i = 0; i < steps; i++)
        p += sprintf(p, i % 2 ? "add.u32 %%r2, %%r2, %d;\n" : "xor.b32 %%r2, %%r2, %d;\n", i);
    p += sprintf(p, "sub.u32 %%r1, %%r1, 1;\nsetp.ne.u32 %%p, %%r1, 0;\n@%%p bra again;\n"
                    "mad.wide.u32 %%d1, %%r0, 4, %%d0;\nst.global.u32 [%%d1], %%r2;\nret;\n}\n");
    return text;
}

static unsigned expected(unsigned x, unsigned n, int steps) {
    while (n--)
        for (int i = 0; i < steps; i++)
            x = i % 2 ? x + (unsigned)i : x ^ (unsigned)i;
    return x;
}

static CUdeviceptr out;

static bool right(int steps) {
    unsigned back[32];
    OK(cuMemcpyDtoH(back, out, sizeof back));
    for (unsigned i = 0; i < 32; i++)
        if (back[i] != expected(i, 3, steps))
            return false;
    return true;
}

// The context, in which the compiler has been loaded.
static CUcontext begin(void) {
    CUcontext ctx;
    CUmodule m;
    CUfunction f;
    NEED(cuInit(0));
    NEED(cuCtxCreate(&ctx, 0, 0));
    NEED(cuMemAlloc(&out, 128));
    NEED(cuModuleLoadData(&m, first));
    NEED(cuModuleGetFunction(&f, m, "first"));
    NEED(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    NEED(cuCtxSynchronize());
    NEED(cuModuleUnload(m));
    return ctx;
}

static CUresult launch(CUmodule m) {
    unsigned n = 3;
    void *params[] = {&out, &n};
    CUfunction f;
    CUresult r = cuModuleGetFunction(&f, m, "k");
    return r != CUDA_SUCCESS ? r : cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
}

// ---- One allocation is refused --------------------------------------------------------------

enum { FEW_STEPS = 20, EACH = 40, PART = 10 };

static CUresult refused_at(const char *ptx, long n) {
    CUmodule m;
    OK(cuModuleLoadData(&m, ptx));
    OK(cuMemsetD8(out, 0, 128));
    hit = false;
    countdown = n;
    CUresult r = launch(m);
    countdown = -1;
    if (r == CUDA_SUCCESS)
        CHECK(right(FEW_STEPS));
    else
        CHECK(hit && r == CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuModuleUnload(m));
    return r;
}

// The first ones all, then one in many.
static int one_by_one(void) {
    char *ptx = make_ptx(FEW_STEPS);
    int tried = 0, refused = 0;
    CUcontext ctx = begin();
    CHECK(refused_at(ptx, -1) == CUDA_SUCCESS);
    hit = true;
    for (long n = 0; hit && !check_failures; n += n < EACH ? 1 : n / PART + 1) {
        refused += refused_at(ptx, n) != CUDA_SUCCESS;
        tried++;
    }
    CHECK(refused_at(ptx, -1) == CUDA_SUCCESS);
    printf("%d allocations refused, %d launches failed for it\n", tried - 1, refused);
    CHECK(tried > 60 && refused > 10);
    OK(cuCtxDestroy(ctx));
    free(ptx);
    return check_result();
}

// ---- The system grants no more --------------------------------------------------------------

enum { MANY_STEPS = 1500 };

static size_t addresses_in_use(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%lu", &pages) == 1);
    if (f)
        fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static bool succeeded;

static int with_mebibytes(size_t mib) {
    char *ptx = make_ptx(MANY_STEPS);
    CUmodule m;
    struct rlimit old, limit;
    CUcontext ctx = begin();
    OK(cuModuleLoadData(&m, ptx));
    CHECK(getrlimit(RLIMIT_AS, &old) == 0);
    limit = old;
    limit.rlim_cur = addresses_in_use() + (mib << 20);
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CUresult r = launch(m);
    CHECK(setrlimit(RLIMIT_AS, &old) == 0);
    CHECK(r == CUDA_SUCCESS || r == CUDA_ERROR_OUT_OF_MEMORY);
    succeeded = r == CUDA_SUCCESS;
    CHECK(launch(m) == CUDA_SUCCESS && right(MANY_STEPS));
    OK(cuCtxDestroy(ctx));
    free(ptx);
    return check_result() ? 1 : succeeded ? 0 : 3;
}

// ---- Processes --------------------------------------------------------------------------------

static int in_child(int (*run)(void), size_t mib) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(250);
        check_failures = 0;
        int result = run ? run() : with_mebibytes(mib);
        fflush(NULL);
        _exit(result);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        fprintf(stderr, "with %zu MiB: ended by signal %d\n", mib, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(void) {
    setenv("KUDZU_EXEC", "simd", 1);
    setenv("KUDZU_TIER", "full", 1); // this thread compiles
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    CHECK(in_child(one_by_one, 0) == 0);
    int refused = 0, granted = 0, r;
    for (size_t mib = 0; mib <= 128; mib += 16) {
        r = in_child(NULL, mib);
        CHECK(r == 0 || r == 3);
        refused += r == 3;
        granted += r == 0;
    }
    printf("%d launches refused for lack of addresses, %d not\n", refused, granted);
    CHECK(refused > 1 && granted > 1);
    return check_result();
}
