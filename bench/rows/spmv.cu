// Sparse matrix by vector, compressed rows: a thread a row, and a warp a row.
#include "bench.h"

extern "C" void native_spmv(const int *start, const int *column, const float *value, const float *x,
                            float *y, int rows);

__global__ void spmv_scalar(const int *start, const int *column, const float *value, const float *x,
                            float *y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

__global__ void spmv_vector(const int *start, const int *column, const float *value, const float *x,
                            float *y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = start[row] + lane; i < start[row + 1]; i += 32)
        sum += value[i] * x[column[i]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

BENCH(spmv) {
    int rows = 1 << 16;
    unsigned seed = 1;
    Buffer<int> start(rows + 1);
    for (int i = 0; i < rows; i++)
        start.host[i + 1] = start.host[i] + 8 + bench_random(&seed) % 49;
    start.upload();
    size_t n = start.host[rows];
    Buffer<int> column(n);
    Buffer<float> value(n), x(rows), y(rows);
    value.random(-1, 1);
    x.random(-1, 1);
    for (int i = 0; i < rows; i++) {
        int count = start.host[i + 1] - start.host[i], step = rows / count;
        for (int k = 0; k < count; k++) // ascending, one in each of the row's equal parts
            column.host[start.host[i] + k] = k * step + bench_random(&seed) % step;
    }
    column.upload();
    Row r = memory_row("SpMV, thread a row", 8.0 * n + 8.0 * rows, 4.0 * rows);
    r.goal_limit = 0;
    r.outputs = {&y};
    r.tolerance = 1e-5;
    r.native = [&] { native_spmv(start.host, column.host, value.host, x.host, y.host, rows); };
    r.kudzu = [&] {
        spmv_scalar<<<rows / 256, 256>>>(start.dev, column.dev, value.dev, x.dev, y.dev, rows);
    };
    r.pocl = [&] { pocl("spmv_scalar", rows / 256, 256, start, column, value, x, y, rows); };
    measure(r);

    r.name = "SpMV, warp a row";
    r.pocl = [&] { pocl("spmv_vector", rows / 8, 256, start, column, value, x, y, rows); };
    r.kudzu = [&] {
        spmv_vector<<<rows / 8, 256>>>(start.dev, column.dev, value.dev, x.dev, y.dev, rows);
    };
    measure(r);
}
