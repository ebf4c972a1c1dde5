// Streams and events: creation, order, waiting, queries, times, host functions, default streams.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static atomic_int gate, order;

static void CUDART_CB wait_for_gate(void *unused) {
    while (!gate)
        usleep(100);
}

static void CUDART_CB take_number(void *number) {
    *(int *)number = ++order;
}

static void CUDART_CB note_status(cudaStream_t stream, cudaError_t status, void *data) {
    void **seen = data;
    seen[0] = stream;
    seen[1] = (void *)(size_t)(status + 1);
}

static void creation(void) {
    cudaStream_t s, t;
    unsigned int flags;
    unsigned long long id = 0, other = 0;
    int priority, least, greatest, device;
    CHECK_OK(cudaStreamCreate(&s));
    CHECK_OK(cudaStreamGetFlags(s, &flags));
    CHECK(flags == cudaStreamDefault);
    CHECK_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK_OK(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, greatest));
    CHECK_OK(cudaStreamGetFlags(t, &flags));
    CHECK(flags == cudaStreamNonBlocking);
    CHECK_OK(cudaStreamGetPriority(t, &priority));
    CHECK(priority == greatest);
    CHECK_OK(cudaStreamGetId(s, &id));
    CHECK_OK(cudaStreamGetId(t, &other));
    CHECK(id != other);
    CHECK_OK(cudaStreamGetDevice(t, &device));
    CHECK(device == 0);
    CHECK_OK(cudaStreamQuery(s));
    CHECK_OK(cudaStreamDestroy(s));
    CHECK_OK(cudaStreamDestroy(t));
    if (on_kudzu()) {
        CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
        CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
    }
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamDestroy(0));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamPerThread));
    CHECK_ERROR(cudaErrorInvalidValue, cudaStreamCreate(NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&s, 8));
    CHECK_OK(cudaStreamSynchronize(cudaStreamLegacy));
    CHECK_OK(cudaStreamSynchronize(cudaStreamPerThread));
}

static void waiting(void) {
    cudaStream_t s, t;
    cudaEvent_t e;
    int first = 0, second = 0;
    NEED(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    NEED(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    NEED(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    CHECK_OK(cudaEventQuery(e)); // never recorded: nothing to wait for
    gate = order = 0;
    CHECK_OK(cudaLaunchHostFunc(s, wait_for_gate, NULL));
    CHECK_OK(cudaLaunchHostFunc(s, take_number, &first));
    CHECK_OK(cudaEventRecord(e, s));
    CHECK_OK(cudaStreamWaitEvent(t, e, 0));
    CHECK_OK(cudaLaunchHostFunc(t, take_number, &second));
    CHECK_ERROR(cudaErrorNotReady, cudaStreamQuery(s));
    CHECK_ERROR(cudaErrorNotReady, cudaStreamQuery(t));
    CHECK_ERROR(cudaErrorNotReady, cudaEventQuery(e));
    gate = 1;
    CHECK_OK(cudaStreamSynchronize(t));
    CHECK(first == 1 && second == 2);
    CHECK_OK(cudaEventSynchronize(e));
    CHECK_OK(cudaEventQuery(e));
    CHECK_OK(cudaEventDestroy(e));
    CHECK_OK(cudaStreamDestroy(s));
    CHECK_OK(cudaStreamDestroy(t));
    if (on_kudzu())
        CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaEventRecord(e, 0));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaEventRecord(NULL, 0));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(0, NULL, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaLaunchHostFunc(0, NULL, NULL));
}

static void callbacks(void) {
    cudaStream_t s;
    void *seen[2] = {0};
    NEED(cudaStreamCreate(&s));
    CHECK_OK(cudaStreamAddCallback(s, note_status, seen, 0));
    CHECK_OK(cudaStreamSynchronize(s));
    CHECK(seen[0] == s && seen[1] == (void *)(size_t)(cudaSuccess + 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaStreamAddCallback(s, note_status, seen, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaStreamAddCallback(s, NULL, seen, 0));
    CHECK_OK(cudaStreamDestroy(s));
}

static void times(void) {
    cudaEvent_t begin, end, without;
    float ms = -1;
    NEED(cudaEventCreate(&begin));
    NEED(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    NEED(cudaEventCreateWithFlags(&without, cudaEventDisableTiming));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, begin, end));
    CHECK_OK(cudaEventRecord(begin, 0));
    gate = 1;
    CHECK_OK(cudaLaunchHostFunc(0, wait_for_gate, NULL));
    CHECK_OK(cudaStreamSynchronize(0));
    usleep(20000);
    CHECK_OK(cudaEventRecordWithFlags(end, 0, cudaEventRecordDefault));
    CHECK_OK(cudaEventSynchronize(end));
    CHECK_OK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 19 && ms < 60000); // of a machine that others use
    CHECK_OK(cudaEventElapsedTime_v2(&ms, begin, begin));
    CHECK(ms == 0);
    CHECK_OK(cudaEventRecord(without, 0));
    CHECK_OK(cudaEventSynchronize(without));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, begin, without));
    gate = 0;
    CHECK_OK(cudaLaunchHostFunc(0, wait_for_gate, NULL));
    CHECK_OK(cudaEventRecord(end, 0));
    CHECK_ERROR(cudaErrorNotReady, cudaEventElapsedTime(&ms, begin, end));
    gate = 1;
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_ERROR(cudaErrorInvalidValue, cudaEventElapsedTime(NULL, begin, end));
    CHECK_ERROR(cudaErrorInvalidValue, cudaEventCreateWithFlags(&end, 0x100));
    CHECK_ERROR(cudaErrorInvalidValue, cudaEventCreateWithFlags(&end, cudaEventInterprocess));
    CHECK_ERROR(cudaErrorInvalidValue, cudaEventCreate(NULL));
    CHECK_OK(cudaEventDestroy(begin));
    CHECK_OK(cudaEventDestroy(without));
}

