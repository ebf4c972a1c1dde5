// The jobs of kernels.cu as a programmer for CPUs would write them down first.
#include <math.h>
#include <stddef.h>

#include "simple.h"

#define R restrict

void plain_saxpy(int n, float a, const float *R x, float *R y) {
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

void plain_update4(int n, float *R a, float *R b, float *R c, float *R d) {
    for (int i = 0; i < n; i++) {
        float t = a[i] + b[i];
        a[i] = t * 0.5f;
        b[i] = c[i] - t;
        c[i] = d[i] + a[i];
        d[i] = d[i] * 0.99f;
    }
}

void plain_cross(int n, float *R a, const float *R b) {
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++)
            a[y * n + x] =
                0.25f * (b[y * n + x - 1] + b[y * n + x + 1] + b[y * n + x - n] + b[y * n + x + n]);
}

void plain_particles(int n, P *p, float dt) {
    for (int i = 0; i < n; i++) {
        P q = p[i];
        q.x += q.vx * dt;
        q.y += q.vy * dt;
        q.z += q.vz * dt;
        q.vy -= 9.8f * dt;
        p[i] = q;
    }
}

void plain_rowsum(int n, int m, const float *R a, float *R s) {
    for (int i = 0; i < n; i++) {
        float t = 0;
        for (int k = 0; k < m; k++)
            t += a[i * m + k];
        s[i] = t;
    }
}

void plain_colsum(int n, int m, const float *R a, float *R s) {
    for (int i = 0; i < m; i++)
        s[i] = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++)
            s[i] += a[k * m + i];
}

void plain_poly(int n, const float *R x, float *R y) {
    for (int i = 0; i < n; i++) {
        float v = x[i], r = 0;
        for (int k = 0; k < 16; k++)
            r = r * v + (k + 1);
        y[i] = r;
    }
}

void plain_gray(int n, const unsigned char *R rgb, unsigned char *R g) {
    for (int i = 0; i < n; i++)
        g[i] = (unsigned char)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
}

void plain_gather(int n, const int *R idx, const float *R x, float *R y) {
    for (int i = 0; i < n; i++)
        y[i] = x[idx[i]];
}

void plain_by_sign(int n, const float *R x, float *R y) {
    for (int i = 0; i < n; i++) {
        float v = x[i];
        if (v > 0)
            y[i] = sqrtf(v) * 2;
        else
            y[i] = v * v + 1;
    }
}

void plain_daxpy(int n, double a, const double *R x, double *R y) {
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

void plain_matmul(int n, const float *R a, const float *R b, float *R c) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            c[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

void plain_transpose(int n, const float *R a, float *R b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[j * n + i] = a[i * n + j];
}

void plain_blur_row(int w, int h, const unsigned char *R in, unsigned char *R out) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int l = x > 0 ? x - 1 : 0, r = x + 1 < w ? x + 1 : w - 1;
            for (int c = 0; c < 3; c++)
                out[4 * (y * w + x) + c] = (in[4 * (y * w + l) + c] + 2 * in[4 * (y * w + x) + c] +
                                            in[4 * (y * w + r) + c]) >>
                                           2;
            out[4 * (y * w + x) + 3] = 255;
        }
}

void plain_hash(int n, const unsigned *R x, unsigned *R y) {
    for (int i = 0; i < n; i++) {
        unsigned v = x[i];
        v ^= v << 13;
        v ^= v >> 17;
        v ^= v << 5;
        y[i] = __builtin_popcount(v) + (v & 255);
    }
}

void plain_stencil_3d(int n, const float *R a, float *R b) {
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                int i = (z * n + y) * n + x;
                b[i] = a[i] * -6 + a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] +
                       a[i + n * n];
            }
}

void plain_mandel(int w, int h, int *R out) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float cx = -2 + 3.f * x / w, cy = -1 + 2.f * y / h, zx = 0, zy = 0;
            int k = 0;
            while (k < 100 && zx * zx + zy * zy < 4) {
                float t = zx * zx - zy * zy + cx;
                zy = 2 * zx * zy + cy;
                zx = t;
                k++;
            }
            out[y * w + x] = k;
        }
}

void plain_spmv(int n, const int *R row, const int *R col, const float *R val, const float *R x,
                float *R y) {
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = row[i]; k < row[i + 1]; k++)
            s += val[k] * x[col[k]];
        y[i] = s;
    }
}

void plain_block_sum(int n, const float *R x, float *R s) {
    float t = 0;
    for (int i = 0; i < n; i++)
        t += x[i];
    *s += t;
}

