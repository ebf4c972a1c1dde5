// Questions to a driver whose answers are compared with those that NVIDIA's gave: every question is
// a process of its own, since some errors stick to one, and prints a line an answer.
//
// A program's main hands its questions to questions_run(). Its output on an NVIDIA GPU lies beside
// it as NAME.txt. Arguments: [-j PROCESSES] [NAME...], the questions to ask; none: all.
#ifndef KUDZU_TESTS_DRIVER_QUESTIONS_H
#define KUDZU_TESTS_DRIVER_QUESTIONS_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct question {
    char name[64];
    void (*ask)(int a, int b);
    int a, b;
};

enum { QUESTION_SECONDS = 60 };

static inline const char *result_name(CUresult r) {
    const char *name = NULL;
    if (cuGetErrorName(r, &name) || !name)
        return "?";
    return strncmp(name, "CUDA_", 5) ? name : name + 5;
}

// An answer: "    WHAT: RESULT".
static inline CUresult answer(const char *what, CUresult r) {
    printf("    %s: %s\n", what, result_name(r));
    fflush(stdout);
    return r;
}

// What has to work for the question to make sense.
static inline void must(CUresult r, const char *what) {
    if (r == CUDA_SUCCESS)
        return;
    printf("    cannot be asked: %s: %s\n", what, result_name(r));
    fflush(stdout);
    _exit(0);
}
#define MUST(call) must(call, #call)

static inline CUcontext question_context(void) {
    CUcontext c;
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&c, 0));
    MUST(cuCtxSetCurrent(c));
    return c;
}

// A kernel of one thread reads a word at `at` and stores it at `out` ("rd"), or stores one at `at`
// ("wr").
static inline CUresult question_access(const char *name, CUdeviceptr at, CUdeviceptr out,
                                       CUstream stream) {
    static const char ptx[] = ".version 8.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry rd(.param .u64 at, .param .u64 out)\n{\n"
                              "    .reg .b64 %a, %o;\n    .reg .b32 %r;\n"
                              "    ld.param.u64 %a, [at];\n    ld.param.u64 %o, [out];\n"
                              "    ld.global.b32 %r, [%a];\n    st.global.b32 [%o], %r;\n"
                              "    ret;\n}\n"
                              ".visible .entry wr(.param .u64 at, .param .u64 out)\n{\n"
                              "    .reg .b64 %a;\n    ld.param.u64 %a, [at];\n"
                              "    st.global.b32 [%a], 77;\n    ret;\n}\n";
    CUmodule m;
    CUfunction f;
    void *params[] = {&at, &out};
    MUST(cuModuleLoadData(&m, ptx));
    MUST(cuModuleGetFunction(&f, m, name));
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL);
}

// The child writes to a file of its own: how many run at a time does not change the order.
static inline FILE *question_start(const struct question *q, pid_t *child) {
    FILE *out = tmpfile();
    if (!out || (*child = fork()) < 0)
        exit(2);
    if (*child)
        return out;
    alarm(QUESTION_SECONDS);
    if (dup2(fileno(out), 1) < 0)
        _exit(2);
    q->ask(q->a, q->b);
    fflush(stdout);
    _exit(0);
}

static inline void question_end(const struct question *q, FILE *out, pid_t child) {
    char line[256];
    int status = -1;
    waitpid(child, &status, 0);
    printf("%s\n", q->name);
    rewind(out);
    while (fgets(line, sizeof line, out))
        fputs(line, stdout);
    fclose(out);
    if (status)
        printf("    ended by %s %d\n", WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    fflush(stdout);
}

static inline int question_wanted(const struct question *q, int argc, char **argv) {
    for (int i = 0; i < argc; i++)
        if (!strcmp(q->name, argv[i]))
            return 1;
    return argc == 0;
}

static inline int questions_run(const struct question *q, int n, int argc, char **argv) {
    enum { MOST = 32 };
    FILE *out[MOST];
    pid_t child[MOST];
    const struct question *asked[MOST];
    int width = 2, first = 0, next = 0;
    argc--, argv++;
    if (argc >= 2 && !strcmp(argv[0], "-j")) {
        width = atoi(argv[1]);
        argc -= 2, argv += 2;
    }
    if (width < 1 || width > MOST)
        return 2;
    for (int i = 0; i < n; i++) {
        if (!question_wanted(&q[i], argc, argv))
            continue;
        if (next - first == width) {
            question_end(asked[first % width], out[first % width], child[first % width]);
            first++;
        }
        asked[next % width] = &q[i];
        out[next % width] = question_start(&q[i], &child[next % width]);
        next++;
    }
    for (; first < next; first++)
        question_end(asked[first % width], out[first % width], child[first % width]);
    return 0;
}

#endif
