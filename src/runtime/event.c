// Events (guide 6.2.8.8).
#include "runtime/runtime.h"

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    const unsigned int known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    RT_REQUIRE(event, cudaErrorInvalidValue, "event must not be NULL");
    RT_REQUIRE((flags & ~known) == 0, cudaErrorInvalidValue, "flags has unknown bits: 0x%x", flags);
    RT_REQUIRE(!(flags & cudaEventInterprocess) || (flags & cudaEventDisableTiming),
               cudaErrorInvalidValue, "an event for several processes cannot take times");
    RT_ENTER();
    return rt_result(RT_CALL(cuEventCreate, event, flags));
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    RT_REQUIRE(event, cudaErrorInvalidResourceHandle, "event must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuEventRecord, event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    RT_REQUIRE(event, cudaErrorInvalidResourceHandle, "event must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuEventRecordWithFlags, event, stream, flags));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    RT_REQUIRE(event, cudaErrorInvalidResourceHandle, "event must not be NULL");
    RT_ENTER_FROM_HOST_FUNCTION();
    return rt_result(RT_CALL(cuEventQuery, event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    RT_REQUIRE(event, cudaErrorInvalidResourceHandle, "event must not be NULL");
    RT_ENTER_FROM_HOST_FUNCTION();
    return rt_result(RT_CALL(cuEventSynchronize, event));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    RT_REQUIRE(event, cudaErrorInvalidResourceHandle, "event must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuEventDestroy, event));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    RT_REQUIRE(ms, cudaErrorInvalidValue, "ms must not be NULL");
    RT_REQUIRE(start && end, cudaErrorInvalidResourceHandle, "start and end must not be NULL");
    RT_ENTER_FROM_HOST_FUNCTION();
    return rt_result(RT_CALL(cuEventElapsedTime, ms, start, end));
}

cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end) {
    return cudaEventElapsedTime(ms, start, end);
}
