// Blocks of 16 with panels solved in registers; blocks of 32 with the diagonal's and a panel's
// elements a thread each, the rest by float4; columns of 32 factored whole by one block, from
// global memory, and a thread a column right of the diagonal.
#include "bench.h"

enum { N = 1024 };

template <int B> __global__ void diagonal_block(float *m, int offset) {
    __shared__ float shadow[B][B + 1];
    int x = threadIdx.x, y = threadIdx.y;
    float *at = &m[(offset + y) * N + offset + x];
    shadow[y][x] = *at;
    __syncthreads();
    for (int k = 0; k < B - 1; k++) {
        if (x == k && y > k)
            shadow[y][k] /= shadow[k][k];
        __syncthreads();
        if (x > k && y > k)
            shadow[y][x] -= shadow[y][k] * shadow[k][x];
        __syncthreads();
    }
    *at = shadow[y][x];
}

// 2 B threads: the first half solves a panel to the right, the others one below.
template <int B> __global__ void perimeter(float *m, int offset) {
    __shared__ float dia[B][B];
    int t = threadIdx.x % B, other = offset + (blockIdx.x + 1) * B;
    for (int i = threadIdx.x; i < B * B; i += 2 * B)
        dia[i / B][i % B] = m[(offset + i / B) * N + offset + i % B];
    __syncthreads();
    float v[B];
    if (threadIdx.x < B) {
        float *column = m + offset * N + other + t;
        for (int i = 0; i < B; i++) {
            v[i] = column[i * N];
            for (int j = 0; j < i; j++)
                v[i] -= dia[i][j] * v[j];
            column[i * N] = v[i];
        }
    } else {
        float *row = m + (other + t) * N + offset;
        for (int i = 0; i < B; i++) {
            v[i] = row[i];
            for (int j = 0; j < i; j++)
                v[i] -= v[j] * dia[j][i];
            v[i] /= dia[i][i];
        }
        for (int i = 0; i < B; i++)
            row[i] = v[i];
    }
}

template <int B> __global__ void internal(float *m, int offset) {
    __shared__ float peri_row[B][B], peri_col[B][B];
    int row = offset + (blockIdx.y + 1) * B, col = offset + (blockIdx.x + 1) * B;
    int x = threadIdx.x, y = threadIdx.y;
    peri_row[y][x] = m[(offset + y) * N + col + x];
    peri_col[y][x] = m[(row + y) * N + offset + x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < B; i++)
        sum += peri_col[y][i] * peri_row[i][x];
    m[(row + y) * N + col + x] -= sum;
}

static void by_sixteen(float *a) {
    const int B = 16;
    int k = 0;
    for (; k < N - B; k += B) {
        int rest = (N - k) / B - 1;
        diagonal_block<B><<<1, dim3(B, B)>>>(a, k);
        perimeter<B><<<rest, 2 * B>>>(a, k);
        internal<B><<<dim3(rest, rest), dim3(B, B)>>>(a, k);
    }
    diagonal_block<B><<<1, dim3(B, B)>>>(a, k);
}

// A panel with a thread an element: right of the diagonal for y = 0, else below it.
__global__ void panel_elements(float *a, int k) {
    __shared__ float d[32][33], p[32][33];
    int x = threadIdx.x, y = threadIdx.y, at = k + 32 * (blockIdx.x + 1);
    float *panel = blockIdx.y == 0 ? &a[(k + y) * N + at + x] : &a[(at + y) * N + k + x];
    d[y][x] = a[(k + y) * N + k + x];
    p[y][x] = *panel;
    __syncthreads();
    if (blockIdx.y == 0)
        for (int i = 0; i < 31; i++) {
            if (y > i)
                p[y][x] -= d[y][i] * p[i][x];
            __syncthreads();
        }
    else
        for (int i = 0; i < 32; i++) {
            if (x == i)
                p[y][i] /= d[i][i];
            __syncthreads();
            if (x > i)
                p[y][x] -= p[y][i] * d[i][x];
            __syncthreads();
        }
    *panel = p[y][x];
}

// Blocks of 8 x 32 threads; four columns each.
__global__ void rest_by_four(float *a, int k) {
    __shared__ float left[32][33];
    __shared__ float4 above[32][8];
    int x = threadIdx.x, y = threadIdx.y, t = y * 8 + x;
    int column = k + 32 * (blockIdx.x + 1), row = k + 32 * (blockIdx.y + 1);
    for (int i = t; i < 32 * 32; i += 256)
        left[i / 32][i % 32] = a[(row + i / 32) * N + k + i % 32];
    above[y][x] = ((const float4 *)&a[(k + y) * N + column])[x];
    __syncthreads();
    float4 *to = &((float4 *)&a[(row + y) * N + column])[x], v = *to;
    for (int j = 0; j < 32; j++) {
        float l = left[y][j];
        float4 u = above[j][x];
        v.x -= l * u.x;
        v.y -= l * u.y;
        v.z -= l * u.z;
        v.w -= l * u.w;
    }
    *to = v;
}

static void by_elements(float *a) {
    for (int k = 0; k < N; k += 32) {
        int m = (N - k) / 32 - 1;
        diagonal_block<32><<<1, dim3(32, 32)>>>(a, k);
        if (m > 0) {
            panel_elements<<<dim3(m, 2), dim3(32, 32)>>>(a, k);
            rest_by_four<<<dim3(m, m), dim3(8, 32)>>>(a, k);
        }
    }
}

// All rows from k down of the 32 columns from k.
__global__ void tall_panel(float *a, int n, int k) {
    __shared__ float pivot[32];
    for (int j = 0; j < 32; j++) {
        if (threadIdx.x < 32)
            pivot[threadIdx.x] = a[(k + j) * n + k + threadIdx.x];
        __syncthreads();
        for (int i = k + j + 1 + threadIdx.x; i < n; i += blockDim.x) {
            float *row = a + i * n + k, l = row[j] / pivot[j];
            row[j] = l;
            for (int c = j + 1; c < 32; c++)
                row[c] -= l * pivot[c];
        }
        __syncthreads();
    }
}

__global__ void solve_columns(float *a, int n, int k) {
    __shared__ float lower[32][32];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        lower[i / 32][i % 32] = a[(k + i / 32) * n + k + i % 32];
    __syncthreads();
    int column = k + 32 + blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n)
        return;
    float v[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        v[i] = a[(k + i) * n + column];
#pragma unroll
    for (int i = 0; i < 32; i++)
#pragma unroll
        for (int j = i + 1; j < 32; j++)
            v[j] -= lower[j][i] * v[i];
#pragma unroll
    for (int i = 0; i < 32; i++)
        a[(k + i) * n + column] = v[i];
}

static void by_panels(float *a) {
    for (int k = 0; k < N; k += 32) {
        int rest = N - k - 32;
        tall_panel<<<1, 256>>>(a, N, k);
        if (rest > 0) {
            solve_columns<<<(rest + 127) / 128, 128>>>(a, N, k);
            internal<32><<<dim3(rest / 32, rest / 32), dim3(32, 32)>>>(a, k);
        }
    }
}

VARIANTS(lu, "LU") {
    float *a = row_buffer<float>(0).dev;
    return {[=] { by_sixteen(a); }, [=] { by_elements(a); }, [=] { by_panels(a); }};
}
