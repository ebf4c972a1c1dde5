// Attributes of core dumps: kept and answered, of the process and of contexts; the report that a
// kernel's fault writes.
#include "check.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static const char ptx[] = "\
.version 8.0\n\
.target sm_90\n\
.address_size 64\n\
.visible .entry stop()\n\
{\n\
  .reg .b32 %r;\n\
  .reg .pred %p;\n\
  mov.u32 %r, %tid.x;\n\
  setp.ne.u32 %p, %r, 3;\n\
  @%p ret;\n\
  trap;\n\
}\n";

static bool flag(CUresult (*get)(CUcoredumpSettings, void *, size_t *), CUcoredumpSettings a) {
    bool value = 2;
    size_t size = sizeof value;
    OK(get(a, &value, &size));
    CHECK(size == sizeof value);
    return value;
}

static void values(void) {
    bool yes = true, no = false;
    size_t one = sizeof yes, n;
    char text[2000];
    CHECK(!flag(cuCoredumpGetAttributeGlobal, CU_COREDUMP_ENABLE_ON_EXCEPTION));
    CHECK(flag(cuCoredumpGetAttributeGlobal, CU_COREDUMP_TRIGGER_HOST));
    CHECK(!flag(cuCoredumpGetAttributeGlobal, CU_COREDUMP_LIGHTWEIGHT));
    OK(cuCoredumpSetAttributeGlobal(CU_COREDUMP_LIGHTWEIGHT, &yes, &one));
    CHECK(flag(cuCoredumpGetAttributeGlobal, CU_COREDUMP_LIGHTWEIGHT));
    OK(cuCoredumpSetAttributeGlobal(CU_COREDUMP_TRIGGER_HOST, &no, &one));
    CHECK(!flag(cuCoredumpGetAttributeGlobal, CU_COREDUMP_TRIGGER_HOST));
    OK(cuCoredumpSetAttributeGlobal(CU_COREDUMP_ENABLE_USER_TRIGGER, &yes, &one));
    n = 5;
    OK(cuCoredumpSetAttributeGlobal(CU_COREDUMP_FILE, "a.txt", &n));
    n = sizeof text;
    OK(cuCoredumpGetAttributeGlobal(CU_COREDUMP_FILE, text, &n));
    CHECK(n == 6 && !strcmp(text, "a.txt"));
    n = 0;
    OK(cuCoredumpGetAttributeGlobal(CU_COREDUMP_FILE, NULL, &n));
    CHECK(n == 6);
    n = 5;
    EXPECT(cuCoredumpGetAttributeGlobal(CU_COREDUMP_FILE, text, &n), CUDA_ERROR_INVALID_VALUE);
    n = sizeof text;
    memset(text, 'x', sizeof text);
    EXPECT(cuCoredumpSetAttributeGlobal(CU_COREDUMP_FILE, text, &n), CUDA_ERROR_INVALID_VALUE);
    n = 1023;
    OK(cuCoredumpSetAttributeGlobal(CU_COREDUMP_PIPE, text, &n));
    unsigned flags = CU_COREDUMP_SKIP_ABORT, got = 0;
    n = sizeof flags;
    OK(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &n));
    OK(cuCoredumpGetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &got, &n));
    CHECK(got == CU_COREDUMP_SKIP_ABORT);
    n = 1;
    EXPECT(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &n),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCoredumpSetAttributeGlobal(CU_COREDUMP_MAX, &yes, &one), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCoredumpSetAttributeGlobal(CU_COREDUMP_FILE, NULL, &one), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCoredumpSetAttributeGlobal(CU_COREDUMP_FILE, text, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCoredumpGetAttributeGlobal(CU_COREDUMP_FILE, text, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCoredumpGetAttributeGlobal((CUcoredumpSettings)0, text, &n), CUDA_ERROR_INVALID_VALUE);
}

// A context begins with the process's values; changes of one do not show in the other.
static void contexts(void) {
    CUcontext ctx;
    bool yes = true;
    size_t one = sizeof yes;
    EXPECT(cuCoredumpGetAttribute(CU_COREDUMP_LIGHTWEIGHT, &yes, &one), CUDA_ERROR_INVALID_CONTEXT);
    NEED(cuCtxCreate(&ctx, 0, 0));
    CHECK(flag(cuCoredumpGetAttribute, CU_COREDUMP_LIGHTWEIGHT));
    CHECK(!flag(cuCoredumpGetAttribute, CU_COREDUMP_ENABLE_ON_EXCEPTION));
    OK(cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &yes, &one));
    CHECK(flag(cuCoredumpGetAttribute, CU_COREDUMP_ENABLE_ON_EXCEPTION));
    CHECK(!flag(cuCoredumpGetAttributeGlobal, CU_COREDUMP_ENABLE_ON_EXCEPTION));
    EXPECT(cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_USER_TRIGGER, &yes, &one),
           CUDA_ERROR_NOT_PERMITTED);
    EXPECT(cuCoredumpSetAttribute(CU_COREDUMP_PIPE, "p", &one), CUDA_ERROR_NOT_PERMITTED);
    OK(cuCtxDestroy(ctx));
    NEED(cuCtxCreate(&ctx, CU_CTX_COREDUMP_ENABLE, 0));
    CHECK(flag(cuCoredumpGetAttribute, CU_COREDUMP_ENABLE_ON_EXCEPTION));
    OK(cuCtxDestroy(ctx));
}

