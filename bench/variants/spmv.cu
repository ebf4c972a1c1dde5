// A thread a row: a grid-stride loop with pointers; sums in double and a row's bounds read once;
// a loop unrolled by four. Several threads a row: a template over how many; a block of warps with
// sums in shared memory; products of a block's entries in shared memory, then a thread a row.
#include "bench.h"

enum { ROWS = 1 << 16 };
typedef const int *__restrict__ Indices;
typedef const float *__restrict__ Floats;

__global__ void rows_in_turn(int n, Indices ptr, Indices col, Floats val, Floats x, float *y) {
    for (int r = threadIdx.x + blockIdx.x * blockDim.x; r < n; r += blockDim.x * gridDim.x) {
        const int *c = col + ptr[r], *end = col + ptr[r + 1];
        const float *v = val + ptr[r];
        float dot = 0;
        while (c != end)
            dot += *v++ * x[*c++];
        y[r] = dot;
    }
}

__global__ void rows_double(int num_rows, Indices ptr, Indices indices, Floats data, Floats x,
                            float *y) {
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < num_rows) {
        double dot = 0;
        int row_start = ptr[row], row_end = ptr[row + 1];
        for (int jj = row_start; jj < row_end; jj++)
            dot += (double)data[jj] * x[indices[jj]];
        y[row] = dot;
    }
}

__global__ void rows_by_four(int n, Indices start, Indices col, Floats val, Floats x, float *y) {
    int row = blockIdx.x * 128 + threadIdx.x, i = start[row], end = start[row + 1];
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; i + 3 < end; i += 4) {
        s0 += val[i] * x[col[i]];
        s1 += val[i + 1] * x[col[i + 1]];
        s2 += val[i + 2] * x[col[i + 2]];
        s3 += val[i + 3] * x[col[i + 3]];
    }
    for (; i < end; i++)
        s0 += val[i] * x[col[i]];
    y[row] = (s0 + s1) + (s2 + s3);
}

template <int THREADS>
__global__ void vector_rows(int n, Indices Ap, Indices Aj, Floats Ax, Floats x, float *y) {
    int thread = blockDim.x * blockIdx.x + threadIdx.x, lane = threadIdx.x & (THREADS - 1);
    int step = gridDim.x * blockDim.x / THREADS;
    for (int row = thread / THREADS; row < n; row += step) {
        float sum = 0;
        for (int jj = Ap[row] + lane; jj < Ap[row + 1]; jj += THREADS)
            sum += Ax[jj] * __ldg(&x[Aj[jj]]);
        for (int d = THREADS / 2; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d, THREADS);
        if (lane == 0)
            y[row] = sum;
    }
}

__global__ void shared_sums(int n, Indices ptr, Indices indices, Floats data, Floats x, float *y) {
    __shared__ volatile float vals[128 + 16];
    int warp = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (warp >= n)
        return;
    float sum = 0;
    for (int jj = ptr[warp] + lane; jj < ptr[warp + 1]; jj += 32)
        sum += data[jj] * x[indices[jj]];
    vals[threadIdx.x] = sum;
    __syncwarp();
    for (int d = 16; d > 0; d >>= 1) {
        if (lane < d)
            vals[threadIdx.x] = vals[threadIdx.x] + vals[threadIdx.x + d];
        __syncwarp();
    }
    if (lane == 0)
        y[warp] = vals[threadIdx.x];
}

// 32 rows of at most 56 entries a block.
__global__ void streamed(int n, Indices ptr, Indices col, Floats val, Floats x, float *y) {
    __shared__ float products[32 * 56];
    int row0 = blockIdx.x * 32, first = ptr[row0], end = ptr[min(row0 + 32, n)];
    for (int i = first + threadIdx.x; i < end; i += blockDim.x)
        products[i - first] = val[i] * x[col[i]];
    __syncthreads();
    int row = row0 + threadIdx.x;
    if (threadIdx.x < 32 && row < n) {
        float sum = 0;
        for (int i = ptr[row]; i < ptr[row + 1]; i++)
            sum += products[i - first];
        y[row] = sum;
    }
}

typedef void Kernel(int, Indices, Indices, Floats, Floats, float *);

static std::function<void()> launch(Kernel *kernel, int blocks, int block) {
    const int *start = row_buffer<int>(0).dev, *column = row_buffer<int>(1).dev;
    const float *value = row_buffer<float>(2).dev, *x = row_buffer<float>(3).dev;
    float *y = row_buffer<float>(4).dev;
    return [=] { kernel<<<blocks, block>>>(ROWS, start, column, value, x, y); };
}

VARIANTS(scalar, "SpMV, thread a row") {
    return {launch(rows_in_turn, 64, 256), launch(rows_double, ROWS / 256, 256),
            launch(rows_by_four, ROWS / 128, 128)};
}

VARIANTS(vector, "SpMV, warp a row") {
    return {launch(vector_rows<8>, 256, 256), launch(shared_sums, ROWS / 4, 128),
            launch(streamed, ROWS / 32, 128)};
}
