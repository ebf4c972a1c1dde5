// first_second file.ptx SECONDS [N]: how much of what a kernel does in a second, once its best code
// is there, it does in the first second from cuModuleLoadData on. The kernel is k(out, n) of
// shapes.py, launched again and again. The steady state is the launches of the last of SECONDS.
// Prints the launches of the first second, of the last, and the quotient. Run with
// CUDA_CACHE_DISABLE=1. With a third argument, N, seconds are those of N processors' time that the
// process gets, the compiler's with it: what else the machine does counts for less.
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../driver_calls.h"

enum { BLOCKS = 64, THREADS = 32, WORDS = 1024 };

static double processors; // 0: seconds are the clock's

static double now(void) {
    struct timespec t;
    clock_gettime(processors > 0 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return ((double)t.tv_sec + (double)t.tv_nsec * 1e-9) / (processors > 0 ? processors : 1);
}

// Launches until `end`.
static double launches_until(CUfunction k, CUdeviceptr out, double end) {
    uint32_t n = 1;
    void *args[2] = {&out, &n};
    double done = 0;
    while (now() < end) {
        check(cuLaunchKernel(k, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL),
              "cuLaunchKernel");
        check(cuCtxSynchronize(), "cuCtxSynchronize");
        done++;
    }
    return done;
}

int main(int argc, char **argv) {
    CUcontext context;
    CUmodule m;
    CUfunction k;
    CUdeviceptr out;
    if (argc < 3)
        return 2;
    char *ptx = read_file(argv[1]);
    double seconds = atof(argv[2]);
    processors = argc > 3 ? atof(argv[3]) : 0;
    check(cuInit(0), "cuInit");
    check(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuMemAlloc(&out, WORDS * sizeof(uint32_t)), "cuMemAlloc");
    check(cuMemsetD32(out, 0, WORDS), "cuMemsetD32");
    double begin = now();
    check(cuModuleLoadData(&m, ptx), "cuModuleLoadData");
    check(cuModuleGetFunction(&k, m, "k"), "cuModuleGetFunction");
    double first = launches_until(k, out, begin + 1);
    launches_until(k, out, begin + seconds - 1);
    double from = now(), last = launches_until(k, out, from + 1);
    printf("%.0f launches, then %.0f: %.2f\n", first, last, first / last);
    free(ptx);
    return 0;
}
