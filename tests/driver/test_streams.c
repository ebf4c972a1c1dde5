// Streams, host functions and callbacks, per-thread default streams.
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

// The variants that CUDA_API_PER_THREAD_DEFAULT_STREAM would make the plain names stand for.
CUresult CUDAAPI cuLaunchHostFunc_ptsz(CUstream, CUhostFn, void *);
CUresult CUDAAPI cuStreamSynchronize_ptsz(CUstream);
CUresult CUDAAPI cuStreamGetId_ptsz(CUstream, unsigned long long *);

static _Atomic int gate, ran;

static void CUDA_CB wait_for_gate(void *arg) {
    while (!gate)
        usleep(1000);
}

static void CUDA_CB set_ran(void *arg) {
    ran = *(int *)arg;
}

static void CUDA_CB calls_driver(void *arg) {
    CUdeviceptr p;
    *(CUresult *)arg = cuMemAlloc(&p, 16);
}

// What an H200's driver (580) lets host functions do: ask for streams and events, and record.
struct permitted {
    CUstream own, other;
    CUevent first, second;
    CUresult query, record, wait, stream, own_stream, wait_stream, time, version, create;
};

static void CUDA_CB asks(void *arg) {
    struct permitted *p = arg;
    float ms;
    int version;
    CUevent made;
    p->query = cuEventQuery(p->first);
    p->wait = cuEventSynchronize(p->first);
    p->record = cuEventRecord(p->second, p->other);
    p->stream = cuStreamQuery(p->other);
    p->own_stream = cuStreamQuery(p->own);
    p->wait_stream = cuStreamSynchronize(p->other);
    p->time = cuEventElapsedTime(&ms, p->first, p->second);
    p->version = cuDriverGetVersion(&version);
    p->create = cuEventCreate(&made, 0);
}

static void permitted(void) {
    struct permitted p;
    OK(cuStreamCreate(&p.own, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&p.other, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&p.first, 0));
    OK(cuEventCreate(&p.second, 0));
    OK(cuEventRecord(p.first, p.own));
    OK(cuLaunchHostFunc(p.own, asks, &p));
    OK(cuStreamSynchronize(p.own));
    OK(p.query);
    OK(p.wait);
    OK(p.record);
    CHECK(p.stream == CUDA_SUCCESS || p.stream == CUDA_ERROR_NOT_READY);
    CHECK(p.own_stream == CUDA_ERROR_NOT_READY);
    OK(p.wait_stream);
    OK(p.time);
    OK(p.version);
    CHECK(p.create == CUDA_ERROR_NOT_PERMITTED);
    OK(cuEventDestroy(p.first));
    OK(cuEventDestroy(p.second));
    OK(cuStreamDestroy(p.own));
    OK(cuStreamDestroy(p.other));
}