// The legacy default stream waits for blocking streams and they for it; not so non-blocking ones,
// nor the per-thread default stream's wait for non-blocking ones.
static void default_streams(void) {
    cudaStream_t blocking, free_running;
    NEED(cudaStreamCreate(&blocking));
    NEED(cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking));
    int a = 0, b = 0, word = 0, *device;
    NEED(cudaMalloc((void **)&device, sizeof word));
    gate = order = 0;
    CHECK_OK(cudaLaunchHostFunc(blocking, wait_for_gate, NULL));
    CHECK_OK(cudaLaunchHostFunc(0, take_number, &a));
    CHECK_OK(cudaLaunchHostFunc(blocking, take_number, &b));
    // No host function here: those of all streams may run one at a time.
    CHECK_OK(cudaMemsetAsync(device, 1, sizeof word, free_running));
    CHECK_OK(cudaMemcpyAsync(&word, device, sizeof word, cudaMemcpyDeviceToHost, free_running));
    CHECK_OK(cudaStreamSynchronize(free_running));
    CHECK(word == 0x01010101 && order == 0);
    CHECK_ERROR(cudaErrorNotReady, cudaStreamQuery(0));
    gate = 1;
    CHECK_OK(cudaStreamSynchronize(blocking));
    CHECK(a == 1 && b == 2);
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaFree(device));
    CHECK_OK(cudaStreamDestroy(blocking));
    CHECK_OK(cudaStreamDestroy(free_running));
}

static void attributes(void) {
    cudaStream_t s, t;
    cudaLaunchAttributeValue value, read;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    memset(&value, 0, sizeof value);
    memset(&read, 0, sizeof read);
    NEED(cudaStreamCreate(&s));
    NEED(cudaStreamCreate(&t));
    value.syncPolicy = cudaSyncPolicyYield;
    CHECK_OK(cudaStreamSetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &value));
    CHECK_OK(cudaStreamCopyAttributes(t, s));
    CHECK_OK(cudaStreamGetAttribute(t, cudaStreamAttributeSynchronizationPolicy, &read));
    CHECK(read.syncPolicy == cudaSyncPolicyYield);
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaStreamSetAttribute(s, cudaStreamAttributeSynchronizationPolicy, NULL));
    CHECK_OK(cudaStreamIsCapturing(s, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    status = cudaStreamCaptureStatusActive;
    CHECK_OK(cudaStreamGetCaptureInfo(s, &status, NULL, NULL, NULL, NULL));
    CHECK(status == cudaStreamCaptureStatusNone);
    CHECK_ERROR(cudaErrorInvalidValue, cudaStreamIsCapturing(s, NULL));
    CHECK_OK(cudaStreamDestroy(s));
    CHECK_OK(cudaStreamDestroy(t));
}

// Several threads use streams of their own at once.
static void *one_of_many(void *seed) {
    unsigned char value = (unsigned char)(size_t)seed, got[64];
    for (int round = 0; round < 50; round++) {
        cudaStream_t s;
        void *p;
        CHECK_OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        CHECK_OK(cudaMallocAsync(&p, 64, s));
        CHECK_OK(cudaMemsetAsync(p, value + round, 64, s));
        CHECK_OK(cudaMemcpyAsync(got, p, 64, cudaMemcpyDeviceToHost, s));
        CHECK_OK(cudaFreeAsync(p, s));
        CHECK_OK(cudaStreamSynchronize(s));
        CHECK(got[0] == (unsigned char)(value + round) && got[63] == got[0]);
        CHECK_OK(cudaStreamDestroy(s));
    }
    return NULL;
}

static void threads(void) {
    pthread_t many[4];
    for (size_t i = 0; i < 4; i++)
        pthread_create(&many[i], NULL, one_of_many, (void *)(i * 50));
    for (size_t i = 0; i < 4; i++)
        pthread_join(many[i], NULL);
}

int main(void) {
    creation();
    waiting();
    callbacks();
    times();
    default_streams();
    attributes();
    threads();
    return finish();
}
