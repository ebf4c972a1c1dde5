// The jobs as native code: clang -O3 -march=native -fopenmp.
#include "bench.h"

#include <math.h>
#include <string.h>

void native_saxpy(float a, const float *x, float *y, size_t n) {
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

// Sixteen bodies at a time, IEEE division and square root.
void native_nbody(const float *pos, float *acc, int n) {
#pragma omp parallel for schedule(static)
    for (int i0 = 0; i0 < n; i0 += 16) {
        float x[16], y[16], z[16], ax[16] = {0}, ay[16] = {0}, az[16] = {0};
        for (int l = 0; l < 16; l++) {
            x[l] = pos[4 * (i0 + l)];
            y[l] = pos[4 * (i0 + l) + 1];
            z[l] = pos[4 * (i0 + l) + 2];
        }
        for (int j = 0; j < n; j++) {
            float px = pos[4 * j], py = pos[4 * j + 1], pz = pos[4 * j + 2], m = pos[4 * j + 3];
#pragma omp simd simdlen(16)
            for (int l = 0; l < 16; l++) {
                float dx = px - x[l], dy = py - y[l], dz = pz - z[l];
                float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
                float inv = 1.0f / sqrtf(d2), k = m * inv * inv * inv;
                ax[l] += dx * k;
                ay[l] += dy * k;
                az[l] += dz * k;
            }
        }
        for (int l = 0; l < 16; l++) {
            acc[4 * (i0 + l)] = ax[l];
            acc[4 * (i0 + l) + 1] = ay[l];
            acc[4 * (i0 + l) + 2] = az[l];
            acc[4 * (i0 + l) + 3] = 0;
        }
    }
}

float native_sum(const float *x, size_t n) {
    float s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (size_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

void native_transpose(const float *in, float *out, int n) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int by = 0; by < n; by += 32)
        for (int bx = 0; bx < n; bx += 32)
            for (int y = by; y < by + 32; y++)
#pragma omp simd
                for (int x = bx; x < bx + 32; x++)
                    out[(size_t)y * n + x] = in[(size_t)x * n + y];
}

void native_matmul(const float *a, const float *b, float *c, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i += 4)
        for (int j = 0; j < n; j += 64) {
            float acc[4][64] = {{0}};
            for (int k = 0; k < n; k++)
                for (int r = 0; r < 4; r++) {
                    float v = a[(size_t)(i + r) * n + k];
#pragma omp simd
                    for (int l = 0; l < 64; l++)
                        acc[r][l] += v * b[(size_t)k * n + j + l];
                }
            for (int r = 0; r < 4; r++)
                memcpy(c + (size_t)(i + r) * n + j, acc[r], sizeof acc[r]);
        }
}

void native_stencil(const float *in, float *out, int w, int h) {
#pragma omp parallel for schedule(static)
    for (int y = 1; y < h - 1; y++)
#pragma omp simd
        for (int x = 1; x < w - 1; x++)
            out[(size_t)y * w + x] =
                0.25f * (in[(size_t)y * w + x - 1] + in[(size_t)y * w + x + 1] +
                         in[(size_t)(y - 1) * w + x] + in[(size_t)(y + 1) * w + x]);
}

void native_mandelbrot(int *out, int w, int h, int limit) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int py = 0; py < h; py++) {
        float ci = py * (2.0f / h) - 1.0f;
        for (int px = 0; px < w; px += 16) {
            float cr[16], zr[16] = {0}, zi[16] = {0};
            int n[16] = {0}, live = 1;
            for (int l = 0; l < 16; l++)
                cr[l] = (px + l) * (3.0f / w) - 2.0f;
            for (int k = 0; k < limit && live; k++) {
                live = 0;
#pragma omp simd simdlen(16) reduction(| : live)
                for (int l = 0; l < 16; l++) {
                    int in = zr[l] * zr[l] + zi[l] * zi[l] <= 4.0f;
                    float r = zr[l] * zr[l] - zi[l] * zi[l] + cr[l];
                    float i = 2.0f * zr[l] * zi[l] + ci;
                    zr[l] = in ? r : zr[l];
                    zi[l] = in ? i : zi[l];
                    n[l] += in;
                    live |= in;
                }
            }
            memcpy(out + (size_t)py * w + px, n, sizeof n);
        }
    }
}

void native_histogram(const unsigned char *in, unsigned *bins, size_t n) {
    memset(bins, 0, 256 * sizeof *bins);
#pragma omp parallel
    {
        unsigned own[4][256] = {{0}};
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < n / 4; i++)
            for (int k = 0; k < 4; k++)
                own[k][in[4 * i + k]]++;
#pragma omp critical
        for (int b = 0; b < 256; b++)
            bins[b] += own[0][b] + own[1][b] + own[2][b] + own[3][b];
    }
}

static inline float cnd(float d) {
    return 0.5f * erfcf(-d * 0.70710678f);
}

void native_black_scholes(const float *s, const float *k, const float *t, float *call, float *put,
                          int n) {
    const float r = 0.02f, v = 0.3f;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        float sq = sqrtf(t[i]);
        float d1 = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / (v * sq), d2 = d1 - v * sq;
        float e = k[i] * expf(-r * t[i]);
        call[i] = s[i] * cnd(d1) - e * cnd(d2);
        put[i] = e * cnd(-d2) - s[i] * cnd(-d1);
    }
}