static void fault(const char *file, unsigned flags, bool goes_on) {
    CUcontext ctx;
    CUmodule m;
    CUfunction f;
    size_t n = strlen(file);
    NEED(cuCtxCreate(&ctx, flags, 0));
    OK(cuCoredumpSetAttribute(CU_COREDUMP_FILE, (void *)file, &n));
    if (goes_on) {
        unsigned skip = CU_COREDUMP_SKIP_ABORT;
        n = sizeof skip;
        OK(cuCoredumpSetAttribute(CU_COREDUMP_GENERATION_FLAGS, &skip, &n));
    }
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&f, m, "stop"));
    OK(cuLaunchKernel(f, 2, 1, 1, 8, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    OK(cuCtxDestroy(ctx));
}

static bool file_says(const char *path, const char *what) {
    char text[4096] = "";
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return strstr(text, what) != NULL;
}

static void reports(const char *folder) {
    char file[300], pid[300];
    snprintf(file, sizeof file, "%s/none", folder);
    fault(file, 0, false);
    CHECK(access(file, F_OK) != 0); // nobody asked for one
    snprintf(file, sizeof file, "%s/report.%%p", folder);
    snprintf(pid, sizeof pid, "%s/report.%d", folder, (int)getpid());
    fault(file, CU_CTX_COREDUMP_ENABLE, true);
    CHECK(file_says(pid, "kernel stop\n") && file_says(pid, "thread 3 0 0\n"));
    unlink(pid);
}

// The program aborts when the report is written; its own core dump is not wanted here.
static void aborts(const char *folder) {
    char file[300];
    bool no = false;
    size_t one = sizeof no;
    int status = 0;
    snprintf(file, sizeof file, "%s/aborted", folder);
    pid_t child = fork();
    if (child == 0) {
        NEED(cuInit(0));
        OK(cuCoredumpSetAttributeGlobal(CU_COREDUMP_TRIGGER_HOST, &no, &one));
        fault(file, CU_CTX_COREDUMP_ENABLE, false);
        _exit(1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && !WCOREDUMP(status));
    CHECK(file_says(file, "kernel stop\n"));
    unlink(file);
}

// What the environment says cannot be changed.
static void environment(const char *folder) {
    char file[300];
    bool no = false;
    size_t one = sizeof no;
    snprintf(file, sizeof file, "%s/environment", folder);
    setenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION", "1", 1);
    setenv("CUDA_COREDUMP_FILE", file, 1);
    setenv("CUDA_COREDUMP_GENERATION_FLAGS", "skip_local_memory,other,skip_abort", 1);
    pid_t child = fork();
    if (child == 0) {
        CUcontext ctx;
        CUmodule m;
        CUfunction f;
        NEED(cuInit(0));
        CHECK(flag(cuCoredumpGetAttributeGlobal, CU_COREDUMP_ENABLE_ON_EXCEPTION));
        EXPECT(cuCoredumpSetAttributeGlobal(CU_COREDUMP_ENABLE_ON_EXCEPTION, &no, &one),
               CUDA_ERROR_NOT_PERMITTED);
        unsigned flags = 0;
        size_t four = sizeof flags;
        OK(cuCoredumpGetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &four));
        CHECK(flags == (CU_COREDUMP_SKIP_LOCAL_MEMORY | CU_COREDUMP_SKIP_ABORT));
        EXPECT(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &four),
               CUDA_ERROR_NOT_PERMITTED);
        NEED(cuCtxCreate(&ctx, 0, 0));
        OK(cuModuleLoadData(&m, ptx));
        OK(cuModuleGetFunction(&f, m, "stop"));
        OK(cuLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, NULL, NULL, NULL));
        EXPECT(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
        CHECK(file_says(file, "kernel stop\n"));
        _exit(check_result());
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    unlink(file);
    unsetenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION");
    unsetenv("CUDA_COREDUMP_FILE");
    unsetenv("CUDA_COREDUMP_GENERATION_FLAGS");
}

int main(void) {
    char folder[] = "/tmp/kudzu-dump-XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    environment(folder);
    aborts(folder);
    NEED(cuInit(0));
    values();
    contexts();
    reports(folder);
    rmdir(folder);
    return check_result();
}
