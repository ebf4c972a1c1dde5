// Tiles of 16x16 transposed in registers; the tiles of a thread go down a column of blocks, so that
// whole lines are written.
#include <immintrin.h>
#include <stddef.h>

#if defined __AVX512F__
enum { TILE = 16 };

static inline void transpose_tile(const float *in, float *out, size_t n) {
    __m512 r[16], t[16];
    for (int i = 0; i < 16; i++)
        r[i] = _mm512_loadu_ps(in + i * n);
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4)
        for (int k = 0; k < 2; k++) {
            __m512d a = _mm512_castps_pd(t[i + k]), b = _mm512_castps_pd(t[i + k + 2]);
            r[i + 2 * k] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            r[i + 2 * k + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
    }
    for (int i = 0; i < 8; i++) {
        _mm512_storeu_ps(out + i * n, _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88));
        _mm512_storeu_ps(out + (i + 8) * n, _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd));
    }
}
#else
enum { TILE = 32 };

static inline void transpose_tile(const float *in, float *out, size_t n) {
    for (size_t y = 0; y < TILE; y++)
#pragma omp simd
        for (size_t x = 0; x < TILE; x++)
            out[y * n + x] = in[x * n + y];
}
#endif

void native_transpose(const float *in, float *out, int n) {
    size_t w = n;
#pragma omp parallel for collapse(2) schedule(static)
    for (size_t by = 0; by < w; by += 64)
        for (size_t bx = 0; bx < w; bx += 64)
            for (size_t y = by; y < by + 64; y += TILE)
                for (size_t x = bx; x < bx + 64; x += TILE)
                    transpose_tile(in + x * w + y, out + y * w + x, w);
}
