// One cooperative launch on several devices (deprecated since version 11.3).
#include "runtime/runtime.h"

enum { MAX_DEVICES = 64 };

// The kernel's function in the context of `stream`, which need not be the current one.
static cudaError_t function_for(CUkernel kernel, CUstream stream, CUfunction *out) {
    CUcontext before, ctx;
    RT_TRY(rt_result(RT_CALL(cuStreamGetCtx, stream, &ctx)));
    RT_TRY(rt_result(RT_CALL(cuCtxGetCurrent, &before)));
    RT_TRY(rt_result(RT_CALL(cuCtxSetCurrent, ctx)));
    cudaError_t error = rt_result(RT_CALL(cuKernelGetFunction, out, kernel));
    cudaError_t restored = rt_result(RT_CALL(cuCtxSetCurrent, before));
    return error ? error : restored;
}

cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *launchParamsList,
                                                   unsigned int numDevices, unsigned int flags) {
    CUDA_LAUNCH_PARAMS list[MAX_DEVICES];
    RT_REQUIRE(launchParamsList, cudaErrorInvalidValue, "launchParamsList must not be NULL");
    RT_REQUIRE(numDevices > 0 && numDevices <= MAX_DEVICES, cudaErrorInvalidValue,
               "launches for %u devices", numDevices);
    RT_ENTER();
    for (unsigned i = 0; i < numDevices; i++) {
        const struct cudaLaunchParams *p = &launchParamsList[i];
        CUkernel kernel;
        CUfunction function;
        RT_TRY(rt_kernel(__func__, p->func, &kernel));
        RT_TRY(function_for(kernel, p->stream, &function));
        list[i] = (CUDA_LAUNCH_PARAMS){.function = function,
                                       .gridDimX = p->gridDim.x,
                                       .gridDimY = p->gridDim.y,
                                       .gridDimZ = p->gridDim.z,
                                       .blockDimX = p->blockDim.x,
                                       .blockDimY = p->blockDim.y,
                                       .blockDimZ = p->blockDim.z,
                                       .sharedMemBytes = (unsigned)p->sharedMem,
                                       .hStream = p->stream,
                                       .kernelParams = p->args};
    }
    return rt_result(RT_CALL(cuLaunchCooperativeKernelMultiDevice, list, numDevices, flags));
}
