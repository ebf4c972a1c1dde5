// The driver's functions for users (guide 21.5).
#include "runtime/runtime.h"

static enum cudaDriverEntryPointQueryResult status_of(CUdriverProcAddressQueryResult status) {
    switch (status) {
    case CU_GET_PROC_ADDRESS_SUCCESS:
        return cudaDriverEntryPointSuccess;
    case CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT:
        return cudaDriverEntryPointVersionNotSufficent;
    default:
        return cudaDriverEntryPointSymbolNotFound;
    }
}

// A name that is not found is no error for a caller who asks for the status.
static cudaError_t get(const char *function, const char *symbol, void **funcPtr,
                       unsigned int version, unsigned long long flags,
                       enum cudaDriverEntryPointQueryResult *driverStatus) {
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (!symbol || !*symbol || !funcPtr)
        return rt_fail(function, cudaErrorInvalidValue,
                       "symbol and funcPtr must not be NULL, symbol not empty");
    if (flags > cudaEnablePerThreadDefaultStream)
        return rt_fail(function, cudaErrorInvalidValue, "flags has an unknown value: %llu", flags);
    RT_INIT();
    *funcPtr = NULL;
    if (flags == cudaEnableDefault && api_per_thread)
        flags = cudaEnablePerThreadDefaultStream;
    CUresult result = rt_driver[0].get_proc_address(symbol, funcPtr, (int)version, flags, &status);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_FOUND)
        return rt_result(result);
    if (status != CU_GET_PROC_ADDRESS_SUCCESS)
        *funcPtr = NULL;
    if (driverStatus)
        *driverStatus = status_of(status);
    else if (!*funcPtr)
        return rt_fail(function, cudaErrorSymbolNotFound, "the driver has no %s", symbol);
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *driverStatus) {
    return get(__func__, symbol, funcPtr, (unsigned)rt_version, flags, driverStatus);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
                                             unsigned int cudaVersion, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *driverStatus) {
    return get(__func__, symbol, funcPtr, cudaVersion, flags, driverStatus);
}
