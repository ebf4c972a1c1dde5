// The runtime and the driver API in one program (guide 21.4): contexts, memory, streams, errors,
// and the fork that neither survives.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "cuda.h"
#include "cudaTypedefs.h"
#include "images.h"

static struct {
    PFN_cuCtxCreate_v3020 CtxCreate;
    PFN_cuCtxDestroy_v4000 CtxDestroy;
    PFN_cuCtxGetCurrent_v4000 CtxGetCurrent;
    PFN_cuCtxSetCurrent_v4000 CtxSetCurrent;
    PFN_cuMemFree_v3020 MemFree;
    PFN_cuMemAlloc_v3020 MemAlloc;
    PFN_cuStreamCreate_v2000 StreamCreate;
    PFN_cuLaunchKernel_v4000 LaunchKernel;
} driver;

static void *get(const char *name, unsigned int version) {
    void *function = NULL;
    NEED(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, NULL));
    return function;
}

static void load(void) {
    driver.CtxCreate = (PFN_cuCtxCreate_v3020)get("cuCtxCreate", 3020);
    driver.CtxDestroy = (PFN_cuCtxDestroy_v4000)get("cuCtxDestroy", 4000);
    driver.CtxGetCurrent = (PFN_cuCtxGetCurrent_v4000)get("cuCtxGetCurrent", 4000);
    driver.CtxSetCurrent = (PFN_cuCtxSetCurrent_v4000)get("cuCtxSetCurrent", 4000);
    driver.MemFree = (PFN_cuMemFree_v3020)get("cuMemFree", 3020);
    driver.MemAlloc = (PFN_cuMemAlloc_v3020)get("cuMemAlloc", 3020);
    driver.StreamCreate = (PFN_cuStreamCreate_v2000)get("cuStreamCreate", 2000);
    driver.LaunchKernel = (PFN_cuLaunchKernel_v4000)get("cuLaunchKernel", 4000);
}

static void primary_context(void) {
    CUcontext context = NULL;
    CUdeviceptr address;
    CUstream stream;
    cudaFunction_t function;
    int *p, v = 20, got[2] = {0, 0};
    CHECK(driver.CtxGetCurrent(&context) == CUDA_SUCCESS && context == NULL);
    NEED(cudaMalloc((void **)&p, 8));
    CHECK(driver.CtxGetCurrent(&context) == CUDA_SUCCESS && context != NULL);
    CHECK(driver.MemAlloc(&address, 8) == CUDA_SUCCESS);
    CHECK(driver.StreamCreate(&stream, 0) == CUDA_SUCCESS);
    void *args[] = {&address, &v};
    CHECK_OK(cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){2, 1, 1}, args, 0, stream));
    CHECK_OK(cudaStreamSynchronize(stream));
    CHECK_OK(cudaMemcpy(got, (void *)address, 8, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 20 && got[1] == 21);
    CHECK_OK(cudaGetFuncBySymbol(&function, &fill_stub));
    v = 30;
    CHECK(driver.LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL) == CUDA_SUCCESS);
    CHECK_OK(cudaStreamSynchronize(stream));
    CHECK_OK(cudaMemcpy(got, (void *)address, 8, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 30 && got[1] == 21);
    CHECK_OK(cudaStreamDestroy(stream));
    CHECK_OK(cudaFree((void *)address));
    CHECK(driver.MemFree((CUdeviceptr)p) == CUDA_SUCCESS);
}

// The runtime works in a context of the program's own; variables are that context's.
static void own_context(void) {
    CUcontext own, now;
    int value = 9, got = 0, device = -1;
    CHECK_OK(cudaMemcpyToSymbol(&counter_shadow, &value, 4, 0, cudaMemcpyHostToDevice));
    CHECK(driver.CtxCreate(&own, 0, 0) == CUDA_SUCCESS);
    CHECK_OK(cudaGetDevice(&device));
    CHECK(device == 0);
    CHECK_OK(cudaMemcpyFromSymbol(&got, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
    CHECK(got == 5);
    CHECK(driver.CtxGetCurrent(&now) == CUDA_SUCCESS && now == own);
    CHECK(driver.CtxDestroy(own) == CUDA_SUCCESS);
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaMemcpyFromSymbol(&got, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
    CHECK(got == 9);
    CHECK(driver.CtxSetCurrent(NULL) == CUDA_SUCCESS);
    CHECK_OK(cudaDeviceSynchronize());
}

static void forked_child(void) {
    pid_t child = fork();
    if (child == 0) {
        void *p;
        alarm(50);
        _exit(cudaMalloc(&p, 16) == cudaSuccess);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_OK(cudaDeviceSynchronize());
}

int main(void) {
    register_test_image();
    load();
    primary_context();
    own_context();
    forked_child();
    return finish();
}
