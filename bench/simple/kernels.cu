// Kernels as they are written first, beside plain C for the same job on one thread: no row of
// the benchmark, and nothing that the compiler was made for. simple.sh builds and runs it.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <vector>

#include "simple.h"

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

__global__ void saxpy_stride(int n, float a, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] += a * x[i];
}

__global__ void update4(int n, float *a, float *b, float *c, float *d) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float t = a[i] + b[i];
        a[i] = t * 0.5f;
        b[i] = c[i] - t;
        c[i] = d[i] + a[i];
        d[i] = d[i] * 0.99f;
    }
}

__global__ void cross(int n, float *a, const float *b) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        a[y * n + x] =
            0.25f * (b[y * n + x - 1] + b[y * n + x + 1] + b[y * n + x - n] + b[y * n + x + n]);
}

__global__ void particles(int n, P *p, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    P q = p[i];
    q.x += q.vx * dt;
    q.y += q.vy * dt;
    q.z += q.vz * dt;
    q.vy -= 9.8f * dt;
    p[i] = q;
}

__global__ void rowsum(int n, int m, const float *a, float *s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float t = 0;
        for (int k = 0; k < m; k++)
            t += a[i * m + k];
        s[i] = t;
    }
}

__global__ void colsum(int n, int m, const float *a, float *s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        float t = 0;
        for (int k = 0; k < n; k++)
            t += a[k * m + i];
        s[i] = t;
    }
}

__global__ void poly(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i], r = 0;
        for (int k = 0; k < 16; k++)
            r = r * v + (k + 1);
        y[i] = r;
    }
}

__global__ void gray(int n, const unsigned char *rgb, unsigned char *g) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        g[i] = (unsigned char)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
}

__global__ void gather(int n, const int *idx, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[idx[i]];
}

__global__ void by_sign(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        if (v > 0)
            y[i] = sqrtf(v) * 2;
        else
            y[i] = v * v + 1;
    }
}

__global__ void daxpy(int n, double a, const double *x, double *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

__global__ void matmul(int n, const float *a, const float *b, float *c) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        float s = 0;
        for (int k = 0; k < n; k++)
            s += a[i * n + k] * b[k * n + j];
        c[i * n + j] = s;
    }
}

__global__ void transpose(int n, const float *a, float *b) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        b[j * n + i] = a[i * n + j];
}

__global__ void blur_row(int w, int h, const uchar4 *in, uchar4 *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int l = max(x - 1, 0), r = min(x + 1, w - 1);
    uchar4 a = in[y * w + l], b = in[y * w + x], c = in[y * w + r], o;
    o.x = (a.x + 2 * b.x + c.x) >> 2;
    o.y = (a.y + 2 * b.y + c.y) >> 2;
    o.z = (a.z + 2 * b.z + c.z) >> 2;
    o.w = 255;
    out[y * w + x] = o;
}

__global__ void hash(int n, const unsigned *x, unsigned *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned v = x[i];
        v ^= v << 13;
        v ^= v >> 17;
        v ^= v << 5;
        y[i] = __popc(v) + (v & 255);
    }
}

__global__ void stencil_3d(int n, const float *a, float *b) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    int i = (z * n + y) * n + x;
    b[i] = a[i] * -6 + a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n];
}

__global__ void mandel(int w, int h, int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
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

__global__ void spmv(int n, const int *row, const int *col, const float *val, const float *x,
                     float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0;
        for (int k = row[i]; k < row[i + 1]; k++)
            s += val[k] * x[col[k]];
        y[i] = s;
    }
}

__global__ void block_sum(int n, const float *x, float *s) {
    __shared__ float t[256];
    float v = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        v += x[i];
    t[threadIdx.x] = v;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (threadIdx.x < d)
            t[threadIdx.x] += t[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(s, t[0]);
}

__global__ void histogram(int n, const unsigned char *x, unsigned *h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&h[x[i]], 1);
}

__global__ void nearest(int n, int m, const float *px, const float *py, const float *qx,
                        const float *qy, int *best) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
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

__global__ void box_filter(int n, const float *x, float *y, int r) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
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

__global__ void shorts(int n, const short *a, const short *b, short *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = (short)((a[i] * b[i]) >> 8) + a[i];
}

__global__ void table(int n, const unsigned char *x, const float *t, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = t[x[i]];
}

__global__ void histograms(int n, const unsigned char *x, const unsigned char *y, unsigned *h,
                           unsigned *g) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&h[x[i]], 1);
        atomicAdd(&g[y[i]], x[i]);
    }
}

