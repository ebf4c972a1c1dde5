// Profiler control.
#include "check.h"

int main(void) {
    NEED(cuInit(0));
    EXPECT(cuProfilerStart(), CUDA_ERROR_INVALID_CONTEXT);
    CUcontext ctx = check_context();
    OK(cuProfilerStart());
    OK(cuProfilerStop());
    OK(cuProfilerInitialize("a", "b", CU_OUT_CSV));
    EXPECT(cuProfilerInitialize("a", "b", (CUoutput_mode)7), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
