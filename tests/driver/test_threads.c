// Several threads at once: one context for all, and a context each.
#include "check.h"
#include "kernels.h"

#include <pthread.h>

enum { THREADS = 6, ROUNDS = 40, N = 512 };

static const char ptx[] = PTX_HEAD PTX_FILL;
static CUcontext shared_context;
static CUfunction shared_fill;

static int round_trip(CUfunction f, CUstream s, unsigned a) {
    CUdeviceptr out;
    CUevent e;
    unsigned b = 3, back[N];
    void *params[] = {&out, &a, &b};
    OK(cuMemAlloc(&out, sizeof back));
    OK(cuEventCreate(&e, 0));
    OK(cuLaunchKernel(f, N / 64, 1, 1, 64, 1, 1, 0, s, params, NULL));
    OK(cuMemcpyDtoHAsync(back, out, sizeof back, s));
    OK(cuEventRecord(e, s));
    OK(cuEventSynchronize(e));
    OK(cuEventDestroy(e));
    OK(cuMemFree(out));
    for (unsigned i = 0; i < N; i++)
        if (back[i] != a + 3 * i)
            return 0;
    return 1;
}

static void *in_shared_context(void *arg) {
    CUstream s;
    unsigned number = (unsigned)(size_t)arg;
    OK(cuCtxSetCurrent(shared_context));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < ROUNDS; i++)
        CHECK(round_trip(shared_fill, i % 2 ? s : CU_STREAM_PER_THREAD, number * 1000 + i));
    OK(cuStreamDestroy(s));
    return NULL;
}

static void *in_own_context(void *arg) {
    CUcontext ctx;
    CUmodule m;
    CUfunction f;
    unsigned number = (unsigned)(size_t)arg;
    for (unsigned i = 0; i < 4; i++) {
        OK(cuCtxCreate(&ctx, 0, 0));
        OK(cuModuleLoadData(&m, ptx));
        OK(cuModuleGetFunction(&f, m, "fill"));
        CHECK(round_trip(f, 0, number * 77 + i));
        OK(cuCtxDestroy(ctx));
    }
    return NULL;
}

static void *retains(void *arg) {
    CUcontext ctx;
    for (int i = 0; i < ROUNDS; i++) {
        OK(cuDevicePrimaryCtxRetain(&ctx, 0));
        OK(cuDevicePrimaryCtxRelease(0));
    }
    return NULL;
}

static void all(void *(*body)(void *)) {
    pthread_t t[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, body, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

// Of several threads that destroy one object, one succeeds.
static CUstream contended_stream;
static CUevent contended_event;
static pthread_barrier_t meeting;
static _Atomic int destroyed[2], refused[2];

static void *destroys(void *unused) {
    OK(cuCtxSetCurrent(shared_context));
    for (int i = 0; i < 200; i++) {
        if (pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD) {
            OK(cuStreamCreate(&contended_stream, 0));
            OK(cuEventCreate(&contended_event, 0));
        }
        pthread_barrier_wait(&meeting);
        CUresult r[2] = {cuStreamDestroy(contended_stream), cuEventDestroy(contended_event)};
        for (int k = 0; k < 2; k++) {
            destroyed[k] += r[k] == CUDA_SUCCESS;
            refused[k] += r[k] == CUDA_ERROR_INVALID_HANDLE;
        }
    }
    return NULL;
}

static void destroy_at_once(void) {
    enum { ALL = 4 };
    pthread_t t[ALL];
    pthread_barrier_init(&meeting, NULL, ALL);
    for (int i = 0; i < ALL; i++)
        pthread_create(&t[i], NULL, destroys, NULL);
    for (int i = 0; i < ALL; i++)
        pthread_join(t[i], NULL);
    for (int k = 0; k < 2; k++)
        CHECK(destroyed[k] == 200 && refused[k] == 200 * (ALL - 1));
}

int main(void) {
    CUmodule m;
    shared_context = check_context();
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&shared_fill, m, "fill"));
    all(in_shared_context);
    all(in_own_context);
    all(retains);
    destroy_at_once();
    OK(cuCtxDestroy(shared_context));
    return check_result();
}
