// Faults of kernels: the documented error, sticky until the context ends, and the next context
// works.
#include "check.h"

#include <pthread.h>
#include <signal.h>

#include "kernels.h"

static const char ptx[] = PTX_HEAD PTX_TRAP PTX_STORE PTX_ASSERT PTX_NOTHING PTX_FILL;

static int callback_calls;
static CUresult callback_status;

static void CUDA_CB callback(CUstream s, CUresult status, void *user) {
    callback_calls++;
    callback_status = status;
}

static CUfunction load(const char *name) {
    CUmodule m;
    CUfunction f;
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&f, m, name));
    return f;
}

static void still_works(void) {
    CUcontext ctx;
    CUdeviceptr out;
    unsigned a = 1, b = 1, back[32];
    NEED(cuCtxCreate(&ctx, 0, 0));
    CUfunction f = load("fill");
    OK(cuMemAlloc(&out, sizeof back));
    void *params[] = {&out, &a, &b};
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, params, NULL));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    CHECK(back[31] == 32);
    OK(cuCtxDestroy(ctx));
}

// Everything that uses the context answers with the error.
static void sticky(CUresult error, CUfunction f, CUstream s, CUdeviceptr p) {
    CUdeviceptr q;
    CUstream t;
    size_t n;
    char byte;
    EXPECT(cuCtxSynchronize(), error);
    EXPECT(cuStreamSynchronize(s), error);
    EXPECT(cuStreamQuery(s), error);
    EXPECT(cuMemAlloc(&q, 16), error);
    EXPECT(cuMemFree(p), error);
    EXPECT(cuMemcpyDtoH(&byte, p, 1), error);
    EXPECT(cuMemGetInfo(&n, &n), error);
    EXPECT(cuStreamCreate(&t, 0), error);
    EXPECT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL), error);
}

static void fault(const char *name, unsigned long long address, CUresult error) {
    CUcontext ctx, other, current;
    CUstream s;
    CUdeviceptr p;
    NEED(cuCtxCreate(&other, 0, 0));
    NEED(cuCtxCreate(&ctx, 0, 0));
    OK(cuStreamCreate(&s, 0));
    OK(cuMemAlloc(&p, 64));
    CUfunction f = load(name), nothing = load("nothing");
    void *params[] = {&address};
    callback_calls = 0;
    OK(cuLaunchKernel(f, 4, 1, 1, 33, 1, 1, 0, s, params, NULL));
    cuStreamAddCallback(s, callback, NULL, 0);
    if (!EXPECT(cuStreamSynchronize(s), error))
        fprintf(stderr, "  of kernel %s\n", name);
    sticky(error, nothing, s, p);
    // Other contexts of the device are not concerned.
    OK(cuCtxPopCurrent(&current));
    OK(cuCtxSynchronize());
    OK(cuCtxPushCurrent(current));
    OK(cuCtxDestroy(ctx));
    OK(cuCtxSynchronize());
    OK(cuCtxDestroy(other));
    still_works();
}

static void callback_gets_error(void) {
    CUcontext ctx;
    CUstream s;
    NEED(cuCtxCreate(&ctx, 0, 0));
    OK(cuStreamCreate(&s, 0));
    CUfunction f = load("trap_now");
    callback_calls = 0;
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
    if (cuStreamAddCallback(s, callback, NULL, 0) == CUDA_SUCCESS) {
        EXPECT(cuStreamSynchronize(s), CUDA_ERROR_LAUNCH_FAILED);
        CHECK(callback_calls == 1 && callback_status == CUDA_ERROR_LAUNCH_FAILED);
    }
    OK(cuCtxDestroy(ctx));
}

// The primary context is well again after a reset.
static void primary(void) {
    CUcontext ctx;
    NEED(cuDevicePrimaryCtxRetain(&ctx, 0));
    OK(cuCtxSetCurrent(ctx));
    CUfunction f = load("trap_now");
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    OK(cuDevicePrimaryCtxReset(0));
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(cuDevicePrimaryCtxRetain(&ctx, 0));
    OK(cuCtxSynchronize());
    EXPECT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    f = load("nothing");
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
    OK(cuCtxSynchronize());
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxSetCurrent(NULL));
}

// A program that blocks the signals by which the machine tells of faults has faults reported, too,
// on whichever thread the kernel runs; its mask is as it was.
static void blocked_signals(void) {
    sigset_t ours, before, now;
    sigemptyset(&ours);
    sigaddset(&ours, SIGSEGV);
    sigaddset(&ours, SIGBUS);
    sigaddset(&ours, SIGFPE);
    sigaddset(&ours, SIGILL);
    NEED(pthread_sigmask(SIG_BLOCK, &ours, &before) ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS);
    for (int i = 0; i < 20; i++) {
        fault("store", 16, CUDA_ERROR_ILLEGAL_ADDRESS);
        fault("trap_now", 0, CUDA_ERROR_LAUNCH_FAILED);
    }
    pthread_sigmask(SIG_SETMASK, &before, &now);
    CHECK(sigismember(&now, SIGSEGV) && sigismember(&now, SIGILL));
}

int main(void) {
    NEED(cuInit(0));
    fault("trap_now", 0, CUDA_ERROR_LAUNCH_FAILED);
    fault("store", 0, CUDA_ERROR_ILLEGAL_ADDRESS);
    fault("store", 0x7FFFFFFFFFF0ull, CUDA_ERROR_ILLEGAL_ADDRESS);
    fault("fail_assert", 0, CUDA_ERROR_ASSERT);
    blocked_signals();
    callback_gets_error();
    primary();
    return check_result();
}
