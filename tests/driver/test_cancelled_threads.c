// Threads that are cancelled within a call, and contexts that end beside a kernel that does not.
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"

static const char ptx_print[] =
    PTX_HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
             ".global .align 1 .b8 text[3] = {46, 10, 0};\n"
             ".visible .entry print()\n{\n"
             "    .reg .b32 %r<2>;\n    .reg .b64 %rd<3>;\n"
             "    mov.u64 %rd1, text;\n    cvta.global.u64 %rd1, %rd1;\n    mov.u64 %rd2, 0;\n"
             "    {\n    .param .b64 p0;\n    st.param.b64 [p0], %rd1;\n"
             "    .param .b64 p1;\n    st.param.b64 [p1], %rd2;\n    .param .b32 r0;\n"
             "    call.uni (r0), vprintf, (p0, p1);\n    ld.param.b32 %r1, [r0];\n    }\n"
             "    ret;\n}\n";

static CUcontext context;
static CUfunction wait_for, nothing;
static volatile unsigned *word;

static void open_context(void) {
    CUmodule m;
    CUdevice device;
    NEED(cuDeviceGet(&device, 0));
    NEED(cuDevicePrimaryCtxRetain(&context, device));
    NEED(cuCtxSetCurrent(context));
    NEED(cuModuleLoadData(&m, PTX_HEAD PTX_WAIT_FOR PTX_NOTHING));
    NEED(cuModuleGetFunction(&wait_for, m, "wait_for"));
    NEED(cuModuleGetFunction(&nothing, m, "nothing"));
    NEED(cuMemAllocHost((void **)&word, 64));
    *word = 0;
}

static void launch_wait(CUstream s) {
    CUdeviceptr p = (CUdeviceptr)(uintptr_t)word;
    void *params[] = {&p};
    OK(cuLaunchKernel(wait_for, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
}

static void *synchronize(void *stream) {
    if (cuCtxSetCurrent(context) == CUDA_SUCCESS)
        cuStreamSynchronize(stream);
    pthread_testcancel();
    return NULL;
}

static int joined_within(pthread_t thread, int seconds, void **result) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    return pthread_timedjoin_np(thread, result, &until) == 0;
}

// The call goes on to its end, and nothing that it holds stays behind.
static void cancelled(void) {
    enum { THREADS = 4 };
    CUstream s;
    pthread_t threads[THREADS];
    void *result;
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    launch_wait(s);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, synchronize, s);
    usleep(100000);
    for (int i = 0; i < THREADS; i++)
        pthread_cancel(threads[i]);
    usleep(100000);
    CHECK(*word == 0);
    *word = 1;
    for (int i = 0; i < THREADS; i++) {
        result = NULL;
        CHECK(joined_within(threads[i], 20, &result) && result == PTHREAD_CANCELED);
    }
    CHECK(*word == 2);
    OK(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
    OK(cuStreamSynchronize(s));
    OK(cuStreamDestroy(s));
}

// Requests wait while launches are made, whatever these do: compile, write out what kernels
// printed, fail with a message.
static int launches;

static void *launch_cancelled(void *stream) {
    enum { MANY = 100 };
    CUmodule m;
    CUfunction print;
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&m, ptx_print));
    OK(cuModuleGetFunction(&print, m, "print"));
    pthread_cancel(pthread_self());
    for (int i = 0; i < MANY; i++) {
        OK(cuLaunchKernel(print, 1, 1, 1, 1, 1, 1, 0, i % 2 ? stream : CU_STREAM_PER_THREAD, NULL,
                          NULL));
        EXPECT(cuLaunchKernel(print, 0, 1, 1, 1, 1, 1, 0, stream, NULL, NULL),
               CUDA_ERROR_INVALID_VALUE);
        EXPECT(cuLaunchKernel((CUfunction)stream, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL),
               CUDA_ERROR_INVALID_HANDLE);
        launches++;
    }
    launches++;
    pthread_testcancel();
    launches = -1;
    return NULL;
}

static void launches_go_on(void) {
    CUstream s;
    pthread_t thread;
    void *result = NULL;
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    pthread_create(&thread, NULL, launch_cancelled, s);
    CHECK(joined_within(thread, 20, &result) && result == PTHREAD_CANCELED);
    CHECK(launches == 101);
    OK(cuStreamSynchronize(s));
    OK(cuStreamDestroy(s));
}

// The program has set how long: a second.
static void ends_beside_endless_kernel(void) {
    *word = 0;
    launch_wait(NULL);
    usleep(50000);
    OK(cuDevicePrimaryCtxReset(0));
    OK(cuDevicePrimaryCtxRelease(0));
    open_context();
    *word = 1;
    launch_wait(NULL);
    OK(cuCtxSynchronize());
    CHECK(*word == 2);
}

int main(void) {
    setenv("KUDZU_HANG_SECONDS", "1", 1);
    setenv("CUDA_LOG_FILE", "/dev/null", 1);
    NEED(cuInit(0));
    open_context();
    cancelled();
    launches_go_on();
    ends_beside_endless_kernel();
    return check_result();
}
