// Panels of b and blocks of rows of a are packed; twelve rows by two vectors of c stay in registers
// (in the portable vectors of GCC and clang, 16 floats wide, which machines with shorter ones
// split).
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef float vector __attribute__((vector_size(64)));
typedef float unaligned __attribute__((vector_size(64), aligned(4)));

enum { LANES = 16, ROWS = 12, WIDTH = 2 * LANES, DEPTH = 128 };

// c (rows of it) gets a block of a, DEPTH x ROWS, by a panel of b, DEPTH x WIDTH, or adds it.
static inline void multiply(const float *a, const float *b, float *c, size_t n, size_t rows,
                            int add) {
    vector s[ROWS][2] = {0};
    for (size_t k = 0; k < DEPTH; k++) {
        vector b0 = *(const unaligned *)(b + k * WIDTH);
        vector b1 = *(const unaligned *)(b + k * WIDTH + LANES);
        for (int y = 0; y < ROWS; y++) {
            s[y][0] += a[k * ROWS + y] * b0;
            s[y][1] += a[k * ROWS + y] * b1;
        }
    }
    for (size_t y = 0; y < ROWS; y++)
        if (y < rows) {
            unaligned *to = (unaligned *)(c + y * n);
            to[0] = add ? to[0] + s[y][0] : s[y][0];
            to[1] = add ? to[1] + s[y][1] : s[y][1];
        }
}

// n: a multiple of DEPTH
void native_matmul(const float *a, const float *b, float *c, int n_) {
    size_t n = n_;
    static float *panels; // kept: fresh pages cost as much as the work on a small matrix
    static size_t capacity;
    if (n > capacity) {
        free(panels);
        panels = aligned_alloc(64, n * DEPTH * sizeof *panels);
        capacity = n;
    }
#pragma omp parallel
    for (size_t k0 = 0; k0 < n; k0 += DEPTH) {
#pragma omp for schedule(static)
        for (size_t x = 0; x < n; x += WIDTH)
            for (size_t k = 0; k < DEPTH; k++)
                memcpy(panels + x * DEPTH + k * WIDTH, b + (k0 + k) * n + x, WIDTH * sizeof *b);
#pragma omp for schedule(dynamic, 1)
        for (size_t y0 = 0; y0 < n; y0 += ROWS) {
            float block[DEPTH * ROWS] __attribute__((aligned(64)));
            size_t rows = n - y0 < ROWS ? n - y0 : ROWS;
            for (size_t y = 0; y < ROWS; y++)
                for (size_t k = 0; k < DEPTH; k++)
                    block[k * ROWS + y] = y < rows ? a[(y0 + y) * n + k0 + k] : 0;
            for (size_t x = 0; x < n; x += WIDTH)
                multiply(block, panels + x * DEPTH, c + y0 * n + x, n, rows, k0 > 0);
        }
    }
}
