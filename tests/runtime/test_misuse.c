// What programs must not do, and what they are told then: calls from host functions, children of
// fork, stale handles, several threads on one object, questions that only special arrays answer.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void CUDART_CB calls_runtime(void *error) {
    void *p;
    *(cudaError_t *)error = cudaMalloc(&p, 16);
}

static void CUDART_CB callback_calls_runtime(cudaStream_t stream, cudaError_t status, void *error) {
    *(cudaError_t *)error = status ? status : cudaStreamQuery(stream);
}

// Functions that run in a stream must not call the API (guide 6.2.8.5).
static void host_functions(void) {
    cudaStream_t s;
    cudaError_t inside[2] = {cudaSuccess, cudaSuccess};
    CHECK_OK(cudaStreamCreate(&s));
    CHECK_OK(cudaLaunchHostFunc(s, calls_runtime, &inside[0]));
    CHECK_OK(cudaStreamAddCallback(s, callback_calls_runtime, &inside[1], 0));
    CHECK_OK(cudaStreamSynchronize(s));
    CHECK(inside[0] == cudaErrorNotPermitted);
    CHECK(inside[1] == cudaErrorNotPermitted);
    CHECK_OK(cudaStreamDestroy(s));
}

// A child of a process that has used the device cannot use it.
static void child(void) {
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        void *p;
        _exit(cudaMalloc(&p, 16) == cudaErrorInitializationError &&
                      cudaDeviceSynchronize() == cudaErrorInitializationError
                  ? 5
                  : 6);
    }
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

static void stale_handles(void) {
    cudaStream_t s;
    cudaEvent_t e;
    float ms;
    CHECK_OK(cudaStreamCreate(&s));
    CHECK_OK(cudaEventCreate(&e));
    CHECK_OK(cudaStreamDestroy(s));
    CHECK_OK(cudaEventDestroy(e));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaEventDestroy(e));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaEventRecord(e, 0));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, e, e));
    CHECK_OK(cudaStreamCreate(&s));
    CHECK_OK(cudaDeviceReset()); // ends what the device has
    CHECK_ERROR(cudaErrorContextIsDestroyed, cudaStreamSynchronize(s));
}

static void arrays(void) {
    cudaArray_t a, plane;
    struct cudaChannelFormatDesc d = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    struct cudaArraySparseProperties sparse;
    struct cudaArrayMemoryRequirements need;
    CHECK_OK(cudaMallocArray(&a, &d, 64, 64, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaArrayGetSparseProperties(&sparse, a));
    CHECK_ERROR(cudaErrorInvalidValue, cudaArrayGetMemoryRequirements(&need, a, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaArrayGetPlane(&plane, a, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaArrayGetSparseProperties(NULL, a));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaArrayGetMemoryRequirements(&need, a, 99));
    CHECK_OK(cudaFreeArray(a));
    if (on_kudzu())
        CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaArrayGetPlane(&plane, a, 0));
}

// Runs of bytes from row to row, between arrays of rows of 16 and of 24 bytes.
static void runs_of_bytes(void) {
    cudaArray_t a, b;
    struct cudaChannelFormatDesc d =
        cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    unsigned char in[48], out[48];
    for (int i = 0; i < 48; i++)
        in[i] = (unsigned char)(i + 1);
    CHECK_OK(cudaMallocArray(&a, &d, 16, 3, 0));
    CHECK_OK(cudaMallocArray(&b, &d, 24, 2, 0));
    CHECK_OK(cudaMemcpyToArrayAsync(a, 0, 0, in, 48, cudaMemcpyHostToDevice, 0));
    CHECK_OK(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 48, cudaMemcpyDeviceToDevice));
    memset(out, 0, sizeof out);
    CHECK_OK(cudaMemcpyFromArrayAsync(out, b, 0, 0, 48, cudaMemcpyDeviceToHost, 0));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(!memcmp(in, out, sizeof in));
    CHECK_OK(cudaMemcpyArrayToArray(b, 20, 0, a, 3, 1, 10, cudaMemcpyDeviceToDevice));
    CHECK_OK(cudaMemcpyFromArray(out, b, 20, 0, 10, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(in + 19, out, 10));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemcpyArrayToArray(b, 24, 0, a, 0, 0, 1, cudaMemcpyDeviceToDevice));
    CHECK_ERROR(cudaErrorInvalidMemcpyDirection,
                cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 1, cudaMemcpyHostToDevice));
    CHECK_OK(cudaFreeArray(a));
    CHECK_OK(cudaFreeArray(b));
}

static cudaStream_t contended;
static atomic_int destroyed, refused;
static pthread_barrier_t meeting;

static void *destroys(void *unused) {
    (void)unused;
    for (int i = 0; i < 100; i++) {
        if (pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD)
            CHECK_OK(cudaStreamCreate(&contended));
        pthread_barrier_wait(&meeting);
        cudaError_t error = cudaStreamDestroy(contended);
        destroyed += error == cudaSuccess;
        refused += error == cudaErrorInvalidResourceHandle;
    }
    return NULL;
}

static void several_threads(void) {
    pthread_t t[3];
    pthread_barrier_init(&meeting, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, destroys, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    CHECK(destroyed == 100 && refused == 200);
}

int main(void) {
    NEED(cudaFree(0));
    host_functions();
    child();
    arrays();
    runs_of_bytes();
    if (on_kudzu()) {
        several_threads();
        stale_handles();
    }
    return finish();
}
