// Versions (guide 6.3).
#include "runtime/runtime.h"

// The headers and the library's entry points are those of 12.9, but graphs, arrays and clusters
// answer "not supported". 12.0 is the first version of this binary interface: programs that were
// compiled for any 12.x accept it, and programs that ask for the version before they use what
// came later find that it is not there.
enum { RUNTIME_VERSION = 12000 };

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion) {
    RT_REQUIRE(runtimeVersion, cudaErrorInvalidValue, "runtimeVersion must not be NULL");
    *runtimeVersion = RUNTIME_VERSION;
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
