// What a finished kernel printed appears when the process ends, without a call that waits; with one
// it is out when that returns, before what the host then writes by another way.
#include "check.h"
#include "kernels.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char ptx[] =
    PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
             ".global .align 1 .b8 text[8] = {107, 101, 114, 110, 101, 108, 10, 0};\n"
             ".visible .entry print()\n"
             "{\n"
             "    .reg .b64 %rd<3>;\n"
             "    .reg .b32 %r<2>;\n"
             "    mov.u64 %rd1, text;\n"
             "    cvta.global.u64 %rd2, %rd1;\n"
             "    {\n"
             "    .param .b64 f;\n"
             "    st.param.b64 [f], %rd2;\n"
             "    .param .b64 a;\n"
             "    st.param.b64 [a], 0;\n"
             "    .param .b32 r;\n"
             "    call.uni (r), vprintf, (f, a);\n"
             "    ld.param.b32 %r1, [r];\n"
             "    }\n"
             "    ret;\n"
             "}\n";

static void print(int out) {
    CUmodule m;
    CUfunction f;
    dup2(out, 1);
    check_context();
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&f, m, "print"));
    NEED(cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, 0, NULL, NULL));
}

static void never_waits(int out) {
    CUevent e;
    struct timespec ms = {0, 1000000};
    print(out);
    NEED(cuEventCreate(&e, 0));
    NEED(cuEventRecord(e, 0));
    while (cuEventQuery(e) == CUDA_ERROR_NOT_READY)
        nanosleep(&ms, NULL);
    exit(check_result());
}

static void waits(int out) {
    print(out);
    NEED(cuCtxSynchronize());
    CHECK(write(out, "host\n", 5) == 5);
    exit(check_result());
}

static void expect(void (*child)(int), const char *expected) {
    int pipe_ends[2], status;
    char text[64] = "";
    size_t n = 0;
    ssize_t got;
    CHECK(pipe(pipe_ends) == 0);
    pid_t pid = fork();
    if (pid == 0)
        child(pipe_ends[1]);
    close(pipe_ends[1]);
    while ((got = read(pipe_ends[0], text + n, sizeof text - 1 - n)) > 0)
        n += (size_t)got;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(!strcmp(text, expected));
    close(pipe_ends[0]);
}

int main(void) {
    expect(never_waits, "kernel\nkernel\n");
    expect(waits, "kernel\nkernel\nhost\n");
    return check_result();
}
