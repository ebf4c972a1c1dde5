// What the benchmarks of the compiler share: calls of the driver that have to succeed, and PTX from
// files.
#ifndef KUDZU_BENCH_DRIVER_CALLS_H
#define KUDZU_BENCH_DRIVER_CALLS_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program unless r is a success; what: the call, for the message.
static void check(CUresult r, const char *what) {
    const char *name = "?";
    if (r == CUDA_SUCCESS)
        return;
    cuGetErrorName(r, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    exit(1);
}

// A file of at most 16 MB, with a zero behind it; the caller frees it. Ends the program where there
// is none.
static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 24);
    if (!f || !text || fread(text, 1, (1 << 24) - 1, f) == 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fclose(f);
    return text;
}

#endif
