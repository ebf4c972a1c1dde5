// The compiler when memory runs out: each of its own allocations in turn is refused, while it loads
// PTX, compiles, links and interprets. The driver's call answers CUDA_ERROR_OUT_OF_MEMORY, or the
// launch fails with it; nothing is left allocated; and the next attempt works. LLVM's own
// allocations are not among them: alloc_failure_llvm.c.
#include "driver/check.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/jit.h"

static __typeof__(&kj_refuse_allocation) refuse;
static __typeof__(&kj_allocation_refused) was_refused;
static __typeof__(&kj_allocated_blocks) allocated;

// A kernel that is large enough to take several chunks of memory in each step, with a function that
// is not inlined, a loop, and shared memory.
static char *make_ptx(void) {
    enum { STEPS = 1500 };
    char *text = malloc(STEPS * 64 + 4096), *p = text;
    p += sprintf(p,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %%x;\n"
                 "ld.param.b32 %%x, [a];\nadd.u32 %%x, %%x, %%x;\nst.param.b32 [r], %%x;\nret;\n}\n"
                 ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
                 ".reg .b32 %%r<8>;\n.reg .b64 %%d<4>;\n.reg .pred %%p;\n"
                 ".shared .align 4 .b8 s[128];\n"
                 "ld.param.u64 %%d0, [out];\ncvta.to.global.u64 %%d0, %%d0;\n"
                 "ld.param.u32 %%r1, [n];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r2, %%r0;\n"
                 "again:\n");
    for (int i = 0; i < STEPS; i++)
        p += sprintf(p, i % 2 ? "add.u32 %%r2, %%r2, %d;\n" : "xor.b32 %%r2, %%r2, %d;\n", i);
    p += sprintf(p,
                 "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %%r2;\n"
                 "call (b), twice, (a);\nld.param.b32 %%r2, [b];\n}\n"
                 "sub.u32 %%r1, %%r1, 1;\nsetp.ne.u32 %%p, %%r1, 0;\n@%%p bra again;\n"
                 "mov.u32 %%r3, s;\nmad.lo.u32 %%r3, %%r0, 4, %%r3;\nst.shared.u32 [%%r3], %%r2;\n"
                 "bar.sync 0;\nld.shared.u32 %%r4, [%%r3];\n"
                 "mad.wide.u32 %%d1, %%r0, 4, %%d0;\nst.global.u32 [%%d1], %%r4;\nret;\n}\n");
    return text;
}

static unsigned expected(unsigned tid, unsigned n) {
    unsigned x = tid;
    while (n--) {
        for (unsigned i = 0; i < 1500; i++)
            x = i % 2 ? x + i : x ^ i;
        x += x;
    }
    return x;
}

static char *ptx;
static CUdeviceptr out;

static bool right(void) {
    unsigned back[32];
    OK(cuMemcpyDtoH(back, out, sizeof back));
    for (unsigned i = 0; i < 32; i++)
        if (back[i] != expected(i, 2))
            return false;
    return true;
}

// Of the call itself; a launch of interpreted code fails when it runs.
static CUresult load_and_launch(CUmodule *m) {
    unsigned n = 2;
    void *params[] = {&out, &n};
    CUfunction f;
    CUresult r = cuModuleLoadData(m, ptx);
    if (r == CUDA_SUCCESS)
        r = cuModuleGetFunction(&f, *m, "k");
    if (r == CUDA_SUCCESS)
        r = cuMemsetD8(out, 0, 128);
    if (r == CUDA_SUCCESS)
        r = cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
    return r == CUDA_SUCCESS ? cuCtxSynchronize() : r;
}

static CUresult launch_case(void) {
    CUcontext ctx;
    CUmodule m = NULL;
    NEED(cuCtxCreate(&ctx, 0, 0));
    NEED(cuMemAlloc(&out, 128));
    CUresult r = load_and_launch(&m);
    if (r == CUDA_SUCCESS)
        CHECK(right());
    OK(cuCtxDestroy(ctx));
    return r;
}

static CUresult link_case(void) {
    CUlinkState state;
    void *image;
    size_t size;
    CUcontext ctx;
    NEED(cuCtxCreate(&ctx, 0, 0));
    NEED(cuLinkCreate(0, NULL, NULL, &state));
    CUresult r = cuLinkAddData(state, CU_JIT_INPUT_PTX, ptx, strlen(ptx) + 1, "k", 0, NULL, NULL);
    if (r == CUDA_SUCCESS)
        r = cuLinkComplete(state, &image, &size);
    if (r == CUDA_SUCCESS)
        CHECK(memmem(image, size, ".entry k", 8));
    OK(cuLinkDestroy(state));
    OK(cuCtxDestroy(ctx));
    return r;
}

// Every allocation of one case, in this process. What is lost is lost each time; the interpreter
// keeps some blocks for each thread that has run it.
static void all_calls(const char *name, CUresult (*run)(void), int least, long kept) {
    int n = 0;
    CHECK(run() == CUDA_SUCCESS);
    CHECK(run() == CUDA_SUCCESS);
    long before = allocated();
    for (bool more = true; more && n < 5000; n++) {
        refuse(n);
        CUresult r = run();
        more = was_refused();
        refuse(-1);
        EXPECT(r, r == CUDA_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
        // Only what does not matter may be refused without an error (a report about a fault).
        CHECK(!more || r != CUDA_SUCCESS);
        if (!kept && allocated() != before) {
            fprintf(stderr, "%s, allocation %d: %ld blocks more\n", name, n, allocated() - before);
            check_failures++;
            before = allocated();
        }
    }
    printf("%s: %d allocations refused, one by one\n", name, n - 1);
    CHECK(n > least);
    CHECK(run() == CUDA_SUCCESS);
    CHECK(allocated() - before <= kept);
}

static void find_library(void) {
    void *jit = dlopen("libkudzu-jit.so", RTLD_NOW | RTLD_NOLOAD);
    CHECK(jit);
    *(void **)&refuse = dlsym(jit, "kj_refuse_allocation");
    *(void **)&was_refused = dlsym(jit, "kj_allocation_refused");
    *(void **)&allocated = dlsym(jit, "kj_allocated_blocks");
    CHECK(refuse && was_refused && allocated);
}

// In a process, since options are read once.
static void in_child(const char *name, const char *exec, CUresult (*run)(void), int least,
                     long kept) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(100);
        check_failures = 0;
        setenv("KUDZU_EXEC", exec, 1);
        setenv("CUDA_CACHE_DISABLE", "1", 1);
        setenv("KUDZU_TIER", "quick", 1);
        NEED(cuInit(0));
        CHECK(launch_case() == CUDA_SUCCESS); // loads the library
        find_library();
        if (!check_failures)
            all_calls(name, run, least, kept);
        fflush(NULL);
        _exit(check_result());
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: ended by signal %d\n", name, WTERMSIG(status));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    ptx = make_ptx();
    in_child("load and compile", "simd", launch_case, 15, 0);
    in_child("load and interpret", "interp", launch_case, 15, 16);
    in_child("link", "simd", link_case, 4, 0);
    return check_result();
}
