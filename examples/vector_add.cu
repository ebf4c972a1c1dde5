// Vector addition: the first CUDA program. Each thread adds one pair of elements.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; // which element is mine?
    if (i < n)                                     // the last block may be too large
        c[i] = a[i] + b[i];
}

int main() {
    const int n = 1 << 22;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) {
        a[i] = 0.5f * i;
        b[i] = 3.0f - i;
    }
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, n * sizeof(float)));
    CHECK(cudaMalloc(&db, n * sizeof(float)));
    CHECK(cudaMalloc(&dc, n * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n); // compiled for this machine at the first launch
    CHECK(cudaEventRecord(start));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));

    for (int i = 0; i < n; i++)
        if (c[i] != a[i] + b[i]) {
            printf("FAILED: element %d is %g, not %g\n", i, c[i], a[i] + b[i]);
            return 1;
        }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    printf("checked: %d sums on %s\n", n, p.name);
    printf("speed: %.2f GB/s\n", 3.0 * n * sizeof(float) / ms / 1e6);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return 0;
}
