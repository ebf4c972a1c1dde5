#include <immintrin.h>
#include <stddef.h>
#include <stdlib.h>
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

// 32 columns of the panel right of the diagonal; keeps a copy that is packed.
static void right(const float *d, float *p, float *packed, int n) {
    for (int i = 0; i < BLOCK; i++) {
        float *row = packed + i * BLOCK;
        memcpy(row, p + (size_t)i * n, BLOCK * sizeof *row);
        for (int j = 0; j < i; j++) {
            float f = d[(size_t)i * n + j];
#pragma omp simd
            for (int x = 0; x < BLOCK; x++)
                row[x] -= f * packed[j * BLOCK + x];
        }
        memcpy(p + (size_t)i * n, row, BLOCK * sizeof *row);
    }
}

// 32 rows of the panel below the diagonal, eight at a time in registers.
static void below(const float *d, float *p, int n) {
    for (int y0 = 0; y0 < BLOCK; y0 += 8) {
        __m512 r[8][2];
        for (int y = 0; y < 8; y++)
            for (int h = 0; h < 2; h++)
                r[y][h] = _mm512_loadu_ps(p + (size_t)(y0 + y) * n + 16 * h);
        for (int i = 0; i < BLOCK; i++) {
            const float *row = d + (size_t)i * n;
            __m512 inverse = _mm512_set1_ps(1.0f / row[i]);
            __m512i lane = _mm512_set1_epi32(i % 16);
            unsigned right = i < 31 ? ~0u << (i + 1) : 0;
            __m512 d0 = _mm512_maskz_loadu_ps((__mmask16)right, row);
            __m512 d1 = _mm512_maskz_loadu_ps((__mmask16)(right >> 16), row + 16);
            for (int y = 0; y < 8; y++) {
                __m512 f = _mm512_permutexvar_ps(lane, i < 16 ? r[y][0] : r[y][1]) * inverse;
                r[y][0] =
                    _mm512_mask_mov_ps(_mm512_fnmadd_ps(f, d0, r[y][0]), (__mmask16)(1u << i), f);
                r[y][1] = _mm512_mask_mov_ps(_mm512_fnmadd_ps(f, d1, r[y][1]),
                                             (__mmask16)(1u << i >> 16), f);
            }
        }
        for (int y = 0; y < 8; y++)
            for (int h = 0; h < 2; h++)
                _mm512_storeu_ps(p + (size_t)(y0 + y) * n + 16 * h, r[y][h]);
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
    float *packed = aligned_alloc(64, (size_t)n * BLOCK * sizeof *packed);
#pragma omp parallel
    for (int k = 0; k < n; k += BLOCK) {
        float *d = a + (size_t)k * n + k;
#pragma omp single
        diagonal(d, n);
#pragma omp for schedule(static) nowait
        for (int x = k + BLOCK; x < n; x += BLOCK)
            right(d, a + (size_t)k * n + x, packed + (size_t)x * BLOCK, n);
#pragma omp for schedule(static)
        for (int y = k + BLOCK; y < n; y += BLOCK)
            below(d, a + (size_t)y * n + k, n);
#pragma omp for schedule(static)
        for (int y = k + BLOCK; y < n; y += 8)
            for (int x = k + BLOCK; x < n; x += BLOCK)
                rest(a + (size_t)y * n + k, packed + (size_t)x * BLOCK, a + (size_t)y * n + x, n);
    }
    free(packed);
}
