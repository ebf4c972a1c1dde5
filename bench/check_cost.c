// What kudzu check makes of a row's time: bench.h's interface with kudzu's side alone. Each file of
// rows runs in a process of its own, once by check_cost.py for each set of tools.
#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

// A side is timed for so long, and three times at least; a first run that takes longer than a long
// one counts, though it compiles as well. Seconds are those of all processors: the clock's would
// leave one run where other work takes the machine.
static const double side_seconds = 0.05, long_run_seconds = 3;
enum { LEAST_RUNS = 3 };

static struct {
    const char *name;
    void (*function)(void);
} files[256];
static int file_count;

void bench_register(const char *name, void (*function)(void)) {
    if (file_count == 256)
        abort();
    files[file_count].name = name;
    files[file_count++].function = function;
}

void bench_register_variants(const char *row) {
    (void)row;
}

void bench_no_native(void) {
    abort();
}

void limit_traffic(size_t read, size_t written, int in_place) {
    (void)read, (void)written, (void)in_place;
}

void limit_fma32(double operations) {
    (void)operations;
}

void limit_fma64(double operations) {
    (void)operations;
}

int opencl_open(const char *path) {
    (void)path;
    return 0;
}

int opencl_ready(void) {
    return 0;
}

void *opencl_buffer(void *memory, size_t bytes) {
    (void)memory, (void)bytes;
    return NULL;
}

void opencl_write(void *mem, const void *src, size_t bytes) {
    (void)mem, (void)src, (void)bytes;
}

void opencl_read(void *dst, void *mem, size_t bytes) {
    (void)dst, (void)mem, (void)bytes;
}

void *opencl_kernel(const char *name) {
    (void)name;
    return NULL;
}

void opencl_argument(void *kernel, int index, size_t size, const void *value) {
    (void)kernel, (void)index, (void)size, (void)value;
}

void opencl_run(void *kernel, const size_t global[3], const size_t local[3]) {
    (void)kernel, (void)global, (void)local;
}

void opencl_finish(void) {
}

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct took {
    double wall, processor;
};

static struct took run_once(const struct bench_job *job) {
    struct took t;
    if (job->fresh)
        job->reset(job->data, BENCH_KUDZU);
    double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    job->run(job->data, BENCH_KUDZU, 1);
    t.wall = seconds(CLOCK_MONOTONIC) - wall;
    t.processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
    return t;
}

static FILE *out;

void bench_measure(const struct bench_job *job) {
    job->reset(job->data, BENCH_KUDZU);
    struct took best = run_once(job);
    if (best.processor < long_run_seconds) {
        int runs = 0;
        double sum = 0;
        best.wall = INFINITY;
        // The system may count a worker's time late: of one run, all or nothing.
        for (; sum < side_seconds || runs < LEAST_RUNS; runs++) {
            struct took t = run_once(job);
            best.wall = fmin(best.wall, t.wall);
            sum += t.processor;
        }
        best.processor = sum / runs;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fprintf(out, "%s\t%.9g\t%.9g\t%ld\n", job->name, best.wall, best.processor, usage.ru_maxrss);
    fflush(out);
}

// usage: check_cost RESULTS FILE: appends a line for each row of rows/FILE.cu: its name, the least
// time of a run by the clock, the mean of all processors', the process's peak memory so far in KiB
int main(int argc, char **argv) {
    if (argc != 3 || !(out = fopen(argv[1], "a")))
        return 2;
    for (int k = 0; k < file_count; k++)
        if (!strcmp(files[k].name, argv[2])) {
            files[k].function();
            return fclose(out) != 0;
        }
    return 2;
}
