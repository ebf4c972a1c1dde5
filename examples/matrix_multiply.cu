// Tiled matrix multiplication: blocks load tiles into shared memory and use each element 16
// times. The template makes the tile's size a constant, so that the inner loop is unrolled.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

template <int TILE> __global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[TILE][TILE], sb[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        sa[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads(); // the tiles are complete
#pragma unroll
        for (int j = 0; j < TILE; j++)
            sum += sa[threadIdx.y][j] * sb[j][threadIdx.x];
        __syncthreads(); // nobody reads them any more
    }
    c[y * n + x] = sum;
}

int main() {
    const int n = 256, tile = 16;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)((i * 7) % 13 - 6);
        b[i] = (float)((i * 5) % 11 - 5);
    }
    float *da, *db, *dc;
    size_t bytes = n * n * sizeof(float);
    CHECK(cudaMalloc(&da, bytes));
    CHECK(cudaMalloc(&db, bytes));
    CHECK(cudaMalloc(&dc, bytes));
    CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
    dim3 block(tile, tile), grid(n / tile, n / tile);
    multiply<tile><<<grid, block>>>(da, db, dc, n);
    CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            long want = 0; // small integers: float arithmetic is exact here
            for (int k = 0; k < n; k++)
                want += (long)a[y * n + k] * (long)b[k * n + x];
            if (c[y * n + x] != (float)want) {
                printf("FAILED: c[%d][%d] is %g, not %ld\n", y, x, c[y * n + x], want);
                return 1;
            }
        }
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    for (int i = 0; i < 10; i++)
        multiply<tile><<<grid, block>>>(da, db, dc, n);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: a %d x %d product, tiles of %d x %d\n", n, n, tile, tile);
    printf("speed: %.2f GFLOP/s\n", 10 * 2.0 * n * n * n / ms / 1e6);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return 0;
}
