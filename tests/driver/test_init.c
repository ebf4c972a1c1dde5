// Before cuInit, cuInit itself, the version, a forked child, the end of the process.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static CUcontext context;
static int initialised;

// Registered before any library's constructor ran, with on_exit, which is not tied to this
// program's own end: called after the destructors of all libraries, the driver's too.
static void after_exit(int status, void *arg) {
    if (!initialised)
        return;
    int count;
    CUcontext ctx;
    if (cuDeviceGetCount(&count) != CUDA_ERROR_DEINITIALIZED ||
        cuCtxGetCurrent(&ctx) != CUDA_ERROR_DEINITIALIZED ||
        cuInit(0) != CUDA_ERROR_DEINITIALIZED) {
        fprintf(stderr, "a call after exit did not answer CUDA_ERROR_DEINITIALIZED\n");
        _exit(1);
    }
}

static void register_early(void) {
    on_exit(after_exit, NULL);
}
__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = register_early;

// Destructors and handlers of the program still find a working driver.
__attribute__((destructor)) static void destructor(void) {
    if (initialised && cuCtxSynchronize() != CUDA_SUCCESS)
        _exit(1);
}

static void at_exit(void) {
    if (cuCtxSynchronize() != CUDA_SUCCESS)
        _exit(1);
}

static void before_init(void) {
    int n;
    CUcontext ctx;
    CUdeviceptr ptr;
    EXPECT(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    EXPECT(cuCtxCreate(&ctx, 0, 0), CUDA_ERROR_NOT_INITIALIZED);
    EXPECT(cuMemAlloc(&ptr, 16), CUDA_ERROR_NOT_INITIALIZED);
    EXPECT(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
}

static void version(void) {
    int v = 0;
    OK(cuDriverGetVersion(&v));
    CHECK(v == 13000 && CUDA_VERSION == 12090);
    EXPECT(cuDriverGetVersion(NULL), CUDA_ERROR_INVALID_VALUE);
}

static void forked_child(void) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int n;
        int good = cuDeviceGetCount(&n) == CUDA_ERROR_NOT_INITIALIZED &&
                   cuInit(0) == CUDA_ERROR_NOT_INITIALIZED;
        _exit(good ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    before_init();
    version();
    OK(cuInit(0));
    OK(cuInit(0));
    EXPECT(cuInit(2), CUDA_ERROR_INVALID_VALUE);
    initialised = 1;
    context = check_context();
    forked_child();
    OK(cuCtxSynchronize());
    atexit(at_exit);
    return check_result();
}
