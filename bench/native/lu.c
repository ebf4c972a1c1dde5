#include <immintrin.h>
#include <stddef.h>
#include <string.h>

enum { BLOCK = 32 };

static void diagonal(float *a, int n) {
    for (int i = 0; i < BLOCK; i++)
        for (int y = i + 1; y < BLOCK; y++) {
            float *row = a + (size_t)y * n, f = row[i] / a[(size_t)i * n + i];
            row[i] = f;
#pragma omp simd
            for (int x = i + 1; x < BLOCK; x++)
                row[x] -= f * a[(size_t)i * n + x];
        }
}

// Rows of the panel right of the diagonal, 32 columns.
static void right(const float *d, float *p, int n) {
    for (int i = 1; i < BLOCK; i++)
        for (int j = 0; j < i; j++) {
            float f = d[(size_t)i * n + j];
#pragma omp simd
            for (int x = 0; x < BLOCK; x++)
                p[(size_t)i * n + x] -= f * p[(size_t)j * n + x];
        }
}

// 32 rows of the panel below the diagonal.
static void below(const float *d, float *p, int n) {
    for (int y = 0; y < BLOCK; y++) {
        float *row = p + (size_t)y * n;
        for (int i = 0; i < BLOCK; i++) {
            float f = row[i] / d[(size_t)i * n + i];
            row[i] = f;
#pragma omp simd
            for (int x = i + 1; x < BLOCK; x++)
                row[x] -= f * d[(size_t)i * n + x];
        }
    }
}

// 8 rows and 32 columns of the rest, in 16 registers; above: packed.
static void rest(const float *left, const float *above, float *c, int n) {
    __m512 s[8][2];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 2; x++)
            s[y][x] = _mm512_loadu_ps(c + (size_t)y * n + 16 * x);
    for (int j = 0; j < BLOCK; j++) {
        __m512 b0 = _mm512_loadu_ps(above + j * BLOCK);
        __m512 b1 = _mm512_loadu_ps(above + j * BLOCK + 16);
        for (int y = 0; y < 8; y++) {
            __m512 f = _mm512_set1_ps(left[(size_t)y * n + j]);
            s[y][0] = _mm512_fnmadd_ps(f, b0, s[y][0]);
            s[y][1] = _mm512_fnmadd_ps(f, b1, s[y][1]);
        }
    }
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 2; x++)
            _mm512_storeu_ps(c + (size_t)y * n + 16 * x, s[y][x]);
}

void native_lu(float *a, int n) {
#pragma omp parallel
    for (int k = 0; k < n; k += BLOCK) {
        float *d = a + (size_t)k * n + k;
#pragma omp single
        diagonal(d, n);
#pragma omp for schedule(static) nowait
        for (int x = k + BLOCK; x < n; x += BLOCK)
            right(d, a + (size_t)k * n + x, n);
#pragma omp for schedule(static)
        for (int y = k + BLOCK; y < n; y += BLOCK)
            below(d, a + (size_t)y * n + k, n);
#pragma omp for schedule(static)
        for (int x = k + BLOCK; x < n; x += BLOCK) {
            float above[BLOCK][BLOCK] __attribute__((aligned(64)));
            for (int i = 0; i < BLOCK; i++)
                memcpy(above[i], a + (size_t)(k + i) * n + x, sizeof above[i]);
            for (int y = k + BLOCK; y < n; y += 8)
                rest(a + (size_t)y * n + k, &above[0][0], a + (size_t)y * n + x, n);
        }
    }
}
