// jit file.ptx...: how long the PTX of each file takes from cuModuleLoadData to the end of its
// first launch, which a comment describes as in tests/simd/ptx_run.c. In a process that has used
// the compiler before (the best of several), and in one that has not: there the compiler's library
// is loaded, too. Beside the time that passes, the processor time of the thread that waits, which
// other work on the machine disturbs less. Run with CUDA_CACHE_DISABLE=1.
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver_calls.h"

enum { ROUNDS = 5, PROCESSES = 3, MAX_ARGS = 16 };

struct times {
    double wall, cpu; // seconds
};
struct result {
    struct times load, first; // cuModuleLoadData alone; with the first launch
};

static double clock_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct times now(void) {
    return (struct times){clock_of(CLOCK_MONOTONIC), clock_of(CLOCK_THREAD_CPUTIME_ID)};
}

static struct times since(struct times t) {
    struct times n = now();
    return (struct times){n.wall - t.wall, n.cpu - t.cpu};
}

static struct times least(struct times a, struct times b) {
    return (struct times){a.wall < b.wall ? a.wall : b.wall, a.cpu < b.cpu ? a.cpu : b.cpu};
}

// ---- one launch -----------------------------------------------------------------------------

struct launch {
    char kernel[64];
    unsigned grid[3], block[3];
    uint64_t args[MAX_ARGS];
};

static void dims(const char *line, const char *key, unsigned *d) {
    const char *at = strstr(line, key);
    d[0] = d[1] = d[2] = 1;
    if (at)
        sscanf(at + strlen(key), "%u,%u,%u", &d[0], &d[1], &d[2]);
}

static uint64_t argument(const char *text) {
    const char *value = strchr(text, ':') + 1;
    uint64_t bits = 0;
    if (!strncmp(text, "buf", 3)) {
        CUdeviceptr p;
        size_t bytes = strtoul(value, NULL, 0) * 4;
        check(cuMemAlloc(&p, bytes), "cuMemAlloc");
        check(cuMemsetD8(p, 0, bytes), "cuMemsetD8");
        return p;
    }
    if (!strncmp(text, "f32", 3)) {
        float f = strtof(value, NULL);
        memcpy(&bits, &f, sizeof f);
        return bits;
    }
    return strtoull(value, NULL, 0);
}

static struct launch read_launch(const char *ptx, const char *path) {
    const char *at = strstr(ptx, "// run: ");
    struct launch l = {0};
    char line[1024];
    if (!at) {
        fprintf(stderr, "%s: no launch\n", path);
        exit(2);
    }
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 8, "\n"), at + 8);
    sscanf(line, "%63s", l.kernel);
    dims(line, "grid=", l.grid);
    dims(line, "block=", l.block);
    char *list = strstr(line, "args=");
    unsigned n = 0;
    for (char *t = list ? strtok(list + 5, ", ") : NULL; t && n < MAX_ARGS; t = strtok(NULL, ", "))
        l.args[n++] = argument(t);
    return l;
}

static struct result first_launch(const char *ptx, struct launch *l) {
    struct result r;
    CUmodule m;
    CUfunction f;
    void *params[MAX_ARGS];
    for (int k = 0; k < MAX_ARGS; k++)
        params[k] = &l->args[k];
    struct times t = now();
    check(cuModuleLoadData(&m, ptx), "cuModuleLoadData");
    r.load = since(t);
    check(cuModuleGetFunction(&f, m, l->kernel), "cuModuleGetFunction");
    check(cuLaunchKernel(f, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                         l->block[2], 0, NULL, params, NULL),
          "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    r.first = since(t);
    check(cuModuleUnload(m), "cuModuleUnload");
    return r;
}

// Until no other thread of this process compiles any more.
static void settle(void) {
    struct timespec pause = {0, 20000000};
    for (double before = 0, t; (t = clock_of(CLOCK_PROCESS_CPUTIME_ID)) - before > 0.002;
         before = t)
        nanosleep(&pause, NULL);
}

// ---- one process ----------------------------------------------------------------------------

static struct result best_of(struct result a, struct result b) {
    return (struct result){least(a.load, b.load), least(a.first, b.first)};
}

// What a process that does nothing else sees: results[0] its first launch, [1] the best later one.
static void run(const char *path, struct result results[2]) {
    CUdevice dev;
    CUcontext ctx;
    char *ptx = read_file(path);
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&dev, 0), "cuDeviceGet");
    check(cuCtxCreate(&ctx, 0, dev), "cuCtxCreate");
    struct launch l = read_launch(ptx, path);
    results[0] = first_launch(ptx, &l);
    settle();
    results[1] = first_launch(ptx, &l);
    for (int k = 1; k < ROUNDS && results[1].first.wall * k < 3; k++) {
        settle();
        results[1] = best_of(results[1], first_launch(ptx, &l));
    }
    free(ptx);
}

static void run_in_child(const char *path, struct result results[2]) {
    int pipes[2], status;
    size_t bytes = 2 * sizeof *results;
    if (pipe(pipes)) {
        perror("pipe");
        exit(2);
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run(path, results);
        exit(write(pipes[1], results, bytes) != (ssize_t)bytes);
    }
    close(pipes[1]);
    bool ok = child > 0 && read(pipes[0], results, bytes) == (ssize_t)bytes;
    close(pipes[0]);
    if (child > 0 && (waitpid(child, &status, 0) < 0 || status || !ok)) {
        fprintf(stderr, "%s: failed\n", path);
        exit(1);
    }
}

static unsigned lines_of(const char *path) {
    char *text = read_file(path);
    unsigned n = 0;
    for (const char *s = text; *s; s++)
        n += *s == '\n';
    free(text);
    return n;
}

static void report(const char *path) {
    struct result best[2], r[2];
    run_in_child(path, best);
    for (int k = 1; k < PROCESSES && best[0].first.wall * k < 3; k++) {
        run_in_child(path, r);
        for (int i = 0; i < 2; i++)
            best[i] = best_of(best[i], r[i]);
    }
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    printf("%-16.*s %6u", (int)strcspn(name, "."), name, lines_of(path));
    for (int i = 1; i >= 0; i--)
        printf("  %8.1f %8.1f %8.1f", best[i].load.wall * 1e3, best[i].first.wall * 1e3,
               best[i].first.cpu * 1e3);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    printf("%-16s %6s  %26s  %26s\n", "milliseconds", "", "compiler in memory", "first in process");
    printf("%-16s %6s", "module", "lines");
    for (int i = 0; i < 2; i++)
        printf("  %8s %8s %8s", "load", "launched", "cpu");
    printf("\n");
    for (int n = 1; n < argc; n++)
        report(argv[n]);
    return 0;
}
