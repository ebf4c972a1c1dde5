// Errors: names, texts, the calling thread's last error, the error log (guide 6.2.12, 23).
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/runtime.h"
#include "support/environment.h"

_Thread_local int api_per_thread;

// One line for the log: [time][thread][source][severity][function] reason.
static void log_error(const char *function, const char *reason) {
    const char *target = environment_get("CUDA_LOG_FILE");
    if (!target || !*target)
        return;
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    bool to_stdout = strcmp(target, "stdout") == 0, to_stderr = strcmp(target, "stderr") == 0;
    FILE *file = to_stdout ? stdout : to_stderr ? stderr : fopen(target, "a");
    if (!file)
        return;
    fprintf(file, "[%02d:%02d:%02d.%03ld][%ld][CUDART][E][%s] %s\n", local.tm_hour, local.tm_min,
            local.tm_sec, now.tv_nsec / 1000000, syscall(SYS_gettid), function, reason);
    if (to_stdout || to_stderr)
        fflush(file);
    else
        fclose(file);
}

cudaError_t rt_fail(const char *function, cudaError_t error, const char *reason, ...) {
    char text[512];
    va_list args;
    va_start(args, reason);
    vsnprintf(text, sizeof text, reason, args);
    va_end(args);
    log_error(function, text);
    rt_keep_reason(text);
    rt_thread.last_error = error;
    rt_call_failed(function, false, error);
    return error;
}

void api_not_supported(const char *function, const char *reason) {
    rt_fail(function, cudaErrorNotSupported, "%s", reason);
}

// The two enumerations have the same values, except that the driver has some more.
static cudaError_t error_of_result(CUresult result) {
    switch ((int)result) {
#define RT_SAME(name, value, text)                                                                 \
    case value:                                                                                    \
        return name;
        KUDZU_RUNTIME_ERRORS(RT_SAME)
#undef RT_SAME
    default:
        return cudaErrorUnknown;
    }
}

cudaError_t rt_driver_error(const char *function, CUresult result) {
    cudaError_t error = error_of_result(result);
    // "Not ready" is an answer, not an error: cudaGetLastError never reports it.
    if (error != cudaErrorNotReady) {
        rt_keep_reason(NULL);
        rt_thread.last_error = error;
        rt_call_failed(function, true, error);
    }
    return error;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = rt_thread.last_error;
    rt_thread.last_error = cudaSuccess;
    if (__builtin_expect(rt_thread.unseen_failure, 0))
        rt_errors_seen();
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    if (__builtin_expect(rt_thread.unseen_failure, 0))
        rt_errors_seen();
    return rt_thread.last_error;
}

// Who wants an error in words has looked at it: at what a launch returned.
static void name_asked(cudaError_t error) {
    if (__builtin_expect(rt_thread.unseen_failure, 0) && error == rt_thread.last_error)
        rt_errors_seen();
}

const char *cudaGetErrorName(cudaError_t error) {
    name_asked(error);
    switch ((int)error) {
#define RT_NAME(name, value, text)                                                                 \
    case value:                                                                                    \
        return #name;
        KUDZU_RUNTIME_ERRORS(RT_NAME)
#undef RT_NAME
    default:
        return "unrecognized error code";
    }
}

const char *cudaGetErrorString(cudaError_t error) {
    name_asked(error);
    switch ((int)error) {
#define RT_TEXT(name, value, text)                                                                 \
    case value:                                                                                    \
        return text;
        KUDZU_RUNTIME_ERRORS(RT_TEXT)
#undef RT_TEXT
    default:
        return "unrecognized error code";
    }
}
