// A client for test_mps_control.py: prints its multiprocessors, whether it is a client, MiB of its
// first device (and of the second, if there is one), whether it gets as much, more, and pinned
// memory of more; and how nice its workers are. With an argument it waits until one is nicer
// than it is itself. It ends with its input.
#include <cuda.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static const char source[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".visible .entry nothing() { ret; }\n";

static int nicest(void) {
    int most = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *e; tasks && (e = readdir(tasks));) {
        int nice = atoi(e->d_name) > 0 ? getpriority(PRIO_PROCESS, (id_t)atoi(e->d_name)) : 0;
        most = nice > most ? nice : most;
    }
    closedir(tasks);
    return most;
}

int main(int argc, char **argv) {
    (void)argv;
    int processors = -1, mps = -1, devices = 0;
    size_t bytes = 0, second = 0, free_bytes = 0, total = 0;
    CUcontext context;
    CUmodule module;
    CUfunction nothing;
    CUdeviceptr p = 0;
    void *host = NULL;
    if (cuInit(0) != CUDA_SUCCESS ||
        cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0) !=
            CUDA_SUCCESS ||
        cuDeviceGetAttribute(&mps, CU_DEVICE_ATTRIBUTE_MPS_ENABLED, 0) != CUDA_SUCCESS ||
        cuDeviceGetCount(&devices) != CUDA_SUCCESS || cuDeviceTotalMem(&bytes, 0) != CUDA_SUCCESS ||
        (devices > 1 && cuDeviceTotalMem(&second, 1) != CUDA_SUCCESS) ||
        cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS ||
        cuMemGetInfo(&free_bytes, &total) != CUDA_SUCCESS || total != bytes ||
        cuModuleLoadData(&module, source) != CUDA_SUCCESS ||
        cuModuleGetFunction(&nothing, module, "nothing") != CUDA_SUCCESS ||
        cuLaunchKernel(nothing, 64, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) != CUDA_SUCCESS ||
        cuCtxSynchronize() != CUDA_SUCCESS)
        return 1;
    int all = cuMemAlloc(&p, free_bytes & ~(size_t)0xffff);
    if (!all)
        cuMemFree(p);
    int more = cuMemAlloc(&p, bytes + 1), more_host = 0;
    if (bytes <= (size_t)64 << 20) // else there may be no such memory
        more_host = cuMemAllocHost(&host, bytes + 1);
    for (int k = 0; argc > 1 && k < 1000 && nicest() <= getpriority(PRIO_PROCESS, 0); k++)
        usleep(10000); // workers begin late
    printf("%d %d %zu %zu %d %d %d %d\n", processors, mps, bytes >> 20, second >> 20, all, more,
           more_host, nicest());
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
