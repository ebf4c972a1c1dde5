// Checks of the driver's tests: each prints what it expected and goes on; main returns
// check_result().
#ifndef KUDZU_TESTS_DRIVER_CHECK_H
#define KUDZU_TESTS_DRIVER_CHECK_H

#include <cuda.h>
#ifndef KUDZU_CUDA_H
#error "another cuda.h was found first"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures;

static inline void check_true(int condition, const char *file, int line, const char *text) {
    if (condition)
        return;
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, text);
    check_failures++;
}

static inline int check_code(CUresult got, CUresult want, const char *file, int line,
                             const char *text) {
    if (got == want)
        return 1;
    const char *got_name = NULL, *want_name = NULL;
    cuGetErrorName(got, &got_name);
    cuGetErrorName(want, &want_name);
    fprintf(stderr, "%s:%d: %s: %s (%d), expected %s\n", file, line, text,
            got_name ? got_name : "?", (int)got, want_name ? want_name : "?");
    check_failures++;
    return 0;
}

#define CHECK(condition) check_true((condition) != 0, __FILE__, __LINE__, #condition)
#define EXPECT(call, want) check_code(call, want, __FILE__, __LINE__, #call)
#define OK(call) EXPECT(call, CUDA_SUCCESS)
// Nothing after it makes sense without it.
#define NEED(call)                                                                                 \
    do {                                                                                           \
        if (!OK(call))                                                                             \
            exit(1);                                                                               \
    } while (0)

static inline int check_result(void) {
    return check_failures ? 1 : 0;
}

// A context of device 0, current.
static inline CUcontext check_context(void) {
    CUcontext ctx;
    CUdevice device;
    NEED(cuInit(0));
    NEED(cuDeviceGet(&device, 0));
    NEED(cuCtxCreate(&ctx, 0, device));
    return ctx;
}

#endif
