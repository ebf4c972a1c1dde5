#include "bench.h"

// LU factorisation without pivoting, in place, in blocks of 32 x 32 that lie in shared memory:
// the block of the diagonal, then the panels right of it and below it, then the rest.
extern "C" void native_lu(float *a, int n);

__global__ void lu_diagonal(float *a, int n, int k) {
    __shared__ float s[32][33];
    int l = threadIdx.x;
    a += (size_t)k * n + k;
    for (int i = 0; i < 32; i++)
        s[i][l] = a[(size_t)i * n + l];
    __syncthreads();
    for (int i = 0; i < 31; i++) {
        if (l > i) {
            s[l][i] /= s[i][i];
            for (int j = i + 1; j < 32; j++)
                s[l][j] -= s[l][i] * s[i][j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 32; i++)
        a[(size_t)i * n + l] = s[i][l];
}

// Block y = 0 of the grid: a panel right of the diagonal, a thread a column; y = 1: below it, a
// thread a row.
__global__ void lu_panels(float *a, int n, int k) {
    __shared__ float d[32][33], s[32][33];
    int l = threadIdx.x, at = k + 32 + blockIdx.x * 32;
    bool below = blockIdx.y == 1;
    float *panel = below ? a + (size_t)at * n + k : a + (size_t)k * n + at;
    a += (size_t)k * n + k;
    for (int i = 0; i < 32; i++) {
        d[i][l] = a[(size_t)i * n + l];
        s[i][l] = panel[(size_t)i * n + l];
    }
    __syncthreads();
    if (below)
        for (int i = 0; i < 32; i++) {
            float v = s[l][i];
            for (int j = 0; j < i; j++)
                v -= s[l][j] * d[j][i];
            s[l][i] = v / d[i][i];
        }
    else
        for (int i = 1; i < 32; i++) {
            float v = s[i][l];
            for (int j = 0; j < i; j++)
                v -= d[i][j] * s[j][l];
            s[i][l] = v;
        }
    __syncthreads();
    for (int i = 0; i < 32; i++)
        panel[(size_t)i * n + l] = s[i][l];
}

__global__ void lu_rest(float *a, int n, int k) {
    __shared__ float left[32][32], above[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    int column = k + 32 + blockIdx.x * 32, row = k + 32 + blockIdx.y * 32;
    float sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        left[y + 8 * i][x] = a[(size_t)(row + y + 8 * i) * n + k + x];
        above[y + 8 * i][x] = a[(size_t)(k + y + 8 * i) * n + column + x];
    }
    __syncthreads();
    for (int j = 0; j < 32; j++)
        for (int i = 0; i < 4; i++)
            sum[i] += left[y + 8 * i][j] * above[j][x];
    for (int i = 0; i < 4; i++)
        a[(size_t)(row + y + 8 * i) * n + column + x] -= sum[i];
}

BENCH(lu) {
    int n = 1024;
    Buffer<float> a((size_t)n * n);
    unsigned seed = 17;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a.host[(size_t)i * n + j] =
                (bench_random(&seed) >> 8) / 16777216.0f - 0.5f + (i == j ? 32 : 0);
    a.upload();
    Row r = compute_row("LU", 2.0 / 3 * n * n * n);
    r.kudzu = [&] {
        for (int k = 0; k < n; k += 32) {
            int m = (n - k) / 32 - 1;
            lu_diagonal<<<1, 32>>>(a.dev, n, k);
            if (m == 0)
                break;
            lu_panels<<<dim3(m, 2), 32>>>(a.dev, n, k);
            lu_rest<<<dim3(m, m), dim3(32, 8)>>>(a.dev, n, k);
        }
    };
    r.native = [&] { native_lu(a.host, n); };
    r.pocl = [&] {
        for (int k = 0; k < n; k += 32) {
            int m = (n - k) / 32 - 1;
            pocl("lu_diagonal", 1, 32, a, n, k);
            if (m == 0)
                break;
            pocl("lu_panels", dim3(m, 2), 32, a, n, k);
            pocl("lu_rest", dim3(m, m), dim3(32, 8), a, n, k);
        }
    };
    r.outputs = {&a};
    r.reset = [&](bench_side s) { a.reset(s); };
    r.fresh = true;
    r.tolerance = 1e-5;
    measure(r);
}
