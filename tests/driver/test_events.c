// Events.
#include "check.h"

#include <stdatomic.h>
#include <unistd.h>

static _Atomic int gate, ran;

static void CUDA_CB wait_for_gate(void *arg) {
    while (!gate)
        usleep(1000);
}

static void CUDA_CB sleep_a_little(void *arg) {
    usleep(20000);
}

static void CUDA_CB set_ran(void *arg) {
    ran = 1;
}

static void recording(CUstream s) {
    CUevent e;
    OK(cuEventCreate(&e, CU_EVENT_DEFAULT));
    OK(cuEventQuery(e)); // never recorded: complete
    OK(cuEventSynchronize(e));
    gate = 0;
    OK(cuLaunchHostFunc(s, wait_for_gate, NULL));
    OK(cuEventRecord(e, s));
    EXPECT(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    gate = 1;
    OK(cuEventSynchronize(e));
    OK(cuEventQuery(e));
    OK(cuEventRecordWithFlags(e, s, 0));
    OK(cuEventSynchronize(e));
    OK(cuEventDestroy(e));
}

static void waiting(CUstream s) {
    CUstream t;
    CUevent e;
    OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC));
    gate = ran = 0;
    OK(cuLaunchHostFunc(s, wait_for_gate, NULL));
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    OK(cuLaunchHostFunc(t, set_ran, NULL));
    usleep(5000);
    EXPECT(cuStreamQuery(t), CUDA_ERROR_NOT_READY);
    CHECK(!ran);
    OK(cuEventDestroy(e)); // what was recorded still completes
    gate = 1;
    OK(cuStreamSynchronize(t));
    CHECK(ran);
    OK(cuStreamDestroy(t));
}

static void timing(CUstream s) {
    CUevent a, b, untimed;
    float ms = -1;
    OK(cuEventCreate(&a, 0));
    OK(cuEventCreate(&b, 0));
    OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    EXPECT(cuEventElapsedTime(&ms, a, b), CUDA_ERROR_INVALID_HANDLE); // not recorded
    OK(cuEventRecord(a, s));
    OK(cuLaunchHostFunc(s, sleep_a_little, NULL));
    OK(cuEventRecord(b, s));
    OK(cuEventRecord(untimed, s));
    OK(cuStreamSynchronize(s));
    OK(cuEventElapsedTime(&ms, a, b));
    CHECK(ms >= 20 && ms < 60000); // of a machine that others use
    OK(cuEventElapsedTime(&ms, b, a));
    CHECK(ms <= -20);
    OK(cuEventElapsedTime_v2(&ms, a, a));
    CHECK(ms == 0);
    EXPECT(cuEventElapsedTime(&ms, a, untimed), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuEventElapsedTime(NULL, a, b), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuEventElapsedTime(&ms, a, NULL), CUDA_ERROR_INVALID_HANDLE);
    gate = 0;
    OK(cuLaunchHostFunc(s, wait_for_gate, NULL));
    OK(cuEventRecord(b, s));
    EXPECT(cuEventElapsedTime(&ms, a, b), CUDA_ERROR_NOT_READY);
    gate = 1;
    OK(cuStreamSynchronize(s));
    OK(cuEventDestroy(a));
    OK(cuEventDestroy(b));
    OK(cuEventDestroy(untimed));
}

static void errors(CUstream s) {
    CUevent e;
    EXPECT(cuEventCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuEventCreate(&e, 0x80), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuEventCreate(&e, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
    OK(cuEventCreate(&e, 0));
    EXPECT(cuEventRecordWithFlags(e, s, 0x10), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuEventRecord(e, (CUstream)0x12345), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy(e));
    EXPECT(cuEventDestroy(e), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuEventRecord(e, s), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuEventQuery(NULL), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuEventSynchronize((CUevent)s), CUDA_ERROR_INVALID_HANDLE);
}

static void other_context(CUcontext first) {
    CUcontext second;
    CUevent e;
    CUstream s;
    OK(cuEventCreate(&e, 0));
    NEED(cuCtxCreate(&second, 0, 0));
    OK(cuStreamCreate(&s, 0));
    EXPECT(cuEventRecord(e, s), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamWaitEvent(s, e, 0)); // waiting works across contexts
    OK(cuCtxDestroy(second));
    OK(cuEventDestroy(e));
}

// The event of a context stands for all its streams; a wait of a context holds all of them back,
// those made later too.
static void of_contexts(CUcontext ctx) {
    CUstream a, b, later;
    CUevent e, other;
    CUcontext second;
    OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&b, 0));
    OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    gate = 0;
    OK(cuLaunchHostFunc(a, wait_for_gate, NULL));
    OK(cuCtxRecordEvent(ctx, e));
    EXPECT(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    OK(cuStreamQuery(b));
    OK(cuCtxWaitEvent(ctx, e));
    OK(cuEventCreate(&other, CU_EVENT_DISABLE_TIMING));
    OK(cuEventRecord(other, b));
    EXPECT(cuEventQuery(other), CUDA_ERROR_NOT_READY);
    OK(cuStreamCreate(&later, CU_STREAM_NON_BLOCKING));
    OK(cuEventRecord(other, later));
    EXPECT(cuEventQuery(other), CUDA_ERROR_NOT_READY);
    gate = 1;
    OK(cuEventSynchronize(e));
    OK(cuEventSynchronize(other));
    OK(cuEventRecord(other, later));
    OK(cuStreamSynchronize(later));
    EXPECT(cuCtxRecordEvent(ctx, NULL), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuCtxRecordEvent((CUcontext)e, e), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxWaitEvent(NULL, e), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxCreate(&second, 0, 0));
    EXPECT(cuCtxRecordEvent(second, e), CUDA_ERROR_INVALID_HANDLE);
    OK(cuCtxWaitEvent(second, e));
    OK(cuCtxDestroy(second));
    OK(cuStreamDestroy(a));
    OK(cuStreamDestroy(b));
    OK(cuStreamDestroy(later));
    OK(cuEventDestroy(other));
    OK(cuEventDestroy(e));
}

int main(void) {
    CUcontext ctx = check_context();
    CUstream s;
    NEED(cuStreamCreate(&s, 0));
    recording(s);
    recording(0);
    waiting(s);
    timing(s);
    errors(s);
    other_context(ctx);
    of_contexts(ctx);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
