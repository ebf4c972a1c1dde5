// test_ordering [FIRST [COUNT [THREADS]]]: runs the programs of COUNT seeds from FIRST on, the
// seeds shared out among THREADS threads of one context, and tells which came out other than the
// model says. With COUNT 1 the program is printed, too.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "run.h"

static unsigned long first = 1, count = 200, threads = 1;
static _Atomic unsigned long next_seed;
static atomic_int failures;
static CUcontext context;
static CUfunction mix;

static void check_seed(unsigned long seed) {
    struct program *p = program_new(seed, threads == 1);
    int differences = run_program(p, mix);
    if (differences) {
        printf("seed %lu: %d differences\n", seed, differences);
        if (count == 1)
            program_print(p);
        fflush(stdout);
        failures++;
    }
    program_free(p);
}

static void *worker(void *arg) {
    if (cuCtxSetCurrent(context) != CUDA_SUCCESS)
        failures++;
    for (;;) {
        unsigned long seed = next_seed++;
        if (seed >= first + count || failures > 5)
            return arg;
        check_seed(seed);
    }
}

static unsigned long number(int argc, char **argv, int i, unsigned long otherwise) {
    return argc > i ? strtoul(argv[i], NULL, 0) : otherwise;
}

int main(int argc, char **argv) {
    pthread_t handles[64];
    CUmodule module;
    CUdevice device;
    first = number(argc, argv, 1, first);
    count = number(argc, argv, 2, count);
    threads = number(argc, argv, 3, threads);
    if (threads < 1 || threads > 64 || cuInit(0) || cuDeviceGet(&device, 0) ||
        cuCtxCreate(&context, 0, device) || run_load(&module, &mix))
        return 2;
    next_seed = first;
    for (unsigned long i = 0; i < threads; i++)
        if (pthread_create(&handles[i], NULL, worker, NULL))
            return 2;
    for (unsigned long i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
    if (cuCtxDestroy(context) != CUDA_SUCCESS)
        failures++;
    printf("%lu programs, %d with differences\n", count, failures);
    return failures != 0;
}
