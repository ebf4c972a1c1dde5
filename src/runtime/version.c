// Versions (guide 6.3).
#include "runtime/runtime.h"

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion) {
    RT_REQUIRE(runtimeVersion, cudaErrorInvalidValue, "runtimeVersion must not be NULL");
    *runtimeVersion = rt_version;
    return cudaSuccess;
}

// 0 where there is no driver.
cudaError_t cudaDriverGetVersion(int *driverVersion) {
    RT_REQUIRE(driverVersion, cudaErrorInvalidValue, "driverVersion must not be NULL");
    *driverVersion = 0;
    cudaError_t before = rt_thread.last_error;
    (void)rt_init();
    rt_thread.last_error = before;
    if (!rt_driver[0].cuDriverGetVersion)
        return cudaSuccess;
    return rt_result(RT_CALL(cuDriverGetVersion, driverVersion));
}
