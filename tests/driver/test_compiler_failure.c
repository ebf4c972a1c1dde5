// LLVM fails while it compiles: by a fatal error, by abort() and by exit(). The launch answers an
// error whose text is in the log, or, where that is allowed, the kernel runs on the interpreter and
// the log has a warning; the process goes on and compiles other kernels, also at the same time.
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/jit.h"

enum { KERNELS = 40, THREADS = 64 };

static __typeof__(&kj_provoke_failure) provoke;

// Kernel `n` stores its threads' numbers, each n times itself.
static const char *make_ptx(char *text, size_t size, int n) {
    snprintf(text, size,
             ".version 8.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<4>;\n.reg .b64 %%d<4>;\n"
             ".shared .align 4 .b8 s[256];\n"
             "ld.param.u64 %%d0, [out];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r2, s;\n"
             "mad.lo.u32 %%r2, %%r0, 4, %%r2;\nst.shared.u32 [%%r2], %%r0;\nbar.sync 0;\n"
             "ld.shared.u32 %%r1, [%%r2];\nmul.lo.u32 %%r1, %%r1, %d;\n"
             "mad.wide.u32 %%d1, %%r0, 4, %%d0;\nst.global.u32 [%%d1], %%r1;\nret;\n}\n",
             n);
    return text;
}

static CUresult launch(int n, bool *right) {
    char text[1024];
    unsigned back[THREADS];
    CUmodule m;
    CUfunction f;
    CUdeviceptr out;
    OK(cuMemAlloc(&out, sizeof back));
    OK(cuMemsetD8(out, 0xff, sizeof back));
    OK(cuModuleLoadData(&m, make_ptx(text, sizeof text, n)));
    OK(cuModuleGetFunction(&f, m, "k"));
    void *params[] = {&out};
    CUresult r = cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL);
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(back, out, sizeof back));
    *right = true;
    for (unsigned i = 0; i < THREADS; i++)
        *right &= back[i] == i * (unsigned)n;
    OK(cuModuleUnload(m));
    OK(cuMemFree(out));
    return r;
}

static const char *log_text(CUlogIterator from) {
    static char text[25600];
    size_t size = sizeof text;
    OK(cuLogsDumpToMemory(&from, text, &size, 0));
    return text;
}

static void fail_once(int kind, int n, bool interpreted) {
    bool right;
    CUlogIterator from;
    OK(cuLogsCurrent(&from, 0));
    provoke(0, kind);
    CUresult r = launch(n, &right);
    provoke(-1, 0);
    const char *text = log_text(from);
    EXPECT(r, interpreted ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX);
    CHECK(right == interpreted);
    CHECK(strstr(text, interpreted ? "[W][cuLaunchKernel]" : "[E][cuLaunchKernel]"));
    CHECK(strstr(text, kind == 0 ? "LLVM: provoked by a test" : "LLVM"));
    EXPECT(launch(n + 1, &right), CUDA_SUCCESS);
    CHECK(right);
}

static CUcontext context;

static void *compile_many(void *first) {
    NEED(cuCtxSetCurrent(context));
    for (int n = 0; n < KERNELS; n++) {
        bool right;
        CUresult r = launch((int)(intptr_t)first + n, &right);
        CHECK(r == CUDA_SUCCESS ? right : r == CUDA_ERROR_INVALID_PTX);
    }
    return NULL;
}

// Of several that compile at a time one fails now and then.
static void beside_each_other(void) {
    pthread_t t[3];
    for (int k = 0; k < 3; k++)
        NEED((CUresult)pthread_create(&t[k], NULL, compile_many, (void *)(intptr_t)(1000 * k)));
    for (int k = 0; k < 20; k++) {
        provoke(1, k % 3);
        usleep(5000);
    }
    for (int k = 0; k < 3; k++)
        pthread_join(t[k], NULL);
    provoke(-1, 0);
}

static void in_child(const char *exec, void (*run)(bool)) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        bool right;
        alarm(50);
        setenv("KUDZU_EXEC", exec, 1);
        setenv("CUDA_CACHE_DISABLE", "1", 1);
        setenv("KUDZU_TIER", "quick", 1); // nothing is compiled in the background
        context = check_context();
        CHECK(launch(7, &right) == CUDA_SUCCESS && right); // loads the library
        void *jit = dlopen("libkudzu-jit.so", RTLD_NOW | RTLD_NOLOAD);
        *(void **)&provoke = jit ? dlsym(jit, "kj_provoke_failure") : NULL;
        CHECK(provoke);
        if (provoke)
            run(!strcmp(exec, "auto"));
        fflush(NULL);
        _exit(check_result());
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: ended by signal %d\n", exec, WTERMSIG(status));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void each_kind(bool interpreted) {
    for (int n = 0; n < 12; n++)
        fail_once(n % 3, 10 + 2 * n, interpreted);
    if (!interpreted)
        beside_each_other();
}

int main(void) {
    in_child("simd", each_kind);
    in_child("auto", each_kind);
    return check_result();
}