static void properties(CUcontext ctx) {
    CUstream s, t;
    unsigned flags;
    int priority;
    unsigned long long id, id2;
    CUcontext owner;
    CUdevice device;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreateWithPriority(&t, 0, -3));
    CHECK(s && t && s != t);
    OK(cuStreamGetFlags(s, &flags));
    CHECK(flags == CU_STREAM_NON_BLOCKING);
    OK(cuStreamGetFlags(t, &flags));
    CHECK(flags == CU_STREAM_DEFAULT);
    OK(cuStreamGetPriority(t, &priority));
    CHECK(priority == -3);
    OK(cuStreamGetId(s, &id));
    OK(cuStreamGetId(t, &id2));
    CHECK(id != id2);
    OK(cuStreamGetCtx(s, &owner));
    CHECK(owner == ctx);
    OK(cuStreamGetDevice(0, &device));
    CHECK(device == 0);
    OK(cuStreamDestroy(t));
    OK(cuStreamCreateWithPriority(&t, 0, -100)); // cut to the range
    OK(cuStreamGetPriority(t, &priority));
    CHECK(priority == -5);
    CUstreamAttrValue value;
    memset(&value, 0, sizeof value);
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    OK(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    OK(cuStreamCopyAttributes(t, s));
    value.syncPolicy = CU_SYNC_POLICY_AUTO;
    OK(cuStreamGetAttribute(t, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    CHECK(value.syncPolicy == CU_SYNC_POLICY_YIELD);
    EXPECT(cuStreamGetAttribute(t, (CUstreamAttrID)99, &value), CUDA_ERROR_INVALID_VALUE);
    CUstreamCaptureStatus capture = (CUstreamCaptureStatus)7;
    OK(cuStreamIsCapturing(s, &capture));
    CHECK(capture == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuStreamDestroy(s));
    OK(cuStreamDestroy(t));
}

// Every attribute is kept, by streams and by default streams, and copied.
static void attributes(CUstream s, CUstream to) {
    CUstreamAttrValue v, got;
    memset(&v, 0, sizeof v);
    v.accessPolicyWindow.base_ptr = &v;
    v.accessPolicyWindow.num_bytes = 4096;
    v.accessPolicyWindow.hitRatio = 0.5f;
    v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    v.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
    OK(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    v.accessPolicyWindow.hitRatio = 1.5f;
    EXPECT(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v),
           CUDA_ERROR_INVALID_VALUE);
    v.accessPolicyWindow.hitRatio = 1;
    v.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_PERSISTING;
    EXPECT(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v),
           CUDA_ERROR_INVALID_VALUE);
    memset(&v, 0, sizeof v);
    OK(cuStreamGetAttribute(s, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &v));
    CHECK(v.memSyncDomainMap.default_ == 0 && v.memSyncDomainMap.remote == 1);
    v.memSyncDomainMap.default_ = 2;
    v.memSyncDomainMap.remote = 3;
    OK(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &v));
    v.memSyncDomainMap.remote = 4;
    EXPECT(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &v),
           CUDA_ERROR_INVALID_VALUE);
    v.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
    OK(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &v));
    v.memSyncDomain = (CUlaunchMemSyncDomain)2;
    EXPECT(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &v),
           CUDA_ERROR_INVALID_VALUE);
    v.priority = -2;
    OK(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_PRIORITY, &v));
    OK(cuStreamCopyAttributes(to, s));
    OK(cuStreamGetAttribute(to, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &got));
    CHECK(got.accessPolicyWindow.num_bytes == 4096 && got.accessPolicyWindow.hitRatio == 0.5f);
    OK(cuStreamGetAttribute(to, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &got));
    CHECK(got.memSyncDomainMap.default_ == 2 && got.memSyncDomainMap.remote == 3);
    OK(cuStreamGetAttribute(to, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &got));
    CHECK(got.memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
    OK(cuStreamGetAttribute(to, CU_STREAM_ATTRIBUTE_PRIORITY, &got));
    CHECK(got.priority == -2);
    EXPECT(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_PRIORITY, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void all_attributes(void) {
    CUstream s, t;
    OK(cuStreamCreate(&s, 0));
    OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    attributes(s, t);
    attributes(CU_STREAM_PER_THREAD, s);
    OK(cuStreamDestroy(s));
    EXPECT(cuStreamCopyAttributes(s, t), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuStreamCopyAttributes(t, s), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamDestroy(t));
}

static void errors(void) {
    CUstream s;
    EXPECT(cuStreamCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamCreate(&s, 8), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamCreate(&s, 0));
    OK(cuStreamDestroy(s));
    EXPECT(cuStreamDestroy(s), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuStreamQuery(s), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuStreamSynchronize((CUstream)0xDEADBEEF), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuStreamDestroy(0), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuStreamDestroy(CU_STREAM_LEGACY), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuStreamWaitEvent(0, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLaunchHostFunc(0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamAddCallback(0, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    CUevent e; // a handle of another kind
    OK(cuEventCreate(&e, 0));
    EXPECT(cuStreamSynchronize((CUstream)e), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy(e));
}

static void order(void) {
    CUstream s;
    int one = 1;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    gate = ran = 0;
    OK(cuLaunchHostFunc(s, wait_for_gate, NULL));
    OK(cuLaunchHostFunc(s, set_ran, &one));
    EXPECT(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
    CHECK(ran == 0);
    gate = 1;
    OK(cuStreamSynchronize(s));
    CHECK(ran == 1);
    OK(cuStreamQuery(s));
    CUresult inside = CUDA_SUCCESS;
    OK(cuLaunchHostFunc(s, calls_driver, &inside));
    OK(cuStreamSynchronize(s));
    CHECK(inside == CUDA_ERROR_NOT_PERMITTED);
    OK(cuStreamDestroy(s));
    permitted();
}

// A blocking stream and the legacy default stream wait for each other; others do not.
static void legacy_default(void) {
    CUstream blocking, free_running;
    int two = 2;
    OK(cuStreamCreate(&blocking, 0));
    OK(cuStreamCreate(&free_running, CU_STREAM_NON_BLOCKING));
    gate = ran = 0;
    OK(cuLaunchHostFunc(blocking, wait_for_gate, NULL));
    OK(cuLaunchHostFunc(0, set_ran, &two));
    OK(cuStreamSynchronize(free_running));
    OK(cuStreamQuery(free_running));
    EXPECT(cuStreamQuery(0), CUDA_ERROR_NOT_READY);
    CHECK(ran == 0);
    gate = 1;
    OK(cuStreamSynchronize(0));
    CHECK(ran == 2);
    OK(cuStreamDestroy(blocking));
    OK(cuStreamDestroy(free_running));
}

// Two threads' default streams are two streams.
static void *per_thread(void *arg) {
    unsigned long long *id = arg;
    OK(cuCtxSetCurrent((CUcontext)(size_t)id[1]));
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, id));
    int three = 3;
    OK(cuLaunchHostFunc_ptsz(0, set_ran, &three));
    OK(cuStreamSynchronize_ptsz(0));
    CHECK(ran == 3);
    return NULL;
}

static void per_thread_default(CUcontext ctx) {
    pthread_t t;
    unsigned long long mine, again, legacy, of_zero, others[2] = {0, (size_t)ctx};
    ran = 0;
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, &mine));
    OK(cuStreamGetId_ptsz(0, &again));
    OK(cuStreamGetId(CU_STREAM_LEGACY, &legacy));
    OK(cuStreamGetId(0, &of_zero));
    CHECK(mine == again && legacy == of_zero && mine != legacy);
    OK(cuStreamGetId_ptsz(CU_STREAM_LEGACY, &again));
    CHECK(again == legacy);
    pthread_create(&t, NULL, per_thread, others);
    pthread_join(t, NULL);
    CHECK(others[0] != mine && others[0] != legacy);
}

struct seen {
    CUstream stream;
    CUresult status;
    int calls;
};

static void CUDA_CB callback(CUstream s, CUresult status, void *user) {
    struct seen *seen = user;
    seen->stream = s;
    seen->status = status;
    seen->calls++;
}

static void callbacks(void) {
    CUstream s;
    struct seen seen = {0, CUDA_ERROR_UNKNOWN, 0};
    OK(cuStreamCreate(&s, 0));
    OK(cuStreamAddCallback(s, callback, &seen, 0));
    OK(cuStreamSynchronize(s));
    CHECK(seen.calls == 1 && seen.stream == s && seen.status == CUDA_SUCCESS);
    EXPECT(cuStreamAddCallback(s, callback, &seen, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamDestroy(s));
}

int main(void) {
    CUcontext ctx = check_context();
    properties(ctx);
    all_attributes();
    errors();
    order();
    legacy_default();
    per_thread_default(ctx);
    callbacks();
    OK(cuCtxDestroy(ctx));
    return check_result();
}
