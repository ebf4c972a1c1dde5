// Profiler control: no profiler is attached, so that starting and stopping have no effect.
#include "driver/driver.h"

CUresult cuProfilerInitialize(const char *configFile, const char *outputFile,
                              CUoutput_mode outputMode) {
    ENTER_CONTEXT(ctx);
    REQUIRE(outputMode == CU_OUT_KEY_VALUE_PAIR || outputMode == CU_OUT_CSV,
            CUDA_ERROR_INVALID_VALUE, "%d is no output mode", (int)outputMode);
    return CUDA_SUCCESS;
}

CUresult cuProfilerStart(void) {
    ENTER_CONTEXT(ctx);
    return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void) {
    ENTER_CONTEXT(ctx);
    return CUDA_SUCCESS;
}
