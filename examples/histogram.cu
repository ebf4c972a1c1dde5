// Histogram of bytes: atomics in shared memory for each block, then one addition a bin.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

__global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main() {
    const int n = 1 << 22;
    std::vector<unsigned char> in(n);
    unsigned want[256] = {0}, got[256], seed = 1;
    for (auto &v : in) {
        seed = seed * 1664525u + 1013904223u;
        v = (unsigned char)((seed >> 24) & (seed >> 16));
        want[v]++;
    }
    unsigned char *din;
    unsigned *bins;
    CHECK(cudaMalloc(&din, n));
    CHECK(cudaMalloc(&bins, sizeof got));
    CHECK(cudaMemcpy(din, in.data(), n, cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaMemset(bins, 0, sizeof got));
        CHECK(cudaEventRecord(start));
        histogram<<<64, 256>>>(din, bins, n);
        CHECK(cudaEventRecord(stop));
    }
    CHECK(cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 256; b++)
        if (got[b] != want[b]) {
            printf("FAILED: bin %d holds %u, not %u\n", b, got[b], want[b]);
            return 1;
        }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: 256 bins of %d bytes\n", n);
    printf("speed: %.2f GB/s\n", n / ms / 1e6);
    return 0;
}
