// Memory and numbers of rows, for all that measures them (bench.c, check_cost.c).
#define _GNU_SOURCE
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *bench_alloc(size_t bytes) {
    const size_t huge = (size_t)2 << 20;
    size_t rounded = (bytes + huge) / huge * huge;
    void *p = aligned_alloc(huge, rounded);
    if (!p)
        abort();
    madvise(p, rounded, MADV_HUGEPAGE);
    return memset(p, 0, rounded);
}

void bench_free(void *memory) {
    free(memory);
}

unsigned bench_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    unsigned x = *state;
    x = (x ^ x >> 16) * 0x7feb352du;
    return (x ^ x >> 15) * 0x846ca68bu ^ x >> 16;
}
