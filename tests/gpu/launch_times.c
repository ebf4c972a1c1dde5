// launch_times: how long each kernel of a program runs on a GPU, whoever compiled it. To be
// preloaded into a program that is linked with the shared runtime library, kudzu's or NVIDIA's:
//
//     LD_PRELOAD=./launch_times.so LAUNCH_TIMES=times.tsv ./program
//
// appends lines to times.tsv: the kernel's name, its launches that were measured, the sum of their
// times in microseconds. A launch waits until the device is idle. The stream is held back until
// events stand before and after the kernel, so that the time between them is the kernel's; the
// first launch of each kernel, which may load code, is not held back and not measured. Captured
// launches are neither.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

enum { MAX_KERNELS = 1024 };

static struct kernel {
    const void *handle;
    const char *name;
    long launches;
    double us;
} kernels[MAX_KERNELS];
static int kernel_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned int turn;           // the latest held launch
static volatile unsigned int *gate; // in page-locked memory: streams wait until it is their turn
static cudaEvent_t before, after;
static CUresult (*wait_value)(CUstream, CUdeviceptr, cuuint32_t, unsigned int);

typedef cudaError_t launch_function(const void *, dim3, dim3, void **, size_t, cudaStream_t);

// The runtime's own function, behind this library.
static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "launch_times: the runtime has no %s\n", name);
        abort();
    }
    return function;
}

static struct kernel *find(const void *handle) {
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i].handle == handle)
            return &kernels[i];
    if (kernel_count == MAX_KERNELS)
        return NULL;
    struct kernel *k = &kernels[kernel_count++];
    k->handle = handle;
    return k;
}

// Opens the gate for a launch that has not come back.
static void *let_go(void *unused) {
    for (unsigned int seen = 0;; usleep(500000)) {
        unsigned int now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE);
        if (now == seen)
            *gate = now;
        seen = now;
    }
    return unused;
}

static int ready(void) {
    static int state; // 1 ready, -1 not possible
    if (state == 0) {
        void *driver = dlopen("libcuda.so.1", RTLD_NOW);
        void *word = NULL;
        wait_value = driver ? dlsym(driver, "cuStreamWaitValue32_v2") : NULL;
        state = wait_value && cudaHostAlloc(&word, 64, cudaHostAllocPortable) == cudaSuccess &&
                        cudaEventCreate(&before) == cudaSuccess &&
                        cudaEventCreate(&after) == cudaSuccess
                    ? 1
                    : -1;
        gate = word;
        pthread_t thread;
        if (state == 1 && (*gate = 0, pthread_create(&thread, NULL, let_go, NULL)) != 0)
            state = -1;
    }
    return state == 1;
}

// Launches between two events while the stream is held back.
static cudaError_t measure(struct kernel *k, launch_function *launch, const void *handle, dim3 grid,
                           dim3 block, void **args, size_t shared, cudaStream_t stream) {
    float ms = 0;
    __atomic_add_fetch(&turn, 1, __ATOMIC_RELEASE);
    int held = wait_value(stream, (CUdeviceptr)(size_t)gate, turn, CU_STREAM_WAIT_VALUE_GEQ) == 0;
    cudaEventRecord(before, stream);
    cudaError_t error = launch(handle, grid, block, args, shared, stream);
    cudaEventRecord(after, stream);
    held = held && *gate != turn;
    *gate = turn;
    if (error == cudaSuccess && held && cudaEventSynchronize(after) == cudaSuccess &&
        cudaEventElapsedTime(&ms, before, after) == cudaSuccess) {
        k->launches++;
        k->us += ms * 1000.0;
    }
    return error;
}

static cudaError_t timed(launch_function *launch, const void *handle, dim3 grid, dim3 block,
                         void **args, size_t shared, cudaStream_t stream) {
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusActive;
    pthread_mutex_lock(&mutex);
    cudaError_t error;
    struct kernel *k = NULL;
    if (cudaStreamIsCapturing(stream, &capture) == cudaSuccess &&
        capture == cudaStreamCaptureStatusNone && cudaDeviceSynchronize() == cudaSuccess && ready())
        k = find(handle);
    int blocks;
    // Asking for its occupancy loads a kernel, which a launch in a stream that is held back cannot.
    if (k && !k->name &&
        (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, handle, 32, 0) != cudaSuccess ||
         cudaFuncGetName(&k->name, handle) != cudaSuccess))
        k = NULL;
    error = k ? measure(k, launch, handle, grid, block, args, shared, stream)
              : launch(handle, grid, block, args, shared, stream);
    pthread_mutex_unlock(&mutex);
    return error;
}

// The calls of compiled <<<>>>: by kudzu and nvcc 12, and by nvcc 13.
#define LAUNCH(function)                                                                           \
    cudaError_t function(const void *, dim3, dim3, void **, size_t, cudaStream_t);                 \
    cudaError_t function(const void *handle, dim3 grid, dim3 block, void **args, size_t shared,    \
                         cudaStream_t stream) {                                                    \
        static launch_function *real;                                                              \
        if (!real)                                                                                 \
            real = (launch_function *)next(#function);                                             \
        return timed(real, handle, grid, block, args, shared, stream);                             \
    }
LAUNCH(cudaLaunchKernel)
LAUNCH(cudaLaunchCooperativeKernel)
LAUNCH(__cudaLaunchKernel)

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("LAUNCH_TIMES");
    FILE *f = path && kernel_count ? fopen(path, "a") : NULL;
    if (!f)
        return;
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i].launches)
            fprintf(f, "%s\t%ld\t%.3f\n", kernels[i].name, kernels[i].launches, kernels[i].us);
    fclose(f);
}
