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

int main(void) {
    CUmodule m;
    shared_context = check_context();
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&shared_fill, m, "fill"));
    all(in_shared_context);
    all(in_own_context);
    all(retains);
    OK(cuCtxDestroy(shared_context));
    return check_result();
}
