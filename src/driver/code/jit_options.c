// The options of cuModuleLoadDataEx, cuLibraryLoadData and cuLink*: a list of numbers and a list
// of values, each value a pointer or a number in the room of a pointer.
#include <string.h>
#include <time.h>

#include "driver/driver.h"

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static CUresult take(struct drv_jit *jit, CUjit_option option, void **value) {
    switch (option) {
    case CU_JIT_WALL_TIME:
        jit->wall_time = value;
        break;
    case CU_JIT_INFO_LOG_BUFFER:
        jit->load.info_log = *value;
        break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        jit->info_size = value;
        jit->load.info_log_size = (unsigned)(uintptr_t)*value;
        break;
    case CU_JIT_ERROR_LOG_BUFFER:
        jit->load.error_log = *value;
        break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        jit->error_size = value;
        jit->load.error_log_size = (unsigned)(uintptr_t)*value;
        break;
    case CU_JIT_MAX_REGISTERS:
        jit->max_registers = (unsigned)(uintptr_t)*value;
        break;
    case CU_JIT_GLOBAL_SYMBOL_COUNT:
        REQUIRE(!*value, CUDA_ERROR_NOT_SUPPORTED, "symbols of the host cannot be linked to");
        break;
    default: // about the code that a GPU's compiler makes; checked for existence alone
        REQUIRE((unsigned)option <= CU_JIT_SPLIT_COMPILE, CUDA_ERROR_INVALID_VALUE,
                "%d is no option of the just-in-time compiler", (int)option);
    }
    return CUDA_SUCCESS;
}

CUresult drv_jit_parse(struct drv_jit *jit, unsigned n, CUjit_option *options, void **values) {
    *jit = (struct drv_jit){.begin = now_ns()};
    REQUIRE(!n || (options && values), CUDA_ERROR_INVALID_VALUE,
            "options and optionValues cannot be NULL when there are %u options", n);
    for (unsigned i = 0; i < n; i++)
        TRY(take(jit, options[i], &values[i]));
    if (!jit->load.error_log)
        jit->load.error_log_size = 0;
    if (!jit->load.info_log)
        jit->load.info_log_size = 0;
    if (jit->load.error_log_size)
        jit->load.error_log[0] = '\0';
    if (jit->load.info_log_size)
        jit->load.info_log[0] = '\0';
    return CUDA_SUCCESS;
}

static void store_size(void **value, const char *log, size_t size) {
    if (value)
        *value = (void *)(uintptr_t)(size ? strlen(log) : 0);
}

// Gives back the lengths of the logs, and the time in milliseconds as a float in the value.
void drv_jit_finish(struct drv_jit *jit) {
    store_size(jit->error_size, jit->load.error_log, jit->load.error_log_size);
    store_size(jit->info_size, jit->load.info_log, jit->load.info_log_size);
    if (jit->wall_time) {
        float ms = (float)((double)(now_ns() - jit->begin) / 1e6);
        *jit->wall_time = NULL;
        memcpy(jit->wall_time, &ms, sizeof ms);
    }
}