void plain_histogram(int n, const unsigned char *R x, unsigned *R h) {
    for (int i = 0; i < n; i++)
        h[x[i]]++;
}

void plain_nearest(int n, int m, const float *R px, const float *R py, const float *R qx,
                   const float *R qy, int *R best) {
    for (int i = 0; i < n; i++) {
        float d = 1e30f;
        int b = 0;
        for (int k = 0; k < m; k++) {
            float dx = px[i] - qx[k], dy = py[i] - qy[k], e = dx * dx + dy * dy;
            if (e < d) {
                d = e;
                b = k;
            }
        }
        best[i] = b;
    }
}

void plain_box_filter(int n, const float *R x, float *R y, int r) {
    for (int i = 0; i < n; i++) {
        float s = 0;
        int c = 0;
        for (int k = -r; k <= r; k++) {
            int j = i + k;
            if (j >= 0 && j < n) {
                s += x[j];
                c++;
            }
        }
        y[i] = s / c;
    }
}

void plain_shorts(int n, const short *R a, const short *R b, short *R c) {
    for (int i = 0; i < n; i++)
        c[i] = (short)((a[i] * b[i]) >> 8) + a[i];
}

void plain_table(int n, const unsigned char *R x, const float *R t, float *R y) {
    for (int i = 0; i < n; i++)
        y[i] = t[x[i]];
}

void plain_histograms(int n, const unsigned char *R x, const unsigned char *R y, unsigned *R h,
                      unsigned *R g) {
    for (int i = 0; i < n; i++) {
        h[x[i]]++;
        g[y[i]] += x[i];
    }
}

void plain_scatter(int n, const int *R ix, unsigned *R o) {
    for (int i = 0; i < n; i++)
        o[ix[i]] += 3;
}

void plain_turned(int w, int h, const float *R in, float *R out, float c, float s) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float u = c * (x - w / 2) - s * (y - h / 2) + w / 2;
            float v = s * (x - w / 2) + c * (y - h / 2) + h / 2;
            float r = 0;
            if (u >= 0 && v >= 0 && u < w - 1 && v < h - 1) {
                int i = (int)u, j = (int)v;
                float a = u - i, b = v - j;
                const float *p = in + j * w + i;
                r = (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[w] + a * p[w + 1]);
            }
            out[y * w + x] = r;
        }
}

void plain_binomial(int n, const float *R spot, float *R price) {
    for (int k = 0; k < n; k++) {
        float v[25], up = 1.02f, down = 1 / up, s = spot[k] + 60, p = s;
        for (int i = 0; i < 24; i++)
            p *= down;
        for (int i = 0; i <= 24; i++, p *= up * up)
            v[i] = fmaxf(100 - p, 0);
        for (int t = 23; t >= 0; t--)
            for (int i = 0; i <= t; i++)
                v[i] = fmaxf(0.998f * (0.5f * v[i] + 0.5f * v[i + 1]), 100 - s);
        price[k] = v[0];
    }
}

void plain_filtered(int channels, int steps, const short *R in, short *R out) {
    int a[512] = {0}, b[512] = {0};
    for (int t = 0; t < steps; t++)
        for (int c = 0; c < channels; c++) {
            int x = in[t * channels + c];
            int y = (x * 3000 + a[c] * 9000 - b[c] * 4000) >> 13;
            y = y > 32767 ? 32767 : y < -32768 ? -32768 : y;
            b[c] = a[c];
            a[c] = y;
            out[t * channels + c] = (short)y;
        }
}

void plain_checksums(int n, const unsigned char *R data, const unsigned *R t, unsigned *R sum) {
    for (int k = 0; k < n; k++) {
        unsigned c = ~0u;
        for (int i = 0; i < 24; i++)
            c = t[(c ^ data[k * 24 + i]) & 255] ^ (c >> 8);
        sum[k] = ~c;
    }
}

static void in_order(unsigned char *a, unsigned char *b) {
    unsigned char c = *a < *b ? *a : *b;
    *b = *a < *b ? *b : *a;
    *a = c;
}

void plain_median(int w, int h, const unsigned char *R in, unsigned char *R out) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            unsigned char v[9];
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) {
                    int r = y + j < 0 ? 0 : y + j < h ? y + j : h - 1;
                    int q = x + i < 0 ? 0 : x + i < w ? x + i : w - 1;
                    v[(j + 1) * 3 + i + 1] = in[r * w + q];
                }
            for (int j = 0; j < 5; j++)
                for (int i = j + 1; i < 9; i++)
                    in_order(&v[j], &v[i]);
            out[y * w + x] = v[4];
        }
}
