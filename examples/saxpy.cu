// SAXPY with managed memory and a grid-stride loop: y = a * x + y for any n with any grid.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

__global__ void saxpy(float a, const float *x, float *y, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = fmaf(a, x[i], y[i]);
}

int main() {
    const size_t n = (1 << 22) + 7;
    const float a = 1.5f;
    float *x, *y;
    CHECK(cudaMallocManaged(&x, n * sizeof(float))); // host and device see the same pages
    CHECK(cudaMallocManaged(&y, n * sizeof(float)));
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(i % 1000);
        y[i] = (float)(i % 7);
    }
    int blocks, threads;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, saxpy));
    saxpy<<<blocks * 4, threads>>>(a, x, y, n);
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i++) {
        float want = a * (float)(i % 1000) + (float)(i % 7); // exact in float
        if (y[i] != want) {
            printf("FAILED: y[%zu] is %g, not %g\n", i, y[i], want);
            return 1;
        }
    }
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    saxpy<<<(unsigned)((n + 255) / 256), 256>>>(a, x, y, n);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: %zu elements, grid-stride loop with %d blocks of %d\n", n, blocks * 4, threads);
    printf("speed: %.2f GB/s\n", 3.0 * n * sizeof(float) / ms / 1e6);
    cudaFree(x);
    cudaFree(y);
    return 0;
}
