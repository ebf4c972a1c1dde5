// Profiler control: accepted; a profiler may listen in the driver.
#include "runtime/runtime.h"

cudaError_t cudaProfilerStart(void) {
    RT_ENTER();
    return rt_result(RT_CALL(cuProfilerStart));
}

cudaError_t cudaProfilerStop(void) {
    RT_ENTER();
    return rt_result(RT_CALL(cuProfilerStop));
}
