// The machine's limits, measured by plain loops on all threads: memory traffic and fused
// multiply-adds.
#include "bench.h"

#include <omp.h>
#include <stdint.h>

// Memory for the traffic: it grows with what is asked for, so that the loops find it in the same
// cache that holds a row's own data.
static char *memory[2];
static size_t capacity[2];

static uint64_t *need(int which, size_t bytes) {
    if (bytes > capacity[which]) {
        bench_free(memory[which]);
        memory[which] = bench_alloc(bytes);
        capacity[which] = bytes;
    }
    return (uint64_t *)memory[which];
}

static uint64_t sum(const uint64_t *p, size_t n) {
    uint64_t s = 0;
    for (size_t i = 0; i < n; i++)
        s += p[i];
    return s;
}

static void copy(uint64_t *restrict to, const uint64_t *restrict from, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] + 1; // a sum, so that this does not become a call of memcpy
}

static void update(uint64_t *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        p[i]++;
}

static void fill(uint64_t *p, size_t n, uint64_t v) {
    for (size_t i = 0; i < n; i++)
        p[i] = v + i;
}

static volatile uint64_t sink;

enum { PIECES = 64 }; // reads and writes take turns, in pieces

void limit_traffic(size_t read, size_t written, int in_place) {
    size_t both = (read < written ? read : written) / 8, extra_read = read / 8 - both,
           extra_write = written / 8 - both;
    uint64_t *from = need(0, read), *to = need(1, written);
#pragma omp parallel
    {
        size_t parts = (size_t)omp_get_num_threads() * PIECES, first = omp_get_thread_num();
        uint64_t s = 0;
        for (size_t k = first * PIECES; k < (first + 1) * PIECES; k++) {
            size_t b0 = both * k / parts, b1 = both * (k + 1) / parts;
            size_t r0 = extra_read * k / parts, r1 = extra_read * (k + 1) / parts;
            size_t w0 = extra_write * k / parts, w1 = extra_write * (k + 1) / parts;
            s += sum(from + both + r0, r1 - r0);
            if (in_place)
                update(to + b0, b1 - b0);
            else
                copy(to + b0, from + b0, b1 - b0);
            fill(to + both + w0, w1 - w0, s);
        }
        sink = s;
    }
}

// Enough independent sums to hide the latency of a fused multiply-add in two units.
enum { SUMS = 12 };
typedef float f32x16 __attribute__((vector_size(64)));
typedef double f64x8 __attribute__((vector_size(64)));

static volatile float sink32;
static volatile double sink64;

#define FMA_LOOP(vector, lanes, sink)                                                              \
    do {                                                                                           \
        long steps = (long)(operations / (2.0 * lanes * SUMS)) + 1;                                \
        _Pragma("omp parallel") {                                                                  \
            long n = steps / omp_get_num_threads();                                                \
            vector s[SUMS], a = {0}, b = {0};                                                      \
            a += 0.999f;                                                                           \
            b += 0.001f * (float)(omp_get_thread_num() + 1);                                       \
            for (int i = 0; i < SUMS; i++)                                                         \
                s[i] = a * (float)i;                                                               \
            for (long k = 0; k < n; k++) {                                                         \
                _Pragma("clang loop unroll(full)") for (int i = 0; i < SUMS; i++) s[i] =           \
                    s[i] * a + b;                                                                  \
            }                                                                                      \
            vector t = s[0];                                                                       \
            for (int i = 1; i < SUMS; i++)                                                         \
                t += s[i];                                                                         \
            sink = t[0];                                                                           \
        }                                                                                          \
    } while (0)

void limit_fma32(double operations) {
    FMA_LOOP(f32x16, 16, sink32);
}

void limit_fma64(double operations) {
    FMA_LOOP(f64x8, 8, sink64);
}
