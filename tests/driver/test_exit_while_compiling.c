// Processes end, and fork, while the compiler works in the background: at once, and well. The
// kernel takes long to compile well; its quick code is there soon.
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { STEPS = 300, PROCESSES = 8 };

static double seconds(const struct rusage *r) {
    return (double)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) +
           (double)(r->ru_utime.tv_usec + r->ru_stime.tv_usec) * 1e-6;
}

// That the process has used.
static double now(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return seconds(&r);
}

// x -> many steps of x = x * 5 ^ (x >> 3), for each element of an array.
static char *long_kernel(void) {
    char *text = malloc(200 * STEPS), *at = text;
    at += sprintf(at,
                  ".version 8.5\n.target sm_90\n.address_size 64\n"
                  ".visible .entry steps(.param .u64 p) {\n"
                  ".reg .b32 %%x, %%y, %%i;\n.reg .b64 %%a, %%o;\n"
                  "ld.param.u64 %%a, [p];\nmov.u32 %%i, %%tid.x;\n"
                  "mul.wide.u32 %%o, %%i, 4;\nadd.s64 %%a, %%a, %%o;\nld.global.u32 %%x, [%%a];\n");
    for (int i = 0; i < STEPS; i++)
        at +=
            sprintf(at, "shr.u32 %%y, %%x, 3;\nmul.lo.u32 %%x, %%x, 5;\nxor.b32 %%x, %%x, %%y;\n");
    sprintf(at, "st.global.u32 [%%a], %%x;\nret;\n}\n");
    return text;
}

static unsigned steps(unsigned x) {
    for (int i = 0; i < STEPS; i++)
        x = x * 5 ^ x >> 3;
    return x;
}

static void launch(const char *ptx) {
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    unsigned x[64];
    check_context();
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&f, m, "steps"));
    OK(cuMemAlloc(&p, sizeof x));
    for (unsigned i = 0; i < 64; i++)
        x[i] = i * 77;
    OK(cuMemcpyHtoD(p, x, sizeof x));
    void *params[] = {&p};
    OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH(x, p, sizeof x));
    for (unsigned i = 0; i < 64; i++)
        CHECK(x[i] == steps(i * 77));
}

// The processor time from the end of main to the end of the process; negative: it did not end well.
static double end_after(const char *ptx, int milliseconds, bool forks) {
    int pipes[2], status = -1;
    double t = 0;
    if (pipe(pipes))
        return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        launch(ptx);
        usleep((unsigned)milliseconds * 1000);
        pid_t grandchild = forks ? fork() : -1;
        if (grandchild == 0)
            exit(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
        if (grandchild > 0)
            CHECK(waitpid(grandchild, &status, 0) == grandchild && status == 0);
        t = now();
        CHECK(write(pipes[1], &t, sizeof t) == sizeof t);
        exit(check_result());
    }
    struct rusage used;
    bool ok = child > 0 && wait4(child, &status, 0, &used) == child && status == 0;
    ok = ok && read(pipes[0], &t, sizeof t) == sizeof t;
    t = seconds(&used) - t;
    close(pipes[0]);
    close(pipes[1]);
    return ok ? t : -1;
}

int main(void) {
    char *ptx = long_kernel();
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    for (int i = 0; i < PROCESSES; i++) {
        double t = end_after(ptx, i * 4, i % 2);
        CHECK(t >= 0);
        CHECK(t < 5); // far less; compiling well takes long on a loaded machine
    }
    free(ptx);
    return check_result();
}
