// Names from before version 4.0, when what belongs to the device belonged to the thread; and
// conversions that devices without double precision needed.
#include "runtime/runtime.h"

cudaError_t cudaThreadExit(void) {
    return cudaDeviceReset();
}

cudaError_t cudaThreadSynchronize(void) {
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) {
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit) {
    return cudaDeviceGetLimit(pValue, limit);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig) {
    return cudaDeviceGetCacheConfig(pCacheConfig);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig) {
    return cudaDeviceSetCacheConfig(cacheConfig);
}

cudaError_t cudaSetDoubleForDevice(double *d) {
    RT_REQUIRE(d, cudaErrorInvalidValue, "d must not be NULL");
    return cudaSuccess;
}

cudaError_t cudaSetDoubleForHost(double *d) {
    RT_REQUIRE(d, cudaErrorInvalidValue, "d must not be NULL");
    return cudaSuccess;
}
