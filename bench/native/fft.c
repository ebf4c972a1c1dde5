// Radix 4, sixteen butterflies at a time on real and imaginary parts apart; the first two steps
// leave through shuffles, the others in whole vectors.
#include <stddef.h>
#include <string.h>

typedef float vector __attribute__((vector_size(64)));
typedef float unaligned __attribute__((vector_size(64), aligned(4)));

enum { N = 1024, QUARTER = N / 4, LANES = 16 };

static float twiddle[5][3][2][QUARTER]; // of each step: root r * k, real and imaginary

static void make_twiddles(const float *roots) {
    for (int step = 0, s = 1; s < N; s *= 4, step++)
        for (int r = 1; r < 4; r++)
            for (int t = 0; t < QUARTER; t++)
                for (int c = 0; c < 2; c++)
                    twiddle[step][r - 1][c][t] = roots[2 * (r * (t % s) * (QUARTER / s)) + c];
}

static inline vector load(const float *p) {
    return *(const unaligned *)p;
}

static inline void store(float *p, vector v) {
    *(unaligned *)p = v;
}

#define ZIP1_LOW(a, b)                                                                             \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define ZIP1_HIGH(a, b)                                                                            \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define ZIP4_LOW(a, b)                                                                             \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
#define ZIP4_HIGH(a, b)                                                                            \
    __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)

// Four vectors of butterflies t..t+15 to their places in a step of stride s.
static inline void leave(float *to, const vector *v, int t, int s) {
    if (s == 1) {
        vector p = ZIP1_LOW(v[0], v[2]), q = ZIP1_LOW(v[1], v[3]);
        vector u = ZIP1_HIGH(v[0], v[2]), w = ZIP1_HIGH(v[1], v[3]);
        store(to + 4 * t, ZIP1_LOW(p, q));
        store(to + 4 * t + 16, ZIP1_HIGH(p, q));
        store(to + 4 * t + 32, ZIP1_LOW(u, w));
        store(to + 4 * t + 48, ZIP1_HIGH(u, w));
    } else if (s == 4) {
        vector p = ZIP4_LOW(v[0], v[2]), q = ZIP4_LOW(v[1], v[3]);
        vector u = ZIP4_HIGH(v[0], v[2]), w = ZIP4_HIGH(v[1], v[3]);
        store(to + 4 * t, ZIP4_LOW(p, q));
        store(to + 4 * t + 16, ZIP4_HIGH(p, q));
        store(to + 4 * t + 32, ZIP4_LOW(u, w));
        store(to + 4 * t + 48, ZIP4_HIGH(u, w));
    } else {
        for (int r = 0; r < 4; r++)
            store(to + (t - t % s) * 4 + t % s + r * s, v[r]);
    }
}

static inline void step(const float *re, const float *im, float *to_re, float *to_im, int number,
                        int s) {
    for (int t = 0; t < QUARTER; t += LANES) {
        vector x[4], y[4];
        for (int r = 0; r < 4; r++) {
            vector a = load(re + t + r * QUARTER), b = load(im + t + r * QUARTER);
            x[r] = a;
            y[r] = b;
            if (r > 0 && s > 1) {
                vector c = load(&twiddle[number][r - 1][0][t]);
                vector d = load(&twiddle[number][r - 1][1][t]);
                x[r] = a * c - b * d;
                y[r] = a * d + b * c;
            }
        }
        vector ax = x[0] + x[2], ay = y[0] + y[2], bx = x[0] - x[2], by = y[0] - y[2];
        vector cx = x[1] + x[3], cy = y[1] + y[3], dx = y[1] - y[3], dy = x[3] - x[1];
        vector u[4] = {ax + cx, bx + dx, ax - cx, bx - dx};
        vector v[4] = {ay + cy, by + dy, ay - cy, by - dy};
        leave(to_re, u, t, s);
        leave(to_im, v, t, s);
    }
}

void native_fft(const float *in, float *out, const float *roots, int count) {
    if (twiddle[0][0][0][0] == 0)
        make_twiddles(roots);
#pragma omp parallel for schedule(static)
    for (int f = 0; f < count; f++) {
        float re[2][N], im[2][N];
        const float *from = in + (size_t)f * 2 * N;
        float *to = out + (size_t)f * 2 * N;
#pragma omp simd
        for (int i = 0; i < N; i++) {
            re[0][i] = from[2 * i];
            im[0][i] = from[2 * i + 1];
        }
        step(re[0], im[0], re[1], im[1], 0, 1);
        step(re[1], im[1], re[0], im[0], 1, 4);
        step(re[0], im[0], re[1], im[1], 2, 16);
        step(re[1], im[1], re[0], im[0], 3, 64);
        step(re[0], im[0], re[1], im[1], 4, 256);
#pragma omp simd
        for (int i = 0; i < N; i++) {
            to[2 * i] = re[1][i];
            to[2 * i + 1] = im[1][i];
        }
    }
}
