// speed: the kernels of the benchmark (bench/rows) on a GPU, without what they are compared with on
// a CPU: each row's results are checked against C, and its device time is measured by events. Two
// executables of it, by two compilers, give speed.sh its table.
//
// Usage: speed [ROW...]. A line a row: name, microseconds of one run, "right" or "WRONG".
#include "bench.h"

#include <algorithm>

// A stretch of runs lasts this long at least, in milliseconds; the best of so many stretches counts.
static const float stretch_ms = 8;
static const int stretches = 7;

static struct {
    const char *name;
    void (*function)();
} files[256];
static int file_count;

void bench_register(const char *name, void (*function)(void)) {
    files[file_count].name = name;
    files[file_count++].function = function;
}

void *bench_alloc(size_t bytes) {
    return calloc(1, bytes);
}

void bench_free(void *memory) {
    free(memory);
}

// The same sequence as on a CPU, so that the kernels do the same work.
unsigned bench_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    unsigned x = *state;
    x = (x ^ x >> 16) * 0x7feb352du;
    return (x ^ x >> 15) * 0x846ca68bu ^ x >> 16;
}

// There is neither pocl nor a limit here.
int opencl_ready(void) {
    return 0;
}
void *opencl_buffer(void *, size_t) {
    return nullptr;
}
void opencl_write(void *, const void *, size_t) {
}
void opencl_read(void *, void *, size_t) {
}
void *opencl_kernel(const char *) {
    return nullptr;
}
void opencl_argument(void *, int, size_t, const void *) {
}
void opencl_run(void *, const size_t *, const size_t *) {
}
void opencl_finish(void) {
}
void limit_traffic(size_t, size_t, int) {
}
void limit_fma32(double) {
}
void limit_fma64(double) {
}

static cudaEvent_t before, after;

// Milliseconds of so many runs one after the other on the device.
static float time_of(const bench::Row &row, const bench_job *job, int runs) {
    float sum = 0;
    for (int i = 0; i < (job->fresh ? runs : 1); i++) {
        float t;
        if (job->fresh)
            job->reset(job->data, BENCH_KUDZU);
        CHECK(cudaEventRecord(before));
        for (int k = 0; k < (job->fresh ? 1 : runs); k++)
            row.kudzu();
        CHECK(cudaEventRecord(after));
        CHECK(cudaEventSynchronize(after));
        CHECK(cudaEventElapsedTime(&t, before, after));
        sum += t;
    }
    return sum;
}

void bench_measure(const bench_job *job) {
    const bench::Row &row = *(const bench::Row *)job->data;
    double error = 0;
    if (job->has[BENCH_NATIVE]) {
        job->reset(job->data, BENCH_NATIVE);
        job->run(job->data, BENCH_NATIVE, 1);
    }
    job->reset(job->data, BENCH_KUDZU);
    job->run(job->data, BENCH_KUDZU, 1);
    if (job->has[BENCH_NATIVE])
        error = job->error(job->data, BENCH_KUDZU);
    float once = time_of(row, job, 3) / 3;
    int runs = std::max(1, std::min(2000, (int)(stretch_ms / std::max(once, 1e-3f))));
    float best = 1e30f;
    for (int i = 0; i < stretches; i++)
        best = std::min(best, time_of(row, job, runs) / runs);
    printf("%s\t%.3f\t%s\n", job->name, best * 1e3, error <= job->tolerance ? "right" : "WRONG");
    fflush(stdout);
}

int main(int argc, char **argv) {
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    for (int i = 0; i < file_count; i++) {
        bool wanted = argc == 1;
        for (int k = 1; k < argc; k++)
            wanted |= !strcmp(argv[k], files[i].name);
        if (wanted)
            files[i].function();
    }
}
