// Sparse matrix times vector, rows compressed (CSR): one thread a row, and one warp a row.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

struct Csr {
    const int *row, *col;
    const double *val;
    int n;
};

__global__ void thread_per_row(Csr m, const double *x, double *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m.n)
        return;
    double sum = 0;
    for (int k = m.row[r]; k < m.row[r + 1]; k++)
        sum += m.val[k] * x[m.col[k]];
    y[r] = sum;
}

__global__ void warp_per_row(Csr m, const double *x, double *y) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= m.n)
        return;
    double sum = 0;
    for (int k = m.row[r] + lane; k < m.row[r + 1]; k += 32)
        sum += m.val[k] * x[m.col[k]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[r] = sum;
}

template <typename T> T *upload(const std::vector<T> &v) {
    T *d;
    CHECK(cudaMalloc(&d, v.size() * sizeof(T)));
    CHECK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

int main() {
    const int n = 20000;
    std::vector<int> row(1, 0), col;
    std::vector<double> val, x(n), want(n, 0.0), got(n);
    for (int i = 0; i < n; i++) {
        x[i] = i % 10 - 4.5;
        for (int k = 0; k < 3 + i * 7 % 40; k++) {
            col.push_back((int)((i * 131LL + k * k * 37LL) % n));
            val.push_back((i + k) % 5 - 2);
        }
        row.push_back((int)col.size());
    }
    for (int i = 0; i < n; i++)
        for (int k = row[i]; k < row[i + 1]; k++)
            want[i] += val[k] * x[col[k]]; // multiples of 1/2: exact in any order
    Csr m = {upload(row), upload(col), upload(val), n};
    double *dx = upload(x), *dy = upload(want);
    cudaEvent_t t[3];
    for (auto &event : t)
        CHECK(cudaEventCreate(&event));
    for (int which = 0; which < 2; which++) {
        CHECK(cudaMemset(dy, 0, n * sizeof(double)));
        if (which == 0)
            thread_per_row<<<(n + 127) / 128, 128>>>(m, dx, dy);
        else
            warp_per_row<<<(n * 32 + 127) / 128, 128>>>(m, dx, dy);
        CHECK(cudaMemcpy(got.data(), dy, n * sizeof(double), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++)
            if (got[i] != want[i]) {
                printf("FAILED: row %d is %g, not %g\n", i, got[i], want[i]);
                return 1;
            }
    }
    CHECK(cudaEventRecord(t[0]));
    thread_per_row<<<(n + 127) / 128, 128>>>(m, dx, dy);
    CHECK(cudaEventRecord(t[1]));
    warp_per_row<<<(n * 32 + 127) / 128, 128>>>(m, dx, dy);
    CHECK(cudaEventRecord(t[2]));
    CHECK(cudaEventSynchronize(t[2]));
    float a, b;
    CHECK(cudaEventElapsedTime(&a, t[0], t[1]));
    CHECK(cudaEventElapsedTime(&b, t[1], t[2]));
    printf("checked: %d rows, %zu entries\n", n, val.size());
    printf("speed: a thread a row %.2f GFLOP/s, a warp a row %.2f GFLOP/s\n",
           2.0 * val.size() / a / 1e6, 2.0 * val.size() / b / 1e6);
    return 0;
}
