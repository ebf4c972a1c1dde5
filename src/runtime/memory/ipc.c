// Memory and events of other processes (guide 6.2.11).
#include <string.h>

#include "runtime/runtime.h"

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle), "same layout");
_Static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(CUipcEventHandle), "same layout");

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr) {
    RT_REQUIRE(handle && devPtr, cudaErrorInvalidValue, "handle and devPtr must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuIpcGetMemHandle, (CUipcMemHandle *)handle, (CUdeviceptr)devPtr));
}

cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags) {
    CUdeviceptr address = 0;
    CUipcMemHandle of_driver;
    RT_REQUIRE(devPtr, cudaErrorInvalidValue, "devPtr must not be NULL");
    *devPtr = NULL;
    memcpy(&of_driver, &handle, sizeof of_driver);
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuIpcOpenMemHandle, &address, of_driver, flags)));
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *devPtr) {
    RT_REQUIRE(devPtr, cudaErrorInvalidValue, "devPtr must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuIpcCloseMemHandle, (CUdeviceptr)devPtr));
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
    RT_REQUIRE(handle && event, cudaErrorInvalidValue, "handle and event must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuIpcGetEventHandle, (CUipcEventHandle *)handle, event));
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
    CUipcEventHandle of_driver;
    RT_REQUIRE(event, cudaErrorInvalidValue, "event must not be NULL");
    memcpy(&of_driver, &handle, sizeof of_driver);
    RT_ENTER();
    return rt_result(RT_CALL(cuIpcOpenEventHandle, event, of_driver));
}