__global__ void scatter(int n, const int *ix, unsigned *o) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&o[ix[i]], 3);
}

// A picture turned by an angle: four points of it for each new one.
__global__ void turned(int w, int h, const float *in, float *out, float c, float s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float u = c * (x - w / 2) - s * (y - h / 2) + w / 2,
          v = s * (x - w / 2) + c * (y - h / 2) + h / 2;
    float r = 0;
    if (u >= 0 && v >= 0 && u < w - 1 && v < h - 1) {
        int i = (int)u, j = (int)v;
        float a = u - i, b = v - j;
        const float *p = in + j * w + i;
        r = (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[w] + a * p[w + 1]);
    }
    out[y * w + x] = r;
}

// An American put by a binomial tree in each thread's own array.
__global__ void binomial(int n, const float *spot, float *price) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    float v[25], up = 1.02f, down = 1 / up, s = spot[k] + 60;
    float p = s;
    for (int i = 0; i < 24; i++)
        p *= down;
    for (int i = 0; i <= 24; i++, p *= up * up)
        v[i] = fmaxf(100 - p, 0);
    for (int t = 23; t >= 0; t--)
        for (int i = 0; i <= t; i++)
            v[i] = fmaxf(0.998f * (0.5f * v[i] + 0.5f * v[i + 1]), 100 - s);
    price[k] = v[0];
}

// A filter of sound with feedback, a channel a thread.
__global__ void filtered(int channels, int steps, const short *in, short *out) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels)
        return;
    int a = 0, b = 0;
    for (int t = 0; t < steps; t++) {
        int x = in[t * channels + c];
        int y = (x * 3000 + a * 9000 - b * 4000) >> 13;
        y = y > 32767 ? 32767 : y < -32768 ? -32768 : y;
        b = a;
        a = y;
        out[t * channels + c] = (short)y;
    }
}

// Checksums of packets of 24 bytes.
__global__ void checksums(int n, const unsigned char *data, const unsigned *t, unsigned *sum) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    unsigned c = ~0u;
    for (int i = 0; i < 24; i++)
        c = t[(c ^ data[k * 24 + i]) & 255] ^ (c >> 8);
    sum[k] = ~c;
}

// The middle of nine bytes of a picture.
__device__ void in_order(unsigned char &a, unsigned char &b) {
    unsigned char c = a < b ? a : b;
    b = a < b ? b : a;
    a = c;
}
__global__ void median(int w, int h, const unsigned char *in, unsigned char *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    unsigned char v[9];
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            v[(j + 1) * 3 + i + 1] = in[min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)];
    for (int j = 0; j < 5; j++)
        for (int i = j + 1; i < 9; i++)
            in_order(v[j], v[i]);
    out[y * w + x] = v[4];
}

namespace {

constexpr int N = 1 << 18, BLOCKS = N / 256, SIDE = 500, CUBE = 60, REPETITIONS = 40;

// What a row writes; it is compared before anything is timed.
struct Output {
    void *p;
    size_t bytes;
    bool floats;
};

template <class T> T *buffer(size_t n, int least = -50) {
    static unsigned seed = 1;
    T *p;
    cudaMallocManaged(&p, n * sizeof(T));
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        p[i] = (T)((int)((seed >> 16) % 200) + least);
    }
    return p;
}

template <class T> Output output(T *p, size_t n, bool floats = false) {
    return {p, n * sizeof(T), floats};
}

// Processor time, which other processes do not lengthen.
double seconds(const std::function<void()> &f) {
    timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    f();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

// Sums of floats may come in another order.
bool are_alike(const Output &o, const std::vector<char> &other) {
    if (!o.floats)
        return !memcmp(o.p, other.data(), o.bytes);
    const float *x = (const float *)o.p, *y = (const float *)other.data();
    for (size_t i = 0; i < o.bytes / sizeof(float); i++)
        if (!(std::fabs(x[i] - y[i]) <= 1e-4f * std::fmax(std::fabs(x[i]), 1)))
            return false;
    return true;
}

struct Table {
    const char *only = nullptr;
    double logarithms = 0;
    int rows = 0, wrong = 0;

    void row(const char *name, const std::function<void()> &launch,
             const std::function<void()> &plain, const std::vector<Output> &outputs) {
        if (only && !strstr(name, only))
            return;
        auto kernel = [&] {
            launch();
            cudaDeviceSynchronize();
        };
        std::vector<std::vector<char>> before, after;
        for (const Output &o : outputs)
            before.emplace_back((char *)o.p, (char *)o.p + o.bytes);
        kernel();
        for (size_t i = 0; i < outputs.size(); i++) {
            const Output &o = outputs[i];
            after.emplace_back((char *)o.p, (char *)o.p + o.bytes);
            memcpy(o.p, before[i].data(), o.bytes);
        }
        plain();
        bool right = true;
        for (size_t i = 0; i < outputs.size(); i++)
            right &= are_alike(outputs[i], after[i]);
        double ours = 1e30, theirs = 1e30;
        for (int k = 0; k < REPETITIONS; k++) {
            ours = std::fmin(ours, seconds(kernel));
            theirs = std::fmin(theirs, seconds(plain));
        }
        printf("%-14s kudzu %9.1f us   plain C %9.1f us   ratio %5.2f%s\n", name, ours * 1e6,
               theirs * 1e6, theirs / ours, right ? "" : "   WRONG");
        fflush(stdout);
        logarithms += log(theirs / ours);
        rows++;
        wrong += !right;
    }
};

} // namespace

