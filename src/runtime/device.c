// Device management: counting, attributes, limits, configuration, synchronisation (guide 6.2.9,
// 6.2.13, 16).
#include <string.h>

#include "runtime/runtime.h"

cudaError_t cudaGetDeviceCount(int *count) {
    RT_REQUIRE(count, cudaErrorInvalidValue, "count must not be NULL");
    *count = 0;
    RT_INIT();
    *count = rt_device_count();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    RT_REQUIRE(value, cudaErrorInvalidValue, "value must not be NULL");
    RT_TRY(rt_check_device(__func__, device));
    // The attributes of the two interfaces have the same numbers.
    return rt_result(RT_CALL(cuDeviceGetAttribute, value, (CUdevice_attribute)attr, device));
}

cudaError_t cudaDeviceSynchronize(void) {
    RT_ENTER();
    return rt_result(RT_CALL(cuCtxSynchronize));
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    RT_ENTER();
    return rt_result(RT_CALL(cuCtxSetLimit, (CUlimit)limit, value));
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit) {
    RT_REQUIRE(pValue, cudaErrorInvalidValue, "pValue must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuCtxGetLimit, pValue, (CUlimit)limit));
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig) {
    RT_ENTER();
    return rt_result(RT_CALL(cuCtxSetCacheConfig, (CUfunc_cache)cacheConfig));
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig) {
    CUfunc_cache config;
    RT_REQUIRE(pCacheConfig, cudaErrorInvalidValue, "pCacheConfig must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuCtxGetCacheConfig, &config)));
    *pCacheConfig = (enum cudaFuncCache)config;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    RT_ENTER();
    return rt_result(RT_CALL(cuCtxSetSharedMemConfig, (CUsharedconfig)config));
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig) {
    CUsharedconfig config;
    RT_REQUIRE(pConfig, cudaErrorInvalidValue, "pConfig must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuCtxGetSharedMemConfig, &config)));
    *pConfig = (enum cudaSharedMemConfig)config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    RT_ENTER();
    return rt_result(RT_CALL(cuCtxGetStreamPriorityRange, leastPriority, greatestPriority));
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId) {
    CUdevice found;
    RT_REQUIRE(device && pciBusId, cudaErrorInvalidValue, "device and pciBusId must not be NULL");
    RT_INIT();
    RT_TRY(rt_result(RT_CALL(cuDeviceGetByPCIBusId, &found, pciBusId)));
    *device = found;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device) {
    RT_REQUIRE(pciBusId && len > 0, cudaErrorInvalidValue,
               "pciBusId must not be NULL and len must be positive");
    RT_TRY(rt_check_device(__func__, device));
    return rt_result(RT_CALL(cuDeviceGetPCIBusId, pciBusId, len, device));
}

// Flags of the primary context: those of the current device, which may not have a context yet.
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    int device;
    RT_REQUIRE((flags & ~(unsigned)cudaDeviceMask) == 0, cudaErrorInvalidValue,
               "flags has unknown bits: 0x%x", flags);
    unsigned int schedule = flags & cudaDeviceScheduleMask;
    RT_REQUIRE(schedule == 0 || (schedule & (schedule - 1)) == 0, cudaErrorInvalidValue,
               "at most one way of scheduling can be chosen");
    RT_TRY(rt_current_device(&device));
    // Host memory can always be mapped: the driver takes the flag as given.
    return rt_result(
        RT_CALL(cuDevicePrimaryCtxSetFlags, device, flags & ~(unsigned)cudaDeviceMapHost));
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
    int device, active;
    RT_REQUIRE(flags, cudaErrorInvalidValue, "flags must not be NULL");
    RT_TRY(rt_current_device(&device));
    RT_TRY(rt_result(RT_CALL(cuDevicePrimaryCtxGetState, device, flags, &active)));
    *flags |= cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    RT_ENTER();
    return rt_result(RT_CALL(cuCtxResetPersistingL2Cache));
}
