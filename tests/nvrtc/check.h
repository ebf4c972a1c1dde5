// Helpers of NVRTC's tests: checks that go on after a failure, programs from text, the log.
#ifndef KUDZU_TESTS_NVRTC_CHECK_H
#define KUDZU_TESTS_NVRTC_CHECK_H

#include <nvrtc.h>
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
        nvrtcResult got_ = (call);                                                                 \
        if (got_ != (expected) && ++failures)                                                      \
            fprintf(stderr, "%s:%d: %s: %s, expected %s\n", __FILE__, __LINE__, #call,             \
                    nvrtcGetErrorString(got_), nvrtcGetErrorString(expected));                     \
    } while (0)
#define CHECK_OK(call) CHECK_RESULT(NVRTC_SUCCESS, call)

static inline nvrtcProgram program_of(const char *source) {
    nvrtcProgram p = NULL;
    CHECK_OK(nvrtcCreateProgram(&p, source, "test.cu", 0, NULL, NULL));
    return p;
}

// The program log, malloc'ed.
static inline char *log_of(nvrtcProgram p) {
    size_t size = 0;
    CHECK_OK(nvrtcGetProgramLogSize(p, &size));
    char *log = calloc(1, size + 1);
    CHECK_OK(nvrtcGetProgramLog(p, log));
    return log;
}

static inline char *ptx_of(nvrtcProgram p) {
    size_t size = 0;
    CHECK_OK(nvrtcGetPTXSize(p, &size));
    char *ptx = calloc(1, size + 1);
    CHECK_OK(nvrtcGetPTX(p, ptx));
    CHECK(strlen(ptx) + 1 == size);
    return ptx;
}

// Compiles with one option (NULL: none); a failure that is not expected shows the log.
static inline nvrtcResult compile(nvrtcProgram p, const char *option) {
    nvrtcResult r = nvrtcCompileProgram(p, option != NULL, &option);
    return r;
}

static inline int has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

static inline int finish(void) {
    if (failures)
        fprintf(stderr, "%d checks failed\n", failures);
    return failures != 0;
}

#endif
