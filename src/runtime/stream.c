// Streams: creation, order, queries, attributes, host functions (guide 6.2.8.5).
#include <stdlib.h>

#include "runtime/runtime.h"

_Static_assert(sizeof(cudaLaunchAttributeValue) == sizeof(CUlaunchAttributeValue), "same layout");

static cudaError_t check_flags(const char *function, unsigned int flags) {
    if (flags & ~(unsigned)cudaStreamNonBlocking)
        return rt_fail(function, cudaErrorInvalidValue, "flags has unknown bits: 0x%x", flags);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags) {
    RT_REQUIRE(pStream, cudaErrorInvalidValue, "pStream must not be NULL");
    RT_TRY(check_flags(__func__, flags));
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamCreate, pStream, flags));
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream) {
    return cudaStreamCreateWithFlags(pStream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority) {
    RT_REQUIRE(pStream, cudaErrorInvalidValue, "pStream must not be NULL");
    RT_TRY(check_flags(__func__, flags));
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamCreateWithPriority, pStream, flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    RT_REQUIRE(stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread,
               cudaErrorInvalidResourceHandle, "default streams cannot be destroyed");
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamDestroy, stream));
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority) {
    RT_REQUIRE(priority, cudaErrorInvalidValue, "priority must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamGetPriority, hStream, priority));
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags) {
    RT_REQUIRE(flags, cudaErrorInvalidValue, "flags must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamGetFlags, hStream, flags));
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId) {
    RT_REQUIRE(streamId, cudaErrorInvalidValue, "streamId must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamGetId, hStream, streamId));
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device) {
    CUdevice found;
    RT_REQUIRE(device, cudaErrorInvalidValue, "device must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuStreamGetDevice, hStream, &found)));
    *device = found;
    return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamCopyAttributes, dst, src));
}

cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue *value_out) {
    RT_REQUIRE(value_out, cudaErrorInvalidValue, "value_out must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamGetAttribute, hStream, (CUstreamAttrID)attr,
                             (CUstreamAttrValue *)value_out));
}

cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue *value) {
    RT_REQUIRE(value, cudaErrorInvalidValue, "value must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamSetAttribute, hStream, (CUstreamAttrID)attr,
                             (const CUstreamAttrValue *)value));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    RT_REQUIRE(event, cudaErrorInvalidResourceHandle, "event must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamWaitEvent, stream, event, flags));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamSynchronize, stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamQuery, stream));
}

// ---- Host functions ---------------------------------------------------------------------------

struct callback {
    cudaStreamCallback_t function;
    void *data;
};

static void CUDA_CB run_callback(CUstream stream, CUresult status, void *data) {
    struct callback callback = *(struct callback *)data;
    free(data);
    // The two enumerations share their values.
    callback.function(stream, (cudaError_t)status, callback.data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags) {
    RT_REQUIRE(callback, cudaErrorInvalidValue, "callback must not be NULL");
    RT_REQUIRE(flags == 0, cudaErrorInvalidValue, "flags is reserved and must be 0");
    RT_ENTER();
    struct callback *own = malloc(sizeof *own);
    RT_REQUIRE(own, cudaErrorMemoryAllocation, "no memory for the callback");
    *own = (struct callback){callback, userData};
    CUresult result = RT_CALL(cuStreamAddCallback, stream, run_callback, own, flags);
    if (result != CUDA_SUCCESS)
        free(own);
    return rt_result(result);
}

cudaError_t cudaLaunchHostFunc_v2(cudaStream_t stream, cudaHostFn_t fn, void *userData,
                                  unsigned int syncMode) {
    RT_REQUIRE(fn, cudaErrorInvalidValue, "fn must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuLaunchHostFunc_v2, stream, fn, userData, syncMode));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData) {
    RT_REQUIRE(fn, cudaErrorInvalidValue, "fn must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuLaunchHostFunc, stream, fn, userData));
}
