// 4x4: a matrix type with an operator and a grid-stride loop; a thread an element; a thread a row.
// 16x16: from global memory; several matrices a block in turn, the second one transposed; four
// results a thread.
#include "bench.h"

struct Matrix4 {
    float m[4][4];
};

__device__ Matrix4 operator*(const Matrix4 &a, const Matrix4 &b) {
    Matrix4 c;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            c.m[i][j] = 0;
            for (int k = 0; k < 4; k++)
                c.m[i][j] += a.m[i][k] * b.m[k][j];
        }
    return c;
}

__global__ void multiply_matrices(const Matrix4 *a, const Matrix4 *b, Matrix4 *c, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        c[i] = a[i] * b[i];
}

__global__ void multiply_elements(const float *a, const float *b, float *c, int total) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= total)
        return;
    int matrix = id / 16, row = id % 16 / 4, col = id % 4;
    const float *pa = a + matrix * 16 + row * 4, *pb = b + matrix * 16 + col;
    c[id] = pa[0] * pb[0] + pa[1] * pb[4] + pa[2] * pb[8] + pa[3] * pb[12];
}

__device__ float4 scaled_sum(float s, float4 v, float4 sum) {
    return make_float4(s * v.x + sum.x, s * v.y + sum.y, s * v.z + sum.z, s * v.w + sum.w);
}

__global__ void multiply_rows(const float4 *a, const float4 *b, float4 *c) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 *m = &b[id & ~3];
    float4 row = a[id], sum = make_float4(0, 0, 0, 0);
    sum = scaled_sum(row.x, m[0], sum);
    sum = scaled_sum(row.y, m[1], sum);
    sum = scaled_sum(row.z, m[2], sum);
    sum = scaled_sum(row.w, m[3], sum);
    c[id] = sum;
}

template <int DIM> __global__ void multiply_global(const float *A, const float *B, float *C) {
    size_t offset = (size_t)blockIdx.x * DIM * DIM;
    int row = threadIdx.x / DIM, col = threadIdx.x % DIM;
    float sum = 0;
    for (int k = 0; k < DIM; ++k)
        sum += A[offset + row * DIM + k] * B[offset + k * DIM + col];
    C[offset + threadIdx.x] = sum;
}

__global__ void multiply_in_turn(const float *a, const float *b, float *c, int count) {
    __shared__ float rows[16][16], columns[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, step = gridDim.x * 256;
    int at = blockIdx.x * 256 + ty * 16 + tx;
    for (int m = blockIdx.x; m < count; m += gridDim.x, at += step) {
        rows[ty][tx] = a[at];
        columns[tx][ty] = b[at];
        __syncthreads();
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += rows[ty][k] * columns[tx][k];
        c[at] = sum;
        __syncthreads();
    }
}

// Blocks of 16 x 4: each thread makes four elements of a column.
__global__ void multiply_columns(const float *a, const float *b, float *c) {
    __shared__ float sa[256], sb[256];
    int x = threadIdx.x, t = threadIdx.y * 16 + x;
    a += blockIdx.x * 256;
    b += blockIdx.x * 256;
    c += blockIdx.x * 256;
    for (int i = t; i < 256; i += 64) {
        sa[i] = a[i];
        sb[i] = b[i];
    }
    __syncthreads();
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    const float *row = sa + threadIdx.y * 64;
    for (int k = 0; k < 16; k++) {
        float v = sb[k * 16 + x];
        c0 += row[k] * v;
        c1 += row[k + 16] * v;
        c2 += row[k + 32] * v;
        c3 += row[k + 48] * v;
    }
    c += threadIdx.y * 64 + x;
    c[0] = c0;
    c[16] = c1;
    c[32] = c2;
    c[48] = c3;
}

enum { N = 1 << 20 };

VARIANTS(batched4, "batched 4x4 products") {
    const float *a = row_buffer<float>(0).dev, *b = row_buffer<float>(1).dev;
    float *c = row_buffer<float>(2).dev;
    return {
        [=] {
            multiply_matrices<<<64, 128>>>((const Matrix4 *)a, (const Matrix4 *)b, (Matrix4 *)c,
                                           N / 16);
        },
        [=] { multiply_elements<<<N / 256, 256>>>(a, b, c, N); },
        [=] { multiply_rows<<<N / 4 / 256, 256>>>((float4 *)a, (float4 *)b, (float4 *)c); },
    };
}

VARIANTS(batched16, "batched 16x16 products") {
    const float *a = row_buffer<float>(0).dev, *b = row_buffer<float>(1).dev;
    float *c = row_buffer<float>(2).dev;
    return {
        [=] { multiply_global<16><<<N / 256, 256>>>(a, b, c); },
        [=] { multiply_in_turn<<<128, dim3(16, 16)>>>(a, b, c, N / 256); },
        [=] { multiply_columns<<<N / 256, dim3(16, 4)>>>(a, b, c); },
    };
}
