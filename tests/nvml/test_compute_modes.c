// Compute modes (guide 6.4), set by the management library: what the driver and the runtime make of
// them, in processes of their own. Two devices.
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvml.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "../driver/processes.h"

static int failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && ++failures)                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
    } while (0)

// Runs a step in a process that has not used the driver before; its failures count.
static void in_process(int (*step)(int), int argument) {
    pid_t pid = fork();
    if (pid == 0)
        exit(step(argument));
    CHECK(pid > 0 && end_of_process(pid) == 0);
}

static nvmlComputeMode_t wanted[2]; // of both devices

static int set_modes(int unused) {
    (void)unused;
    CHECK(nvmlInit() == NVML_SUCCESS);
    for (unsigned i = 0; i < 2; i++) {
        nvmlDevice_t d;
        nvmlComputeMode_t mode;
        CHECK(nvmlDeviceGetHandleByIndex(i, &d) == NVML_SUCCESS);
        CHECK(nvmlDeviceSetComputeMode(d, wanted[i]) == NVML_SUCCESS);
        CHECK(nvmlDeviceGetComputeMode(d, &mode) == NVML_SUCCESS && mode == wanted[i]);
    }
    return failures != 0;
}

static void modes(nvmlComputeMode_t first, nvmlComputeMode_t second) {
    wanted[0] = first;
    wanted[1] = second;
    in_process(set_modes, 0);
}

static int refused_modes(int unused) {
    (void)unused;
    nvmlDevice_t d = NULL;
    nvmlComputeMode_t mode;
    CHECK(nvmlInit() == NVML_SUCCESS && nvmlDeviceGetHandleByIndex(1, &d) == NVML_SUCCESS);
    CHECK(nvmlDeviceGetComputeMode(d, &mode) == NVML_SUCCESS && mode == NVML_COMPUTEMODE_DEFAULT);
    CHECK(nvmlDeviceSetComputeMode(d, NVML_COMPUTEMODE_EXCLUSIVE_THREAD) ==
          NVML_ERROR_NOT_SUPPORTED);
    CHECK(nvmlDeviceSetComputeMode(d, (nvmlComputeMode_t)17) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceSetComputeMode(NULL, NVML_COMPUTEMODE_DEFAULT) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetComputeMode(d, &mode) == NVML_SUCCESS && mode == NVML_COMPUTEMODE_DEFAULT);
    return failures != 0;
}

static CUresult create(int device) {
    CUcontext ctx;
    return cuCtxCreate(&ctx, 0, device);
}

// Device 0 is prohibited.
static int driver_of_prohibited(int unused) {
    (void)unused;
    int mode[2];
    CUcontext ctx;
    CHECK(cuInit(0) == CUDA_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK(cuDeviceGetAttribute(&mode[i], CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, i) == CUDA_SUCCESS);
    CHECK(mode[0] == CU_COMPUTEMODE_PROHIBITED && mode[1] == CU_COMPUTEMODE_DEFAULT);
    CHECK(create(0) == CUDA_ERROR_DEVICE_UNAVAILABLE);
    CHECK(cuDevicePrimaryCtxRetain(&ctx, 0) == CUDA_ERROR_DEVICE_UNAVAILABLE);
    CHECK(create(1) == CUDA_SUCCESS && create(1) == CUDA_SUCCESS);
    return failures != 0;
}

static int runtime_of_prohibited(int unused) {
    (void)unused;
    int device = -1, mode = -1;
    CHECK(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0) == cudaSuccess &&
          mode == cudaComputeModeProhibited);
    // A thread that has not chosen gets the next one.
    CHECK(cudaFree(NULL) == cudaSuccess && cudaGetLastError() == cudaSuccess);
    CHECK(cudaGetDevice(&device) == cudaSuccess && device == 1);
    CHECK(cudaSetDevice(0) == cudaErrorDevicesUnavailable);
    CHECK(cudaSetDevice(1) == cudaSuccess);
    return failures != 0;
}

