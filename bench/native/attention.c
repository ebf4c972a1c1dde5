#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { HEAD = 64, KEYS = 128, QUERIES = 8 };

__m512 _ZGVeN16v_expf(__m512); // the C library's vector function

// 8 rows of a by depth x 32 columns of b, added to 8 x 32 of c.
static inline void multiply(const float *a, int a_row, const float *b, int b_row, float *c,
                            int c_row, int depth) {
    __m512 s[QUERIES][2];
    for (int y = 0; y < QUERIES; y++)
        for (int h = 0; h < 2; h++)
            s[y][h] = _mm512_loadu_ps(c + y * c_row + 16 * h);
    for (int j = 0; j < depth; j++) {
        __m512 b0 = _mm512_loadu_ps(b + (size_t)j * b_row);
        __m512 b1 = _mm512_loadu_ps(b + (size_t)j * b_row + 16);
        for (int y = 0; y < QUERIES; y++) {
            __m512 f = _mm512_set1_ps(a[y * a_row + j]);
            s[y][0] = _mm512_fmadd_ps(f, b0, s[y][0]);
            s[y][1] = _mm512_fmadd_ps(f, b1, s[y][1]);
        }
    }
    for (int y = 0; y < QUERIES; y++)
        for (int h = 0; h < 2; h++)
            _mm512_storeu_ps(c + y * c_row + 16 * h, s[y][h]);
}

// One row of scores becomes weights; the row's sum and output are scaled to the new maximum.
static inline void weigh(float *s, float *most, float *sum, float *o) {
    __m512 largest = _mm512_set1_ps(*most), total = _mm512_setzero_ps();
    for (int j = 0; j < KEYS; j += 16)
        largest = _mm512_max_ps(largest, _mm512_load_ps(s + j));
    float m = _mm512_reduce_max_ps(largest), keep = expf(*most - m);
    for (int j = 0; j < KEYS; j += 16) {
        __m512 e = _ZGVeN16v_expf(_mm512_load_ps(s + j) - m);
        total += e;
        _mm512_store_ps(s + j, e);
    }
    *sum = *sum * keep + _mm512_reduce_add_ps(total);
    if (keep != 1)
        for (int d = 0; d < HEAD; d += 16)
            _mm512_store_ps(o + d, keep * _mm512_load_ps(o + d));
    *most = m;
}

// Eight queries against all keys; kt: the keys, transposed.
static void queries(const float *q, const float *kt, const float *v, float *out, int n) {
    float a[QUERIES * HEAD] __attribute__((aligned(64)));
    float o[QUERIES * HEAD] __attribute__((aligned(64))) = {0};
    float most[QUERIES], sum[QUERIES] = {0};
    for (int i = 0; i < QUERIES * HEAD; i++)
        a[i] = q[i] * 0.125f;
    for (int y = 0; y < QUERIES; y++)
        most[y] = -INFINITY;
    for (int t = 0; t < n; t += KEYS) {
        float s[QUERIES * KEYS] __attribute__((aligned(64))) = {0};
        for (int j = 0; j < KEYS; j += 32)
            multiply(a, HEAD, kt + (size_t)t * HEAD + j, KEYS, s + j, KEYS, HEAD);
        for (int y = 0; y < QUERIES; y++)
            weigh(s + y * KEYS, &most[y], &sum[y], o + y * HEAD);
        for (int d = 0; d < HEAD; d += 32)
            multiply(s, KEYS, v + (size_t)t * HEAD + d, HEAD, o + d, HEAD, KEYS);
    }
    for (int y = 0; y < QUERIES; y++)
        for (int d = 0; d < HEAD; d++)
            out[y * HEAD + d] = o[y * HEAD + d] / sum[y];
}

void native_attention(const float *q, const float *k, const float *v, float *out, int n,
                      int heads) {
    size_t head = (size_t)n * HEAD;
    float *kt = aligned_alloc(64, heads * head * sizeof *kt);
#pragma omp parallel
    {
#pragma omp for collapse(2) schedule(static)
        for (int h = 0; h < heads; h++)
            for (int t = 0; t < n; t += KEYS) // tiles of HEAD x KEYS
                for (int d = 0; d < HEAD; d++)
                    for (int j = 0; j < KEYS; j++)
                        kt[h * head + (size_t)t * HEAD + d * KEYS + j] =
                            k[h * head + (size_t)(t + j) * HEAD + d];
#pragma omp for collapse(2) schedule(static)
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < n; i += QUERIES)
                queries(q + h * head + (size_t)i * HEAD, kt + h * head, v + h * head,
                        out + h * head + (size_t)i * HEAD, n);
    }
    free(kt);
}