int main(int argc, char **argv) {
    Table t;
    t.only = argc > 1 ? argv[1] : nullptr;
    const int n = N - 5; // no whole number of blocks
    const dim3 tile(16, 16), tiles(32, 32);
    float *x = buffer<float>(N), *y = buffer<float>(N), *z = buffer<float>(N),
          *w = buffer<float>(N);
    double *dx = buffer<double>(N), *dy = buffer<double>(N);
    auto *bytes = buffer<unsigned char>(4 * N), *bytes_out = buffer<unsigned char>(4 * N);
    auto *words = buffer<unsigned>(N), *words_out = buffer<unsigned>(N),
         *more = buffer<unsigned>(N);
    short *s1 = buffer<short>(N), *s2 = buffer<short>(N), *s3 = buffer<short>(N);
    int *index = buffer<int>(N), *ints = buffer<int>(N), *first = buffer<int>(N),
        *column = buffer<int>(N);
    P *p = (P *)buffer<float>(7 * (N / 4));
    for (int i = 0; i < N; i++) {
        index[i] = (int)((unsigned)i * 2654435761u % N);
        first[i] = i < 20001 ? i * 10 : 0;
        column[i] = index[i] % 20000;
    }
    const Output fx = output(x, N, true), fy = output(y, N, true), fz = output(z, N, true),
                 fw = output(w, N, true);

    t.row(
        "saxpy", [=] { saxpy<<<BLOCKS, 256>>>(n, 1e-9f, x, y); },
        [=] { plain_saxpy(n, 1e-9f, x, y); }, {fy});
    t.row(
        "saxpy_stride", [=] { saxpy_stride<<<64, 256>>>(n, 1e-9f, x, y); },
        [=] { plain_saxpy(n, 1e-9f, x, y); }, {fy});
    t.row(
        "update4", [=] { update4<<<64, 256>>>(n, x, y, z, w); },
        [=] { plain_update4(n, x, y, z, w); }, {fx, fy, fz, fw});
    t.row(
        "cross", [=] { cross<<<tiles, tile>>>(SIDE, x, y); }, [=] { plain_cross(SIDE, x, y); },
        {fx});
    t.row(
        "particles", [=] { particles<<<BLOCKS / 4, 256>>>(N / 4 - 3, p, 1e-9f); },
        [=] { plain_particles(N / 4 - 3, p, 1e-9f); }, {output((float *)p, 7 * (N / 4), true)});
    t.row(
        "rowsum", [=] { rowsum<<<2, 256>>>(SIDE, 512, x, y); },
        [=] { plain_rowsum(SIDE, 512, x, y); }, {fy});
    t.row(
        "colsum", [=] { colsum<<<2, 256>>>(512, SIDE, x, y); },
        [=] { plain_colsum(512, SIDE, x, y); }, {fy});
    t.row(
        "poly", [=] { poly<<<BLOCKS, 256>>>(n, z, y); }, [=] { plain_poly(n, z, y); }, {fy});
    t.row(
        "gray", [=] { gray<<<BLOCKS, 256>>>(n, bytes, bytes_out); },
        [=] { plain_gray(n, bytes, bytes_out); }, {output(bytes_out, N)});
    t.row(
        "gather", [=] { gather<<<BLOCKS, 256>>>(n, index, x, y); },
        [=] { plain_gather(n, index, x, y); }, {fy});
    t.row(
        "by_sign", [=] { by_sign<<<BLOCKS, 256>>>(n, w, z); }, [=] { plain_by_sign(n, w, z); },
        {fz});
    t.row(
        "daxpy", [=] { daxpy<<<BLOCKS, 256>>>(n, 1e-9, dx, dy); },
        [=] { plain_daxpy(n, 1e-9, dx, dy); }, {});
    t.row(
        "matmul", [=] { matmul<<<dim3(13, 13), tile>>>(200, x, w, y); },
        [=] { plain_matmul(200, x, w, y); }, {fy});
    t.row(
        "transpose", [=] { transpose<<<tiles, tile>>>(SIDE, x, z); },
        [=] { plain_transpose(SIDE, x, z); }, {fz});
    t.row(
        "blur_row",
        [=] { blur_row<<<tiles, tile>>>(SIDE, SIDE, (uchar4 *)bytes, (uchar4 *)bytes_out); },
        [=] { plain_blur_row(SIDE, SIDE, bytes, bytes_out); }, {output(bytes_out, 4 * N)});
    t.row(
        "hash", [=] { hash<<<BLOCKS, 256>>>(n, words, words_out); },
        [=] { plain_hash(n, words, words_out); }, {output(words_out, N)});
    t.row(
        "stencil_3d", [=] { stencil_3d<<<dim3(4, 4, CUBE), tile>>>(CUBE, x, z); },
        [=] { plain_stencil_3d(CUBE, x, z); }, {fz});
    t.row(
        "mandel", [=] { mandel<<<dim3(16, 16), tile>>>(250, 250, ints); },
        [=] { plain_mandel(250, 250, ints); }, {});
    t.row(
        "spmv", [=] { spmv<<<79, 256>>>(20000, first, column, x, w, z); },
        [=] { plain_spmv(20000, first, column, x, w, z); }, {fz});
    t.row(
        "block_sum", [=] { block_sum<<<64, 256>>>(n, w, z); }, [=] { plain_block_sum(n, w, z); },
        {});
    t.row(
        "histogram", [=] { histogram<<<BLOCKS, 256>>>(n, bytes, words_out); },
        [=] { plain_histogram(n, bytes, words_out); }, {output(words_out, N)});
    t.row(
        "histograms", [=] { histograms<<<BLOCKS, 256>>>(n, bytes, bytes_out, words_out, more); },
        [=] { plain_histograms(n, bytes, bytes_out, words_out, more); },
        {output(words_out, N), output(more, N)});
    t.row(
        "scatter", [=] { scatter<<<BLOCKS, 256>>>(n, index, more); },
        [=] { plain_scatter(n, index, more); }, {output(more, N)});
    t.row(
        "nearest", [=] { nearest<<<8, 256>>>(2000, 300, x, y, z, w, ints); },
        [=] { plain_nearest(2000, 300, x, y, z, w, ints); }, {output(ints, 2000)});
    t.row(
        "box_filter", [=] { box_filter<<<BLOCKS / 4, 256>>>(N / 4 - 5, w, z, 7); },
        [=] { plain_box_filter(N / 4 - 5, w, z, 7); }, {fz});
    t.row(
        "shorts", [=] { shorts<<<BLOCKS, 256>>>(n, s1, s2, s3); },
        [=] { plain_shorts(n, s1, s2, s3); }, {output(s3, N)});
    t.row(
        "table", [=] { table<<<BLOCKS, 256>>>(n, bytes, w, y); },
        [=] { plain_table(n, bytes, w, y); }, {fy});
    t.row(
        "turned", [=] { turned<<<tiles, tile>>>(SIDE, SIDE, x, z, 0.75f, 0.625f); },
        [=] { plain_turned(SIDE, SIDE, x, z, 0.75f, 0.625f); }, {fz});
    t.row(
        "binomial", [=] { binomial<<<20, 256>>>(5000, w, z); }, [=] { plain_binomial(5000, w, z); },
        {fz});
    t.row(
        "filtered", [=] { filtered<<<2, 256>>>(512, 512, s1, s3); },
        [=] { plain_filtered(512, 512, s1, s3); }, {output(s3, N)});
    t.row(
        "checksums", [=] { checksums<<<79, 256>>>(20000, bytes, words, more); },
        [=] { plain_checksums(20000, bytes, words, more); }, {output(more, N)});
    t.row(
        "median", [=] { median<<<tiles, tile>>>(SIDE, SIDE, bytes, bytes_out); },
        [=] { plain_median(SIDE, SIDE, bytes, bytes_out); }, {output(bytes_out, N)});
    printf("geometric mean %.3f of %d%s\n", exp(t.logarithms / t.rows), t.rows,
           t.wrong ? ", some WRONG" : "");
    return t.wrong > 0;
}