static int runtime_of_one_valid(int unused) {
    (void)unused;
    int first = 0;
    CHECK(cudaSetValidDevices(&first, 1) == cudaSuccess);
    CHECK(cudaFree(NULL) == cudaErrorDevicesUnavailable);
    return failures != 0;
}

// A context on device 0 gives `result`.
static int one_context(int result) {
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CUresult got = create(0);
    if (got != (CUresult)result && ++failures)
        fprintf(stderr, "a context: %d, not %d\n", (int)got, result);
    return failures != 0;
}

static int runtime_beside_exclusive(int unused) {
    (void)unused;
    int device = -1;
    CHECK(cudaFree(NULL) == cudaSuccess);
    CHECK(cudaGetDevice(&device) == cudaSuccess && device == 1);
    return failures != 0;
}

// Holds a context on device 0 between messages; then has none, and waits for its end.
static int holder(int socket) {
    CUcontext ctx, second;
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuCtxCreate(&ctx, 0, 0) == CUDA_SUCCESS);
    tell(socket);
    await(socket); // the mode is exclusive now
    CHECK(cuCtxCreate(&second, 0, 0) == CUDA_ERROR_DEVICE_UNAVAILABLE);
    CHECK(cuCtxDestroy(ctx) == CUDA_SUCCESS);
    CHECK(cuCtxCreate(&ctx, 0, 0) == CUDA_SUCCESS);
    tell(socket);
    await(socket);
    CHECK(cuCtxDestroy(ctx) == CUDA_SUCCESS);
    tell(socket);
    await(socket);
    return failures != 0;
}

static void exclusive(bool before) {
    if (before)
        modes(NVML_COMPUTEMODE_EXCLUSIVE_PROCESS, NVML_COMPUTEMODE_DEFAULT);
    pid_t pid;
    int other = start_process(holder, &pid);
    await(other);
    if (!before)
        modes(NVML_COMPUTEMODE_EXCLUSIVE_PROCESS, NVML_COMPUTEMODE_DEFAULT);
    in_process(one_context, CUDA_ERROR_DEVICE_UNAVAILABLE);
    tell(other);
    await(other);
    in_process(one_context, CUDA_ERROR_DEVICE_UNAVAILABLE);
    in_process(runtime_beside_exclusive, 0);
    tell(other);
    await(other);
    in_process(one_context, CUDA_SUCCESS);
    tell(other);
    CHECK(end_of_process(pid) == 0);
    close(other);
}

// A process that is killed has nothing left.
static void killed(void) {
    pid_t pid;
    int other = start_process(holder, &pid);
    await(other);
    in_process(one_context, CUDA_ERROR_DEVICE_UNAVAILABLE);
    kill(pid, SIGKILL);
    (void)end_of_process(pid);
    close(other);
    in_process(one_context, CUDA_SUCCESS);
}

int main(void) {
    char folder[] = "/tmp/kudzu-compute-modes-XXXXXX", file[128];
    if (!mkdtemp(folder) || setenv("XDG_CONFIG_HOME", folder, 1))
        return 1;
    in_process(refused_modes, 0);
    modes(NVML_COMPUTEMODE_PROHIBITED, NVML_COMPUTEMODE_DEFAULT);
    in_process(driver_of_prohibited, 0);
    in_process(runtime_of_prohibited, 0);
    in_process(runtime_of_one_valid, 0);
    exclusive(true);
    killed();
    modes(NVML_COMPUTEMODE_DEFAULT, NVML_COMPUTEMODE_DEFAULT);
    exclusive(false);
    modes(NVML_COMPUTEMODE_PROHIBITED, NVML_COMPUTEMODE_PROHIBITED);
    in_process(one_context, CUDA_ERROR_DEVICE_UNAVAILABLE);
    // What others can write is not believed.
    snprintf(file, sizeof file, "%s/kudzu/compute-modes", folder);
    CHECK(chmod(file, 0666) == 0);
    in_process(one_context, CUDA_SUCCESS);
    unlink(file);
    snprintf(file, sizeof file, "%s/kudzu", folder);
    rmdir(file);
    rmdir(folder);
    return failures != 0;
}
