// What `kudzu run` is told of launches that failed. A program that never looks at errors would end
// as if all was well: `kernel<<<...>>>()` returns nothing.
//
// Of other calls the first that failed is told of, where the program ends badly.
//
// The rule: a launch that failed counts until its thread asks for the last error
// (cudaGetLastError, cudaPeekAtLastError) or wants that error in words (cudaGetErrorString,
// cudaGetErrorName), as those do who look at what cudaLaunchKernel returned.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime.h"
#include "support/check/check_call.h"
#include "support/check/check_tools.h"
#include "support/run_report.h"

void rt_keep_reason(const char *reason) {
    if (!run_report_on())
        return;
    free(rt_thread.reason);
    rt_thread.reason = reason ? strdup(reason) : NULL;
}

// The fault of an earlier kernel: kudzu's driver has told of that one.
static bool is_of_fault(cudaError_t error) {
    if (!run_report_faults())
        return false; // a GPU's
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchTimeout:
        return true;
    default:
        return false;
    }
}

enum { LOG_BYTES = 25600 };

// The last message of the driver's log: [time][thread][CUDA][E][function] text. *function: its name
// in the log, "" where there is none.
static const char *driver_reason(char *log, size_t size, const char **function) {
    *function = "";
    if (!RT_DRIVER->cuLogsDumpToMemory ||
        RT_DRIVER->cuLogsDumpToMemory(NULL, log, &size, 0) != CUDA_SUCCESS)
        return "";
    char *end = log + strlen(log), *name = NULL;
    while (end > log && end[-1] == '\n')
        *--end = 0;
    char *line = strrchr(log, '\n');
    line = line ? line + 1 : log;
    for (int i = 0; i < 5 && line; i++) {
        name = strchr(line, '[');
        line = strchr(line + 1, ']');
    }
    if (!line || line[1] != ' ')
        return "";
    if (name && name < line) {
        *line = 0;
        *function = name + 1;
    }
    return line + 2;
}

// For `kudzu check`.
static void check_failed(const char *function, bool in_driver, cudaError_t error) {
    char *log = in_driver ? malloc(LOG_BYTES) : NULL;
    const char *driver = NULL, *reason = in_driver ? "" : rt_thread.reason;
    if (log)
        reason = driver_reason(log, LOG_BYTES, &driver);
    bool before = rt_thread.unseen_failure;
    rt_thread.unseen_failure = false; // this here is not the program's question
    rt_thread.held |=
        check_runtime_failed(&(struct check_failure){.function = function,
                                                     .driver = driver,
                                                     .error = cudaGetErrorName(error),
                                                     .message = cudaGetErrorString(error),
                                                     .number = (int)error,
                                                     .reason = reason});
    rt_thread.unseen_failure = before || rt_thread.held;
    free(log);
}

void rt_next_call(void) {
    if (rt_thread.held & CHECK_HELD_CALL)
        check_next_call();
    rt_thread.held &= ~(unsigned)CHECK_HELD_CALL;
}

void rt_call_failed(const char *function, bool in_driver, cudaError_t error) {
    char text[RUN_REPORT_TEXT];
    rt_thread.first_failure = false;
    if (check_calls())
        check_failed(function, in_driver, error);
    if (!run_report_on() || is_of_fault(error))
        return;
    char *log = in_driver ? malloc(LOG_BYTES) : NULL;
    const char *reason = in_driver ? "" : rt_thread.reason;
    if (log)
        reason = driver_reason(log, LOG_BYTES, &function);
    rt_thread.unseen_failure = false; // this here is not the program's question
    snprintf(text, sizeof text, "%s: %s%s%s", function ? function : "", cudaGetErrorName(error),
             reason && *reason ? ": " : "", reason ? reason : "");
    rt_thread.first_failure = run_report_call_failed(text);
    rt_thread.unseen_failure = true;
    free(log);
}

cudaError_t rt_launch_failed(cudaError_t error, const void *entry, dim3 grid, dim3 block) {
    char name[600] = "", text[2 * RUN_REPORT_TEXT];
    const char *function;
    rt_tell_of_no_driver();
    if (!run_report_on() || is_of_fault(error))
        return error;
    if (rt_thread.first_failure)
        run_report_call_forget();
    char *log = rt_thread.reason ? NULL : malloc(LOG_BYTES);
    const char *reason = rt_thread.reason ? rt_thread.reason
                         : log            ? driver_reason(log, LOG_BYTES, &function)
                                          : "";
    bool known = rt_kernel_name(entry, name, sizeof name);
    int n = snprintf(text, sizeof text,
                     "kernel %s was not launched (grid (%u,%u,%u), block (%u,%u,%u)): ",
                     known ? name : "", grid.x, grid.y, grid.z, block.x, block.y, block.z);
    rt_thread.unseen_failure = false; // this here is not the program's question
    if (n > 0 && (size_t)n < sizeof text)
        snprintf(text + n, sizeof text - (size_t)n, "%s%s%s", cudaGetErrorName(error),
                 *reason ? ": " : "", reason);
    run_report_launch_failed(known ? name : NULL, text);
    rt_thread.unseen_failure = true;
    free(log);
    return error;
}

void rt_errors_seen(void) {
    if (rt_thread.held)
        check_errors_seen();
    rt_thread.held = 0;
    rt_thread.unseen_failure = false;
    run_report_errors_seen();
}
