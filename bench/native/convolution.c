// Loads are shared among results: 7x7 makes four rows by two vectors at a time, rows make four
// vectors. Borders are done one by one.
#include <stddef.h>

typedef float vector __attribute__((vector_size(64)));
typedef float unaligned __attribute__((vector_size(64), aligned(4)));

enum { LANES = 16 };

static float at(const float *in, int x, int y, int w, int h) {
    return x >= 0 && y >= 0 && x < w && y < h ? in[(size_t)y * w + x] : 0;
}

static float one_7x7(const float *in, const float *filter, int x, int y, int w, int h) {
    float s = 0;
    for (int dy = 0; dy < 7; dy++)
        for (int dx = 0; dx < 7; dx++)
            s += filter[dy * 7 + dx] * at(in, x + dx - 3, y + dy - 3, w, h);
    return s;
}

// Four rows of 32 results from (x, y); all their neighbours are inside.
static inline void tile_7x7(const float *in, float *out, const float *filter, int x, int y,
                            size_t w) {
    vector s[4][2] = {0};
#pragma clang loop unroll(full)
    for (int r = 0; r < 10; r++) {
        const float *p = in + (y + r - 3) * w + x - 3;
#pragma clang loop unroll(full)
        for (int dx = 0; dx < 7; dx++) {
            vector a = *(const unaligned *)(p + dx), b = *(const unaligned *)(p + dx + LANES);
#pragma clang loop unroll(full)
            for (int k = 0; k < 4; k++)
                if (r - k >= 0 && r - k < 7) {
                    s[k][0] += filter[(r - k) * 7 + dx] * a;
                    s[k][1] += filter[(r - k) * 7 + dx] * b;
                }
        }
    }
    for (int k = 0; k < 4; k++) {
        *(unaligned *)(out + (y + k) * w + x) = s[k][0];
        *(unaligned *)(out + (y + k) * w + x + LANES) = s[k][1];
    }
}

void native_convolution_7x7(const float *in, float *out, const float *filter, int w, int h) {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < h; y += 4) {
        if (y < 3 || y + 4 + 3 > h) {
            for (int k = y; k < y + 4; k++)
                for (int x = 0; x < w; x++)
                    out[(size_t)k * w + x] = one_7x7(in, filter, x, k, w, h);
            continue;
        }
        int first = 3, last = w - 3;
        for (int x = first; x < last; x += 2 * LANES)
            tile_7x7(in, out, filter, x + 2 * LANES <= last ? x : last - 2 * LANES, y, w);
        for (int k = y; k < y + 4; k++)
            for (int x = 0; x < 3; x++) {
                out[(size_t)k * w + x] = one_7x7(in, filter, x, k, w, h);
                out[(size_t)k * w + w - 1 - x] = one_7x7(in, filter, w - 1 - x, k, w, h);
            }
    }
}

static float one_row(const float *in, const float *filter, int x, int w) {
    float s = 0;
    for (int k = 0; k < 17; k++)
        s += filter[k] * (x + k - 8 >= 0 && x + k - 8 < w ? in[x + k - 8] : 0);
    return s;
}

static inline void strip_rows(const float *p, float *q, const vector *f, int x) {
    vector s[4] = {0};
#pragma clang loop unroll(full)
    for (int k = 0; k < 17; k++)
#pragma clang loop unroll(full)
        for (int i = 0; i < 4; i++)
            s[i] += f[k] * *(const unaligned *)(p + x + i * LANES + k - 8);
    for (int i = 0; i < 4; i++)
        *(unaligned *)(q + x + i * LANES) = s[i];
}

void native_convolution_rows(const float *in, float *out, const float *filter, int w, int h) {
    vector f[17];
    for (int k = 0; k < 17; k++)
        f[k] = (vector){0} + filter[k];
#pragma omp parallel for schedule(static)
    for (int y = 0; y < h; y++) {
        const float *p = in + (size_t)y * w;
        float *q = out + (size_t)y * w;
        int last = w - 8 - 4 * LANES;
        for (int x = 8; x < w - 8; x += 4 * LANES)
            strip_rows(p, q, f, x < last ? x : last);
        for (int x = 0; x < 8; x++) {
            q[x] = one_row(p, filter, x, w);
            q[w - 1 - x] = one_row(p, filter, w - 1 - x, w);
        }
    }
}
